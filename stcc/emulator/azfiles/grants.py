"""What a request may do: everything with the account's key, else what its shared access signature says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from stcc.emulator.azfiles.refusals import Refusal

Level = Literal["s", "c", "o"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """`permissions` and `types` are the letters of the signature; `overrides` are headers that answers get by it."""

    kind: Literal["key", "account", "service"]
    permissions: str = ""
    types: str = ""
    overrides: Mapping[str, str] = field(default_factory=dict[str, str])

    def check(self, level: Level, needs: str) -> None:
        """Raise Refusal unless one of the permissions in `needs` is granted: on the service, a share or in one."""
        if self.kind == "key":
            return
        if self.kind == "account" and level not in self.types:
            raise Refusal("AuthorizationResourceTypeMismatch")
        if self.kind == "service" and level != "o" and needs != "l":
            raise Refusal("AuthorizationFailure")
        if not set(needs) & set(self.permissions):
            raise Refusal("AuthorizationPermissionMismatch")

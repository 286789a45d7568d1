"""Answers about containers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from stcc.outcomes import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerCreated:
    noun: ClassVar[str] = "container"
    kind: ClassVar[str] = "container-created"

    reply: Reply
    target: str
    etag: str
    last_modified: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerShown:
    """`lease_duration` is `fixed` or `infinite`, and only there while leased."""

    noun: ClassVar[str] = "container"
    kind: ClassVar[str] = "container-shown"

    reply: Reply
    target: str
    etag: str
    last_modified: str
    lease_state: str
    lease_status: str
    lease_duration: str | None
    public_access: str | None
    metadata: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerDeleted:
    noun: ClassVar[str] = "container"
    kind: ClassVar[str] = "container-deleted"

    reply: Reply
    target: str


ContainerOutcome = ContainerCreated | ContainerShown | ContainerDeleted

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "containers-listed": ("name", "lease_state", "lease_duration", "last_modified", "etag"),
}

"""Answers about what simulated SMB clients have open."""

from dataclasses import dataclass
from typing import ClassVar, Final

from stcc.outcomes import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class SmbOpened:
    """`access` and `shared` are letters of rwd: read, write, delete."""

    noun: ClassVar[str] = "smb"
    kind: ClassVar[str] = "smb-opened"

    reply: Reply | None = None
    target: str
    handle: str
    access: str
    shared: str
    client: str
    opened: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SmbClosed:
    """With the last handle goes what was marked for deletion: `deleted`."""

    noun: ClassVar[str] = "smb"
    kind: ClassVar[str] = "smb-closed"

    reply: Reply | None = None
    target: str
    handle: str
    deleted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SmbMarked:
    """`delete_pending` is whether the file goes with its last handle."""

    noun: ClassVar[str] = "smb"
    kind: ClassVar[str] = "smb-marked"

    reply: Reply | None = None
    target: str
    handle: str
    delete_pending: bool


SmbOutcome = SmbOpened | SmbClosed | SmbMarked
COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "smb-listed": ("handle", "share", "path", "access", "shared", "client", "opened", "delete_pending"),
}

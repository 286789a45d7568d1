"""Answers about shares."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from stcc.outcomes import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareCreated:
    noun: ClassVar[str] = "share"
    kind: ClassVar[str] = "share-created"

    reply: Reply
    target: str
    etag: str
    last_modified: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareShown:
    """`quota` in GiB; `lease_duration` is `fixed` or `infinite`, and only there while leased."""

    noun: ClassVar[str] = "share"
    kind: ClassVar[str] = "share-shown"

    reply: Reply
    target: str
    etag: str
    last_modified: str
    lease_state: str | None
    lease_status: str | None
    lease_duration: str | None
    quota: int | None
    tier: str | None
    metadata: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareDeleted:
    """`snapshots` is `include` or `include-leased` where they were deleted, too."""

    noun: ClassVar[str] = "share"
    kind: ClassVar[str] = "share-deleted"

    reply: Reply
    target: str
    snapshots: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareSnapshotTaken:
    """`snapshot` is the time that names it, to be given back exactly as it is."""

    noun: ClassVar[str] = "share"
    kind: ClassVar[str] = "share-snapshot-taken"

    reply: Reply
    target: str
    snapshot: str
    etag: str
    last_modified: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareMetadataSet:
    noun: ClassVar[str] = "share"
    kind: ClassVar[str] = "share-metadata-set"

    reply: Reply
    target: str
    etag: str
    last_modified: str


ShareOutcome = ShareCreated | ShareShown | ShareDeleted | ShareSnapshotTaken | ShareMetadataSet

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "shares-listed": ("name", "snapshot", "quota", "lease_state", "lease_duration", "last_modified", "etag"),
}

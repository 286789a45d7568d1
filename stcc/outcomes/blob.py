"""Answers about blobs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from stcc.outcomes import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobPut:
    """`size` in bytes; `blocks` is 0 for a blob that went in one request."""

    noun: ClassVar[str] = "blob"
    kind: ClassVar[str] = "blob-put"

    reply: Reply
    target: str
    etag: str
    last_modified: str
    size: int
    blocks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobGot:
    """`size` is what was written to `path`, in bytes."""

    noun: ClassVar[str] = "blob"
    kind: ClassVar[str] = "blob-got"

    reply: Reply
    target: str
    etag: str
    last_modified: str
    size: int
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobShown:
    """`lease_duration` is `fixed` or `infinite`, and only there while leased.

    `sequence_number` is that of a page blob; `copy_id` and `copy_status` tell about the last copy to the blob.
    """

    noun: ClassVar[str] = "blob"
    kind: ClassVar[str] = "blob-shown"

    reply: Reply
    target: str
    etag: str
    last_modified: str
    size: int
    blob_type: str
    content_type: str | None
    content_md5: str | None
    lease_state: str | None
    lease_status: str | None
    lease_duration: str | None
    tier: str | None
    created: str | None
    tag_count: int | None
    metadata: Mapping[str, str]
    sequence_number: int | None
    copy_id: str | None
    copy_status: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobDeleted:
    """`snapshots` is `include` or `only` where they were deleted too, or only they."""

    noun: ClassVar[str] = "blob"
    kind: ClassVar[str] = "blob-deleted"

    reply: Reply
    target: str
    snapshots: str | None


BlobOutcome = BlobPut | BlobGot | BlobShown | BlobDeleted

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "blobs-listed": ("name", "size", "lease_state", "lease_duration", "last_modified", "etag"),
}

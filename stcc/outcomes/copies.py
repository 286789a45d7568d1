"""Answers about copies of blobs."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from stcc.outcomes import Reply


class CopyState(NamedTuple):
    """How far the last copy to a blob is; `copied` and `total` in bytes, None while unknown."""

    copy_id: str | None
    status: str | None
    description: str | None
    copied: int | None
    total: int | None
    etag: str
    last_modified: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobCopied:
    """`copy_status` is `success`, or `pending` for a copy that goes on without anybody waiting."""

    noun: ClassVar[str] = "copies"
    kind: ClassVar[str] = "blob-copied"

    reply: Reply
    target: str
    etag: str
    last_modified: str
    copy_id: str | None
    copy_status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyAborted:
    noun: ClassVar[str] = "copies"
    kind: ClassVar[str] = "copy-aborted"

    reply: Reply
    target: str
    copy_id: str


CopyOutcome = BlobCopied | CopyAborted

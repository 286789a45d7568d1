"""Answers about append blobs."""

from dataclasses import dataclass
from typing import ClassVar

from stcc.outcomes import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobAppended:
    """`offset` is where the bytes begin, `size` how many they are; `created` says that there was no blob before."""

    noun: ClassVar[str] = "append"
    kind: ClassVar[str] = "blob-appended"

    reply: Reply
    target: str
    etag: str
    last_modified: str
    offset: int
    size: int
    blocks: int
    created: bool

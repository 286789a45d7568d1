"""Answers about page blobs."""

from dataclasses import dataclass
from typing import ClassVar, Final

from stcc.outcomes import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class PagesCreated:
    """`size` is in bytes, all of them zero."""

    noun: ClassVar[str] = "page"
    kind: ClassVar[str] = "pages-created"

    reply: Reply
    target: str
    etag: str
    last_modified: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PagesPut:
    """Bytes from `offset` on; the sequence number is the blob's."""

    noun: ClassVar[str] = "page"
    kind: ClassVar[str] = "pages-put"

    reply: Reply
    target: str
    etag: str
    last_modified: str
    offset: int
    length: int
    sequence_number: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PagesCleared:
    """Bytes from `offset` on, zero from now; the sequence number is the blob's."""

    noun: ClassVar[str] = "page"
    kind: ClassVar[str] = "pages-cleared"

    reply: Reply
    target: str
    etag: str
    last_modified: str
    offset: int
    length: int
    sequence_number: int | None


PageOutcome = PagesCreated | PagesPut | PagesCleared

COLUMNS: Final[dict[str, tuple[str, ...]]] = {"page-ranges-listed": ("kind", "start", "end", "length")}

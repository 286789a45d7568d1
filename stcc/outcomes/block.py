"""Answers about the blocks that a blob is made of."""

from dataclasses import dataclass
from typing import ClassVar, Final

from stcc.outcomes import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockStaged:
    """`block` is the id to commit it by; `size` is in bytes."""

    noun: ClassVar[str] = "block"
    kind: ClassVar[str] = "block-staged"

    reply: Reply
    target: str
    block: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BlocksCommitted:
    noun: ClassVar[str] = "block"
    kind: ClassVar[str] = "blocks-committed"

    reply: Reply
    target: str
    etag: str
    last_modified: str
    blocks: int


BlockOutcome = BlockStaged | BlocksCommitted

COLUMNS: Final[dict[str, tuple[str, ...]]] = {"blocks-listed": ("state", "id", "size")}

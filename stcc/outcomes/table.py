"""Answers about tables."""

from dataclasses import dataclass
from typing import ClassVar, Final

from stcc.outcomes import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCreated:
    noun: ClassVar[str] = "table"
    kind: ClassVar[str] = "table-created"

    reply: Reply
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDeleted:
    noun: ClassVar[str] = "table"
    kind: ClassVar[str] = "table-deleted"

    reply: Reply
    target: str


TableOutcome = TableCreated | TableDeleted

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "tables-listed": ("name",),
}

"""Answers about entities.

The `etag` of a write is None when the write is known to be done and its ETag
is not: the answer was cut short, or somebody may have changed the entity since.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from stcc.outcomes import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityShown:
    """`properties` is annotated JSON (`stcc.values.properties`); `timestamp` has all seven digits."""

    noun: ClassVar[str] = "entity"
    kind: ClassVar[str] = "entity-shown"

    reply: Reply
    target: str
    partition_key: str
    row_key: str
    timestamp: str
    etag: str
    properties: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityInserted:
    noun: ClassVar[str] = "entity"
    kind: ClassVar[str] = "entity-inserted"

    reply: Reply
    target: str
    etag: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityReplaced:
    noun: ClassVar[str] = "entity"
    kind: ClassVar[str] = "entity-replaced"

    reply: Reply
    target: str
    etag: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityMerged:
    noun: ClassVar[str] = "entity"
    kind: ClassVar[str] = "entity-merged"

    reply: Reply
    target: str
    etag: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityUpserted:
    noun: ClassVar[str] = "entity"
    kind: ClassVar[str] = "entity-upserted"

    reply: Reply
    target: str
    etag: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityDeleted:
    noun: ClassVar[str] = "entity"
    kind: ClassVar[str] = "entity-deleted"

    reply: Reply
    target: str


EntityWritten = EntityInserted | EntityReplaced | EntityMerged | EntityUpserted
EntityOutcome = EntityShown | EntityWritten | EntityDeleted

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "entities-listed": ("partition_key", "row_key", "timestamp", "etag", "properties"),
}

"""Entities, for people."""

from collections.abc import Iterator, Mapping
from typing import Final, assert_never

from stcc.outcomes.entity import (
    EntityDeleted,
    EntityInserted,
    EntityMerged,
    EntityOutcome,
    EntityReplaced,
    EntityShown,
    EntityUpserted,
)
from stcc.output.text import Text, cell

_ANNOTATION: Final = "@odata.type"


def human(outcome: EntityOutcome) -> Text:
    """Return the ETag or the properties for stdout, and what happened for stderr."""
    match outcome:
        case EntityShown():
            return Text(out=_aligned([*_system(outcome), *_properties(outcome.properties)]))
        case EntityInserted(target=target, etag=etag):
            return _written("inserted", target, etag)
        case EntityReplaced(target=target, etag=etag):
            return _written("replaced", target, etag)
        case EntityMerged(target=target, etag=etag):
            return _written("merged into", target, etag)
        case EntityUpserted(target=target, etag=etag):
            return _written("upserted", target, etag)
        case EntityDeleted(target=target):
            return Text(err=f"deleted entity {cell(target)}\n")
        case _:
            assert_never(outcome)


def _written(done: str, target: str, etag: str | None) -> Text:
    if etag is None:
        return Text(err=f"{done} entity {cell(target)}; its ETag is not known: read it before you write it again\n")
    return Text(out=f"{cell(etag)}\n", err=f"{done} entity {cell(target)}\n")


def _system(shown: EntityShown) -> Iterator[tuple[str, str]]:
    yield "PartitionKey", cell(shown.partition_key)
    yield "RowKey", cell(shown.row_key)
    yield "Timestamp", cell(shown.timestamp)
    yield "ETag", cell(shown.etag)


def _properties(properties: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield each property with its type, unless it is a string."""
    for name, value in properties.items():
        if not name.endswith(_ANNOTATION):
            kind = str(properties.get(name + _ANNOTATION, _self_evident(value))).removeprefix("Edm.")
            yield cell(name) + (f" ({cell(kind)})" if kind else ""), cell(value)


def _self_evident(value: object) -> str:
    return "Boolean" if isinstance(value, bool) else "Int32" if isinstance(value, int) else ""


def _aligned(lines: list[tuple[str, str]]) -> str:
    width = max(len(label) for label, _ in lines)
    return "".join(f"{label:<{width}}  {value}".rstrip(" ") + "\n" for label, value in lines)

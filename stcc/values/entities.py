"""What an entity is called, and what is written into it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from stcc.errors import Usage
from stcc.values.edm import Edm, Typed
from stcc.values.properties import SYSTEM, Properties, check_size, property_name, utf16_length
from stcc.values.targets import TableTarget, table_target

_KEY_LIMIT: Final = 1024
_OPERATION_ID: Final = 36  # characters of a UUID
_NOT_IN_KEYS = re.compile(r"[/\\#?\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityTarget:
    """An entity: its table and its two keys."""

    table: TableTarget
    partition_key: str
    row_key: str

    def __str__(self) -> str:
        return f"{self.table}/{self.partition_key}/{self.row_key}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The properties to write, and the name of one more that is to hold the operation id."""

    properties: Properties
    marker: str | None = None


def entity_target(table: str, partition_key: str, row_key: str) -> EntityTarget:
    """Parse the three arguments that name an entity."""
    return EntityTarget(
        table=table_target(table),
        partition_key=_key(partition_key, what="PartitionKey"),
        row_key=_key(row_key, what="RowKey"),
    )


def content(properties: Properties, *, target: EntityTarget, marker: str | None) -> Content:
    """Check what is to be written, the mark of its operation included."""
    if marker is not None and property_name(marker) in properties:
        msg = f"--marker {marker} is the name of a property that is given, too"
        raise Usage(msg, hint="the mark needs a property of its own")
    mark = {} if marker is None else {marker: Typed(Edm.STRING, "0" * _OPERATION_ID)}
    check_size({**properties, **mark}, keys=(target.partition_key, target.row_key))
    return Content(properties=properties, marker=marker)


def selection(text: str) -> Sequence[str]:
    """Parse `A,B` of --select; keys and Timestamp are always selected, so that every item has a name and an ETag."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in SYSTEM:
            property_name(name)
    return [*SYSTEM, *(name for name in dict.fromkeys(names) if name not in SYSTEM)]


def query_filter(text: str) -> str:
    """Check an OData filter as far as it can be: that there is one, and that it can be sent."""
    if not text.strip():
        msg = "--filter is empty"
        raise Usage(msg, hint="is the variable set? without --filter, every entity of the table is listed")
    _check_utf8(text, what="--filter")
    return text


def _key(text: str, *, what: str) -> str:
    if not text:
        msg = f"the {what} is empty"
        raise Usage(msg, hint="is the variable set? the service allows an empty key, stcc does not")
    _check_utf8(text, what=f"the {what}")
    if found := _NOT_IN_KEYS.search(text):
        msg = f"the {what} cannot contain {found[0]!r}"
        raise Usage(msg, hint=r"keys hold neither / \ # ? nor control characters")
    if utf16_length(text) > _KEY_LIMIT:
        msg = f"the {what} is longer than {_KEY_LIMIT:,} characters"
        raise Usage(msg)
    return text


def _check_utf8(text: str, *, what: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        msg = f"{what} is not UTF-8 text"
        raise Usage(msg) from None

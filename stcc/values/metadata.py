"""Metadata and tags: `name=value` pairs that become headers."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from stcc.errors import Usage

MARKER: Final = "stcc_op"
_NAME = r"(?a)[A-Za-z_][A-Za-z0-9_]*"
_VALUE = r"[\x20-\x7e]*"
_TAG = r"(?a)[A-Za-z0-9 +\-./:=_]*"
_TAG_LIMIT: Final = 10
_METADATA_LIMIT: Final = 8192


def metadata(pairs: Sequence[str], *, option: str = "--metadata") -> dict[str, str]:
    """Parse `name=value` pairs; names are C# identifiers, values printable ASCII, 8 KiB in all."""
    values = _pairs(pairs, option=option)
    for name, value in values.items():
        if re.fullmatch(_NAME, name) is None:
            msg = f"{option} name is not an identifier: {name!r}"
            raise Usage(msg, hint="letters, digits and underscores, not a digit first")
        if name.lower() == MARKER:
            msg = f"{option} name {MARKER} belongs to stcc"
            raise Usage(msg)
        if re.fullmatch(_VALUE, value) is None or value != value.strip():
            msg = f"{option} value cannot be sent in a header: {name}={value!r}"
            raise Usage(msg, hint="printable ASCII, no space at either end; encode other text")
    if len({name.lower() for name in values}) < len(values):
        msg = f"{option} gives the same name twice"
        raise Usage(msg, hint="names differ by more than case")
    if sum(len(name) + len(value) for name, value in values.items()) > _METADATA_LIMIT:
        msg = f"{option} is larger than 8 KiB"
        raise Usage(msg)
    return values


def is_exactly(found: Mapping[str, str] | None, sent: Mapping[str, str]) -> bool:
    """Tell whether metadata is what was sent, operation id and all; names may have lost their case on the way.

    Somebody else's change of one name may have left the operation id in place: then the ETag is theirs.
    """
    return _folded(found or {}) == _folded(sent)


def _folded(values: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in values.items()}


def tags(pairs: Sequence[str], *, option: str = "--tag") -> dict[str, str]:
    """Parse `name=value` pairs into blob index tags: at most ten, names to 128 and values to 256 characters."""
    values = _pairs(pairs, option=option)
    if len(values) > _TAG_LIMIT:
        msg = f"{option} was given {len(values)} times"
        raise Usage(msg, hint="a blob has at most 10 tags")
    for name, value in values.items():
        if not (1 <= len(name) <= 128 and len(value) <= 256 and re.fullmatch(_TAG, name) and re.fullmatch(_TAG, value)):
            msg = f"{option} is not a blob index tag: {name}={value!r}"
            raise Usage(msg, hint="letters, digits, space and + - . / : = _; name to 128, value to 256 characters")
    return values


def _pairs(pairs: Sequence[str], *, option: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            msg = f"{option} is not name=value: {pair!r}"
            raise Usage(msg)
        if name in values:
            msg = f"{option} gives {name!r} twice"
            raise Usage(msg)
        values[name] = value
    return values

"""The types of entity properties, and their values in the form in which the service's JSON carries them.

Sources: "Understanding the Table service data model" (types and ranges) and
"Payload format for Table service operations" (how each type is written).
"""

import base64
import binascii
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

from stcc.errors import Usage


class Edm(StrEnum):
    """The eight types, by the service's names."""

    STRING = "Edm.String"
    BOOLEAN = "Edm.Boolean"
    INT32 = "Edm.Int32"
    INT64 = "Edm.Int64"
    DOUBLE = "Edm.Double"
    DATETIME = "Edm.DateTime"
    GUID = "Edm.Guid"
    BINARY = "Edm.Binary"


# What a user writes between the name and the equals sign.
NAMES: Final = {
    "string": Edm.STRING,
    "bool": Edm.BOOLEAN,
    "int32": Edm.INT32,
    "int64": Edm.INT64,
    "double": Edm.DOUBLE,
    "datetime": Edm.DATETIME,
    "guid": Edm.GUID,
    "binary": Edm.BINARY,
}
_RULES: Final = {
    Edm.STRING: "text",
    Edm.BOOLEAN: "true or false",
    Edm.INT32: "-2147483648 to 2147483647",
    Edm.INT64: "-9223372036854775808 to 9223372036854775807",
    Edm.DOUBLE: "a number such as 1.5 or 6e23, or NaN, Infinity, -Infinity",
    Edm.DATETIME: "2026-01-31T12:00:00Z, with up to 7 digits of a second, years 1601 to 9999, always with a zone",
    Edm.GUID: "c9da6455-213d-42c9-9a79-3e9149a57833",
    Edm.BINARY: "base64, with its padding",
}
_INTEGER = re.compile(r"[+-]?[0-9]{1,40}")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,6})?")
_NOT_FINITE: Final = ("NaN", "Infinity", "-Infinity")
_GUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_MOMENT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]{1,7})?(Z|[+-][0-9]{2}:[0-9]{2})")
_FIRST_YEAR: Final = 1601


@dataclass(frozen=True, slots=True)
class Typed:
    """A property's type and its JSON value: an Int64, DateTime, Guid, Binary and a Double such as NaN are texts.

    `edm` is open: an answer may name a type that is not in `Edm`.
    """

    edm: str
    value: str | int | float | bool


def inferred(name: str, raw: object) -> Typed:
    """Return a JSON value with the type that it has by itself."""
    match raw:
        case bool():
            return Typed(Edm.BOOLEAN, raw)
        case int():
            return typed(name, Edm.INT32 if -(2**31) <= raw < 2**31 else Edm.INT64, raw)
        case float():
            return Typed(Edm.DOUBLE, raw)
        case str():
            return Typed(Edm.STRING, raw)
        case None:
            msg = f"property {name!r} is null, and the service stores no nulls"
            raise Usage(msg, hint="leave it out; entity replace removes what is not given")
        case _:
            msg = f"property {name!r} is an object or a list, and an entity holds neither"
            raise Usage(msg, hint="store it as text: name='{...}'")


def typed(name: str, edm: Edm, raw: object) -> Typed:
    """Return text or a JSON value as a value of the type; `Usage` when it is none."""
    value = _value(edm, raw)
    if value is None:
        msg = f"property {name!r} is not {edm.removeprefix('Edm.')}: {shortened(raw)}"
        raise Usage(msg, hint=_RULES[edm])
    return Typed(edm, value)


def _value(edm: Edm, raw: object) -> str | int | float | bool | None:
    match edm, raw:
        case Edm.STRING, str():
            return raw
        case Edm.BOOLEAN, bool():
            return raw
        case Edm.BOOLEAN, "true" | "false":
            return raw == "true"
        case ((Edm.INT32 | Edm.INT64), int() | str()):
            return _integer(raw, bits=32 if edm is Edm.INT32 else 64)
        case Edm.DOUBLE, int() | float() | str():
            return _double(raw)
        case Edm.DATETIME, str():
            return _moment(raw)
        case Edm.GUID, str():
            return raw if _GUID.fullmatch(raw) else None
        case Edm.BINARY, str():
            return _binary(raw)
        case _:
            return None


def _integer(raw: int | str, *, bits: int) -> int | str | None:
    if isinstance(raw, bool) or (isinstance(raw, str) and _INTEGER.fullmatch(raw) is None):
        return None
    number = int(raw)
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        return None
    return number if bits == 32 else str(number)


def _double(raw: float | str) -> float | str | None:
    if isinstance(raw, bool) or (isinstance(raw, str) and raw not in _NOT_FINITE and _NUMBER.fullmatch(raw) is None):
        return None
    if raw in _NOT_FINITE:
        return raw
    try:
        number = float(raw)
    except OverflowError:
        return None
    return None if number in {float("inf"), float("-inf")} else number


def _moment(raw: str) -> str | None:
    """Return the moment in UTC with exactly the digits that were given: the service counts in 100 ns."""
    match = _MOMENT.fullmatch(raw)
    if match is None:
        return None
    whole, fraction, zone = match.groups()
    try:
        moment = datetime.fromisoformat(whole).replace(tzinfo=UTC) - _offset(zone)
    except (ValueError, OverflowError):
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + (fraction or "") + "Z" if moment.year >= _FIRST_YEAR else None


def _offset(zone: str) -> timedelta:
    if zone == "Z":
        return timedelta()
    hours, minutes = int(zone[1:3]), int(zone[4:6])
    if hours > 23 or minutes > 59:
        raise ValueError(zone)
    return timedelta(hours=hours, minutes=minutes) * (-1 if zone[0] == "-" else 1)


def _binary(raw: str) -> str | None:
    try:
        return base64.b64encode(base64.b64decode(raw, validate=True)).decode("ascii")
    except (binascii.Error, ValueError):
        return None


def shortened(raw: object) -> str:
    """Return the value as a message shows it: its beginning, when it is long."""
    text = repr(raw)
    return text if len(text) <= 60 else text[:57] + "..."

"""JSON from people, read strictly: whatever would be changed or dropped in silence is refused."""

import json
from collections.abc import Sequence
from typing import Final, Never

from stcc.errors import Usage

_HINT: Final = "one JSON value, UTF-8, each name once; NaN and Infinity are texts there"


def strict_json(text: str, *, what: str) -> object:
    """Return the value of a JSON text; `Usage` also for a name given twice, and for a number that is too large.

    `-0` is a float, because as an int it would lose its sign.
    """
    try:
        return json.loads(
            text, object_pairs_hook=_unique, parse_int=_integer, parse_float=_real, parse_constant=_no_constant
        )
    except RecursionError:
        raise Usage(f"{what} is nested too deeply") from None
    except ValueError as error:  # JSONDecodeError is one, and so is every refusal below
        raise Usage(f"{what} cannot be read as JSON: {_place(error)}", hint=_HINT) from None


def _unique(members: Sequence[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in members:
        if name in found:
            raise ValueError(f"{name!r} is given twice")
        found[name] = value
    return found


def _integer(digits: str) -> int | float:
    return -0.0 if digits == "-0" else int(digits)


def _real(digits: str) -> float:
    number = float(digits)
    if number in {float("inf"), float("-inf")}:
        raise ValueError(f"{digits[:40]} is too large for a number")
    return number


def _no_constant(name: str) -> Never:
    raise ValueError(f"{name} is not JSON")


def _place(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} (line {error.lineno}, column {error.colno})"
    return "a number has too many digits" if "integer string conversion" in str(error) else str(error)

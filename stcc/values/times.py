"""Durations and moments as people type them."""

import re
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from typing import Final

from stcc.errors import Usage

_UNITS: Final = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
_DURATION = r"(?a)(\d{1,12}(?:\.\d{1,9})?)(ms|s|m|h|d)?"
_RELATIVE = r"(?a)now(?:([+-])(.+))?"
FOREVER: Final = float("inf")


def duration(text: str, *, option: str) -> float:
    """Return seconds: `90`, `90s`, `1.5m`, `2h`, `7d`, `250ms`."""
    match = re.fullmatch(_DURATION, text.strip())
    if match is None:
        msg = f"{option} is not a duration: {text!r}"
        raise Usage(msg, hint="a number with a unit: 250ms, 90s, 5m, 2h, 7d")
    return float(match[1]) * _UNITS[match[2] or "s"]


def whole_seconds(text: str, *, option: str, low: int, high: int, note: str = "") -> int:
    """Return a duration that the service takes in whole seconds between `low` and `high`."""
    seconds = duration(text, option=option)
    if seconds != int(seconds) or not low <= seconds <= high:
        limits = f"{low} to {high} whole seconds" + (f", {note}" if note else "")
        msg = f"{option} is out of range: {text!r}"
        raise Usage(msg, hint=f"the service accepts {limits}")
    return int(seconds)


def waiting(text: str, *, option: str) -> float:
    """Return how long to wait in seconds; `forever` is infinite."""
    return FOREVER if text == "forever" else duration(text, option=option)


def moment(text: str, *, option: str, now: datetime) -> datetime:
    """Return an aware UTC moment from RFC 3339, RFC 1123, `now`, `now-10m`; a time without a zone is refused."""
    if relative := re.fullmatch(_RELATIVE, text.strip()):
        return _beside(now, relative[1], relative[2], option=option)
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            parsed = parse(text.strip().upper())  # RFC 3339 allows t and z
        except (ValueError, OverflowError):
            continue
        if parsed.tzinfo is None:
            msg = f"{option} has no time zone: {text!r}"
            raise Usage(msg, hint="add Z for UTC, or an offset such as +02:00")
        return _in_utc(parsed, text, option=option)
    msg = f"{option} is not a time: {text!r}"
    raise Usage(msg, hint="RFC 3339 (2026-01-31T12:00:00Z), RFC 1123 (Sat, 31 Jan 2026 12:00:00 GMT), or now-10m")


def _beside(now: datetime, sign: str | None, span: str | None, *, option: str) -> datetime:
    if sign is None or span is None:
        return now
    seconds = duration(span, option=option)
    try:
        return now + timedelta(seconds=seconds if sign == "+" else -seconds)
    except OverflowError:
        msg = f"{option} is not a time on the calendar: now{sign}{span}"
        raise Usage(msg) from None


def _in_utc(parsed: datetime, text: str, *, option: str) -> datetime:
    try:
        return parsed.astimezone(UTC)
    except (OverflowError, ValueError):
        msg = f"{option} is not a time on the calendar: {text!r}"
        raise Usage(msg) from None


def http_date(when: datetime) -> str:
    """Return the RFC 1123 form that conditional headers carry; the service knows whole seconds only."""
    return format_datetime(when.astimezone(UTC), usegmt=True)


def iso(when: datetime | None) -> str | None:
    """Return the form that every output of stcc uses: `2026-01-31T12:00:00Z`, fractions only if there are any."""
    return None if when is None else when.astimezone(UTC).isoformat().replace("+00:00", "Z")

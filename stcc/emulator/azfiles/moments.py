"""Moments as the service counts them: ticks of 100 nanoseconds since the year 1."""

import re
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Final

PER_SECOND: Final = 10_000_000
_EPOCH: Final = datetime(1, 1, 1, tzinfo=UTC)
_UNIX_EPOCH: Final = 621_355_968_000_000_000
_ISO: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,7}))?Z")


def from_unix(seconds: float) -> int:
    return _UNIX_EPOCH + int(seconds * PER_SECOND)


def etag(ticks: int) -> str:
    """Return the ETag of a change: the service's are the moment itself, in hexadecimal."""
    return f'"0x{ticks:X}"'


def http_date(ticks: int) -> str:
    return format_datetime(_datetime(ticks), usegmt=True)


def iso(ticks: int) -> str:
    """Return a time as the x-ms-file-...-time headers have it, with seven digits."""
    return f"{_datetime(ticks):%Y-%m-%dT%H:%M:%S}.{ticks % PER_SECOND:07d}Z"


def parsed(text: str) -> int | None:
    """Return the ticks of such a time, None when it is none."""
    found = _ISO.fullmatch(text)
    if found is None:
        return None
    try:
        whole = datetime.fromisoformat(found[1]).replace(tzinfo=UTC) - _EPOCH
    except ValueError:
        return None
    return (whole.days * 86_400 + whole.seconds) * PER_SECOND + int((found[2] or "").ljust(7, "0"))


def _datetime(ticks: int) -> datetime:
    return _EPOCH + timedelta(microseconds=ticks // 10)

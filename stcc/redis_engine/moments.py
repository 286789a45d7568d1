"""Moments of the server's clock, which counts microseconds."""

from collections.abc import Sequence
from datetime import UTC, datetime


def read(time: Sequence[bytes]) -> int:
    """Return the moment that TIME answers: seconds, and microseconds of the next one."""
    seconds, micros = time
    return int(seconds) * 1_000_000 + int(micros)


def written(micros: int) -> str:
    """Return a moment as RFC 3339, to the millisecond."""
    when = datetime.fromtimestamp(micros // 1000 / 1000, UTC)
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def after(now: int, seconds: float) -> int:
    """Return the moment some seconds later."""
    return now + round(seconds * 1_000_000)

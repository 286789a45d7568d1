"""Moments of the server's clock, which counts microseconds."""

from datetime import UTC, datetime


def written(micros: int) -> str:
    """Return a moment as RFC 3339, to the millisecond."""
    when = datetime.fromtimestamp(micros // 1000 / 1000, UTC)
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def after(now: int, seconds: float) -> int:
    """Return the moment some seconds later."""
    return now + round(seconds * 1_000_000)

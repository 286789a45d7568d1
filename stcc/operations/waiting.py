"""Trying until it works or the time is up."""

import dataclasses
import random
import time
from collections.abc import Callable, Iterator
from typing import Final, Protocol, TypeVar

from stcc.exits import Exit
from stcc.outcomes import Refused

T = TypeVar("T")
FIRST_PAUSE: Final = 0.02
LONGEST_PAUSE: Final = 1.0


class Clock(Protocol):
    """Time as the algorithms see it."""

    def monotonic(self) -> float:
        """Return seconds on a clock that never goes back."""
        ...

    def sleep(self, seconds: float, /) -> None:
        """Let time pass."""
        ...


# Deadlines go on while the machine sleeps, where its clock can tell.
_CLOCK: Final[int] = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class SystemClock:
    """The clock of this machine; what it counts goes on while the machine is suspended."""

    def monotonic(self) -> float:
        return time.clock_gettime(_CLOCK)

    def sleep(self, seconds: float, /) -> None:
        time.sleep(seconds)


def pauses(*, first: float = FIRST_PAUSE, longest: float = LONGEST_PAUSE) -> Iterator[float]:
    """Yield pauses that double up to the longest, each half fixed and half random.

    Without the random half, waiters that began together stay in step and meet at every try.
    """
    while True:
        yield first / 2 + random.random() * first / 2  # noqa: S311  # spreads load, hides nothing
        first = min(first * 2, longest)


def until(
    attempt: Callable[[], T],
    *,
    wait: float,
    clock: Clock,
    between: Iterator[float],
    pause: Callable[[float], None] | None = None,
) -> T:
    """Return the first result of `attempt` that is not None, trying for at most `wait` seconds; then None.

    The last pause is cut to what is left, so the last try comes when the time is up; 0 is one try. `pause` may
    come back sooner than after the seconds that it is told.
    """
    ends = clock.monotonic() + wait
    while True:
        result = attempt()
        left = ends - clock.monotonic()
        if result is not None or left <= 0:
            return result
        (pause or clock.sleep)(min(next(between), left))


def busy(refused: Refused, waited: float) -> Refused:
    """Return what a refusal is after so many seconds of trying again."""
    summary = f"{refused.summary}, still after {waited:g} second{'' if waited == 1 else 's'}"
    return dataclasses.replace(refused, outcome="busy", exit_code=Exit.BUSY, summary=summary)

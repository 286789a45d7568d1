"""Waking who waits: a list that they block on, with one token in it at most. Whoever wakes up looks again."""

import contextlib
from typing import Final

from stcc.errors import Unavailable
from stcc.operations.waiting import Clock
from stcc.redis_engine.server import Command, Line, Lost, WrongType

# A token is for who is between a look and the list; who comes later has looked later.
_KEPT_MS: Final = 2000
# From being woken to having taken it: two round trips of a process that has to be scheduled first.
_MOMENT: Final = 0.003


def push(key: str) -> tuple[Command, ...]:
    """Return the commands that leave one token."""
    return (("DEL", key), ("RPUSH", key, 1), ("PEXPIRE", key, _KEPT_MS))


def doze(
    line: Line, key: str, *, limit: float, left: float | None, clock: Clock, before: tuple[Command, ...] = ()
) -> None:
    """Block on a list, for at most `limit` seconds and `left`, what is left of a hold; `before` is said first."""
    seconds = min(line.longest_block, limit if left is None else min(limit, left))
    try:
        line.ask(*before, ("BLPOP", key, f"{max(seconds, 0.001):.3f}"))
    except (Lost, Unavailable, WrongType):  # the next look finds out what is wrong
        clock.sleep(max(0.0, min(seconds, 0.2)))


def yield_to_the_woken(line: Line, key: str, *, clock: Clock) -> None:
    """Give who was woken the moment that it needs, if somebody was: the token is taken then.

    Whoever releases and wants it again at once is always faster, and the others would starve.
    """
    try:
        (tokens,) = line.ask(("LLEN", key))
    except (Lost, Unavailable, WrongType):
        return
    if tokens == 0:
        clock.sleep(_MOMENT)


def say(line: Line, commands: tuple[Command, ...]) -> None:
    """Say something that the next look can do without."""
    with contextlib.suppress(Lost, Unavailable, WrongType):
        line.ask(*commands)

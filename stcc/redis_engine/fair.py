"""The order of those who wait for a lock and asked for one: first come, first served, and the dead drop out.

A hash of tickets, which sort by arrival, with the moment until which each counts. Who waits moves that on at every
look. The first blocks on the list of the lock, every other on a list of its own, and who leaves wakes the next.
"""

import secrets
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from stcc.redis_engine import wake
from stcc.redis_engine.moments import after
from stcc.redis_engine.server import Command

# A waiter that died costs the others less than five seconds; the living come back every second.
DEAD_AFTER: Final = 4.5
# After the last pause comes one more try, which still has its turn.
_LAST_TRY: Final = 0.5


class Standing(NamedTuple):
    """How many are before us, who comes after us, and who has died.

    `left`: seconds until the first of all does not count any more, if it gives no sign; None if that is us.
    """

    ahead: int
    next: str | None
    dead: tuple[str, ...]
    left: float | None = None


class Queue:
    """The queue of one lock, and our place in it; `dead_after` is in seconds."""

    def __init__(self, key: str, lock_wake: str, *, dead_after: float = DEAD_AFTER) -> None:
        self.key = key
        self.ticket: str | None = None
        self._lock_wake = lock_wake
        self._dead_after = dead_after

    @property
    def read(self) -> Command:
        return ("HGETALL", self.key)

    def standing(self, flat: Sequence[bytes], *, now: int) -> Standing:
        """Return how it stands, by a reply to `read`."""
        tickets = {ticket.decode(): int(until) for ticket, until in zip(flat[::2], flat[1::2], strict=True)}
        alive = sorted(ticket for ticket, until in tickets.items() if until > now or ticket == self.ticket)
        before = [ticket for ticket in alive if self.ticket is None or ticket < self.ticket]
        behind = [ticket for ticket in alive[len(before) :] if ticket != self.ticket]
        left = (tickets[before[0]] - now) / 1_000_000 if before else None
        return Standing(len(before), behind[0] if behind else None, tuple(tickets.keys() - set(alive)), left)

    def join(self, *, now: int) -> tuple[Command, ...]:
        """Take a ticket, and return the commands that hand it in."""
        self.ticket = f"{now:020d}-{secrets.token_hex(8)}"
        return self.stay(Standing(0, None, ()), now=now, limit=self._dead_after)

    def stay(self, standing: Standing, *, now: int, limit: float) -> tuple[Command, ...]:
        """Return the commands that keep our place; `limit` is how long we still wait, if we are not first before."""
        assert self.ticket is not None
        until = after(now, min(self._dead_after, limit + _LAST_TRY))
        dead: tuple[Command, ...] = (("HDEL", self.key, *standing.dead),) if standing.dead else ()
        return (*dead, ("HSET", self.key, self.ticket, until), ("PEXPIRE", self.key, int(self._dead_after * 2000)))

    def leave(self, standing: Standing) -> tuple[Command, ...]:
        """Return the commands of who has got it: the next one is first now."""
        mine = () if self.ticket is None else (self.ticket,)
        gone: tuple[Command, ...] = (("HDEL", self.key, *mine, *standing.dead),) if mine or standing.dead else ()
        return gone if standing.next is None else (*gone, *wake.push(self._own(standing.next)))

    def bed(self, standing: Standing) -> str:
        """Return the list that we block on."""
        assert self.ticket is not None
        return self._own(self.ticket) if standing.ahead else self._lock_wake

    def _own(self, ticket: str) -> str:
        return f"{self._lock_wake}::{ticket}"


def standing_of(queue: Queue | None, replies: Sequence[Any], *, now: int) -> Standing:
    """Return how it stands by the last of the replies; nobody is before who does not queue."""
    return Standing(0, None, ()) if queue is None else queue.standing(replies[-1], now=now)

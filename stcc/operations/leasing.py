"""Waiting for a lease, and for the end of one that is being broken."""

import dataclasses
from collections.abc import Callable
from typing import Protocol

from stcc.exits import Exit
from stcc.operations.waiting import Clock, pauses, until
from stcc.outcomes import Refused
from stcc.outcomes.lease import LeaseAcquired, LeaseBroken, LeaseShown
from stcc.values.conditions import Conditions

LONGEST_PAUSE = 1.0
_HELD = frozenset({"leased", "breaking"})


class Lease(Protocol):
    """The lease of one thing."""

    def acquire(
        self, lease_id: str, *, seconds: int | None, conditions: Conditions, look: bool
    ) -> LeaseAcquired | Refused:
        """Try once; a held lease is a conflict, and looked at if asked for."""
        ...

    def show(self) -> LeaseShown | Refused:
        """Look at its state."""
        ...


class Timed:
    """A lease that remembers when it was last asked for, on our clock: its holder counts from before that."""

    def __init__(self, lease: Lease, clock: Clock) -> None:
        self.asked = clock.monotonic()
        self._lease = lease
        self._clock = clock

    def acquire(
        self, lease_id: str, *, seconds: int | None, conditions: Conditions, look: bool
    ) -> LeaseAcquired | Refused:
        """Try once."""
        self.asked = self._clock.monotonic()
        return self._lease.acquire(lease_id, seconds=seconds, conditions=conditions, look=look)

    def show(self) -> LeaseShown | Refused:
        """Look at its state."""
        return self._lease.show()


def acquire(
    lease: Lease,
    lease_id: str,
    *,
    seconds: int | None,
    conditions: Conditions,
    wait: float,
    clock: Clock,
    look: bool = True,
    pause: Callable[[float], None] | None = None,
) -> LeaseAcquired | Refused:
    """Acquire a lease, trying for at most `wait` seconds; then it is busy, and only then looked at.

    While somebody has it, it is looked at, not asked for: refusals would fill the logs of the service. `pause`
    lets time pass between two tries, at most so many seconds.
    """
    tries: list[Refused] = []

    def attempt() -> LeaseAcquired | Refused | None:
        if tries:
            seen = lease.show()
            if isinstance(seen, LeaseShown) and seen.state in _HELD:
                return None
        answer = lease.acquire(lease_id, seconds=seconds, conditions=conditions, look=False)
        if isinstance(answer, LeaseAcquired) or answer.exit_code != Exit.CONFLICT:
            return answer
        tries[:] = [answer]
        return None

    answer = until(attempt, wait=wait, clock=clock, between=pauses(longest=LONGEST_PAUSE), pause=pause)
    return answer if answer is not None else _busy(lease, tries[0], wait=wait, look=look)


def _busy(lease: Lease, refused: Refused, *, wait: float, look: bool) -> Refused:
    seen = lease.show() if look else None
    observed = None
    if isinstance(seen, LeaseShown):
        observed = {"lease_state": seen.state, "lease_status": seen.status, "lease_duration": seen.duration}
    still, after = ("still ", f" after {wait:g} seconds") if wait else ("", "")
    leased = (refused.error_code or "Lease").startswith("Lease")  # else an SMB client has the file open
    return dataclasses.replace(
        refused,
        outcome="busy",
        exit_code=Exit.BUSY,
        summary=f"{refused.target} is {still}leased by somebody else{after}" if leased else refused.summary + after,
        observed=observed,
    )


def until_free(lease: Lease, broken: LeaseBroken, *, wait: float, clock: Clock) -> LeaseBroken | Refused:
    """Wait until the break is over, for at most `wait` seconds; then it is busy."""

    def attempt() -> LeaseBroken | None:
        seen = lease.show()
        over = isinstance(seen, Refused) or seen.state != "breaking"
        return dataclasses.replace(broken, seconds_left=0, waited=True) if over else None

    if broken.seconds_left == 0:
        return broken
    over = until(attempt, wait=wait, clock=clock, between=pauses(longest=LONGEST_PAUSE))
    if over is not None:
        return over
    return Refused(
        outcome="busy",
        exit_code=Exit.BUSY,
        http_status=broken.reply.http_status,
        request_id=broken.reply.request_id,
        target=broken.target,
        summary=f"the lease of {broken.target} is still being broken after {wait:g} seconds",
        hint=f"it is free at {broken.free_at}",
    )

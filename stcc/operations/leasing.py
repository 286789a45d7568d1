"""Waiting for a lease, and for the end of one that is being broken."""

import dataclasses
from collections.abc import Callable
from typing import Protocol

from stcc.errors import Unavailable
from stcc.exits import Exit
from stcc.knowledge.refusals import BY_SMB
from stcc.operations.waiting import Clock, busy, pauses, until
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

    def named(self, refused: Refused, /) -> Refused:
        """Return a refusal because of SMB clients with who they are."""
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

    def named(self, refused: Refused, /) -> Refused:
        """Return a refusal because of SMB clients with who they are."""
        return self._lease.named(refused)


def acquire(
    lease: Lease,
    lease_id: str,
    *,
    seconds: int | None,
    conditions: Conditions,
    wait: float | None,
    clock: Clock,
    look: bool = True,
    pause: Callable[[float], None] | None = None,
) -> LeaseAcquired | Refused:
    """Acquire a lease, trying for at most `wait` seconds (None: once); then it is busy, and only then looked at.

    What is refused though nobody has leased it, as by an SMB client, is a conflict where nobody wanted to wait. Who
    waits outlasts an outage; `Unavailable` is raised when the last try still meets it.

    While somebody has it, it is looked at, not asked for: refusals would fill the logs of the service. `pause`
    lets time pass between two tries, at most so many seconds.
    """
    refusals: list[Refused] = []
    outage: list[Unavailable] = []

    def attempt() -> LeaseAcquired | Refused | None:
        outage.clear()
        try:
            if refusals and _is_held(lease.show()):
                return None
            answer = lease.acquire(lease_id, seconds=seconds, conditions=conditions, look=False)
        except Unavailable as nobody:  # nothing was changed
            if not wait:
                raise
            outage.append(nobody)
            return None
        if isinstance(answer, LeaseAcquired) or answer.exit_code != Exit.CONFLICT:
            return answer
        refusals[:] = [answer]
        return None

    answer = until(attempt, wait=wait or 0, clock=clock, between=pauses(longest=LONGEST_PAUSE), pause=pause)
    if outage:
        raise outage[0]
    return answer if answer is not None else _not_had(lease, refusals[0], wait=wait, look=look)


def _is_held(seen: LeaseShown | Refused) -> bool:
    return isinstance(seen, LeaseShown) and seen.state in _HELD


def _not_had(lease: Lease, refused: Refused, *, wait: float | None, look: bool) -> Refused:
    """Return what it is after the last try: somebody else's, or refused for another reason that waiting might end."""
    if look:
        refused = lease.named(refused) if refused.error_code in BY_SMB else _looked_at(lease, refused)
    if not (refused.error_code or "Lease").startswith("Lease"):
        return refused if wait is None else busy(refused, wait)
    still, after = ("still ", f" after {wait:g} seconds") if wait else ("", "")
    summary = f"{refused.target} is {still}leased by somebody else{after}"
    return dataclasses.replace(refused, outcome="busy", exit_code=Exit.BUSY, summary=summary)


def _looked_at(lease: Lease, refused: Refused) -> Refused:
    seen = lease.show()
    if not isinstance(seen, LeaseShown):
        return refused
    observed = {"lease_state": seen.state, "lease_status": seen.status, "lease_duration": seen.duration}
    return dataclasses.replace(refused, observed=observed)


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

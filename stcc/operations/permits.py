"""A counting semaphore: never more holders than its maximum, whoever asks and whatever is changed meanwhile.

As with a lock, an engine reads it as a whole, without the holders whose time is over, and changes it only if
nobody has changed it since.
"""

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol, TypeVar

from stcc.errors import Unavailable
from stcc.exits import Exit
from stcc.operations.locking import Overtaken, Patience, naming, restless
from stcc.operations.waiting import Clock, pauses
from stcc.outcomes import Refused, Reply
from stcc.outcomes.semaphore import PermitReleased, SemaphoreCreated, SemaphoreResized, SemaphoreShown
from stcc.values.claims import Claim, Tenure

T = TypeVar("T")
ROUNDS: Final = 200


class Permit(NamedTuple):
    """One holder, with the moment (RFC 3339, the service's clock) at which its time is over; None for never.

    `left`: seconds until others may have it. `over`: its holder may not count on it any more.
    """

    tenure: Tenure
    expires: str | None
    left: float | None
    over: bool = False


class Permits(NamedTuple):
    """What an engine has read: `max` None is a semaphore that nobody has created, `holders` are those that count.

    `token`: the engine's own, what a change depends on.
    """

    max: int | None
    holders: tuple[Permit, ...]
    token: object
    reply: Reply | None = None

    def of(self, identity: str, fence: int | None = None) -> Permit | None:
        """Return the permit of an identity; with a fence, only if it is the grant of that number."""
        mine = (one for one in self.holders if one.tenure.identity == identity)
        return next((one for one in mine if fence in {None, one.tenure.fence}), None)

    @property
    def left(self) -> float | None:
        """Seconds until the first permit comes back by itself, None for never."""
        return min((one.left for one in self.holders if one.left is not None), default=None)


class PermitGranted(NamedTuple):
    """A permit, and until when it is good on our clock, counted from before it was asked for; None for ever."""

    permits: Permits
    tenure: Tenure
    deadline: float | None
    reply: Reply

    @property
    def expires(self) -> str | None:
        """Until when it is held by the service's clock."""
        mine = self.permits.of(self.tenure.identity)
        return None if mine is None else mine.expires


class Semaphore(Protocol):
    """One semaphore on one engine. A `Refused` is an engine's no: denied, or the name is used for something else."""

    @property
    def target(self) -> str: ...
    def read(self) -> Permits | Refused: ...
    def limit(self, over: Permits, most: int) -> Reply | Overtaken | Refused:
        """Create it, or change its maximum."""
        ...

    def take(self, over: Permits, claim: Claim) -> PermitGranted | Overtaken | Refused:
        """Add a holder; the caller has seen that there is room."""
        ...

    def keep(self, over: Permits, tenure: Tenure) -> PermitGranted | Overtaken | Refused:
        """Start the time of a holder anew."""
        ...

    def free(self, over: Permits, identity: str) -> Reply | Overtaken | Refused:
        """Remove a holder."""
        ...

    def wait(self, state: Permits, limit: float) -> None:
        """Let time pass, at most `limit` seconds, and no longer than it takes until a permit may be free."""
        ...


def create(semaphore: Semaphore, most: int, *, clock: Clock) -> SemaphoreCreated | Refused:
    """Create it; where it is there already with the same maximum, that is fine too."""

    def attempt() -> SemaphoreCreated | Overtaken | Refused:
        found = semaphore.read()
        if isinstance(found, Refused):
            return found
        if found.max is None:
            answer = semaphore.limit(found, most)
            if not isinstance(answer, Reply):
                return answer
            return SemaphoreCreated(reply=answer, target=semaphore.target, max=most, created=True)
        if found.max != most:
            why = f"{semaphore.target} is there already, with a maximum of {found.max}"
            return _refused(semaphore, "conflict", Exit.CONFLICT, why, hint="semaphore resize changes it", seen=found)
        return SemaphoreCreated(reply=found.reply, target=semaphore.target, max=most, created=False)

    return _settled(semaphore, attempt, clock=clock)


def resize(semaphore: Semaphore, most: int, *, clock: Clock) -> SemaphoreResized | Refused:
    """Change the maximum; whoever holds a permit keeps it."""

    def attempt() -> SemaphoreResized | Overtaken | Refused:
        found = semaphore.read()
        if isinstance(found, Refused):
            return found
        if found.max is None:
            return _not_created(semaphore)
        reply = found.reply
        if found.max != most:
            answer = semaphore.limit(found, most)
            if not isinstance(answer, Reply):
                return answer
            reply = answer
        return SemaphoreResized(
            reply=reply, target=semaphore.target, max=most, was=found.max, current=len(found.holders)
        )

    return _settled(semaphore, attempt, clock=clock)


def acquire(semaphore: Semaphore, claim: Claim, *, patience: Patience) -> PermitGranted | Refused:
    """Take a permit as soon as there is one; an identity never gets a second one."""
    clock = patience.clock
    ends = clock.monotonic() + patience.wait
    between = pauses(first=0.01, longest=0.5)
    told = False
    while True:
        left = ends - clock.monotonic()
        try:
            found = semaphore.read()
            if isinstance(found, Refused):
                return found
            if found.max is None:
                return _not_created(semaphore)
            if len(found.holders) < found.max and found.of(claim.identity) is None:
                with naming(claim):
                    answer = semaphore.take(found, claim)
                if not isinstance(answer, Overtaken):
                    return answer
                clock.sleep(next(between))
                continue
        except Unavailable as unavailable:
            if left <= 0:
                raise
            patience.tell(f"{unavailable.message}; trying again")
            clock.sleep(min(1.0, left))
            continue
        if left <= 0:
            return _busy(semaphore, found, claim, wait=patience.wait)
        if not told:
            told = True
            patience.tell(f"waiting for one of the {found.max} permits of {semaphore.target}")
        semaphore.wait(found, left)


def renew(semaphore: Semaphore, identity: str, *, clock: Clock, fence: int | None = None) -> PermitGranted | Refused:
    """Start the time of a holder anew; with a fence, only of the grant of that number."""

    def attempt() -> PermitGranted | Overtaken | Refused:
        found = semaphore.read()
        if isinstance(found, Refused):
            return found
        mine = found.of(identity, fence)
        if found.max is None or mine is None:
            return _not_created(semaphore) if found.max is None else _no_holder(semaphore, found, "renew")
        if mine.over:
            return _no_holder(semaphore, found, "renew", why="its time is over")
        return semaphore.keep(found, mine.tenure)

    return _settled(semaphore, attempt, clock=clock)


def release(semaphore: Semaphore, identity: str, *, clock: Clock, fence: int | None = None) -> PermitReleased | Refused:
    """Give a permit back; with a fence, only the grant of that number."""
    perhaps = False

    def attempt() -> PermitReleased | Overtaken | Refused:
        nonlocal perhaps
        found = semaphore.read()
        if isinstance(found, Refused):
            return found
        if perhaps and found.max is not None and found.of(identity, fence) is None and found.reply is not None:
            return PermitReleased(
                reply=found.reply,
                target=semaphore.target,
                identity=identity,
                max=found.max,
                current=len(found.holders),
            )
        if found.max is None or found.of(identity, fence) is None:
            return _not_created(semaphore) if found.max is None else _no_holder(semaphore, found, "release")
        answer = semaphore.free(found, identity)
        if not isinstance(answer, Reply):
            perhaps = perhaps or (isinstance(answer, Overtaken) and answer.perhaps)
            return answer
        return PermitReleased(
            reply=answer, target=semaphore.target, identity=identity, max=found.max, current=len(found.holders) - 1
        )

    return _settled(semaphore, attempt, clock=clock)


def show(semaphore: Semaphore) -> SemaphoreShown | Refused:
    """Say how many permits there are, and who holds them."""
    found = semaphore.read()
    if isinstance(found, Refused):
        return found
    if found.max is None:
        return _not_created(semaphore)
    return SemaphoreShown(
        reply=found.reply,
        target=semaphore.target,
        max=found.max,
        current=len(found.holders),
        holders=[_line(one) for one in found.holders],
    )


def _settled(semaphore: Semaphore, attempt: Callable[[], T | Overtaken | Refused], *, clock: Clock) -> T | Refused:
    """Try again while others are faster: many share one record, and most of them want no more than to be counted."""
    between = pauses(first=0.01, longest=0.5)
    for _ in range(ROUNDS):
        answer = attempt()
        if not isinstance(answer, Overtaken):
            return answer
        clock.sleep(next(between))
    return restless(semaphore.target, rounds=ROUNDS)


def _line(permit: Permit) -> dict[str, object]:
    tenure = permit.tenure
    return {
        "identity": tenure.identity,
        "since": tenure.since,
        "expires": permit.expires,
        "fence": tenure.fence,
        "note": tenure.note,
    }


def _busy(semaphore: Semaphore, found: Permits, claim: Claim, *, wait: float) -> Refused:
    after = f" after {wait:g} seconds" if wait else ""
    if found.of(claim.identity) is not None:
        why = f"{claim.identity} holds a permit of {semaphore.target} already{after}"
    else:
        why = f"all permits of {semaphore.target} are held{after}"
    return _refused(semaphore, "busy", Exit.BUSY, why, hint="" if wait else "--wait 60s waits for one", seen=found)


def _no_holder(semaphore: Semaphore, found: Permits, doing: str, *, why: str = "the identity holds none") -> Refused:
    summary = f"cannot {doing} a permit of {semaphore.target}: {why}"
    return _refused(semaphore, "not-holder", Exit.CONFLICT, summary, seen=found)


def _not_created(semaphore: Semaphore) -> Refused:
    why = f"there is no semaphore {semaphore.target}"
    return _refused(semaphore, "absent", Exit.ABSENT, why, hint="stcc semaphore create NAME --max N")


def _refused(
    semaphore: Semaphore, outcome: str, code: Exit, summary: str, *, hint: str = "", seen: Permits | None = None
) -> Refused:
    observed = None if seen is None else {"max": seen.max, "current": len(seen.holders)}
    return Refused(
        outcome=outcome,
        exit_code=code,
        target=semaphore.target,
        summary=summary,
        hint=hint,
        observed=observed,
    )

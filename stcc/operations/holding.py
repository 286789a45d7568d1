"""What a command runs under: a lock, a permit or a lease, to be kept while it runs and given back after it."""

from typing import NamedTuple, Protocol

from stcc.errors import StccError
from stcc.exits import Exit
from stcc.operations import locking, permits
from stcc.operations.keeping import Hold, Kept, Lost
from stcc.operations.locking import Granted, Lock, State
from stcc.operations.permits import PermitGranted, Semaphore
from stcc.operations.waiting import Clock
from stcc.outcomes import Refused
from stcc.outcomes.lease import LeaseReleased, LeaseRenewed, LeaseShown
from stcc.outcomes.lock import LockReleased
from stcc.values.conditions import Conditions

# Of a service that answers, these say that it is somebody else's or nobody's; any other no may pass.
_DEFINITE = frozenset({Exit.CONFLICT, Exit.ABSENT, Exit.PRECONDITION})
_NO_CONDITION = Conditions()


class Holding(Hold, Protocol):
    """Something held that can be given back."""

    def release(self) -> Lost | None:
        """Give it back; what is not ours any more says so. Raise StccError when no answer came."""
        ...


class NotAnswered(StccError):
    """The service said no to a renewal for a reason that may pass, so it counts as no answer."""


class LockHold:
    """A lock, or the lead, which its holder may be asked to give up.

    `releasing` is the same lock by a way of its own: a renewal without an answer may still be under way then, in
    another thread.
    """

    def __init__(self, lock: Lock, granted: Granted, *, releasing: Lock, remembers: bool) -> None:
        self.target = lock.target
        self._releasing = releasing
        self.ttl = granted.tenure.ttl
        self.resigned = False
        self._lock = lock
        self._granted = granted
        self._remembers = remembers

    def renew(self) -> Kept | Lost:
        """Start its time anew; where it never ends, look whether it is still held."""
        mine = self._granted.tenure
        if self.ttl is None:
            state = self._lock.read()
            if isinstance(state, Refused):
                return _lost(state)
            if state.held is None or (state.held.identity, state.held.fence) != (mine.identity, mine.fence):
                return Lost("it was broken")
            return self._unless_asked_to_leave(leave=state.held.leave, deadline=None)
        answer = locking.renew(self._lock, mine.identity, known=self._known(), fence=mine.fence)
        if isinstance(answer, Refused):
            return _lost(answer)
        self._granted = answer
        return self._unless_asked_to_leave(leave=answer.tenure.leave, deadline=answer.deadline)

    def release(self) -> Lost | None:
        """Make it nobody's."""
        mine = self._granted.tenure
        answer = locking.release(self._releasing, mine.identity, known=self._known(), fence=mine.fence)
        if isinstance(answer, LockReleased):
            reasons = {"held": None, "expired": Lost("its time was over"), "free": Lost("nobody held it any more")}
            return reasons[answer.was]
        return _lost(answer)

    def _known(self) -> State | None:
        return self._granted.state if self._remembers else None

    def _unless_asked_to_leave(self, *, leave: bool, deadline: float | None) -> Kept | Lost:
        self.resigned = leave
        return Lost("it was asked to resign") if leave else Kept(deadline)


class PermitHold:
    """A permit of a semaphore; `releasing` as for a lock."""

    def __init__(self, semaphore: Semaphore, granted: PermitGranted, *, releasing: Semaphore, clock: Clock) -> None:
        self.target = semaphore.target
        self._releasing = releasing
        self.ttl = granted.tenure.ttl
        self._semaphore = semaphore
        self._identity = granted.tenure.identity
        self._fence = granted.tenure.fence
        self._clock = clock

    def renew(self) -> Kept | Lost:
        """Start its time anew; where it never ends, look whether it is still held."""
        if self.ttl is None:
            found = self._semaphore.read()
            if isinstance(found, Refused):
                return _lost(found)
            mine = found.of(self._identity, self._fence)
            return Lost("it was released by somebody") if mine is None else Kept(None)
        answer = permits.renew(self._semaphore, self._identity, clock=self._clock, fence=self._fence)
        return _lost(answer) if isinstance(answer, Refused) else Kept(answer.deadline)

    def release(self) -> Lost | None:
        """Give it back."""
        answer = permits.release(self._releasing, self._identity, clock=self._clock, fence=self._fence)
        return _lost(answer) if isinstance(answer, Refused) else None


class Leased(Protocol):
    """The lease of one thing, as its holder sees it."""

    def renew(self, lease_id: str, *, conditions: Conditions) -> LeaseRenewed | Refused: ...
    def release(self, lease_id: str, *, conditions: Conditions) -> LeaseReleased | Refused: ...

    def held(self, lease_id: str) -> LeaseShown | Refused:
        """Look whether it is held under this id."""
        ...


class LeaseHold(NamedTuple):
    """A lease of the service, of `ttl` seconds; None for one without an end, as those of files are."""

    lease: Leased
    target: str
    lease_id: str
    ttl: float | None
    clock: Clock

    def renew(self) -> Kept | Lost:
        """Renew it; where it never ends, look whether it is still held."""
        if self.ttl is None:
            seen = self.lease.held(self.lease_id)
            return _lost(seen) if isinstance(seen, Refused) else Kept(None)
        asked = self.clock.monotonic()
        answer = self.lease.renew(self.lease_id, conditions=_NO_CONDITION)
        return _lost(answer) if isinstance(answer, Refused) else Kept(asked + self.ttl)

    def release(self) -> Lost | None:
        """Release it."""
        answer = self.lease.release(self.lease_id, conditions=_NO_CONDITION)
        return _lost(answer) if isinstance(answer, Refused) else None


def _lost(refused: Refused) -> Lost:
    if refused.exit_code not in _DEFINITE:
        raise NotAnswered(refused.summary)
    _, _, why = refused.summary.partition(f"{refused.target}: ")  # who reads it knows what and what for
    return Lost(why or refused.summary)

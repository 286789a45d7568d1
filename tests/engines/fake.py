"""An engine in memory, with versions for what a change depends on, on a clock that only tests move."""

from dataclasses import dataclass, field
from typing import cast

from stcc.exits import Exit
from stcc.operations.locking import Granted, Overtaken, State
from stcc.operations.permits import Permit, PermitGranted, Permits
from stcc.operations.waiting import Clock
from stcc.outcomes import Refused, Reply
from stcc.values.claims import Claim, Tenure

YES = Reply(http_status=200)
WHEN = "2026-01-31T12:00:00Z"


@dataclass
class Held:
    """What a name holds; every change makes a new version."""

    version: int = 0
    fence: int = 0
    holders: dict[str, tuple[Tenure, float]] = field(default_factory=dict[str, tuple[Tenure, float]])
    max: int | None = None


class FakeStore:
    """Names and what they hold; `spoiled` names are used for something else."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.names: dict[str, Held] = {}
        self.spoiled: set[str] = set()

    def find(self, name: str) -> Held | Refused:
        return other_kind(name) if name in self.spoiled else self.names.setdefault(name, Held())

    def forget(self, name: str) -> None:
        self.clock.sleep(1)  # what is written next is written later
        old = self.names.pop(name)
        self.names[name] = Held(version=old.version + 1)

    def next_fence(self, held: Held) -> int:
        return max(held.fence + 1, int(self.clock.monotonic() * 1000))

    def left(self, tenure: Tenure, since: float) -> float | None:
        return None if tenure.ttl is None else since + tenure.ttl - self.clock.monotonic()


class FakeLock:
    def __init__(self, store: FakeStore, name: str) -> None:
        self.target = name
        self._store = store

    def read(self) -> State | Refused:
        found = self._store.find(self.target)
        if isinstance(found, Refused):
            return found
        for tenure, since in found.holders.values():
            left = self._store.left(tenure, since)
            over = left is not None and left <= 0
            expires = None if left is None else WHEN
            return State(tenure, left, over=over, expires=expires, fence=found.fence, token=found.version, reply=YES)
        return State(None, None, over=False, expires=None, fence=found.fence, token=found.version, reply=YES)

    def take(self, over: State, claim: Claim) -> Granted | Overtaken | Refused:
        held = self._store.find(self.target)
        assert isinstance(held, Held)
        fence = self._store.next_fence(held)
        return self._put(over, Tenure(claim.identity, claim.ttl, WHEN, fence, claim.note), fence)

    def keep(self, over: State, tenure: Tenure) -> Granted | Overtaken | Refused:
        return self._put(over, tenure, over.fence)

    def free(self, over: State) -> Reply | Overtaken | Refused:
        answer = self._put(over, None, over.fence)
        return answer if isinstance(answer, Overtaken) else YES

    def wait(self, state: State, limit: float) -> None:
        self._store.clock.sleep(limit if state.left is None else min(limit, max(0.05, state.left)))

    def _put(self, over: State, tenure: Tenure | None, fence: int) -> Granted | Overtaken:
        held = self._store.find(self.target)
        assert isinstance(held, Held)
        if held.version != over.token:
            return Overtaken()
        now = self._store.clock.monotonic()
        held.version, held.fence = held.version + 1, fence
        held.holders = {} if tenure is None else {tenure.identity: (tenure, now)}
        ttl = None if tenure is None else tenure.ttl
        expires = None if ttl is None else WHEN
        state = State(tenure, ttl, over=False, expires=expires, fence=fence, token=held.version, reply=YES)
        return Granted(state, None if ttl is None else now + ttl, YES)


class FakeSemaphore:
    def __init__(self, store: FakeStore, name: str) -> None:
        self.target = name
        self._store = store

    def read(self) -> Permits | Refused:
        found = self._store.find(self.target)
        if isinstance(found, Refused):
            return found
        permits = (self._permit(tenure, since) for tenure, since in found.holders.values())
        alive = tuple(one for one in permits if one.left is None or one.left > 0)
        return Permits(found.max, alive, token=found.version, reply=YES)

    def limit(self, over: Permits, most: int) -> Reply | Overtaken | Refused:
        held = self._current(over)
        if held is None:
            return Overtaken()
        held.version, held.max = held.version + 1, most
        return YES

    def take(self, over: Permits, claim: Claim) -> PermitGranted | Overtaken | Refused:
        held = self._current(over)
        if held is None:
            return Overtaken()
        held.fence = self._store.next_fence(held)
        return self._hold(held, over, Tenure(claim.identity, claim.ttl, WHEN, held.fence, claim.note))

    def keep(self, over: Permits, tenure: Tenure) -> PermitGranted | Overtaken | Refused:
        held = self._current(over)
        return Overtaken() if held is None else self._hold(held, over, tenure)

    def free(self, over: Permits, identity: str) -> Reply | Overtaken | Refused:
        held = self._current(over)
        if held is None:
            return Overtaken()
        held.version += 1
        del held.holders[identity]
        return YES

    def wait(self, state: Permits, limit: float) -> None:
        self._store.clock.sleep(limit if state.left is None else min(limit, max(0.05, state.left)))

    def _current(self, over: Permits) -> Held | None:
        held = cast("Held", self._store.find(self.target))
        return held if held.version == over.token else None

    def _hold(self, held: Held, over: Permits, tenure: Tenure) -> PermitGranted:
        now = self._store.clock.monotonic()
        alive = {one.tenure.identity for one in over.holders}
        held.version += 1
        held.holders = {who: what for who, what in held.holders.items() if who in alive} | {
            tenure.identity: (tenure, now)
        }
        permits = self.read()
        assert isinstance(permits, Permits)
        return PermitGranted(permits, tenure, None if tenure.ttl is None else now + tenure.ttl, YES)

    def _permit(self, tenure: Tenure, since: float) -> Permit:
        left = self._store.left(tenure, since)
        return Permit(tenure, None if left is None else WHEN, left)


def other_kind(target: str) -> Refused:
    return Refused(
        outcome="conflict",
        exit_code=Exit.CONFLICT,
        target=target,
        summary=f"cannot use {target}",
    )

"""Changing a part of a container's ACL without losing what others change.

The service sets all of it at once, and the only condition it honours compares
seconds: two writers of one second would both find "not modified since". So
nothing is written on top of a state that is younger than two seconds:

    12:00:00.1  A writes, Last-Modified is 12:00:00
    12:00:00.2  B reads what A wrote
    12:00:00.3  C writes, Last-Modified is 12:00:00 still
    12:00:00.4  B writes if unmodified since 12:00:00, and C's change is lost

A read at 12:00:02 or later has seen every write of 12:00:00, and any later
one has another Last-Modified. The age of a state is what the answer's own
Date says, or how long ago the state was first seen here, whichever is more.
"""

import dataclasses
from collections.abc import Callable
from datetime import datetime
from typing import Final, Protocol

from stcc.errors import Unavailable, Unknown
from stcc.exits import Exit
from stcc.operations.updating import ATTEMPTS, overtaken
from stcc.operations.waiting import Clock
from stcc.outcomes import Refused
from stcc.outcomes.acl import AclSet, AclShown
from stcc.values.policies import MOST, Acl, AclChange

SETTLED: Final = 2.0


class Store(Protocol):
    """The ACL of one container."""

    def show(self) -> AclShown | Refused:
        """Read it."""
        ...

    def write(self, acl: Acl, *, unmodified_since: datetime) -> AclSet | Refused:
        """Set all of it, once; `Unknown` when the answer is lost."""
        ...


def change(
    store: Store,
    wanted: AclChange,
    *,
    unmodified_since: datetime | None = None,
    attempts: int = ATTEMPTS,
    clock: Clock,
    tell: Callable[[str], object],
    settle: float = SETTLED,
) -> AclSet | Refused:
    """Return what came of reading, changing and writing, up to `attempts` times while others are faster.

    `unmodified_since` is the caller's own condition: a younger state is refused by the service. After a lost
    answer, the ACL being as it was wanted is what counts, whoever made it so; raises `Unknown` if it never is.
    """
    lost: list[Unknown] = []
    try:
        rounds = _Rounds(store, clock=clock, tell=tell, settle=settle, lost=lost)
        answer = rounds.run(wanted, limit=unmodified_since, left=attempts)
    except Unavailable as error:
        if lost:
            raise lost[0] from error
        raise
    if not lost:
        return answer
    if isinstance(answer, Refused):
        raise lost[0]
    how = "repeat" if answer.written else "state"
    return dataclasses.replace(answer, reply=answer.reply._replace(settled=how), written=True)


class _Rounds:
    """Reads and writes until one of them ends it; `lost` gets what was raised for every answer that was lost."""

    def __init__(
        self, store: Store, *, clock: Clock, tell: Callable[[str], object], settle: float, lost: list[Unknown]
    ) -> None:
        self._store = store
        self._clock = clock
        self._tell = tell
        self._settle = settle
        self._lost = lost

    def run(self, wanted: AclChange, *, limit: datetime | None, left: int) -> AclSet | Refused:
        """Go on while there are attempts `left`."""
        watch = _Watch()
        refusal: Refused | None = None
        while True:
            asked = self._clock.monotonic()
            seen = self._store.show()
            if isinstance(seen, Refused):
                return seen
            acl, too_late = wanted.applied_to(seen.acl), limit is not None and seen.modified > limit
            if acl.same_as(seen.acl) and (self._lost or not too_late):
                return _so_already(seen)
            if len(acl.policies) > MOST:
                return _too_many(seen, len(acl.policies))
            left -= watch.replaced(seen.modified, now=self._clock.monotonic())
            if left <= 0:
                return refusal or _restless(seen)
            if limit is not None and too_late:
                return self._store.write(acl, unmodified_since=limit)  # it can only be refused: time goes one way
            if (missing := self._settle - max(_age(seen), asked - watch.noticed)) > 0:
                self._wait(seen.target, missing)
                continue
            answer = self._write(acl, seen.modified)
            if answer is not None and not overtaken(answer):
                return answer
            left -= 1
            if isinstance(answer, Refused):
                watch, refusal = _Watch(), answer

    def _wait(self, target: str, seconds: float) -> None:
        self._tell(f"container {target} was changed just now: waiting {seconds:.1f} s, to see who else changes it")
        self._clock.sleep(seconds)

    def _write(self, acl: Acl, modified: datetime) -> AclSet | Refused | None:
        """Return the answer, or None when it was lost."""
        try:
            return self._store.write(acl, unmodified_since=modified)
        except Unknown as error:
            self._lost.append(error)
            return None


@dataclasses.dataclass(slots=True)
class _Watch:
    """The state that is there, and when it was first seen."""

    modified: datetime | None = None
    noticed: float = 0.0

    def replaced(self, modified: datetime, *, now: float) -> bool:
        """Take note of the state that was read; tell whether it has taken the place of another."""
        before = self.modified
        if modified != before:
            self.modified, self.noticed = modified, now
        return before is not None and modified != before


def _age(seen: AclShown) -> float:
    """Return how old the state was when it was read, by the service's own clock."""
    return 0.0 if seen.answered is None else (seen.answered - seen.modified).total_seconds()


def _so_already(seen: AclShown) -> AclSet:
    return AclSet(
        reply=seen.reply,
        target=seen.target,
        public_access=seen.public_access,
        policies=seen.policies,
        etag=seen.etag,
        last_modified=seen.last_modified,
        written=False,
    )


def _too_many(seen: AclShown, count: int) -> Refused:
    return Refused(
        outcome="conflict",
        exit_code=Exit.CONFLICT,
        target=seen.target,
        summary=f"cannot set the ACL of container {seen.target}: it would have {count} policies, {MOST} are the most",
        hint="--remove ID makes room; container get-acl lists them",
    )


def _restless(seen: AclShown) -> Refused:
    return Refused(
        outcome="precondition-failed",
        exit_code=Exit.PRECONDITION,
        target=seen.target,
        summary=f"cannot set the ACL of container {seen.target}: somebody else changed it each time it was read",
        hint="try again, or allow more --attempts",
    )

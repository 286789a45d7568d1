"""A clock and a lease that keep the promises of the real ones, without waiting and without a service."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from stcc.exits import Exit
from stcc.outcomes import Refused, Reply
from stcc.outcomes.lease import LeaseAcquired, LeaseBroken, LeaseShown
from stcc.values.conditions import Conditions

ETAG, WHEN = '"0x8D1"', "2026-01-31T12:00:00Z"


class FakeClock:
    """Time that passes by sleeping alone; remembers the pauses."""

    def __init__(self) -> None:
        self.now = 100.0
        self.sleeps: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float, /) -> None:
        self.now += seconds
        self.sleeps.append(seconds)


class FakeLease:
    """The lease of a blob that is there unless `exists` says otherwise; remembers what it was asked."""

    def __init__(self, clock: FakeClock, *, exists: bool = True) -> None:
        self.asked: list[str] = []
        self.looks: list[bool] = []
        self._clock = clock
        self._exists = exists
        self._holder: str | None = None
        self._ends: float | None = None
        self._breaking = False

    def acquire(
        self, lease_id: str, *, seconds: int | None, conditions: Conditions, look: bool = True
    ) -> LeaseAcquired | Refused:
        self.asked.append("acquire")
        self.looks.append(look)
        if not self._exists:
            return refused(404, "BlobNotFound", Exit.ABSENT)
        if conditions.expected_etag not in {None, "*", ETAG}:
            return refused(412, "ConditionNotMet", Exit.PRECONDITION)
        state = self._state()
        if state == "breaking" or (state == "leased" and lease_id != self._holder):
            return refused(409, "LeaseAlreadyPresent", Exit.CONFLICT)
        self._holder, self._breaking = lease_id, False
        self._ends = None if seconds is None else self._clock.now + seconds
        return LeaseAcquired(
            reply=Reply(http_status=201),
            target="c/b",
            lease_id=lease_id,
            duration=seconds,
            etag=ETAG,
            last_modified=WHEN,
            give_back=lambda: None,
        )

    def break_(self, *, period: int | None, conditions: Conditions) -> LeaseBroken | Refused:
        self.asked.append("break")
        assert not conditions
        state = self._state()
        if state == "available":
            return refused(409, "LeaseNotPresentWithLeaseOperation", Exit.CONFLICT)
        rest = 0.0
        if state in {"leased", "breaking"}:
            left = None if self._ends is None else self._ends - self._clock.now
            limits = [limit for limit in (left, period) if limit is not None]
            rest = min(limits, default=0.0)
        self._ends, self._breaking = self._clock.now + rest, True
        return LeaseBroken(
            reply=Reply(http_status=202),
            target="c/b",
            seconds_left=int(rest),
            free_at=WHEN,
            waited=False,
            etag=ETAG,
            last_modified=WHEN,
        )

    def show(self) -> LeaseShown | Refused:
        self.asked.append("show")
        if not self._exists:
            return refused(404, "BlobNotFound", Exit.ABSENT)
        state = self._state()
        return LeaseShown(
            reply=Reply(http_status=200),
            target="c/b",
            state=state,
            status="locked" if state in {"leased", "breaking"} else "unlocked",
            duration=("infinite" if self._ends is None else "fixed") if state == "leased" else None,
            etag=ETAG,
            last_modified=WHEN,
        )

    def named(self, refused: Refused, /) -> Refused:
        self.asked.append("named")
        return replace(refused, observed={"handles": ["7"]})

    @contextmanager
    def gone(self) -> Generator[None]:
        """Let the blob not be there for a while."""
        self._exists = False
        yield
        self._exists = True

    def _state(self) -> str:
        if self._holder is None:
            return "available"
        over = self._ends is not None and self._ends <= self._clock.now
        if self._breaking:
            return "broken" if over else "breaking"
        return "expired" if over else "leased"


def refused(status: int, code: str, exit_code: Exit) -> Refused:
    return Refused(
        outcome="refused",
        exit_code=exit_code,
        http_status=status,
        error_code=code,
        target="c/b",
        summary=code,
    )

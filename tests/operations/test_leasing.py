"""Waiting for leases, on a lease and a clock that are fakes; both leases keep the same promises."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import pytest

from stcc import connection
from stcc.exits import Exit
from stcc.operations import leasing
from stcc.outcomes import Refused
from stcc.outcomes.lease import LeaseAcquired, LeaseBroken, LeaseShown
from stcc.storage.account import Account
from stcc.storage.leases import Leases
from stcc.values.conditions import Conditions
from stcc.values.targets import blob_target
from tests.azurite import HASTE
from tests.fakes import FakeClock, FakeLease, refused
from tests.situations import HELD, OTHER, Situation

if TYPE_CHECKING:
    from stcc.emulator.instance import Instance

NONE = Conditions()


def acquire(lease: FakeLease, clock: FakeClock, *, wait: float | None, look: bool = True) -> LeaseAcquired | Refused:
    return leasing.acquire(lease, OTHER, seconds=30, conditions=NONE, wait=wait, clock=clock, look=look)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def held(clock: FakeClock) -> FakeLease:
    """Return a lease that somebody holds for fifteen seconds."""
    lease = FakeLease(clock)
    lease.acquire(HELD, seconds=15, conditions=NONE)
    lease.asked.clear()
    lease.looks.clear()
    return lease


def test_a_free_lease_is_acquired_at_once(clock: FakeClock) -> None:
    lease = FakeLease(clock)
    answer = acquire(lease, clock, wait=60)

    assert (isinstance(answer, LeaseAcquired), lease.asked, clock.sleeps) == (True, ["acquire"], [])


def test_a_held_lease_is_acquired_soon_after_it_ends(held: FakeLease, clock: FakeClock) -> None:
    answer = acquire(held, clock, wait=60)

    assert isinstance(answer, LeaseAcquired)
    assert 115 <= clock.now <= 115 + leasing.LONGEST_PAUSE
    assert max(clock.sleeps) <= leasing.LONGEST_PAUSE
    assert not any(held.looks)


def test_the_last_try_comes_when_the_time_is_up(held: FakeLease, clock: FakeClock) -> None:
    assert isinstance(acquire(held, clock, wait=15), LeaseAcquired)
    assert clock.now == pytest.approx(115)


def test_what_is_still_held_is_asked_for_once_then_looked_at_then_busy(held: FakeLease, clock: FakeClock) -> None:
    answer = acquire(held, clock, wait=5)

    assert answer == Refused(
        outcome="busy",
        exit_code=Exit.BUSY,
        http_status=409,
        error_code="LeaseAlreadyPresent",
        target="c/b",
        summary="c/b is still leased by somebody else after 5 seconds",
        observed={"lease_state": "leased", "lease_status": "locked", "lease_duration": "fixed"},
    )
    assert clock.now == pytest.approx(105)
    assert (held.asked.count("acquire"), held.asked[-1]) == (1, "show")


def test_nobody_looks_when_told_not_to(held: FakeLease, clock: FakeClock) -> None:
    answer = acquire(held, clock, wait=0, look=False)

    assert isinstance(answer, Refused)
    assert (answer.exit_code, answer.observed, held.asked) == (Exit.BUSY, None, ["acquire"])


def test_a_look_that_finds_nothing_leaves_the_refusal(held: FakeLease, clock: FakeClock) -> None:
    class Vanishing(FakeLease):
        def show(self) -> LeaseShown | Refused:
            with self.gone():
                return super().show()

    lease = Vanishing(clock)
    lease.acquire(HELD, seconds=None, conditions=NONE)
    answer = acquire(lease, clock, wait=1)

    assert isinstance(answer, Refused)
    assert (answer.exit_code, answer.observed) == (Exit.BUSY, None)


class Refusing(FakeLease):
    """A lease that nobody has, and nobody gets."""

    code = "SharingViolation"

    def acquire(self, *_: object, **__: object) -> Refused:
        self.asked.append("acquire")
        return refused(409, self.code, Exit.CONFLICT)


@pytest.mark.parametrize(
    ("wait", "code", "summary"),
    [
        (None, Exit.CONFLICT, "SharingViolation"),
        (0.0, Exit.BUSY, "SharingViolation, still after 0 seconds"),
        (1.0, Exit.BUSY, "SharingViolation, still after 1 second"),
        (5.0, Exit.BUSY, "SharingViolation, still after 5 seconds"),
    ],
)
def test_an_open_file_is_busy_only_after_waiting_and_those_who_have_it_are_named(
    wait: float | None, code: Exit, summary: str, clock: FakeClock
) -> None:
    lease = Refusing(clock)
    answer = acquire(lease, clock, wait=wait)

    assert isinstance(answer, Refused)
    assert (answer.exit_code, answer.summary, answer.observed) == (code, summary, {"handles": ["7"]})
    assert (lease.asked[-1], lease.asked.count("named")) == ("named", 1)
    assert clock.now == pytest.approx(100 + (wait or 0))
    unseen = acquire(lease, clock, wait=wait, look=False)
    assert isinstance(unseen, Refused)
    assert (unseen.exit_code, unseen.observed, lease.asked.count("named")) == (code, None, 1)


def test_what_is_refused_for_no_lease_is_a_conflict_where_nobody_waits(clock: FakeClock) -> None:
    lease = Refusing(clock)
    lease.code = "ContainerBeingDeleted"
    answers = [acquire(lease, clock, wait=wait, look=False) for wait in (None, 5.0)]

    assert [(answer.exit_code, answer.summary) for answer in answers if isinstance(answer, Refused)] == [
        (Exit.CONFLICT, "ContainerBeingDeleted"),
        (Exit.BUSY, "ContainerBeingDeleted, still after 5 seconds"),
    ]


def test_a_held_lease_is_busy_also_where_nobody_waits(held: FakeLease, clock: FakeClock) -> None:
    answer = acquire(held, clock, wait=None, look=False)

    assert isinstance(answer, Refused)
    assert (answer.outcome, answer.exit_code, answer.summary) == ("busy", Exit.BUSY, "c/b is leased by somebody else")


@pytest.mark.parametrize(
    ("exists", "conditions", "code"),
    [(False, NONE, Exit.ABSENT), (True, Conditions({"--if-match": '"0x8D2"'}), Exit.PRECONDITION)],
)
def test_what_waiting_cannot_change_is_answered_at_once(
    exists: bool, conditions: Conditions, code: Exit, clock: FakeClock
) -> None:
    lease = FakeLease(clock, exists=exists)
    answer = leasing.acquire(lease, OTHER, seconds=30, conditions=conditions, wait=60, clock=clock)

    assert isinstance(answer, Refused)
    assert (answer.exit_code, lease.asked, clock.sleeps) == (code, ["acquire"], [])


def broken(lease: FakeLease, *, period: int) -> LeaseBroken:
    answer = lease.break_(period=period, conditions=NONE)
    assert isinstance(answer, LeaseBroken)
    lease.asked.clear()
    return answer


def test_a_break_is_waited_for(held: FakeLease, clock: FakeClock) -> None:
    answer = leasing.until_free(held, broken(held, period=10), wait=60, clock=clock)

    assert isinstance(answer, LeaseBroken)
    assert (answer.seconds_left, answer.waited) == (0, True)
    assert 110 <= clock.now <= 110 + leasing.LONGEST_PAUSE


def test_a_break_that_is_over_is_not_waited_for(held: FakeLease, clock: FakeClock) -> None:
    over = broken(held, period=0)

    assert leasing.until_free(held, over, wait=60, clock=clock) == over
    assert (held.asked, clock.sleeps) == ([], [])


def test_a_break_that_takes_longer_is_busy(held: FakeLease, clock: FakeClock) -> None:
    assert leasing.until_free(held, broken(held, period=10), wait=4, clock=clock) == Refused(
        outcome="busy",
        exit_code=Exit.BUSY,
        http_status=202,
        target="c/b",
        summary="the lease of c/b is still being broken after 4 seconds",
        hint="it is free at 2026-01-31T12:00:00Z",
    )
    assert clock.now == pytest.approx(104)


class Breakable(leasing.Lease, Protocol):
    def break_(self, *, period: int | None, conditions: Conditions) -> LeaseBroken | Refused: ...


Kind = tuple[Breakable, Callable[[float], None]]


@pytest.fixture(params=["fake", "real"])
def kind(request: pytest.FixtureRequest) -> Kind:
    """Return a lease of either kind, and how its time passes."""
    if request.param == "fake":
        clock = FakeClock()
        return FakeLease(clock), clock.sleep
    azurite: Instance = request.getfixturevalue("fast_azurite")
    target = blob_target(Situation(azurite).blob)
    chosen = connection.from_connection_string(azurite.connection_string)
    account = Account(chosen, timeout=10, diagnose=False, trace=None)
    return Leases(account, target), lambda seconds: time.sleep((seconds + 2) / HASTE)


def take(lease: Breakable, lease_id: str, *, seconds: int | None = 15) -> int:
    answer = lease.acquire(lease_id, seconds=seconds, conditions=NONE, look=False)
    return 0 if isinstance(answer, LeaseAcquired) else int(answer.exit_code)


def shown(lease: Breakable) -> tuple[str, str, str | None]:
    answer = lease.show()
    assert isinstance(answer, LeaseShown)
    return answer.state, answer.status, answer.duration


def break_in(lease: Breakable, period: int | None) -> int:
    answer = lease.break_(period=period, conditions=NONE)
    return answer.seconds_left if isinstance(answer, LeaseBroken) else -int(answer.exit_code)


def test_both_leases_have_one_holder(kind: Kind) -> None:
    lease, _ = kind

    assert shown(lease) == ("available", "unlocked", None)
    assert (take(lease, HELD), take(lease, OTHER), take(lease, HELD)) == (0, 9, 0)
    assert shown(lease) == ("leased", "locked", "fixed")
    assert (take(lease, HELD, seconds=None), shown(lease)) == (0, ("leased", "locked", "infinite"))


def test_both_leases_end_by_themselves(kind: Kind) -> None:
    lease, passes = kind
    assert take(lease, HELD) == 0
    passes(15)

    assert shown(lease) == ("expired", "unlocked", None)
    assert (take(lease, OTHER), take(lease, HELD)) == (0, 9)


def test_both_leases_can_be_broken(kind: Kind) -> None:
    lease, passes = kind
    assert break_in(lease, 0) == -Exit.CONFLICT
    assert take(lease, HELD, seconds=None) == 0

    assert break_in(lease, 10) == 10
    assert (shown(lease), take(lease, OTHER), take(lease, HELD)) == (("breaking", "locked", None), 9, 9)
    passes(10)
    assert (shown(lease), break_in(lease, 30)) == (("broken", "unlocked", None), 0)
    assert take(lease, OTHER) == 0

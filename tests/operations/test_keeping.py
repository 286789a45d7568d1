"""When a hold is renewed, on a clock that is a fake: early, again after a failure, and never too late."""

import os
import select
import threading
import time
from collections.abc import Callable

import pytest

from stcc.errors import Unavailable
from stcc.operations.keeping import Answer, Hold, Keeper, Kept, Lost, Missed, keep
from stcc.operations.waiting import SystemClock
from tests.fakes import FakeClock

Answers = list[Callable[[float], Kept | Lost]]


def kept_for(ttl: float | None) -> Callable[[float], Kept]:
    return lambda began: Kept(None if ttl is None else began + ttl)


def lost(began: float) -> Lost:
    return Lost("somebody has broken it")


def missed(began: float) -> Kept:
    raise Unavailable("no connection")


class FakeHold:
    """A hold that answers as it is told to, the last answer again and again; remembers when it was asked."""

    target = "the lock"

    def __init__(self, clock: FakeClock, ttl: float | None, *answers: Callable[[float], Kept | Lost]) -> None:
        self.ttl = ttl
        self.asked: list[float] = []
        self._clock = clock
        self._answers = list(answers)

    def renew(self) -> Kept | Lost:
        self.asked.append(round(self._clock.now - 100, 3))
        return (self._answers.pop(0) if len(self._answers) > 1 else self._answers[0])(self._clock.now)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def course(hold: Hold, clock: FakeClock, *, granted: float | None, until: float = 1000) -> list[Answer]:
    """Keep a hold that was granted for so long from the clock's 100 on, for at most `until` seconds."""

    def pause(moment: float) -> bool:
        clock.now = max(clock.now, moment)
        return clock.now <= 100 + until

    return list(keep(hold, Kept(None if granted is None else 100 + granted), clock=clock, pause=pause))


def test_it_is_renewed_after_a_third_each_time(clock: FakeClock) -> None:
    hold = FakeHold(clock, 30, kept_for(30))

    assert course(hold, clock, granted=30, until=45) == [Kept(140), Kept(150), Kept(160), Kept(170)]
    assert hold.asked == [10, 20, 30, 40]


def test_after_a_failure_it_is_tried_again_sooner_each_time_and_never_after_the_deadline(clock: FakeClock) -> None:
    hold = FakeHold(clock, 30, missed)

    assert course(hold, clock, granted=30) == [Missed("no connection")] * len(hold.asked)
    assert hold.asked == [10, 15, 17.5, 18.75, *[19.75 + n for n in range(11)]]


def test_a_short_hold_is_tried_more_often_than_every_second(clock: FakeClock) -> None:
    hold = FakeHold(clock, 3, missed)
    course(hold, clock, granted=3)

    assert hold.asked == [1, 1.5, 1.75, 2, 2.25, 2.5, 2.75]


def test_a_success_after_failures_begins_anew(clock: FakeClock) -> None:
    hold = FakeHold(clock, 30, missed, missed, kept_for(30), missed, lost)

    assert course(hold, clock, granted=30) == [
        Missed("no connection"),
        Missed("no connection"),
        Kept(147.5),
        Missed("no connection"),
        Lost("somebody has broken it"),
    ]
    assert hold.asked == [10, 15, 17.5, 27.5, 32.5]


def test_a_definite_loss_is_the_end(clock: FakeClock) -> None:
    hold = FakeHold(clock, 30, lost)

    assert (course(hold, clock, granted=30), hold.asked) == ([Lost("somebody has broken it")], [10])


def test_an_answer_that_took_too_long_is_followed_by_nothing(clock: FakeClock) -> None:
    def slow(began: float) -> Kept:
        clock.now = 131
        raise Unavailable("no answer")

    hold = FakeHold(clock, 30, slow)

    assert (course(hold, clock, granted=30), hold.asked) == ([Missed("no answer")], [10])


def test_a_pause_that_took_too_long_is_followed_by_nothing(clock: FakeClock) -> None:
    def suspended(moment: float) -> bool:
        clock.now = moment + 1000
        return True

    hold = FakeHold(clock, 30, kept_for(30))

    assert (list(keep(hold, Kept(130), clock=clock, pause=suspended)), hold.asked) == ([], [])


def test_a_grant_that_is_old_already_is_renewed_at_once(clock: FakeClock) -> None:
    hold = FakeHold(clock, 30, lost)
    course(hold, clock, granted=5)

    assert hold.asked == [0]


def test_an_answer_that_grants_hardly_anything_is_not_asked_for_without_a_pause(clock: FakeClock) -> None:
    hold = FakeHold(clock, 30, kept_for(3))
    course(hold, clock, granted=30, until=13)

    assert hold.asked == [10, 11, 12, 13]


def test_what_has_no_end_is_looked_after_every_ten_seconds_whatever_comes(clock: FakeClock) -> None:
    hold = FakeHold(clock, None, kept_for(None), missed, missed, kept_for(None), lost)

    assert course(hold, clock, granted=None) == [
        Kept(None),
        Missed("no connection"),
        Missed("no connection"),
        Kept(None),
        Lost("somebody has broken it"),
    ]
    assert hold.asked == [10, 20, 30, 40, 50]


def test_a_bug_in_a_renewal_is_told_and_tried_again(clock: FakeClock) -> None:
    def wrong(began: float) -> Kept:
        raise KeyError("etag")

    hold = FakeHold(clock, 30, wrong, lost)

    assert course(hold, clock, granted=30) == [
        Missed("a bug in stcc: KeyError: 'etag'"),
        Lost("somebody has broken it"),
    ]


def test_the_thread_tells_its_answers_and_ends(clock: FakeClock) -> None:
    keeper = Keeper(FakeHold(clock, 3, missed, lost), Kept(time.monotonic() + 3), clock=SystemClock())
    keeper.start()
    answers: list[Answer] = []
    while len(answers) < 2:
        select.select([keeper], [], [])
        answers += keeper.answers()

    assert answers == [Missed("no connection"), Lost("somebody has broken it")]
    assert keeper.end(wait=5) == ([], False)


def test_a_renewal_that_is_under_way_at_the_end_is_waited_for_and_no_other_begins(clock: FakeClock) -> None:
    asked, answer = threading.Event(), threading.Event()

    def slow(began: float) -> Kept:
        asked.set()
        answer.wait()
        return Kept(5)

    keeper = Keeper(FakeHold(clock, 3, slow), Kept(time.monotonic() + 3), clock=SystemClock())
    keeper.start()
    asked.wait()
    early = keeper.end(wait=0.01)
    answer.set()

    assert (early, keeper.end(wait=5)) == (([], True), ([Kept(5)], False))


def test_a_keeper_that_was_never_started_ends_too(clock: FakeClock) -> None:
    keeper = Keeper(FakeHold(clock, 30, lost), Kept(101), clock=clock)

    assert keeper.end(wait=5) == ([], False)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(keeper.fileno())

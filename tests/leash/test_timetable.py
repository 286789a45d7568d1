"""The moments of a run, as numbers: told a grace before the last moment, and killed a little before the deadline."""

import pytest

from stcc.leash.timetable import Timetable


def timetable(
    ttl: float | None, *, deadline: float | None, grace: float = 5, max_hold: float | None = None
) -> Timetable:
    return Timetable(ttl, deadline=deadline, grace=grace, max_hold=max_hold, now=100)


@pytest.mark.parametrize(
    ("ttl", "grace", "told", "killed"),
    [
        pytest.param(30, 5, 124.9, 129.9, id="as-asked"),
        pytest.param(8, 5, 105.9, 107.9, id="a-quarter-of-the-ttl-at-the-most"),
        pytest.param(1, 5, 100.7, 100.95, id="a-twentieth-before-the-deadline"),
        pytest.param(30, 0, 129.9, 129.9, id="no-grace"),
    ],
)
def test_the_command_is_told_and_then_killed_before_the_deadline(
    ttl: float, grace: float, told: float, killed: float
) -> None:
    times = timetable(ttl, deadline=100 + ttl, grace=grace)

    assert times.next(100) == pytest.approx(told)
    assert (times.nearly_over(told - 0.01), times.nearly_over(told + 0.01)) == (False, True)
    times.end(told)
    assert times.next(told) == (None if told == killed else pytest.approx(killed))
    assert (times.kills(killed - 0.01), times.kills(killed + 0.01)) == (False, True)


def test_a_loss_leaves_the_grace_and_no_more_than_there_is_left() -> None:
    early, late = timetable(30, deadline=130), timetable(30, deadline=130)
    early.end(110)
    late.end(127)

    assert [early.next(110), late.next(127)] == pytest.approx([115, 129.9])


def test_a_renewal_moves_the_end_but_not_one_that_has_begun() -> None:
    times = timetable(30, deadline=130)
    times.deadline = 140
    before = times.next(100)
    times.end(120)
    times.deadline = 150

    assert [before, times.next(120)] == pytest.approx([134.9, 125])


def test_what_is_held_long_enough_ends_whatever_the_deadline() -> None:
    times = timetable(30, deadline=130, max_hold=7)

    assert (times.next(100), times.held_long_enough(106.9), times.held_long_enough(107)) == (107, False, True)


def test_what_has_no_end_has_the_whole_grace_and_nothing_to_wait_for() -> None:
    times = timetable(None, deadline=None, grace=60)
    before = (times.next(100), times.nearly_over(1e9), times.last_moment, times.is_ending)
    times.end(200)

    assert (before, times.next(200), times.is_ending) == ((None, False, None, False), 260, True)

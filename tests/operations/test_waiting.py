"""Waiting: one try, a few, or for ever; on a clock that only moves when somebody sleeps."""

from itertools import islice, repeat

import pytest

from stcc.operations import waiting
from tests.fakes import FakeClock


class Queue:
    """Has a message from the moment `since` on; counts how often it is asked."""

    def __init__(self, clock: FakeClock, *, since: float) -> None:
        self.clock = clock
        self.since = since
        self.asked = 0

    def take(self) -> str | None:
        self.asked += 1
        return "message" if self.clock.now - 100 >= self.since else None


@pytest.mark.parametrize(
    ("wait", "since", "answer", "sleeps"),
    [
        pytest.param(0, 0, "message", [], id="what is there is taken at once"),
        pytest.param(0, 1, None, [], id="no waiting is one try"),
        pytest.param(3, 9, None, [3], id="the last pause is cut to what is left"),
        pytest.param(10, 99, None, [4, 4, 2], id="one try after each pause, one more at the end"),
        pytest.param(10, 10, "message", [4, 4, 2], id="the last try may be the one"),
        pytest.param(float("inf"), 13, "message", [4, 4, 4, 4], id="for ever ends with a message"),
    ],
)
def test_waiting_ends_with_an_answer_or_when_the_time_is_up(
    wait: float, since: float, answer: str | None, sleeps: list[float]
) -> None:
    clock = FakeClock()
    queue = Queue(clock, since=since)

    found = waiting.until(queue.take, wait=wait, clock=clock, between=repeat(4.0))

    assert (found, clock.sleeps, queue.asked) == (answer, sleeps, len(sleeps) + 1)


def test_pauses_double_up_to_a_second_and_are_half_random() -> None:
    pauses = waiting.pauses()
    bounds = [0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.0, 1.0, 1.0]

    assert [bound / 2 <= pause <= bound for pause, bound in zip(islice(pauses, 9), bounds, strict=True)] == [True] * 9


def test_two_waiters_do_not_stay_in_step() -> None:
    assert list(islice(waiting.pauses(), 9)) != list(islice(waiting.pauses(), 9))

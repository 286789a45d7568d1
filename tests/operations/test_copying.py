"""Waiting for a copy: every way in which it can end, on a clock that only moves when somebody sleeps."""

import dataclasses
from collections.abc import Iterable

import pytest

from stcc.errors import Unavailable, Unknown
from stcc.exits import Exit
from stcc.operations import copying
from stcc.outcomes import Refused, Reply
from stcc.outcomes.copies import BlobCopied, CopyState
from tests.fakes import ETAG, WHEN, FakeClock, refused

BEGUN = BlobCopied(
    reply=Reply(http_status=202, request_id="r"),
    target="c/b",
    etag=ETAG,
    last_modified="2026-01-31T11:00:00Z",
    copy_id="mine",
    copy_status="pending",
)
WAYS = "look with blob show, end it with: stcc blob copy-abort c/b mine"
Seen = CopyState | Refused | Unavailable


def state(status: str, *, copied: int | None = 5, copy_id: str = "mine", description: str | None = None) -> CopyState:
    return CopyState(
        copy_id=copy_id,
        status=status,
        description=description,
        copied=copied,
        total=10,
        etag='"0x8D2"',
        last_modified=WHEN,
    )


class Target:
    """A blob whose copy is in one state after the other, and stays in the last one."""

    def __init__(self, states: Iterable[Seen]) -> None:
        self.asked = 0
        self._states = list(states)

    def state(self) -> CopyState | Refused:
        self.asked += 1
        seen = self._states[min(self.asked, len(self._states)) - 1]
        if isinstance(seen, Unavailable):
            raise seen
        return seen


def silent(copied: int, total: int | None) -> None:
    """Tell nobody."""


def until_done(
    *states: Seen, wait: float = 60, clock: FakeClock | None = None, begun: BlobCopied = BEGUN
) -> BlobCopied | Refused:
    return copying.until_done(Target(states), begun, wait=wait, clock=clock or FakeClock(), progress=silent)


def over(exit_code: Exit, outcome: str, summary: str, *, hint: str = "", **observed: object) -> Refused:
    return Refused(
        outcome=outcome,
        exit_code=exit_code,
        http_status=202,
        request_id="r",
        target="c/b",
        summary=summary,
        hint=hint,
        observed=observed,
    )


def test_a_copy_that_was_done_at_once_is_not_looked_at() -> None:
    target, done = Target([]), dataclasses.replace(BEGUN, copy_status="success")
    answer = copying.until_done(target, done, wait=60, clock=FakeClock(), progress=silent)

    assert (answer, target.asked) == (done, 0)


def test_a_copy_that_is_done_has_the_etag_that_it_has_then() -> None:
    assert until_done(state("pending"), state("pending"), state("success")) == dataclasses.replace(
        BEGUN, etag='"0x8D2"', last_modified=WHEN, copy_status="success"
    )


@pytest.mark.parametrize(
    ("status", "description", "why"),
    [("failed", "404 NotFound", "failed: 404 NotFound"), ("aborted", None, "aborted: no reason is given")],
)
def test_a_copy_that_ended_otherwise_is_a_failure(status: str, description: str | None, why: str) -> None:
    assert until_done(state("pending"), state(status, description=description)) == over(
        Exit.FAILED,
        "failed",
        f"the copy to c/b was begun, and is {why}",
        hint="c/b is empty now",
        etag='"0x8D2"',
        copy_id="mine",
        copy_status=status,
    )


@pytest.mark.parametrize("status", ["pending", "success", "failed"])
def test_another_copy_in_its_place_is_somebody_else_whatever_becomes_of_it(status: str) -> None:
    assert until_done(state("pending"), state(status, copy_id="theirs")) == over(
        Exit.PRECONDITION,
        "precondition-failed",
        "c/b was overwritten by somebody else before the copy was done",
        etag='"0x8D2"',
        last_modified=WHEN,
        copy_id="theirs",
    )


def test_a_look_that_is_refused_is_the_answer() -> None:
    gone = refused(404, "BlobNotFound", Exit.ABSENT)

    assert until_done(state("pending"), gone) == gone


def test_a_look_that_nobody_answers_leaves_a_copy_that_may_go_on() -> None:
    with pytest.raises(Unknown) as raised:
        until_done(state("pending"), Unavailable("c/b: nobody answered", hint="nothing was changed"))

    error = raised.value
    assert (error.message, error.hint, error.target, error.observed) == (
        "the copy was begun, and may be done or go on; c/b: nobody answered",
        WAYS,
        "c/b",
        {"copy_id": "mine"},
    )


@pytest.mark.parametrize(("wait", "words"), [(0, "0"), (0.25, "0.25"), (30, "30")])
def test_a_copy_that_takes_longer_is_busy_and_goes_on(wait: float, words: str) -> None:
    clock = FakeClock()

    assert until_done(state("pending"), wait=wait, clock=clock) == over(
        Exit.BUSY,
        "busy",
        f"the copy to c/b is not done after {words} seconds, and goes on",
        hint=WAYS,
        copy_id="mine",
        copy_status="pending",
    )
    assert clock.now == pytest.approx(100 + wait)


def test_the_last_look_comes_when_the_time_is_up() -> None:
    class Done(Target):
        def state(self) -> CopyState | Refused:
            return state("success") if clock.now >= 107 else super().state()

    clock = FakeClock()
    target = Done([state("pending")])
    answer = copying.until_done(target, BEGUN, wait=7, clock=clock, progress=silent)

    assert isinstance(answer, BlobCopied)
    assert clock.now == pytest.approx(107)


def test_pauses_double_up_to_five_seconds() -> None:
    clock = FakeClock()
    until_done(*[state("pending")] * 14, state("success"), wait=float("inf"), clock=clock)
    bounds = [min(0.02 * 2**number, copying.LONGEST_PAUSE) for number in range(14)]

    assert [bound / 2 <= pause <= bound for pause, bound in zip(clock.sleeps, bounds, strict=True)] == [True] * 14


def test_whoever_looks_is_told_how_far_it_is() -> None:
    told: list[tuple[int, int | None]] = []
    target = Target([state("pending", copied=None), state("pending"), state("success", copied=10)])
    copying.until_done(
        target, BEGUN, wait=60, clock=FakeClock(), progress=lambda copied, total: told.append((copied, total))
    )

    assert told == [(0, 10), (5, 10), (10, 10)]

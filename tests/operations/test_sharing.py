"""SMB clients in the way: waiting, closing, telling; on a fake clock, with files that remember who has them open."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from stcc.exits import Exit
from stcc.operations.sharing import Insistence, insist
from stcc.outcomes import Refused
from stcc.values.handles import Handle
from tests.fakes import FakeClock, refused

GONE = refused(404, "ResourceNotFound", Exit.ABSENT)
CODES = ["SharingViolation", "DeletePending", "SMBDeletePending", "FileLockConflict", "CannotDeleteFileOrDirectory"]


def handle(number: int) -> Handle:
    return Handle(
        id=str(number),
        path="a.txt",
        client="10.0.0.4",
        access="read",
        opened="2026-01-31T12:00:00Z",
        last_reconnect=None,
    )


@dataclass
class FakeFile:
    """A file that cannot be changed while somebody has it open; remembers what it was asked."""

    clock: FakeClock
    open: list[Handle] = field(default_factory=list[Handle])
    code: str = "SharingViolation"
    free_at: float = float("inf")
    reopens: bool = False
    secret: bool = False
    stuck: bool = False
    asked: list[str] = field(default_factory=list[str])

    def attempt(self) -> str | Refused:
        self.asked.append("attempt")
        if self.clock.now - 100 >= self.free_at:
            self.open.clear()
        return refused(409, self.code, Exit.CONFLICT) if self.open else "done"

    def handles(self) -> Sequence[Handle] | None:
        self.asked.append("handles")
        return None if self.secret else tuple(self.open)

    def close(self, one: Handle, /) -> object:
        self.asked.append(f"close {one.id}")
        if self.stuck:
            return refused(403, "AuthorizationFailure", Exit.DENIED)
        self.open.remove(one)
        if self.reopens:
            self.open.append(handle(int(one.id) + 10))
        return "closed"


def allowed(handles: Sequence[Handle]) -> bool:
    return bool(handles)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def test_nobody_in_the_way_is_one_attempt(clock: FakeClock) -> None:
    file = FakeFile(clock)

    assert insist(file.attempt, file, Insistence(wait=60, close=allowed), clock=clock) == "done"
    assert (file.asked, clock.sleeps) == (["attempt"], [])


@pytest.mark.parametrize("code", CODES)
def test_who_is_in_the_way_is_named(clock: FakeClock, code: str) -> None:
    file = FakeFile(clock, open=[handle(1), handle(2)], code=code)

    answer = insist(file.attempt, file, Insistence(), clock=clock)

    assert isinstance(answer, Refused)
    assert (answer.exit_code, answer.error_code) == (Exit.CONFLICT, code)
    assert answer.observed == {"handles": [handle(1)._asdict(), handle(2)._asdict()]}
    assert file.asked == ["attempt", "handles"]


def test_another_refusal_is_left_as_it_is(clock: FakeClock) -> None:
    file = FakeFile(clock)

    assert insist(lambda: GONE, file, Insistence(wait=60, close=allowed), clock=clock) == GONE
    assert (file.asked, clock.sleeps) == ([], [])


def test_nobody_is_named_when_nobody_wants_to_know(clock: FakeClock) -> None:
    file = FakeFile(clock, open=[handle(1)])

    answer = insist(file.attempt, file, Insistence(look=False), clock=clock)

    assert isinstance(answer, Refused)
    assert (answer.observed, file.asked) == (None, ["attempt"])


@pytest.mark.parametrize(
    ("secret", "observed", "hint"),
    [
        (True, None, ""),
        (False, {"handles": []}, "no open handle is listed: by now it may be closed, so try again"),
    ],
)
def test_handles_that_cannot_be_listed_are_not_said_to_be_none(
    clock: FakeClock, secret: bool, observed: object, hint: str
) -> None:
    file = FakeFile(clock, secret=secret)

    answer = insist(lambda: refused(409, "SharingViolation", Exit.CONFLICT), file, Insistence(), clock=clock)

    assert isinstance(answer, Refused)
    assert (answer.observed, answer.hint) == (observed, hint)


def test_waiting_ends_when_the_file_is_free(clock: FakeClock) -> None:
    file = FakeFile(clock, open=[handle(1)], free_at=3)

    assert insist(file.attempt, file, Insistence(wait=60), clock=clock) == "done"
    assert 3 <= sum(clock.sleeps) <= 4
    assert set(file.asked) == {"attempt"}


def test_after_all_the_waiting_it_is_busy(clock: FakeClock) -> None:
    file = FakeFile(clock, open=[handle(1)])

    answer = insist(file.attempt, file, Insistence(wait=5), clock=clock)

    assert isinstance(answer, Refused)
    assert (answer.outcome, answer.exit_code) == ("busy", Exit.BUSY)
    assert answer.summary == "SharingViolation, still after 5 seconds"
    assert answer.observed == {"handles": [handle(1)._asdict()]}
    assert sum(clock.sleeps) == pytest.approx(5)
    assert file.asked[-2:] == ["attempt", "handles"]


def test_waiting_for_what_is_going_ends_with_its_end(clock: FakeClock) -> None:
    answers = iter([refused(409, "DeletePending", Exit.CONFLICT)] * 3 + [GONE])
    file = FakeFile(clock)

    assert insist(lambda: next(answers), file, Insistence(wait=60), clock=clock) == GONE
    assert file.asked == []


def test_exactly_what_was_seen_is_closed(clock: FakeClock) -> None:
    file = FakeFile(clock, open=[handle(1), handle(2)])
    seen: list[Sequence[Handle]] = []

    def agreed(handles: Sequence[Handle]) -> bool:
        seen.append(handles)
        return True

    assert insist(file.attempt, file, Insistence(close=agreed), clock=clock) == "done"
    assert seen == [(handle(1), handle(2))]
    assert file.asked == ["attempt", "handles", "close 1", "close 2", "attempt"]


def test_first_it_is_waited_and_then_closed(clock: FakeClock) -> None:
    file = FakeFile(clock, open=[handle(1)])

    assert insist(file.attempt, file, Insistence(wait=5, close=allowed), clock=clock) == "done"
    assert sum(clock.sleeps) == pytest.approx(5)
    assert file.asked[-3:] == ["handles", "close 1", "attempt"]


def test_a_client_that_opens_it_again_wins(clock: FakeClock) -> None:
    file = FakeFile(clock, open=[handle(1)], reopens=True)

    answer = insist(file.attempt, file, Insistence(close=allowed), clock=clock)

    assert isinstance(answer, Refused)
    assert (answer.exit_code, answer.observed) == (Exit.CONFLICT, {"handles": [handle(11)._asdict()]})
    assert file.asked == ["attempt", "handles", "close 1", "attempt", "handles"]


def test_nothing_is_closed_without_consent(clock: FakeClock) -> None:
    file = FakeFile(clock, open=[handle(1)])

    answer = insist(file.attempt, file, Insistence(close=lambda _: False), clock=clock)

    assert isinstance(answer, Refused)
    assert (file.open, file.asked) == ([handle(1)], ["attempt", "handles", "handles"])


def test_a_handle_that_cannot_be_closed_is_the_answer(clock: FakeClock) -> None:
    file = FakeFile(clock, open=[handle(1), handle(2)], stuck=True)

    answer = insist(file.attempt, file, Insistence(close=allowed), clock=clock)

    assert isinstance(answer, Refused)
    assert (answer.exit_code, answer.error_code) == (Exit.DENIED, "AuthorizationFailure")
    assert file.asked == ["attempt", "handles", "close 1"]

"""The exit codes are a contract."""

import inspect
import signal

import pytest

from stcc import errors
from stcc.errors import Interrupted, StccError, Stopped
from stcc.exits import MEANINGS, Exit

FAILURES = {
    name: kind
    for name, kind in vars(errors).items()
    if inspect.isclass(kind) and issubclass(kind, StccError) and kind is not Interrupted
}


def test_the_numbers_never_change() -> None:
    assert {one.name: one.value for one in Exit} == {
        "DONE": 0, "FAILED": 1, "USAGE": 2, "DENIED": 3, "ABSENT": 4, "CONFLICT": 9, "PRECONDITION": 12,
        "NOT_MODIFIED": 30, "UNAVAILABLE": 69, "UNKNOWN": 70, "LOCAL": 74, "BUSY": 75, "LOST": 76, "INTERRUPTED": 130,
        "CLOSED_PIPE": 141,
    }  # fmt: skip


def test_every_code_has_a_meaning_of_its_own() -> None:
    assert list(MEANINGS) == list(Exit)
    assert len(set(MEANINGS.values())) == len(Exit)
    assert all(meaning and "\n" not in meaning for meaning in MEANINGS.values())


@pytest.mark.parametrize("name", FAILURES)
def test_every_failure_has_a_code_that_is_in_the_table(name: str) -> None:
    failure = FAILURES[name]("what happened", hint="what to do")
    assert failure.exit_code in set(Exit)
    assert (str(failure), failure.message, failure.hint) == ("what happened", "what happened", "what to do")


def test_each_failure_has_the_code_of_its_kind() -> None:
    assert {failure("").kind: int(failure("").exit_code) for failure in FAILURES.values()} == {
        "failed": 1, "usage": 2, "denied": 3, "unavailable": 69, "unknown": 70, "local": 74, "declined": 1,
        "precondition-failed": 12,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("stop", "code"),
    [
        (KeyboardInterrupt(), 130),
        (Stopped(signal.SIGINT), 130),
        (Stopped(signal.SIGTERM), 143),
        (Stopped(signal.SIGHUP), 129),
    ],
    ids=repr,
)
def test_a_signal_ends_with_its_number(stop: KeyboardInterrupt, code: int) -> None:
    assert Interrupted(stop).exit_code == code

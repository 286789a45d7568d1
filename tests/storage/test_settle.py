"""Settling: what a sequence of answers means, for reads and for changes."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcc.errors import Interrupted, StccError, Stopped, Unavailable, Unknown
from stcc.storage.answers import Lost, Rejected, Unsent
from stcc.storage.settle import change, read

Event = str | BaseException
NO = Rejected(412, "ConditionNotMet", "", {})
BUSY = Rejected(503, "ServerBusy", "", {})
THROTTLED = Rejected(429, None, "", {"retry-after": "2"})
LOST = Lost("the connection was closed")
UNSENT = Unsent("connection refused")


class Answers:
    """Gives one answer after the other, the last one for ever, and counts."""

    def __init__(self, *events: Event) -> None:
        self._events = events
        self.asked = 0

    def __call__(self, *_: object) -> str:
        event = self._events[min(self.asked, len(self._events) - 1)]
        self.asked += 1
        if isinstance(event, BaseException):
            raise event
        return event


class Sleep:
    """Notes the pauses, and takes no time."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.pauses.append(seconds)


def caught(call: Callable[[], object]) -> Exception:
    with pytest.raises((StccError, Rejected)) as failure:
        call()
    return failure.value


@pytest.mark.parametrize(
    ("events", "asked"),
    [
        pytest.param(["yes"], 1, id="at once"),
        pytest.param([LOST, "yes"], 2, id="after a lost answer"),
        pytest.param([UNSENT, BUSY, LOST, "yes"], 4, id="at the last try"),
    ],
)
def test_a_read_is_asked_again(events: list[Event], asked: int) -> None:
    answers, sleep = Answers(*events), Sleep()
    assert (read(answers, target="t", sleep=sleep), answers.asked) == ("yes", asked)
    assert sleep.pauses == [0.05, 0.2, 0.5][: asked - 1]


def test_a_no_to_a_read_is_final() -> None:
    answers = Answers(LOST, NO)
    assert (caught(lambda: read(answers, target="t", sleep=Sleep())), answers.asked) == (NO, 2)


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (LOST, "t: the connection was closed"),
        (UNSENT, "t: connection refused"),
        (BUSY, "t: the service answered 503 ServerBusy"),
        (THROTTLED, "t: the service answered 429"),
    ],
)
def test_a_read_that_nobody_answers_is_unavailable(failure: Exception, message: str) -> None:
    answers = Answers(failure)
    error = caught(lambda: read(answers, target="t", sleep=Sleep()))
    assert (type(error), str(error), answers.asked) == (Unavailable, message, 4)


@pytest.mark.parametrize(
    ("retry_after", "pauses"),
    [("2", [2, 2, 2]), ("0", [0.05, 0.2, 0.5]), ("3600", [3, 3, 3]), ("soon", [0.05, 0.2, 0.5]), ("²", [0.05,
        0.2, 0.5]),
     ("-1", [0.05, 0.2, 0.5]), ("", [0.05, 0.2, 0.5])],
)  # fmt: skip
def test_a_pause_is_as_long_as_the_service_advises_within_reason(retry_after: str, pauses: list[float]) -> None:
    sleep = Sleep()
    throttled = Answers(Rejected(429, None, "", {"retry-after": retry_after}))
    assert isinstance(caught(lambda: change(throttled, target="t", sleep=sleep)), Unavailable)
    assert sleep.pauses == pauses


def test_a_change_is_sent_once() -> None:
    for event in ("yes", NO, UNSENT):
        answers, sleep = Answers(event), Sleep()
        if event == "yes":
            assert change(answers, target="t", sleep=sleep) == ("yes", None)
        else:
            error = caught(lambda answers=answers, sleep=sleep: change(answers, target="t", sleep=sleep))  # type: ignore[misc]  # bound now
            assert error is NO if event is NO else isinstance(error, Unavailable)
        assert (answers.asked, sleep.pauses) == (1, [])


@pytest.mark.parametrize(
    ("events", "asked", "settled"),
    [
        pytest.param([BUSY, "yes"], 2, None, id="throttled: it was not looked at"),
        pytest.param([LOST, "yes"], 2, "repeat", id="lost, then yes"),
        pytest.param([LOST, UNSENT, "yes"], 3, "repeat", id="lost, unreachable, then yes"),
        pytest.param([LOST, LOST, BUSY, "yes"], 4, "repeat", id="at the last try"),
    ],
)
def test_a_change_is_settled_by_a_yes(events: list[Event], asked: int, settled: str | None) -> None:
    answers = Answers(*events)
    assert (change(answers, target="t", sleep=Sleep()), answers.asked) == (("yes", settled), asked)


@pytest.mark.parametrize(
    ("events", "asked"),
    [
        pytest.param([LOST, NO], 2, id="a no after a lost answer may be its echo"),
        pytest.param([LOST, Rejected(404, "BlobNotFound", "", {})], 2, id="so may an absence"),
        pytest.param([LOST], 4, id="lost for ever"),
        pytest.param([LOST, UNSENT], 4, id="unreachable afterwards"),
        pytest.param([BUSY, LOST, BUSY], 4, id="throttled afterwards"),
    ],
)
def test_without_evidence_a_lost_answer_is_unknown(events: list[Event], asked: int) -> None:
    answers = Answers(*events)
    error = caught(lambda: change(answers, target="t", sleep=Sleep(), look=lambda: {"etag": "1"}))
    assert isinstance(error, Unknown)
    assert (error.message, error.target, error.observed, answers.asked) == (
        "t: the answer was lost (the connection was closed); the change may or may not have been applied",
        "t",
        {"etag": "1"},
        asked,
    )


@pytest.mark.parametrize("events", [[LOST, NO], [LOST], [LOST, UNSENT]], ids=str)
def test_evidence_settles_it(events: list[Event]) -> None:
    evidence = Answers("mine")
    assert change(Answers(*events), target="t", evidence=evidence, sleep=Sleep()) == ("mine", "evidence")
    assert evidence.asked == 1


@pytest.mark.parametrize("failure", [NO, LOST, UNSENT], ids=str)
def test_evidence_that_cannot_be_had_is_none(failure: Exception) -> None:
    error = caught(lambda: change(Answers(LOST, NO), target="t", evidence=Answers(failure), sleep=Sleep()))
    assert isinstance(error, Unknown)


def test_no_evidence_is_looked_for_while_nothing_is_lost() -> None:
    evidence = Answers("mine")
    assert caught(lambda: change(Answers(NO), target="t", evidence=evidence)) is NO
    assert isinstance(caught(lambda: change(Answers(UNSENT), target="t", evidence=evidence)), Unavailable)
    assert evidence.asked == 0


def test_what_must_not_be_repeated_is_not() -> None:
    answers = Answers(LOST, "yes")
    error = caught(lambda: change(answers, target="t", repeat=False, meaning="it may be there twice", sleep=Sleep()))
    assert isinstance(error, Unknown)
    assert (error.message, answers.asked) == (
        "t: the answer was lost (the connection was closed); it may be there twice",
        1,
    )
    assert change(Answers(BUSY, "yes"), target="t", repeat=False, sleep=Sleep()) == ("yes", None)


@pytest.mark.parametrize(("stop", "code"), [(KeyboardInterrupt(), 130), (Stopped(15), 143)], ids=repr)
@pytest.mark.parametrize("when", ["during the request", "during the pause", "during the look for evidence"])
def test_a_signal_during_a_change_says_what_is_open(stop: KeyboardInterrupt, code: int, when: str) -> None:
    answers, evidence = Answers(LOST, NO), Answers("mine")
    pause: Callable[[float], object] = Sleep()
    match when:
        case "during the request":
            answers = Answers(stop)
        case "during the pause":
            pause = Answers(stop)
        case _:
            evidence = Answers(stop)
    error = caught(
        lambda: change(answers, target="t", evidence=evidence, sleep=lambda seconds: _ignore(pause(seconds)))
    )
    assert isinstance(error, Interrupted)
    assert error.exit_code == code
    assert error.message.startswith("t: the change may or may not have been applied; interrupted by SIG")


def test_a_look_that_fails_changes_nothing() -> None:
    error = caught(lambda: change(Answers(LOST, NO), target="t", look=lambda: _raise(LOST), sleep=Sleep()))
    assert (isinstance(error, Unknown), getattr(error, "observed", "")) == (True, None)


def _ignore(value: object) -> None:
    del value


def _raise(error: Exception) -> dict[str, object]:
    raise error


EVENTS: Sequence[Event] = ("yes", NO, BUSY, LOST, UNSENT)


@given(st.lists(st.sampled_from(EVENTS), min_size=4, max_size=4), st.booleans(), st.booleans())
def test_what_is_reported_is_never_more_than_what_is_known(
    events: list[Event], repeat: bool, has_evidence: bool
) -> None:
    answers = Answers(*events)
    try:
        said: object = change(
            answers, target="t", repeat=repeat, evidence=(lambda: "mine") if has_evidence else None, sleep=Sleep()
        )
    except (StccError, Rejected) as error:
        said = error
    heard = events[: answers.asked]
    lost = LOST in heard
    if isinstance(said, Unavailable | Rejected):
        assert not lost  # whoever says "nothing was changed" knows it
    if isinstance(said, Unknown):
        assert lost
        assert not has_evidence
    if said == ("yes", None):
        assert not lost
    assert repeat or LOST not in heard[:-1]

"""Rounds of reading and writing: how many, how long between them, and who takes turns with whom."""

import stat
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from stcc.exits import Exit
from stcc.operations import turns, updating
from stcc.outcomes import Refused, Reply
from stcc.outcomes.update import Updated, Version
from tests.fakes import FakeClock, refused

REPLY = Reply(http_status=200)
ROUND = 0.5
UNMET = refused(412, "ConditionNotMet", Exit.PRECONDITION)
LEASED = refused(412, "LeaseIdMissing", Exit.PRECONDITION)
ABSENT = refused(404, "BlobNotFound", Exit.ABSENT)


class Document:
    """A text with an ETag; others write it before ours so many times. Reading takes `ROUND` seconds."""

    target = "c/b"

    def __init__(self, clock: FakeClock, *, overtaken: int = 0, refusal: Refused = UNMET) -> None:
        self.content, self.number = b"0", 1
        self.asked: list[str] = []
        self._clock = clock
        self._overtaken = overtaken
        self._refusal = refusal

    def read(self) -> Version | Refused:
        self.asked.append("read")
        self._clock.now += ROUND
        return Version(self.content, str(self.number), REPLY)

    def write(self, content: bytes, over: Version) -> Updated | Refused:
        self.asked.append("write")
        if self._overtaken:
            self._overtaken -= 1
            self.content, self.number = self.content + b"+theirs", self.number + 1
        if over.etag != str(self.number):
            return self._refusal
        self.content, self.number = content, self.number + 1
        return Updated(
            reply=REPLY, target=self.target, etag=str(self.number), changed=True, attempts=1, size=len(content)
        )


def update(document: updating.Document, clock: FakeClock, *, attempts: int = 10) -> Updated | Refused:
    return updating.update(
        document, lambda content: content + b"+mine", attempts=attempts, clock=clock, turn=nullcontext
    )


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def test_what_nobody_else_writes_takes_one_round(clock: FakeClock) -> None:
    document = Document(clock)

    assert update(document, clock) == Updated(
        reply=REPLY, target="c/b", etag="2", changed=True, attempts=1, size=len(b"0+mine")
    )
    assert (document.asked, clock.sleeps) == (["read", "write"], [])


def test_who_was_overtaken_begins_again_with_what_is_there_then(clock: FakeClock) -> None:
    document = Document(clock, overtaken=2)
    answer = update(document, clock)

    assert (answer, document.content) == (
        Updated(reply=REPLY, target="c/b", etag="4", changed=True, attempts=3, size=len(b"0+theirs+theirs+mine")),
        b"0+theirs+theirs+mine",
    )


@pytest.mark.parametrize("attempts", [1, 3])
def test_rounds_are_used_up(attempts: int, clock: FakeClock) -> None:
    document = Document(clock, overtaken=99)

    assert update(document, clock, attempts=attempts) == replace(
        UNMET,
        outcome="precondition-failed",
        hint=f"others were faster in all of {attempts} rounds: try again, or allow more --attempts",
    )
    assert (document.asked, len(clock.sleeps)) == (["read", "write"] * attempts, attempts - 1)


def test_who_is_always_too_late_to_create_has_been_overtaken(clock: FakeClock) -> None:
    there = refused(409, "BlobAlreadyExists", Exit.CONFLICT)

    assert update(Document(clock, overtaken=99, refusal=there), clock, attempts=2) == replace(
        there,
        outcome="precondition-failed",
        exit_code=Exit.PRECONDITION,
        hint="others were faster in all of 2 rounds: try again, or allow more --attempts",
    )


def test_a_lease_in_the_way_ends_it_at_once(clock: FakeClock) -> None:
    document = Document(clock, overtaken=99, refusal=LEASED)

    assert (update(document, clock), document.asked, clock.sleeps) == (LEASED, ["read", "write"], [])


def test_a_read_that_is_refused_ends_it_at_once(clock: FakeClock) -> None:
    class Missing(Document):
        def read(self) -> Version | Refused:
            super().read()
            return ABSENT

    document = Missing(clock)

    assert (update(document, clock), document.asked, clock.sleeps) == (ABSENT, ["read"], [])


def test_what_comes_out_the_same_is_not_written(clock: FakeClock) -> None:
    document = Document(clock)
    answer = updating.update(document, lambda content: content, attempts=3, clock=clock, turn=nullcontext)

    assert (answer, document.asked) == (
        Updated(reply=REPLY, target="c/b", etag="1", changed=False, attempts=1, size=1),
        ["read"],
    )


def test_what_is_missing_is_written_even_if_it_comes_out_the_same(clock: FakeClock) -> None:
    class New(Document):
        def read(self) -> Version | Refused:
            self.asked.append("read")
            return Version(b"", None, REPLY)

    document = New(clock, refusal=UNMET)
    updating.update(document, lambda content: content, attempts=1, clock=clock, turn=nullcontext)

    assert document.asked == ["read", "write"]


def test_pauses_grow_with_every_conflict_from_what_a_round_takes(clock: FakeClock) -> None:
    update(Document(clock, overtaken=99), clock, attempts=11)
    bounds = [2 * ROUND * min(2**number, 64) for number in range(10)]

    assert [bound / 2 <= pause <= bound for pause, bound in zip(clock.sleeps, bounds, strict=True)] == [True] * 10


@pytest.mark.parametrize("second_round", [4.0, 0.25])
def test_pauses_follow_the_smoothed_time_of_a_round(second_round: float, clock: FakeClock) -> None:
    rounds = iter([ROUND, second_round])

    def attempt(_: int) -> Refused:
        clock.now += next(rounds, ROUND)
        return UNMET

    updating.rounds(attempt, attempts=3, clock=clock)

    first, second = clock.sleeps
    pace = ROUND + 0.25 * (second_round - ROUND)  # a quarter of the way to what the last one took
    assert (ROUND <= first <= 2 * ROUND, 2 * pace <= second <= 4 * pace) == (True, True)


def test_two_who_meet_do_not_stay_in_step() -> None:
    pauses: list[list[float]] = []
    for _ in range(2):
        clock = FakeClock()
        update(Document(clock, overtaken=99), clock, attempts=5)
        pauses.append(clock.sleeps)

    assert pauses[0] != pauses[1]


def test_rounds_are_told_their_number(clock: FakeClock) -> None:
    numbers: list[int] = []

    def attempt(number: int) -> str | Refused:
        numbers.append(number)
        return "done" if number == 3 else UNMET

    assert (updating.rounds(attempt, attempts=9, clock=clock), numbers) == ("done", [1, 2, 3])


def test_the_turn_is_held_for_a_round_and_not_for_the_pause() -> None:
    story: list[str] = []

    class Telling(FakeClock):
        def sleep(self, seconds: float, /) -> None:
            story.append("sleep")
            super().sleep(seconds)

    @contextmanager
    def turn() -> Generator[None]:
        story.append("begin")
        yield
        story.append("end")

    clock = Telling()
    document = Document(clock, overtaken=1)
    document.asked = story
    updating.update(document, lambda content: content + b"!", attempts=5, clock=clock, turn=turn)

    held = ["begin", "read", "write", "end"]
    assert story == [*held, "sleep", *held]


def test_threads_take_turns_at_one_place(tmp_path: Path) -> None:
    inside: list[str] = []

    def work() -> None:
        for _ in range(5):
            with turns.turn(tmp_path, "account/c/b", patience=30) as ours:
                inside.append(f"in {ours}")
                time.sleep(0.005)
                inside.append("out")

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert inside == ["in True", "out"] * 10


def test_a_different_place_does_not_wait(tmp_path: Path) -> None:
    with turns.turn(tmp_path, "one", patience=0) as first, turns.turn(tmp_path, "another", patience=0) as second:
        assert (first, second) == (True, True)


def test_whoever_waits_too_long_goes_on_without_the_turn(tmp_path: Path) -> None:
    with turns.turn(tmp_path, "one", patience=0) as first:
        began = time.monotonic()
        with turns.turn(tmp_path, "one", patience=0.1) as second:
            waited = time.monotonic() - began
        assert (first, second, waited >= 0.1) == (True, False, True)
    with turns.turn(tmp_path, "one", patience=0) as third:
        assert third is True


def test_a_turn_ends_with_whatever_ends_the_round(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), turns.turn(tmp_path, "one", patience=0):
        raise ZeroDivisionError
    with turns.turn(tmp_path, "one", patience=0) as ours:
        assert ours is True


def test_files_of_turns_are_private_and_stay_few(tmp_path: Path) -> None:
    directory = tmp_path / "state" / "turns"
    for number in range(600):
        with turns.turn(directory, f"c/b{number}", patience=0) as ours:
            assert ours is True

    found = list(directory.iterdir())
    assert (len(found) <= 256, {stat.S_IMODE(file.stat().st_mode) for file in found}) == (True, {0o600})
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_where_no_file_can_be_made_nobody_waits(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with turns.turn(tmp_path / "file", "one") as ours:
        assert ours is False


def test_a_link_in_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    with turns.turn(tmp_path, "one", patience=0):
        [file] = tmp_path.iterdir()
    file.unlink()
    file.symlink_to(tmp_path / "elsewhere")

    with turns.turn(tmp_path, "one", patience=0) as ours:
        assert (ours, (tmp_path / "elsewhere").exists()) == (False, False)

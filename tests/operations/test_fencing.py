"""Writes under a fence: what is looked at, what is written, and when it is tried again."""

import pytest

from stcc.exits import Exit
from stcc.operations.fencing import Mark, fence_in, fenced, too_old
from stcc.outcomes import Refused
from stcc.values.conditions import Conditions
from tests.fakes import FakeClock, refused

UNMET = refused(412, "ConditionNotMet", Exit.PRECONDITION)
LEASED = refused(412, "LeaseIdMissing", Exit.PRECONDITION)
EXISTS = refused(409, "BlobAlreadyExists", Exit.CONFLICT)
DENIED = refused(403, "AuthorizationFailure", Exit.DENIED)


class Blob:
    """A blob that was written under some number; others write it, under theirs, right after it was looked at."""

    def __init__(self, number: int | None = None, *, there: bool = True, others: tuple[int | None, ...] = ()) -> None:
        self.mark = Mark('"1"', number) if there else Mark(None, None)
        self.looks = 0
        self.written: list[dict[str, str]] = []
        self._others = list(others)

    def look(self) -> Mark:
        self.looks += 1
        seen = self.mark
        if self._others:
            self.mark = Mark(f'"{self.looks + 1}"', self._others.pop(0))
        return seen

    def write(self, conditions: Conditions) -> str | Refused:
        self.written.append(dict(conditions.values))
        wanted = conditions.values.get("--if-match")
        if self.mark.etag != wanted:
            return UNMET if wanted is not None else EXISTS
        return "written"


def write(blob: Blob, fence: int, *, given: Conditions | None = None, attempts: int = 5) -> str | Refused:
    return fenced(
        fence,
        blob.look,
        blob.write,
        target="c/b",
        given=given or Conditions(),
        clock=FakeClock(),
        attempts=attempts,
    )


@pytest.mark.parametrize("stored", [None, 0, 6, 7])
def test_what_was_written_under_no_later_grant_is_written_over(stored: int | None) -> None:
    blob = Blob(stored)

    assert (write(blob, 7), blob.looks, blob.written) == ("written", 1, [{"--if-match": '"1"'}])


def test_what_was_written_under_a_later_grant_is_left_alone() -> None:
    blob = Blob(8)

    assert (write(blob, 7), blob.looks, blob.written) == (too_old("c/b", 7, 8, '"1"'), 1, [])


def test_what_is_not_there_must_still_not_be_there() -> None:
    blob = Blob(there=False)

    assert (write(blob, 7), blob.written) == ("written", [{"--if-none-match": "*"}])


def test_a_lease_goes_with_the_write() -> None:
    blob = Blob(7)
    write(blob, 7, given=Conditions({"--lease-id": "i"}))

    assert blob.written == [{"--if-match": '"1"', "--lease-id": "i"}]


@pytest.mark.parametrize("there", [True, False])
def test_after_a_write_in_between_it_looks_again(there: bool) -> None:
    blob = Blob(5, there=there, others=(6, None))
    pins = [{"--if-match": '"1"'} if there else {"--if-none-match": "*"}, {"--if-match": '"2"'}, {"--if-match": '"3"'}]

    assert (write(blob, 7), blob.looks, blob.written) == ("written", 3, pins)


def test_a_later_grant_in_between_wins() -> None:
    blob = Blob(5, others=(8,))

    assert (write(blob, 7), blob.looks, len(blob.written)) == (too_old("c/b", 7, 8, '"2"'), 2, 1)


def test_when_all_attempts_are_used_up_the_refusal_stands() -> None:
    blob = Blob(5, others=(5, 5, 5, 5))

    assert (write(blob, 7, attempts=3), blob.looks) == (UNMET, 3)


@pytest.mark.parametrize("refusal", [LEASED, DENIED], ids=["leased", "denied"])
def test_another_refusal_is_final(refusal: Refused) -> None:
    blob = Blob(5)

    answer = fenced(7, blob.look, lambda _: refusal, target="c/b", given=Conditions(), clock=FakeClock())
    assert (answer, blob.looks) == (refusal, 1)


def test_what_cannot_be_looked_at_is_not_written() -> None:
    blob = Blob(5)

    answer = fenced(7, lambda: DENIED, blob.write, target="c/b", given=Conditions(), clock=FakeClock())
    assert (answer, blob.written) == (DENIED, [])


@pytest.mark.parametrize(
    ("metadata", "number"),
    [
        (None, None),
        ({}, None),
        ({"other": "5"}, None),
        ({"stcc_fence": "5"}, 5),
        ({"STCC_Fence": "007"}, 7),
        ({"stcc_fence": str(2**63 - 1)}, 2**63 - 1),
        ({"stcc_fence": ""}, None),
        ({"stcc_fence": "-5"}, None),
        ({"stcc_fence": " 5"}, None),
        ({"stcc_fence": "5.0"}, None),
        ({"stcc_fence": "\u0665"}, None),
        ({"stcc_fence": "\u00b2"}, None),
        ({"stcc_fence": "9" * 20}, None),
    ],
)
def test_the_number_in_metadata(metadata: dict[str, str] | None, number: int | None) -> None:
    assert fence_in(metadata) == number

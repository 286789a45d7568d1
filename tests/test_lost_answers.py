"""Lost answers: what a command reports is the truth, or it says that it does not know.

Every change meets every way of losing its answer. Exit 0 means applied, and what is printed is real; a refusal
is never the echo of the change itself; all else is 70, or 69 when nothing can have happened.
"""

import json
from typing import Any

import pytest

from stcc.emulator.instance import Instance
from tests.azurite import ProxiedAccount
from tests.calls import beside
from tests.changes import CHANGES, Change, etag, held_under
from tests.running import Stcc
from tests.situations import OTHER, Situation
from tests.wire import Answer, Delay, Drop, Fault, Late, Recorded, Refuse, Reset, Status, Truncate, writes

LOST: dict[str, Fault] = {
    "drop": Drop(),
    "reset": Reset(),
    "nothing of the answer": Truncate(0),
    "some headers": Truncate(60),
    "late": Delay(0.7),
    "500": Status(500),
    "408": Status(408),
}


EACH = [pytest.param(change, id=change.argv) for change in CHANGES]
# One way of calling each command, where what differs is up to the command alone.
ONE_OF_EACH = [pytest.param(change, id=verb) for verb, change in {one.verb: one for one in reversed(CHANGES)}.items()]


def sent(proxied: ProxiedAccount) -> list[Recorded]:
    return [request for request in proxied.requests if writes(request)]


def told(out: str, change: Change) -> str:
    """Return what stdout says of the change; a break prints the seconds left, which is nothing to compare."""
    return "" if change.argv.startswith("lease break") else out.removesuffix("\n")


@pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
@pytest.mark.parametrize("change", EACH)
def test_a_change_whose_answer_is_lost_is_settled_or_unknown(
    change: Change, fault: Fault, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = there.argv(change.argv)
    assert change.printed(there) == change.before
    proxied.fail(fault, when=writes)

    patience = "350ms" if isinstance(fault, Delay) else "10s"
    code, out, _ = proxied_stcc(*beside(argv, "--timeout", patience), stdin=b"text")

    assert (code, told(out, change) if code == 0 else out) == (change.lost, change.printed(there) if code == 0 else "")
    assert change.printed(there) is not None
    assert len(sent(proxied)) == (2 if change.repeated else 1)


@pytest.mark.parametrize("change", ONE_OF_EACH)
def test_a_change_that_never_arrived_is_sent_again(
    change: Change, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = there.argv(change.argv)
    proxied.fail(Refuse(), when=writes)

    code, out, _ = proxied_stcc(*argv, stdin=b"text")

    if change.repeated:
        assert (code, told(out, change)) == (0, change.printed(there))
    else:
        assert (code, out, change.printed(there), len(sent(proxied))) == (70, "", None, 1)


@pytest.mark.parametrize("change", ONE_OF_EACH)
def test_a_change_that_never_arrives_is_unknown(
    change: Change, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = there.argv(change.argv)
    proxied.fail(Refuse(), when=writes, times=9)

    assert proxied_stcc(*argv, stdin=b"text")[:2] == (70, "")
    assert change.printed(there) == change.before


@pytest.mark.parametrize("change", ONE_OF_EACH)
def test_a_throttled_change_is_tried_again_and_then_unavailable(
    change: Change, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = there.argv(change.argv)
    proxied.fail(Answer(503, {"x-ms-error-code": "ServerBusy"}), when=writes, times=9)
    assert proxied_stcc(*argv, stdin=b"text")[:2] == (69, "")
    assert (change.printed(there), {request.status for request in sent(proxied)}) == (change.before, {None})

    proxied.clear()
    proxied.fail(Answer(503, {"x-ms-error-code": "ServerBusy"}), when=writes)
    code, out, _ = proxied_stcc(*argv, stdin=b"text")
    assert (code, told(out, change)) == (0, change.printed(there))


@pytest.mark.parametrize("change", EACH[:8])
def test_a_lost_answer_and_then_only_throttling_is_settled_or_unknown(
    change: Change, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = there.argv(change.argv)
    proxied.fail(Drop(), when=writes)
    proxied.fail(Answer(503), when=writes, times=9)

    code, out, _ = proxied_stcc(*argv, stdin=b"text")

    settled = "blob put" in change.argv or "container create" in change.argv
    settled = settled and "--no-marker" not in change.argv
    assert (code, out) == ((0, f"{change.printed(there)}\n") if settled else (70, ""))


@pytest.mark.parametrize("change", ONE_OF_EACH)
def test_an_answer_cut_anywhere_never_prints_what_is_not_real(
    change: Change, proxied: ProxiedAccount, proxied_stcc: Stcc, azurite: Instance
) -> None:
    for size in (0, 15, 17, *range(20, 520, 50), 415):
        there = Situation(azurite)
        argv = there.argv(change.argv)
        proxied.clear()
        proxied.fail(Truncate(size), when=writes)

        code, out, _ = proxied_stcc(*argv, stdin=b"text")

        assert code in {0, change.lost}, size
        assert (told(out, change) if code == 0 else out) == (change.printed(there) if code == 0 else ""), size


@pytest.mark.parametrize("headers", [{}, {"ETag": '"'}, {"ETag": '"0x8D'}], ids=["none", "a quote", "half of it"])
@pytest.mark.parametrize(
    ("argv", "status"), [("blob put {new_blob} -", 201), ("container create {new_container}", 201)]
)
def test_an_answer_without_a_whole_etag_is_lost(
    argv: str,
    status: int,
    headers: dict[str, str],
    proxied: ProxiedAccount,
    proxied_stcc: Stcc,
    there: Situation,
) -> None:
    words = there.argv(argv)
    proxied.fail(Answer(status, headers), when=writes, times=9)

    assert proxied_stcc(*words, stdin=b"text")[:2] == (70, "")


def test_how_it_was_settled_is_said(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    argv = there.argv("blob put {new_blob} - -o json")
    proxied.fail(Drop(), when=writes)
    marked = json.loads(proxied_stcc(*argv, stdin=b"text").out)
    proxied.fail(Drop(), when=writes)
    repeated = json.loads(proxied_stcc(*there.argv("lease acquire {blob} -o json")).out)

    assert [document["observed"] for document in (marked, repeated)] == [
        {"answer_lost": True, "settled_by": "evidence"},
        {"answer_lost": True, "settled_by": "repeat"},
    ]


def test_the_same_content_is_shown_and_proves_nothing(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = there.argv("blob put {blob} - --if-match {etag} --no-marker -o json")
    proxied.fail(Drop(), when=writes)

    document: dict[str, Any] = json.loads(proxied_stcc(*argv, stdin=b"text").out)

    assert (document["outcome"], document["exit_code"], document["observed"]["same_content"]) == ("unknown", 70, True)


def test_a_late_break_never_meets_the_lease_of_somebody_else_twice(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = there.argv("lease break {leased_blob} --period 0 --yes")
    proxied.fail(Late(0.4), when=writes)

    code, out, _ = proxied_stcc(*argv)
    early = there.properties(there.leased_blob).lease.state
    proxied.wire.wait_for_late()

    assert (code, out, early, there.properties(there.leased_blob).lease.state) == (70, "", "leased", "broken")
    assert len(sent(proxied)) == 1


@pytest.mark.parametrize(
    ("argv", "unchanged"),
    [
        ("blob put {new_blob} -", "new_blob"),
        ("blob put {blob} - --if-match {etag}", "blob"),
        ("container create {new_container}", "new_container"),
    ],
)
def test_a_late_request_finds_its_condition_gone(
    argv: str, unchanged: str, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    words = there.argv(argv)
    proxied.fail(Late(0.4), when=writes)

    code, out, _ = proxied_stcc(*words, stdin=b"text")
    proxied.wire.wait_for_late()

    assert (code, out) == (0, f"{etag(unchanged)(there)}\n")
    assert {request.status for request in sent(proxied)} in ({201, 412}, {201, 409})


def test_a_lease_of_an_unknown_outcome_can_be_released(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = there.argv("lease acquire {blob} --proposed-id {other}")
    proxied.fail(Drop(), when=writes, times=9)

    code, out, err = proxied_stcc(*argv)

    assert (code, out, OTHER in err) == (70, "", True)
    assert held_under("blob", OTHER)(there) == OTHER

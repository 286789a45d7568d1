"""Lost answers about queues and messages: what is reported is the truth or 70, and nothing happens twice."""

import json
from typing import Any, Final

import pytest

from tests.azurite import ProxiedAccount
from tests.conftest import Names
from tests.running import Result, Stcc
from tests.wire import Answer, Delay, Drop, Fault, Late, Recorded, Refuse, Reset, Status, Truncate, writes

QUICK: Final = ["--timeout", "500ms"]
# Done, and nobody knows; not done; done later than the repetition.
DONE: Final = [Drop(), Reset(), Truncate(10), Delay(2), Status(500)]
NOT_DONE: Final = [Refuse()]
LATE: Final = [Late(0.6)]
CUT: Final = [Truncate(60)]  # in the headers: the status is whole, and it is the truth


@pytest.fixture
def jobs(stcc: Stcc, names: Names) -> str:
    """Make a queue without messages."""
    name = names()
    assert stcc("queue", "create", name).code == 0
    return name


def count(stcc: Stcc, queue: str) -> int:
    shown: dict[str, Any] = json.loads(stcc("queue", "show", queue, "-o", "json").out)
    number: int = shown["result"]["approximate_message_count"]
    return number


def sent(stcc: Stcc, queue: str) -> tuple[str, str]:
    message, receipt = stcc("queue", "send", queue, "job").out.removesuffix("\n").split("\t")
    return message, receipt


def lost(answer: Result, target: str, meaning: str) -> bool:
    """Tell whether the answer is 70 with these words, and nothing on stdout."""
    lines = answer.err.splitlines()
    says = lines[0].startswith(f"stcc: {target}: the answer was lost (") and lines[0].endswith(f"; {meaning}")
    return (answer.code, answer.out, says) == (70, "", True)


@pytest.mark.parametrize("fault", [*DONE, *NOT_DONE, *LATE, *CUT], ids=repr)
def test_a_message_is_never_sent_twice(
    stcc: Stcc, proxied_stcc: Stcc, proxied: ProxiedAccount, jobs: str, fault: Fault
) -> None:
    proxied.fail(fault)
    answer = proxied_stcc("queue", "send", jobs, "job", *QUICK)
    proxied.wire.wait_for_late()

    assert lost(answer, jobs, "the message may or may not have been sent"), answer
    assert len(proxied.requests) == 1
    assert count(stcc, jobs) == (0 if fault in NOT_DONE else 1)


def test_a_message_whose_answer_breaks_off_in_the_body_is_not_sent_again(
    stcc: Stcc, proxied_stcc: Stcc, proxied: ProxiedAccount, jobs: str
) -> None:
    for number, size in enumerate(range(40, 900, 40), start=1):
        proxied.fail(Truncate(size))
        answer = proxied_stcc("queue", "send", jobs, "job", *QUICK)

        assert answer.code == 0 or lost(answer, jobs, "the message may or may not have been sent"), (size, answer)
        assert (size, count(stcc, jobs)) == (size, number)


@pytest.mark.parametrize("fault", [*DONE, *NOT_DONE, *LATE, *CUT], ids=repr)
def test_messages_are_never_taken_twice(
    stcc: Stcc, proxied_stcc: Stcc, proxied: ProxiedAccount, jobs: str, fault: Fault
) -> None:
    sent(stcc, jobs)
    sent(stcc, jobs)
    proxied.fail(fault)
    answer = proxied_stcc("queue", "dequeue", jobs, "--visibility", "77", *QUICK)
    proxied.wire.wait_for_late()

    assert lost(answer, jobs, "messages may have been taken: if so, they come back after 77s"), answer
    assert len(proxied.requests) == 1
    visible = stcc("queue", "peek", jobs, "--max", "2").out.count("\n")
    assert visible == (2 if fault in NOT_DONE else 1)


@pytest.mark.parametrize("fault", [*DONE, *NOT_DONE, *LATE, *CUT], ids=repr)
def test_an_update_ends_with_a_good_receipt_or_with_unknown(
    stcc: Stcc, proxied_stcc: Stcc, proxied: ProxiedAccount, jobs: str, fault: Fault
) -> None:
    message, receipt = sent(stcc, jobs)
    proxied.fail(fault)
    answer = proxied_stcc(
        "queue", "update", jobs, message, "--pop-receipt", receipt, "--visibility", "60", "--body", "new", *QUICK
    )
    proxied.wire.wait_for_late()

    if fault in [*NOT_DONE, *LATE]:
        assert answer.code == 0
        assert stcc("queue", "delete-message", jobs, message, "--pop-receipt", answer.out.strip()).code == 0
    else:
        meaning = f"message {message} may or may not have been updated, and have a new receipt"
        assert lost(answer, jobs, meaning), answer
        assert stcc("queue", "delete-message", jobs, message, "--pop-receipt", receipt).code == 12


def test_a_receipt_that_breaks_off_is_never_printed(
    stcc: Stcc, proxied_stcc: Stcc, proxied: ProxiedAccount, jobs: str
) -> None:
    codes: set[int] = set()
    for size in range(20, 420, 7):
        message, receipt = sent(stcc, jobs)
        proxied.fail(Truncate(size))
        answer = proxied_stcc("queue", "update", jobs, message, "--pop-receipt", receipt, "--visibility", "60", *QUICK)
        codes.add(answer.code)

        if answer.code == 0:
            assert stcc("queue", "delete-message", jobs, message, "--pop-receipt", answer.out.strip()).code == 0, size
    assert codes == {0, 70}


@pytest.mark.parametrize("fault", [*DONE, *NOT_DONE, *LATE, *CUT], ids=repr)
def test_a_deleted_message_is_reported_as_deleted_or_as_unknown(
    stcc: Stcc, proxied_stcc: Stcc, proxied: ProxiedAccount, jobs: str, fault: Fault
) -> None:
    message, receipt = sent(stcc, jobs)
    proxied.fail(fault)
    answer = proxied_stcc("queue", "delete-message", jobs, message, "--pop-receipt", receipt, *QUICK)
    proxied.wire.wait_for_late()

    if fault in DONE:
        assert lost(answer, jobs, f"message {message} may or may not have been deleted"), answer
    else:
        assert (answer.code, answer.err.splitlines()[-1]) == (0, f"deleted message {message} of {jobs}")
    assert count(stcc, jobs) == 0


@pytest.mark.parametrize("fault", [*DONE, *NOT_DONE, *LATE, *CUT], ids=repr)
def test_a_queue_is_created_in_spite_of_a_lost_answer(
    stcc: Stcc, proxied_stcc: Stcc, proxied: ProxiedAccount, names: Names, fault: Fault
) -> None:
    name = names()
    proxied.fail(fault)
    answer = proxied_stcc("queue", "create", name, "--metadata", "a=b", "-o", "json", *QUICK)
    proxied.wire.wait_for_late()

    document = json.loads(answer.out)
    known = "queue-exists" if fault in [*DONE, *CUT] else "queue-created"
    settled = {"answer_lost": True, "settled_by": "repeat"}
    assert (answer.code, document["outcome"], document["observed"]) == (0, known, settled)
    assert json.loads(stcc("queue", "show", name, "-o", "json").out)["result"]["metadata"] == {"a": "b"}


@pytest.mark.parametrize("fault", [*DONE, *NOT_DONE, *LATE, *CUT], ids=repr)
def test_a_deleted_queue_is_reported_as_deleted_or_as_unknown(
    stcc: Stcc, proxied_stcc: Stcc, proxied: ProxiedAccount, jobs: str, fault: Fault
) -> None:
    proxied.fail(fault)
    answer = proxied_stcc("queue", "delete", jobs, "--yes", *QUICK)
    proxied.wire.wait_for_late()

    if fault in DONE:
        assert lost(answer, jobs, "the change may or may not have been applied"), answer
        assert answer.err.splitlines()[1:] == ["  seen afterwards: exists false", "  look before you repeat it"]
    else:
        assert (answer.code, answer.err.splitlines()[-1]) == (0, f"deleted queue {jobs}")
    assert stcc("queue", "show", jobs).code == 4


@pytest.mark.parametrize("fault", [*DONE, *NOT_DONE, *LATE, *CUT], ids=repr)
def test_a_queue_is_cleared_in_spite_of_a_lost_answer(
    stcc: Stcc, proxied_stcc: Stcc, proxied: ProxiedAccount, jobs: str, fault: Fault
) -> None:
    sent(stcc, jobs)
    proxied.fail(fault)
    answer = proxied_stcc("queue", "clear", jobs, "--yes", *QUICK)
    proxied.wire.wait_for_late()

    story = (
        "" if fault in CUT else "the answer was lost on the way; the identical request was accepted when sent again\n"
    )
    assert answer == Result(0, "", f"{story}cleared queue {jobs}\n")
    assert count(stcc, jobs) == 0


@pytest.mark.parametrize("fault", [Drop(), Reset(), Truncate(60), Delay(2), Status(500), Refuse()], ids=repr)
@pytest.mark.parametrize("verb", ["show", "peek", "list"])
def test_a_read_is_asked_again(
    stcc: Stcc, proxied_stcc: Stcc, proxied: ProxiedAccount, jobs: str, verb: str, fault: Fault
) -> None:
    sent(stcc, jobs)
    arguments = ["--prefix", jobs] if verb == "list" else [jobs]
    proxied.fail(fault)

    assert proxied_stcc("queue", verb, *arguments, *QUICK) == stcc("queue", verb, *arguments)


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("verb", ["send", "dequeue"])
def test_a_throttled_request_changed_nothing_and_is_repeated(
    stcc: Stcc, proxied_stcc: Stcc, proxied: ProxiedAccount, jobs: str, verb: str, status: int
) -> None:
    sent(stcc, jobs)
    proxied.fail(Answer(status), times=2)

    assert proxied_stcc("queue", verb, jobs, *(["job"] if verb == "send" else [])).code == 0
    assert ([request.status for request in proxied.requests][:2], len(proxied.requests)) == ([None, None], 3)
    assert count(stcc, jobs) == (2 if verb == "send" else 1)


def test_a_queue_that_only_throttles_is_unavailable(proxied_stcc: Stcc, proxied: ProxiedAccount, jobs: str) -> None:
    proxied.fail(Answer(503), when=writes, times=4)

    answer = proxied_stcc("queue", "send", jobs, "job")
    assert (answer.code, answer.err.splitlines()[-1]) == (69, "  nothing was changed; try again later")


def test_nobody_there_is_unavailable() -> None:
    endpoint = "AccountName=devstoreaccount1;AccountKey=a2V5;QueueEndpoint=http://127.0.0.1:1/devstoreaccount1"

    assert Stcc(connection_string=endpoint)("queue", "send", "jobs", "job") == Result(
        69, "", "stcc: jobs: connection refused\n  nothing was changed; try again later\n"
    )


def test_a_wait_goes_on_until_a_message_is_there_and_asks_no_more(
    stcc: Stcc, proxied_stcc: Stcc, proxied: ProxiedAccount, jobs: str
) -> None:
    message = stcc("queue", "send", jobs, "job", "--visibility", "1").out.split("\t")[0]
    answer = proxied_stcc("queue", "dequeue", jobs, "--wait", "forever")

    assert (answer.code, answer.out.split("\t")[0]) == (0, message)
    assert {request.status for request in proxied.requests} == {200}
    assert 3 < len(proxied.requests) < 20


def test_a_lost_answer_ends_a_wait(stcc: Stcc, proxied_stcc: Stcc, proxied: ProxiedAccount, jobs: str) -> None:
    def third(request: Recorded) -> bool:
        return len(proxied.requests) >= 3 and request.method == "GET"

    proxied.fail(Drop(), when=third)
    answer = proxied_stcc("queue", "dequeue", jobs, "--wait", "10s")

    assert lost(answer, jobs, "messages may have been taken: if so, they come back after 30s")
    assert len(proxied.requests) == 3

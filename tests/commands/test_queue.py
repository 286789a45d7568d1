"""Queues and messages: what each command prints and returns."""

import json
from datetime import datetime
from typing import Any

import pytest

from tests.conftest import Names
from tests.running import Result, Stcc

NOBODY = "5974b586-0df3-4e2d-ad0c-18e3892bfca2"
STALE = "  the message was taken or updated by somebody since, or is gone\n"
EMPTY_HINT = "what others have dequeued comes back unless they delete it; --wait 1m waits for a message"


@pytest.fixture
def jobs(stcc: Stcc, names: Names) -> str:
    """Make a queue without messages."""
    name = names()
    assert stcc("queue", "create", name) == Result(0, "", f"created queue {name}\n")
    return name


def sent(stcc: Stcc, queue: str, text: str = "hello") -> tuple[str, str]:
    """Send a message; return its id and receipt."""
    code, out, err = stcc("queue", "send", queue, text)
    assert (code, err) == (0, f"sent a message to {queue}\n")
    message, receipt = out.removesuffix("\n").split("\t")
    return message, receipt


def envelope(result: Result) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(result.out)
    assert isinstance(document.pop("request_id"), str)
    return document


def nothing_in(queue: str) -> Result:
    return Result(75, "", f"stcc: queue {queue}: no message is visible\n  {EMPTY_HINT}\n")


def test_creating_the_same_queue_again_is_fine(stcc: Stcc, jobs: str) -> None:
    assert stcc("queue", "create", jobs) == Result(0, "", f"queue {jobs} was there already, with the same metadata\n")
    assert envelope(stcc("queue", "create", jobs, "-o", "json")) == {
        "outcome": "queue-exists",
        "exit_code": 0,
        "http_status": 204,
        "error_code": None,
        "target": jobs,
        "result": {},
        "observed": None,
    }


def test_a_queue_of_that_name_with_other_metadata_is_a_conflict(stcc: Stcc, names: Names) -> None:
    name = names()
    stcc("queue", "create", name, "--metadata", "team=red")
    sent(stcc, name)

    assert stcc("queue", "create", name) == Result(
        9,
        "",
        f"stcc: cannot create queue {name}: there is a queue of that name with other metadata "
        "(409 QueueAlreadyExists)\n  seen afterwards: approximate message count 1, metadata team=red\n",
    )


def test_a_queue_shows_its_metadata_and_about_how_many_messages_it_holds(stcc: Stcc, names: Names) -> None:
    name = names()
    stcc("queue", "create", name, "--metadata", "team=red", "--metadata", "purpose=to test")
    sent(stcc, name)
    sent(stcc, name)
    stcc("queue", "dequeue", name)

    assert stcc("queue", "show", name) == Result(
        0,
        f"queue             {name}\nmessages          about 2\nmetadata team     red\nmetadata purpose  to test\n",
        "",
    )
    assert envelope(stcc("queue", "show", name, "-o", "json")) == {
        "outcome": "queue-shown",
        "exit_code": 0,
        "http_status": 200,
        "error_code": None,
        "target": name,
        "result": {"approximate_message_count": 2, "metadata": {"team": "red", "purpose": "to test"}},
        "observed": None,
    }
    assert stcc("queue", "show", name, "--query", "approximate_message_count") == Result(0, "2\n", "")


def test_queues_are_listed_by_prefix_up_to_a_limit(stcc: Stcc, names: Names) -> None:
    prefix = names()
    for letter in "abc":
        stcc("queue", "create", f"{prefix}{letter}", "--metadata", f"letter={letter}")

    assert stcc("queue", "list", "--prefix", prefix, "--limit", "2", "-o", "tsv") == Result(
        0, f"{prefix}a\tletter=a\n{prefix}b\tletter=b\n", ""
    )
    assert json.loads(stcc("queue", "list", "--prefix", f"{prefix}c", "-o", "json").out)["result"] == [
        {"name": f"{prefix}c", "metadata": {"letter": "c"}}
    ]
    assert stcc("queue", "list", "--prefix", f"{prefix}x") == Result(0, "", "queues of devstoreaccount1: none\n")


def test_a_message_is_sent_taken_and_deleted(stcc: Stcc, jobs: str) -> None:
    message, first = sent(stcc, jobs)
    code, out, err = stcc("queue", "dequeue", jobs)
    receipt = out.split("\t")[1]

    assert (code, out, err) == (0, f"{message}\t{receipt}\thello\n", "")
    assert receipt != first
    assert stcc("queue", "delete-message", jobs, message, "--pop-receipt", receipt) == Result(
        0, "", f"deleted message {message} of {jobs}\n"
    )
    assert stcc("queue", "peek", jobs) == nothing_in(jobs)


def test_the_sender_may_delete_with_the_receipt_of_send(stcc: Stcc, jobs: str) -> None:
    message, receipt = sent(stcc, jobs)

    assert stcc("queue", "delete-message", jobs, message, "--pop-receipt", receipt, "-q") == Result(0, "", "")


def test_a_message_in_json(stcc: Stcc, jobs: str) -> None:
    document = envelope(stcc("queue", "send", jobs, "a\tb\u202e", "--ttl", "1h", "-o", "json"))
    times = {name: datetime.fromisoformat(document["result"].pop(name)) for name in ("inserted_on", "expires_on")}
    id_ = document["result"].pop("id")
    assert document["result"].pop("pop_receipt")
    assert datetime.fromisoformat(document["result"].pop("next_visible_on")) == times["inserted_on"]
    assert (times["expires_on"] - times["inserted_on"]).total_seconds() == 3600
    assert document == {
        "outcome": "message-sent",
        "exit_code": 0,
        "http_status": 201,
        "error_code": None,
        "target": jobs,
        "result": {},
        "observed": None,
    }

    taken = envelope(stcc("queue", "dequeue", jobs, "-o", "json"))

    (item,) = taken["result"]
    assert item.pop("pop_receipt")
    assert datetime.fromisoformat(item.pop("next_visible_on")) > times["inserted_on"]
    assert taken == {
        "outcome": "messages-dequeued",
        "exit_code": 0,
        "http_status": 200,
        "error_code": None,
        "target": jobs,
        "result": [
            {
                "id": id_,
                "body": "a\tb\u202e",
                "body_base64": None,
                "encoding": "text",
                "dequeue_count": 1,
                "inserted_on": times["inserted_on"].isoformat().replace("+00:00", "Z"),
                "expires_on": times["expires_on"].isoformat().replace("+00:00", "Z"),
            }
        ],
        "observed": None,
    }


def test_a_message_that_never_expires_ends_with_the_calendar(stcc: Stcc, jobs: str) -> None:
    asked = stcc("queue", "send", jobs, "x", "--ttl", "never", "-o", "json", "--query", "expires_on")

    assert json.loads(asked.out)["result"] == "9999-12-31T23:59:59Z"


@pytest.mark.parametrize("output", ["human", "tsv"])
def test_one_message_is_one_line(stcc: Stcc, jobs: str, output: str) -> None:
    message, _ = sent(stcc, jobs, "a\tb\nc\\d\x7f")
    other, _ = sent(stcc, jobs, "two")

    assert stcc("queue", "peek", jobs, "--max", "32", "-o", output) == Result(
        0, f"{message}\t\ta\\tb\\nc\\\\d\x7f\n{other}\t\ttwo\n", ""
    )


def test_peeking_takes_nothing(stcc: Stcc, jobs: str) -> None:
    sent(stcc, jobs)

    seen = [
        stcc("queue", "peek", jobs, "-o", "json", "--query", "[].[dequeue_count, pop_receipt, next_visible_on]")
    ] * 2
    assert [json.loads(result.out)["result"] for result in seen] == [[[0, None, None]]] * 2
    assert stcc("queue", "dequeue", jobs).code == 0
    assert stcc("queue", "peek", jobs) == nothing_in(jobs)


def test_many_messages_stream_as_ndjson(stcc: Stcc, jobs: str) -> None:
    for text in ("one", "two", "three"):
        sent(stcc, jobs, text)

    code, out, err = stcc("queue", "dequeue", jobs, "--max", "2", "-o", "ndjson", "--query", "body")

    assert (code, out, err) == (0, '"one"\n"two"\n{"outcome": "messages-dequeued", "exit_code": 0}\n', "")


def test_an_empty_queue_is_busy(stcc: Stcc, jobs: str) -> None:
    assert stcc("queue", "dequeue", jobs) == nothing_in(jobs)
    assert stcc("queue", "dequeue", jobs, "--no-wait", "-o", "tsv") == nothing_in(jobs)
    assert json.loads(stcc("queue", "peek", jobs, "-o", "json").out) == {
        "outcome": "empty",
        "exit_code": 75,
        "http_status": 200,
        "error_code": None,
        "request_id": None,
        "target": jobs,
        "result": None,
        "observed": None,
        "message": f"queue {jobs}: no message is visible",
        "hint": EMPTY_HINT,
    }


def test_a_wait_ends_with_busy_or_with_a_message(stcc: Stcc, jobs: str) -> None:
    assert stcc("queue", "dequeue", jobs, "--wait", "100ms") == nothing_in(jobs)
    message, _ = sent(stcc, jobs)
    stcc("queue", "send", jobs, "late", "--visibility", "1")
    stcc("queue", "dequeue", jobs)

    assert stcc("queue", "peek", jobs, "--wait", "10s", "--body-only", "-q") == Result(0, "late", "")
    assert message


def test_the_body_alone_is_exact(stcc: Stcc, jobs: str) -> None:
    message, _ = sent(stcc, jobs, "a\\\tb\n")

    assert stcc("queue", "peek", jobs, "--body-only") == Result(0, "a\\\tb\n", f"message {message}\n")
    code, out, err = stcc("queue", "dequeue", jobs, "--body-only")
    assert (code, out) == (0, "a\\\tb\n")
    receipt = err.removeprefix(f"message {message}, receipt ").removesuffix("\n")
    assert stcc("queue", "delete-message", jobs, message, "--pop-receipt", receipt).code == 0


def test_a_body_that_is_no_text_is_shown_without_loss(stcc: Stcc, jobs: str) -> None:
    message = stcc("queue", "send", jobs, "-", "--encoding", "base64", stdin=b"\xff\\\r\n\0").out.split("\t")[0]

    assert stcc("queue", "peek", jobs) == Result(0, f"{message}\t\t/1wNCgA=\n", "")
    assert stcc("queue", "peek", jobs, "--encoding", "base64") == Result(0, f"{message}\t\t\\xff\\\\\\r\\n\0\n", "")
    assert stcc.raw("queue", "peek", jobs, "--encoding", "base64", "--body-only", "-q") == (0, b"\xff\\\r\n\0", "")
    shown = stcc(
        "queue", "peek", jobs, "--encoding", "base64", "-o", "json", "--query", "[0].[body, body_base64, encoding]"
    )
    assert json.loads(shown.out)["result"] == [None, "/1wNCgA=", "base64"]


def test_what_is_not_base64_is_shown_as_it_is(stcc: Stcc, jobs: str) -> None:
    message, _ = sent(stcc, jobs, "not base64!")
    story = f"message {message} is not base64: shown as it is in the queue\n"

    assert stcc("queue", "peek", jobs, "--encoding", "base64") == Result(0, f"{message}\t\tnot base64!\n", story)
    assert stcc("queue", "peek", jobs, "--encoding", "base64", "--body-only") == Result(
        0, "not base64!", story + f"message {message}\n"
    )
    shown = stcc("queue", "peek", jobs, "--encoding", "base64", "-o", "json", "--query", "[0].[body, encoding]")
    assert (json.loads(shown.out)["result"], shown.err) == (["not base64!", "text"], "")


def test_an_update_prints_the_new_receipt_and_makes_the_old_one_stale(stcc: Stcc, jobs: str) -> None:
    message, old = sent(stcc, jobs)
    answer = stcc("queue", "update", jobs, message, "--pop-receipt", old, "--body", "changed", "--visibility", "0")
    new = answer.out.removesuffix("\n")

    assert answer.err.startswith(f"updated message {message} of {jobs}, hidden until 2")
    assert stcc("queue", "peek", jobs) == Result(0, f"{message}\t\tchanged\n", "")
    assert stcc("queue", "update", jobs, message, "--pop-receipt", old, "--visibility", "0") == Result(
        12,
        "",
        f"stcc: cannot update message {message} of {jobs}: the receipt is stale (400 PopReceiptMismatch)\n{STALE}",
    )
    assert stcc("queue", "delete-message", jobs, message, "--pop-receipt", new).code == 0


def test_an_update_hides_for_30_seconds_unless_told_otherwise(stcc: Stcc, jobs: str) -> None:
    message, receipt = sent(stcc, jobs)
    document = envelope(
        stcc("queue", "update", jobs, message, "--pop-receipt", receipt, "--body", "-", "-o", "json", stdin=b"")
    )

    assert document["result"].pop("pop_receipt") not in {None, receipt}
    hidden_until = datetime.fromisoformat(document["result"].pop("next_visible_on"))
    assert 0 < (hidden_until - datetime.now(hidden_until.tzinfo)).total_seconds() <= 31
    assert document == {
        "outcome": "message-updated",
        "exit_code": 0,
        "http_status": 204,
        "error_code": None,
        "target": jobs,
        "result": {"id": message},
        "observed": None,
    }


def test_an_update_of_the_time_leaves_the_body(stcc: Stcc, jobs: str) -> None:
    message, receipt = sent(stcc, jobs)
    stcc("queue", "update", jobs, message, "--pop-receipt", receipt, "--visibility", "0")

    assert stcc("queue", "peek", jobs) == Result(0, f"{message}\t\thello\n", "")


def test_a_message_that_is_gone_has_stale_receipts_only(stcc: Stcc, jobs: str) -> None:
    message, receipt = sent(stcc, jobs)
    stcc("queue", "delete-message", jobs, message, "--pop-receipt", receipt)
    refusal = envelope(stcc("queue", "delete-message", jobs, message, "--pop-receipt", receipt, "-o", "json"))

    assert refusal == {
        "outcome": "stale-receipt",
        "exit_code": 12,
        "http_status": 404,
        "error_code": "MessageNotFound",
        "target": jobs,
        "result": None,
        "observed": None,
        "message": f"cannot delete message {message} of {jobs}: the receipt is stale (404 MessageNotFound)",
        "hint": "the message was taken or updated by somebody since, or is gone",
    }


def test_an_empty_message_comes_from_stdin_only(stcc: Stcc, jobs: str) -> None:
    message = stcc("queue", "send", jobs, "-", stdin=b"").out.split("\t")[0]

    assert stcc("queue", "peek", jobs) == Result(0, f"{message}\t\t\n", "")
    assert stcc("queue", "send", jobs, "") == Result(
        2, "", "stcc: TEXT is empty\n  is the variable set? An empty message is sent from stdin: -\n"
    )


def test_clearing_deletes_hidden_messages_too(stcc: Stcc, jobs: str) -> None:
    message, _ = sent(stcc, jobs)
    receipt = stcc("queue", "dequeue", jobs).out.split("\t")[1]

    assert stcc("queue", "clear", jobs, "--yes") == Result(0, "", f"cleared queue {jobs}\n")
    assert stcc("queue", "delete-message", jobs, message, "--pop-receipt", receipt).code == 12


@pytest.mark.parametrize(
    ("verb", "question"),
    [("delete", "delete queue {} with all its messages"), ("clear", "delete all messages of queue {}")],
)
def test_what_cannot_be_undone_is_confirmed(stcc: Stcc, jobs: str, verb: str, question: str) -> None:
    message, _ = sent(stcc, jobs)

    assert stcc("queue", verb, jobs) == Result(
        2, "", f"stcc: {question.format(jobs)}: it needs --yes\n  there is no terminal to ask on\n"
    )
    assert stcc("queue", "peek", jobs) == Result(0, f"{message}\t\thello\n", "")


@pytest.mark.parametrize(
    ("arguments", "doing"),
    [
        pytest.param(["show"], "show queue", id="show"),
        pytest.param(["delete", "--yes"], "delete queue", id="delete"),
        pytest.param(["clear", "--yes"], "clear queue", id="clear"),
        pytest.param(["send", "x"], "send to", id="send"),
        pytest.param(["dequeue"], "dequeue from", id="dequeue"),
        pytest.param(["peek", "--wait", "forever"], "peek at", id="peek"),
        pytest.param(
            ["update", NOBODY, "--pop-receipt", "x", "--visibility", "1"], f"update message {NOBODY} of", id="update"
        ),
        pytest.param(
            ["delete-message", NOBODY, "--pop-receipt", "x"], f"delete message {NOBODY} of", id="delete-message"
        ),
    ],
)
def test_a_queue_that_is_not_there_is_absent(stcc: Stcc, names: Names, arguments: list[str], doing: str) -> None:
    name = names()

    assert stcc("queue", arguments[0], name, *arguments[1:]) == Result(
        4,
        "",
        f"stcc: cannot {doing} {name}: there is no such queue (404 QueueNotFound)\n"
        "  seen afterwards: exists false\n  stcc queue create NAME\n",
    )


def test_a_queue_is_deleted(stcc: Stcc, jobs: str) -> None:
    assert stcc("queue", "delete", jobs, "--yes") == Result(0, "", f"deleted queue {jobs}\n")
    assert stcc("queue", "show", jobs, "-q", "--no-diagnose").code == 4

"""What is said when an answer was lost, and documents that are taken as they were printed."""

import json

from tests.azurite import ProxiedAccount
from tests.conftest import Names
from tests.running import Result, Stcc
from tests.wire import Drop, writes


def test_a_queue_that_is_there_after_a_lost_answer_may_be_our_own(
    proxied: ProxiedAccount, proxied_stcc: Stcc, names: Names
) -> None:
    queue = names()
    proxied.fail(Drop(), when=writes)
    code, out, err = proxied_stcc("queue", "create", queue)

    told = f"queue {queue} is there, with this metadata; whose request made it cannot be told"
    assert (code, out, err.splitlines()[-1]) == (0, "", told)


def test_an_unmarked_container_is_looked_at_when_its_answer_is_lost(
    proxied: ProxiedAccount, proxied_stcc: Stcc, names: Names
) -> None:
    proxied.fail(Drop(), when=writes)
    code, out, _ = proxied_stcc("container", "create", names(), "--no-marker", "-o", "json")

    assert (code, json.loads(out)["observed"]["lease_state"]) == (70, "available")


def test_an_entity_is_written_back_as_it_was_printed(stcc: Stcc, names: Names) -> None:
    table = names()
    stcc("table", "create", table)
    stcc("entity", "insert", table, "p", "r", "big:=9007199254740993", "x:double=1")
    printed = stcc("entity", "get", table, "p", "r", "-o", "json").out

    for document in (printed, stcc("entity", "get", table, "p", "r", "-o", "json", "--query", "properties").out):
        code = stcc("entity", "replace", table, "p", "r", "--force", "--from", "-", stdin=document.encode()).code
        after = json.loads(stcc("entity", "get", table, "p", "r", "-o", "json").out)["result"]["properties"]
        assert (code, after) == (0, json.loads(printed)["result"]["properties"])


def test_a_function_that_does_not_exist_is_refused_before_anything_is_sent(
    proxied: ProxiedAccount, proxied_stcc: Stcc
) -> None:
    answer = proxied_stcc("container", "list", "--query", "nofn(name)")

    assert (answer, proxied.requests) == (
        Result(2, "", "stcc: --query calls a function wrongly: Unknown function: nofn()\n"),
        [],
    )

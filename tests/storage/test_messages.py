"""Messages on the real emulator: byte-exact, hidden for as long as asked, and given to one taker only."""

import json
import subprocess
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stcc.emulator.instance import Instance
from tests.azurite import ProxiedAccount
from tests.conftest import Names
from tests.running import Result, Stcc

IN_XML = st.characters(codec="utf-8", exclude_characters=[*map(chr, {*range(32)} - {9, 10}), "\ufffe", "\uffff"])
ON_AZURITE = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
RACERS = 16


@pytest.fixture
def jobs(stcc: Stcc, names: Names) -> str:
    """Make a queue without messages."""
    name = names()
    assert stcc("queue", "create", name).code == 0
    return name


@pytest.fixture
def hurried(fast_azurite: Instance) -> Stcc:
    """Call stcc on an emulator whose clock goes ten times too fast."""
    return Stcc(connection_string=fast_azurite.connection_string)


def ok(result: Result) -> str:
    assert result.code == 0, result
    return result.out


def unescaped(line: str) -> str:
    r"""Undo `\t \n \r \\`."""
    parts = line.split("\\\\")
    return "\\".join(part.replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r") for part in parts)


@ON_AZURITE
@given(text=st.text(IN_XML, min_size=1))
def test_every_text_comes_back_unchanged(stcc: Stcc, jobs: str, text: str) -> None:
    named = ["-"] if text == "-" else ["--", text]
    message, receipt = ok(stcc("queue", "send", jobs, *named, stdin=b"-")).removesuffix("\n").split("\t")

    assert stcc.raw("queue", "peek", jobs, "--body-only", "-q") == (0, text.encode(), "")
    seen = ok(stcc("queue", "peek", jobs, "-o", "tsv"))
    assert unescaped(seen.removesuffix("\n").split("\t")[2]) == text
    assert json.loads(ok(stcc("queue", "peek", jobs, "-o", "json", "--query", "[].body")))["result"] == [text]
    ok(stcc("queue", "delete-message", jobs, message, "--pop-receipt", receipt))


@ON_AZURITE
@given(content=st.binary(max_size=300))
def test_all_bytes_come_back_unchanged(stcc: Stcc, jobs: str, content: bytes) -> None:
    ok(stcc("queue", "send", jobs, "-", "--encoding", "base64", stdin=content))

    assert stcc.raw("queue", "dequeue", jobs, "--encoding", "base64", "--body-only", "-q") == (0, content, "")


@pytest.mark.parametrize(
    ("content", "encoding"), [(b"<" * 65536, "text"), (bytes(49152), "base64")], ids=["text", "base64"]
)
def test_the_largest_message_is_accepted(stcc: Stcc, jobs: str, content: bytes, encoding: str) -> None:
    ok(stcc("queue", "send", jobs, "-", "--encoding", encoding, stdin=content))

    assert stcc.raw("queue", "peek", jobs, "--encoding", encoding, "--body-only", "-q") == (0, content, "")


def test_an_argument_that_is_not_utf_8_keeps_its_bytes_in_base64(stcc: Stcc, jobs: str) -> None:
    ok(stcc.run("queue", "send", jobs, b"\xff\r\x01".decode("utf-8", "surrogateescape"), "--encoding", "base64"))

    shown = stcc.raw("queue", "peek", jobs, "--encoding", "base64", "--body-only", "-q")
    assert shown == (0, b"\xff\r\x01", "")


def test_a_body_given_with_an_update_comes_back_unchanged(stcc: Stcc, jobs: str) -> None:
    message, receipt = ok(stcc("queue", "send", jobs, "old")).removesuffix("\n").split("\t")
    update = ["queue", "update", jobs, message, "--visibility", "0", "--encoding", "base64", "--body", "-"]
    ok(stcc(*update, "--pop-receipt", receipt, stdin=b"\xff\n"))

    shown = stcc.raw("queue", "peek", jobs, "--encoding", "base64", "--body-only", "-q")
    assert shown == (0, b"\xff\n", "")


def test_a_message_comes_back_when_its_time_is_up_and_the_late_receipt_is_stale(hurried: Stcc, names: Names) -> None:
    name = names()
    ok(hurried("queue", "create", name))
    ok(hurried("queue", "send", name, "job"))
    message, first, _ = ok(hurried("queue", "dequeue", name, "--visibility", "5")).split("\t")
    assert hurried("queue", "peek", name).code == 75

    counted = hurried(
        "queue",
        "dequeue",
        name,
        "--visibility",
        "60",
        "--wait",
        "10",
        "-o",
        "json",
        "--query",
        "[0].[id, dequeue_count]",
    )

    assert json.loads(ok(counted))["result"] == [message, 2]
    late = hurried("queue", "delete-message", name, message, "--pop-receipt", first, "-o", "json")
    assert (late.code, json.loads(late.out)["outcome"]) == (12, "stale-receipt")


def test_a_late_delete_works_as_long_as_nobody_took_the_message_again(hurried: Stcc, names: Names) -> None:
    name = names()
    ok(hurried("queue", "create", name))
    ok(hurried("queue", "send", name, "job"))
    message, receipt, _ = ok(hurried("queue", "dequeue", name, "--visibility", "1")).split("\t")
    ok(hurried("queue", "peek", name, "--wait", "10"))

    assert hurried("queue", "delete-message", name, message, "--pop-receipt", receipt).code == 0


def test_an_update_hides_a_message_anew(hurried: Stcc, names: Names) -> None:
    name = names()
    ok(hurried("queue", "create", name))
    message, receipt = ok(hurried("queue", "send", name, "job")).removesuffix("\n").split("\t")
    ok(hurried("queue", "update", name, message, "--pop-receipt", receipt, "--visibility", "10"))
    assert hurried("queue", "peek", name).code == 75

    assert ok(hurried("queue", "peek", name, "--wait", "10")) == f"{message}\t\tjob\n"


def test_an_expired_message_is_gone(hurried: Stcc, names: Names) -> None:
    name = names()
    ok(hurried("queue", "create", name))
    ok(hurried("queue", "send", name, "job", "--ttl", "10"))
    codes = [hurried("queue", "peek", name).code]
    ends = time.monotonic() + 60
    while codes[-1] == 0 and time.monotonic() < ends:
        time.sleep(0.05)
        codes.append(hurried("queue", "peek", name).code)

    assert (codes[0], codes[-1]) == (0, 75)


def test_one_message_goes_to_one_of_sixteen_processes(stcc: Stcc, jobs: str) -> None:
    message = ok(stcc("queue", "send", jobs, "job")).split("\t")[0]
    racers = [
        stcc.process("queue", "dequeue", jobs, "-q", "-o", "json", stderr=subprocess.DEVNULL) for _ in range(RACERS)
    ]
    answers = [(process.communicate()[0], process.returncode) for process in racers]

    assert sorted(code for _, code in answers) == [0] + [75] * (RACERS - 1)
    (winner,) = (json.loads(out)["result"] for out, code in answers if code == 0)
    assert [(item["id"], item["body"], item["dequeue_count"]) for item in winner] == [(message, "job", 1)]


def test_sixteen_messages_go_to_sixteen_takers_once_each(stcc: Stcc, jobs: str) -> None:
    sent = {ok(stcc("queue", "send", jobs, f"job {number}")).split("\t")[0] for number in range(RACERS)}
    racers = [stcc.process("queue", "dequeue", jobs, "-o", "tsv") for _ in range(RACERS)]
    taken = [process.communicate()[0].decode().split("\t")[0] for process in racers]

    assert sorted(taken) == sorted(sent)


VERBS = {
    "create": (["{new}"], ("PUT", "{new}", "")),
    "list": (["--prefix", "{queue}"], ("GET", "", "prefix={queue}&maxresults=5000&include=metadata&comp=list")),
    "show": (["{queue}"], ("GET", "{queue}", "comp=metadata")),
    "send": (
        ["{queue}", "x", "--ttl", "60", "--visibility", "5"],
        ("POST", "{queue}/messages", "visibilitytimeout=5&messagettl=60"),
    ),
    "dequeue": (["{queue}", "--max", "32"], ("GET", "{queue}/messages", "numofmessages=32&visibilitytimeout=30")),
    "peek": (["{queue}", "--max", "32"], ("GET", "{queue}/messages", "peekonly=true&numofmessages=32")),
    "update": (
        ["{queue}", "{id}", "--pop-receipt", "{receipt}", "--visibility", "0"],
        ("PUT", "{queue}/messages/{id}", "popreceipt={receipt}&visibilitytimeout=0"),
    ),
    "delete-message": (
        ["{queue}", "{id}", "--pop-receipt", "{receipt}"],
        ("DELETE", "{queue}/messages/{id}", "popreceipt={receipt}"),
    ),
    "clear": (["{queue}", "--yes"], ("DELETE", "{queue}/messages", "")),
    "delete": (["{queue}", "--yes"], ("DELETE", "{queue}", "")),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_yes_is_one_request(proxied_stcc: Stcc, proxied: ProxiedAccount, names: Names, verb: str) -> None:
    queue = names()
    ok(proxied_stcc("queue", "create", queue))
    message, receipt = ok(proxied_stcc("queue", "send", queue, "job")).removesuffix("\n").split("\t")
    arguments, (method, path, query) = VERBS[verb]
    known = {"queue": queue, "new": names(), "id": message, "receipt": receipt}
    proxied.clear()

    ok(proxied_stcc("queue", verb, *(word.format_map(known) for word in arguments)))

    (request,) = proxied.requests
    account_path = "/devstoreaccount1" + (f"/{path.format_map(known)}" if path else "")
    assert (request.method, request.path.rstrip("/"), sorted(request.query.split("&"))) == (
        method,
        account_path,
        sorted(query.format_map(known).split("&")),
    )
    assert [name for name in request.headers if name.startswith(("if-", "x-ms-if", "x-ms-lease"))] == []


def test_a_refusal_is_looked_into_with_one_request_unless_told_not_to(
    proxied_stcc: Stcc, proxied: ProxiedAccount, names: Names
) -> None:
    answers = [proxied_stcc("queue", "show", names(), *more).code for more in ([], ["--no-diagnose"])]

    assert (answers, [request.status for request in proxied.requests]) == ([4, 4], [404, 404, 404])


def test_a_stale_receipt_is_not_looked_into(proxied_stcc: Stcc, proxied: ProxiedAccount, names: Names) -> None:
    queue = names()
    ok(proxied_stcc("queue", "create", queue))
    message, receipt = ok(proxied_stcc("queue", "send", queue, "job")).removesuffix("\n").split("\t")
    proxied.clear()

    assert proxied_stcc("queue", "delete-message", queue, message, "--pop-receipt", f"{receipt}x").code == 12
    assert [request.status for request in proxied.requests] == [400]

"""Queues and messages: input that is refused, in one line, before anything is sent."""

import os
import pty
import subprocess
import sys

import pytest

from tests.azurite import ProxiedAccount
from tests.conftest import Names
from tests.running import Result, Stcc

ID = "5974b586-0df3-4e2d-ad0c-18e3892bfca2"
ARGUMENTS = {
    "create": ["jobs"],
    "list": [],
    "show": ["jobs"],
    "delete": ["jobs", "--yes"],
    "clear": ["jobs", "--yes"],
    "send": ["jobs", "hello"],
    "dequeue": ["jobs"],
    "peek": ["jobs"],
    "update": ["jobs", ID, "--pop-receipt", "R", "--visibility", "1"],
    "delete-message": ["jobs", ID, "--pop-receipt", "R"],
}
CONDITIONS = {
    "--if-match": '"0x8D"',
    "--if-none-match": "*",
    "--if-modified-since": "now-1h",
    "--if-unmodified-since": "now",
    "--if-tags": "a = 'b'",
    "--lease-id": ID,
}
RANGE = "the service accepts 1 to 604800 whole seconds, which are 7 days at most"
RANGE_0 = "the service accepts 0 to 604800 whole seconds, which are 7 days at most"
NAME = "3 to 63 lower-case letters, digits and single hyphens"
NO_XML = "messages travel in XML, which loses or refuses it; --encoding base64 sends any bytes"


@pytest.mark.parametrize("flag", CONDITIONS)
@pytest.mark.parametrize("verb", ARGUMENTS)
def test_no_verb_of_a_queue_takes_a_condition(
    proxied_stcc: Stcc, proxied: ProxiedAccount, verb: str, flag: str
) -> None:
    answer = proxied_stcc("queue", verb, *ARGUMENTS[verb], flag, CONDITIONS[flag])

    refusal = f"stcc: a queue takes no {flag}\n  queues have no ETags, leases or conditions\n"
    assert (answer, proxied.requests) == (Result(2, "", refusal), [])


@pytest.mark.parametrize("verb", ARGUMENTS)
def test_there_is_nothing_to_force(proxied_stcc: Stcc, proxied: ProxiedAccount, verb: str) -> None:
    answer = proxied_stcc("queue", verb, *ARGUMENTS[verb], "--force")

    assert (answer.code, answer.out, answer.err.splitlines()[0].partition(" (")[0]) == (
        2,
        "",
        "stcc: no such option: --force",
    )
    assert proxied.requests == []


def case(line: str, message: str, hint: str = "", *, stdin: bytes = b"", id: str) -> object:  # noqa: A002
    """`line` is split at blanks; `_` stands for an empty argument."""
    arguments = ["" if word == "_" else word for word in line.split(" ")]
    return pytest.param(arguments, stdin, f"stcc: {message}\n" + (f"  {hint}\n" if hint else ""), id=id)


REFUSED = [
    case("create _", "the target is empty", "is the variable set?", id="no name"),
    case("create Jobs", "not the name of a queue: 'Jobs'", NAME, id="upper case"),
    case("create a--b", "not the name of a queue: 'a--b'", NAME, id="two hyphens"),
    case("create jo", "not the name of a queue: 'jo'", NAME, id="short name"),
    case("show jobs/messages", "not the name of a queue: 'jobs/messages'", NAME, id="a path"),
    case("show [red]x[/]", "not the name of a queue: '[red]x[/]'", NAME, id="markup"),
    case("show \x1b[31m", "not the name of a queue: '\\x1b[31m'", NAME, id="escape sequence"),
    case("show \udcff", "the target is not UTF-8 text", id="not UTF-8"),
    case("create jobs --metadata a", "--metadata is not name=value: 'a'", id="metadata without a value"),
    case(
        "list --limit 0", "invalid value for '--limit': 0 is not in the range 1<=x<=1000000000.", id="limit of nothing"
    ),
    case("send jobs _", "TEXT is empty", "is the variable set? An empty message is sent from stdin: -", id="no text"),
    case("send jobs x --visibility _", "--visibility is not a duration: ''", "*", id="empty visibility"),
    case("send jobs x --visibility 8d", "--visibility is out of range: '8d'", RANGE_0, id="hidden too long"),
    case("send jobs x --visibility -1", "--visibility is not a duration: '-1'", "*", id="negative"),
    case(
        "send jobs x --visibility 5 --ttl 5",
        "--visibility 5s is not shorter than the message lives: 5s",
        "it would expire before anybody could see it; a longer --ttl, or --ttl never",
        id="expires unseen",
    ),
    case(
        "send jobs x --ttl 0",
        "--ttl is out of range: '0'",
        "the service accepts 1 to 2147483647 whole seconds, or never",
        id="no life",
    ),
    case("send jobs x --ttl soon", "--ttl is not a duration: 'soon'", "*", id="no time"),
    case("send jobs x --encoding utf8", "--encoding is not known: 'utf8'", "text or base64", id="encoding"),
    case("send jobs \udcff", "the message is not UTF-8 text", "--encoding base64 sends any bytes", id="bytes"),
    case("send jobs a\rb", "the message cannot be sent as text: character 2 is U+000D", NO_XML, id="return"),
    case("send jobs a\x1b", "the message cannot be sent as text: character 2 is U+001B", NO_XML, id="control"),
    case(
        "send jobs -",
        "the message is not UTF-8 text",
        "--encoding base64 sends any bytes",
        stdin=b"\xc3",
        id="bytes from stdin",
    ),
    case(
        "send jobs -",
        "the message is too large: more than 65536 bytes",
        "a message holds 64 KiB of text, or 48 KiB as base64",
        stdin=b"x" * 65537,
        id="large text",
    ),
    case(
        "send jobs - --encoding base64",
        "the message is too large: more than 49152 bytes",
        "a message holds 64 KiB of text, or 48 KiB as base64",
        stdin=b"x" * 49153,
        id="large bytes",
    ),
    case("dequeue jobs --visibility 0", "--visibility is out of range: '0'", RANGE, id="not hidden at all"),
    case("dequeue jobs --visibility 1.5s", "--visibility is out of range: '1.5s'", RANGE, id="fraction"),
    case("dequeue jobs --max 0", "invalid value for '--max': 0 is not in the range 1<=x<=32.", id="none"),
    case("dequeue jobs --max 33", "invalid value for '--max': 33 is not in the range 1<=x<=32.", id="too many"),
    case("dequeue jobs --wait soon", "--wait is not a duration: 'soon'", "*", id="wait"),
    case("dequeue jobs --wait 1s --no-wait", "--wait and --no-wait exclude each other", id="wait and do not"),
    case(
        "dequeue jobs --body-only --max 2",
        "--body-only prints one message; it excludes --max",
        "the end of a body could not be seen",
        id="bodies",
    ),
    case("peek jobs --encoding _", "--encoding is not known: ''", "text or base64", id="empty encoding"),
    case("update jobs _ --pop-receipt R", "the message's id is empty", "is the variable set?", id="no id"),
    case(
        "update jobs x --pop-receipt R",
        "not the id of a message: 'x'",
        "a GUID, as printed by dequeue and send",
        id="no GUID",
    ),
    case(
        f"update jobs {ID} --pop-receipt _",
        "--pop-receipt is empty",
        "is the variable set? the newest one, as printed by dequeue or send",
        id="no receipt for an update",
    ),
    case(f"update jobs {ID} --pop-receipt R", "there is nothing to update", "--visibility, --body, or both", id="idle"),
    case(
        f"update jobs {ID} --pop-receipt R --visibility 8d", "--visibility is out of range: '8d'", RANGE_0, id="longer"
    ),
    case(
        f"update jobs {ID} --pop-receipt R --body _",
        "--body is empty",
        "is the variable set? An empty message is sent from stdin: -",
        id="no body",
    ),
    case(
        f"delete-message jobs {ID} --pop-receipt _",
        "--pop-receipt is empty",
        "is the variable set? the newest one, as printed by dequeue or send",
        id="no receipt to delete",
    ),
    case(
        f"delete-message jobs {ID} --pop-receipt A\nB",
        "--pop-receipt is not one receipt: 'A\\nB'",
        "as printed by dequeue, send or update",
        id="two receipts",
    ),
]


@pytest.mark.parametrize(("arguments", "stdin", "said"), REFUSED)
def test_it_is_refused_and_nothing_is_sent(
    proxied_stcc: Stcc, proxied: ProxiedAccount, arguments: list[str], stdin: bytes, said: str
) -> None:
    said = said.replace("  *\n", "  a number with a unit: 250ms, 90s, 5m, 2h, 7d\n")

    assert proxied_stcc("queue", *arguments, stdin=stdin) == Result(2, "", said)
    assert proxied.requests == []


@pytest.mark.parametrize("option", [["-o", "tsv"], ["-o", "none"], ["--query", "body"]])
@pytest.mark.parametrize("verb", ["dequeue", "peek"])
def test_bytes_have_no_other_format(proxied_stcc: Stcc, proxied: ProxiedAccount, verb: str, option: list[str]) -> None:
    assert proxied_stcc("queue", verb, "jobs", "--body-only", *option) == Result(
        2, "", "stcc: --body-only prints bytes; it excludes --output and --query\n"
    )
    assert proxied.requests == []


@pytest.mark.parametrize("output", ["json", "ndjson"])
def test_bytes_are_no_document(proxied_stcc: Stcc, proxied: ProxiedAccount, output: str) -> None:
    answer = proxied_stcc("queue", "dequeue", "jobs", "--body-only", "-o", output)

    assert answer == Result(
        2,
        '{"outcome": "usage", "exit_code": 2, "http_status": null, "error_code": null, "request_id": null, '
        '"target": null, "result": null, "observed": null, "message": '
        '"--body-only prints bytes; it excludes --output and --query", "hint": null}\n',
        "",
    )
    assert proxied.requests == []


def test_a_peek_hides_nothing(proxied_stcc: Stcc) -> None:
    answer = proxied_stcc("queue", "peek", "jobs", "--visibility", "1")

    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("stcc: no such option: --visibility")


def test_markup_and_escape_sequences_in_a_message_stay_what_they_are(stcc: Stcc, names: Names) -> None:
    name, text = names(), "[bold]a[/bold] \u202e<script>&amp;\u009b31m"
    stcc("queue", "create", name)
    message = stcc("queue", "send", name, text).out.split("\t")[0]

    assert stcc("queue", "peek", name) == Result(0, f"{message}\t\t{text}\n", "")
    assert stcc("queue", "peek", name, "--body-only", "-q") == Result(0, text, "")


def test_on_a_terminal_a_message_cannot_act(stcc: Stcc, names: Names) -> None:
    name = names()
    stcc("queue", "create", name)
    message = stcc("queue", "send", name, "-", "--encoding", "base64", stdin=b"\x1b[31m\xff").out.split("\t")[0]
    terminal, stdout = pty.openpty()
    process = stcc.process("queue", "peek", name, "--encoding", "base64", stdout=stdout)
    process.communicate()
    shown = os.read(terminal, 1000)
    os.close(stdout)
    os.close(terminal)

    assert (process.returncode, shown) == (0, f"{message}\t\t\\x1b[31m\\xff\r\n".encode())


def test_a_usage_error_loads_no_sdk() -> None:
    code = (
        "import sys; from stcc.main import main\n"
        "assert main(['queue', 'send', 'jobs', 'a\\r']) == 2\n"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in {'azure', 'requests', 'pydantic', 'rich'}))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "[]\n"

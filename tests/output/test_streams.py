"""What real streams do: closed, full, without a reader, in another encoding; and where `-o` is looked for."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.azurite import ProxiedAccount
from tests.conftest import Names
from tests.running import Result, Stcc

CLOSED = "stcc: stdout is closed"
ANSWERS = [
    pytest.param(["--help"], id="help"),
    pytest.param(["--version"], id="version"),
    pytest.param(["completion", "fish"], id="completion"),
    pytest.param(["container", "list"], id="table"),
    pytest.param(["container", "list", "-o", "ndjson"], id="ndjson"),
    pytest.param(["container", "list", "-o", "json"], id="json"),
    pytest.param(["blob", "get", "BLOB", "-"], id="content"),
]


@pytest.fixture
def blob(stcc: Stcc, names: Names) -> str:
    """Store a blob whose name and content need more than ASCII, and return its target."""
    name = f"{names()}/漢字 é"
    stcc("container", "create", name.partition("/")[0])
    stcc("blob", "put", name, "-", stdin="grüße\n".encode())
    return name


def argv_of(words: list[str], blob: str) -> list[str]:
    return [blob if word == "BLOB" else word for word in words]


def shell(stcc: Stcc, words: list[str], redirection: str) -> Result:
    """Run stcc with a redirection of the shell's."""
    process = subprocess.run(
        ["bash", "-c", f'set -o pipefail; "$@" {redirection}', "bash", os.sys.executable, "-m", "stcc", *words],  # type: ignore[attr-defined]
        env=os.environ | {"STCC_CONFIG": "/nonexistent"} | stcc.surroundings,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return Result(process.returncode, process.stdout.decode(), process.stderr.decode())


@pytest.mark.parametrize("words", ANSWERS)
def test_a_full_disk_is_74(stcc: Stcc, blob: str, words: list[str]) -> None:
    answer = shell(stcc, argv_of(words, blob), ">/dev/full")
    assert answer == Result(74, "", "stcc: stdout cannot be written: no space left on device\n")


def test_what_exists_nowhere_else_is_told_on_stderr_when_stdout_is_full(stcc: Stcc, blob: str) -> None:
    code, out, err = shell(stcc, ["blob", "put", blob, "/dev/null", "--force"], ">/dev/full")
    etag = stcc("blob", "show", blob, "--query", "etag").out
    problem = "stcc: stdout cannot be written: no space left on device; what was asked has been done, and this was"

    assert (code, out, err) == (74, "", f"{etag}{problem} the answer\n")


def test_a_message_that_stdout_does_not_take_is_told_on_stderr(stcc: Stcc, names: Names) -> None:
    queue = names()
    stcc("queue", "create", queue)
    stcc("queue", "send", queue, "precious")
    code, _, err = shell(stcc, ["queue", "dequeue", queue], ">/dev/full")

    assert (code, err.splitlines()[0].split("\t")[2]) == (74, "precious")


@pytest.mark.parametrize("words", ANSWERS[:2])
def test_a_closed_stdout_is_74_for_what_asks_nobody(stcc: Stcc, blob: str, words: list[str]) -> None:
    assert shell(stcc, argv_of(words, blob), ">&-") == Result(74, "", "stcc: stdout is closed\n")


@pytest.mark.parametrize("words", ANSWERS[2:])
def test_a_closed_stdout_is_refused_before_anything_is_sent(
    proxied: ProxiedAccount, proxied_stcc: Stcc, blob: str, words: list[str]
) -> None:
    code, out, err = shell(proxied_stcc, argv_of(words, blob), ">&-")

    assert (code, out, err[: len(CLOSED)], proxied.requests) == (2, "", CLOSED, [])


@pytest.mark.parametrize("words", ANSWERS)
def test_a_reader_that_went_away_is_141_and_no_word(stcc: Stcc, blob: str, words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        answer = stcc.run(*argv_of(words, blob), stdout=writing)
    finally:
        os.close(writing)
    assert answer == Result(141, "", "")


@pytest.mark.parametrize("redirection", ["2>/dev/full", "2>&-"])
def test_when_stderr_takes_nothing_the_exit_code_still_counts(stcc: Stcc, blob: str, redirection: str) -> None:
    assert shell(stcc, ["blob", "show", "data/.."], redirection) == Result(2, "", "")
    assert shell(stcc, ["blob", "get", blob, "-", "-v"], redirection) == Result(0, "grüße\n", "")


def test_when_the_reader_of_stderr_went_away_the_exit_code_still_counts(stcc: Stcc, blob: str) -> None:
    for words, code in ((["blob", "show", "data/.."], 2), (["blob", "get", blob, "-", "-v"], 0)):
        reading, writing = os.pipe()
        os.close(reading)
        try:
            assert stcc.run(*words, stderr=writing).code == code
        finally:
            os.close(writing)


def test_a_refusal_that_cannot_be_printed_keeps_its_code(stcc: Stcc, names: Names) -> None:
    name = names()
    absent = shell(stcc, ["container", "show", name, "-o", "json", "--no-diagnose"], ">/dev/full")
    problem = f"stcc: cannot show container {name}: there is no such container (404 ContainerNotFound)\n"
    assert absent == Result(4, "", problem + "  stcc container create NAME\n")
    usage = shell(stcc, ["container", "show", "..", "-o", "json"], ">/dev/full")
    assert usage == Result(2, "", "stcc: stdout cannot be written: no space left on device\n")


@pytest.mark.parametrize(
    ("locale", "shown"),
    [({"LC_ALL": "C"}, "漢字"), ({"LC_ALL": "C.UTF-8"}, "漢字"), ({"PYTHONIOENCODING": "ascii"}, "\\u6f22\\u5b57")],
    ids=str,
)
def test_stdout_is_utf_8_everywhere_and_stderr_what_it_can_be(
    stcc: Stcc, blob: str, locale: dict[str, str], shown: str
) -> None:
    elsewhere = Stcc(connection_string=stcc.connection_string, environment=locale)

    listed = elsewhere.run("blob", "list", blob.partition("/")[0])
    assert (listed.code, "漢字 é" in listed.out, listed.err) == (0, True, "")
    absent = elsewhere.run("blob", "show", f"{blob}!", "-q")
    assert (absent.code, absent.out, shown in absent.err) == (4, "", True)


def test_what_cannot_be_read_from_stdin_is_a_local_failure(stcc: Stcc, blob: str, names: Names) -> None:
    target = f"{blob.partition('/')[0]}/{names()}"
    assert shell(stcc, ["blob", "put", target, "-"], "<&-") == Result(74, "", "stcc: stdin is closed\n")
    assert shell(stcc, ["blob", "put", target, "-"], "0>/dev/null") == Result(
        74, "", "stcc: stdin cannot be read: bad file descriptor\n"
    )
    assert stcc("blob", "show", target, "-q").code == 4


def test_there_are_no_escapes_where_there_is_no_terminal(stcc: Stcc, blob: str) -> None:
    for environment in ({}, {"NO_COLOR": "1"}, {"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}):
        coloured = Stcc(connection_string=stcc.connection_string, environment=environment)
        for words in (["--help"], ["blob", "show", blob], ["blob", "show", f"{blob}!"], ["blob", "--nonsense"]):
            answer = coloured.run(*words)
            assert "\x1b" not in answer.out + answer.err


FAILING: dict[str, tuple[list[str] | None, str]] = {
    "an unknown option": (["--nonsense"], "no such option"),
    "a missing argument": ([], "missing argument"),
    "an unknown verb": (None, "no such command"),
    "too many arguments": (["data/a", "b", "c"], "unexpected extra argument"),
    "no value": (["data/a", "--if-match"], "requires an argument"),
}


@pytest.mark.parametrize(
    "words",
    [["-o", "json"], ["-ojson"], ["--output", "json"], ["--output=json"], ["-qo", "json"], ["-qojson"]],
    ids=" ".join,
)
@pytest.mark.parametrize("failing", FAILING)
@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_a_usage_error_is_one_document_wherever_o_stands(words: list[str], failing: str, place: str) -> None:
    rest, message = FAILING[failing]
    noun, verb, tail = "blob", "show" if rest is not None else "frobnicate", rest or []
    argv = {
        "first": [*words, noun, verb, *tail],
        "middle": [noun, *words, verb, *tail],
        "last": [noun, verb, *words, *tail],
    }[place]
    code, out, err = Stcc()(*argv)
    document = json.loads(out)

    assert (code, err, document["outcome"], document["exit_code"]) == (2, "", "usage", 2)
    assert message in document["message"].lower()


def test_the_last_o_wins_and_none_counts_after_a_double_dash() -> None:
    stcc = Stcc()
    assert json.loads(stcc("-o", "tsv", "blob", "show", "-o", "json").out)["exit_code"] == 2
    assert stcc("-o", "json", "blob", "show", "-o", "tsv").out == ""
    assert stcc("blob", "show", "--", "-o", "json").out == ""
    assert json.loads(stcc("-o", "json", "blob", "show", "data/..", "--timeout", "soon").out)["outcome"] == "usage"
    assert stcc("blob", "show", "data/a", "-o", "json", "-o", "xml").out == ""


@pytest.mark.parametrize("output", ["human", "json", "ndjson", "tsv", "none"])
def test_a_bad_query_is_refused_before_anything_is_sent(
    proxied_stcc: Stcc, proxied: ProxiedAccount, names: Names, output: str
) -> None:
    answer = proxied_stcc("container", "create", names(), "--query", "[", "-o", output)

    assert (answer.code, answer.out == "", proxied.requests) == (2, output not in {"json", "ndjson"}, [])


def test_quiet_leaves_the_answer_and_errors_only(stcc: Stcc, names: Names) -> None:
    name = names()
    code, etag, story = stcc("container", "create", name, "-q")
    assert (code, etag[:3], story) == (0, '"0x', "")
    assert stcc("container", "create", name, "-q") == Result(
        9, "", f"stcc: cannot create container {name}: there is a container of that name (409 ContainerAlreadyExists)\n"
    )


def test_none_prints_no_answer(stcc: Stcc, names: Names) -> None:
    name = names()
    assert stcc("container", "create", name, "-o", "none") == Result(0, "", "")
    assert stcc("container", "list", "-o", "none") == Result(0, "", "")
    assert stcc("container", "create", name, "-o", "none", "-q").code == 9


def test_pasted_secrets_are_not_repeated(tmp_path: Path) -> None:
    for words in (["blob", "show", "data/a", "https://acme/x?sv=1&sig=U0VDUkVU"], ["blob", "--AccountKey=U0VDUkVU"],
                  ["blob", "list", "data", "--limit", "AccountKey=U0VDUkVU"]):  # fmt: skip
        answer = Stcc()(*words)
        assert (answer.code, "U0VDUkVU" in answer.err) == (2, False)

"""Commands that run under a lock or a permit: what they are told, what they return, what becomes of the lock."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.azurite import ProxiedAccount
from tests.commands.conftest import Make
from tests.commands.records import FENCE, ME, SINCE, YOU, Record
from tests.running import Result, Stcc

pytestmark = pytest.mark.usefixtures("own_state")
NOUNS = ("lock", "semaphore")
STCC = f"{sys.executable} -m stcc"


def free(records: Make, noun: str) -> Record:
    """Return a lock that is free, or a semaphore of one permit."""
    record = records(noun)
    if noun == "lock":
        record.free()
    else:
        record.permits(1)
    return record


def holds(record: Record) -> list[str]:
    """Return who holds the lock, or the permits."""
    if record.kind == "semaphore":
        return record.holders
    return [] if record.holder is None else [record.holder]


def take(record: Record, who: str) -> None:
    """Let somebody hold the lock, or all permits."""
    if record.kind == "semaphore":
        record.permits(1, **{who: 60})
    else:
        record.hold(who)


def status(path: Path) -> dict[str, Any]:
    """Return a status file, without what time it took."""
    found: dict[str, Any] = json.loads(path.read_text())
    assert all(0 <= found.pop(name) < 20 for name in ("waited", "held") if name in found)
    return found


@pytest.mark.parametrize("noun", NOUNS)
def test_the_command_is_told_what_it_runs_under(noun: str, stcc: Stcc, azurite: Any, records: Make) -> None:
    record = free(records, noun)
    inherited = {"STCC_FENCE": "1", "STCC_LOCK_NAME": "another", "STCC_HELD": "around", "STCC_LOCK_IDENTITY": "x"}
    inside = Stcc(connection_string=stcc.connection_string, environment=inherited)
    answer = inside.run(noun, "run", record.name, "--identity", ME, "--", "sh", "-c", "env | grep ^STCC_ | sort")

    held = f"around\nhttp://127.0.0.1:{azurite.blob_port}/devstoreaccount1/stcc-locks/{noun}/{record.name}"
    assert answer.out.replace("STCC_CONFIG=/nonexistent\n", "") == (
        f"STCC_FENCE={record.fence}\nSTCC_HELD={held.splitlines()[0]}\nSTCC_LOCK_IDENTITY=me\n"
        f"STCC_LOCK_NAME={record.name}\n"
    )
    told = inside.run(noun, "run", record.name, "-c", 'printf %s "$STCC_HELD"')
    assert (answer.code, answer.err, told, holds(record)) == (0, "", Result(0, held, ""), [])


@pytest.mark.parametrize("noun", NOUNS)
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param(["true"], Result(0, "", ""), id="success"),
        pytest.param(["sh", "-c", "exit 7"], Result(7, "", ""), id="its-own-code"),
        pytest.param(["sh", "-c", "exit 75"], Result(75, "", ""), id="its-own-75"),
        pytest.param(["sh", "-c", "kill -9 $$"], Result(137, "", ""), id="a-signal"),
        pytest.param(["sh", "-c", "kill $$"], Result(143, "", ""), id="another-signal"),
        pytest.param(
            ["/nonexistent"], Result(127, "", "stcc: cannot run '/nonexistent': no such file or directory\n"), id="none"
        ),
        pytest.param(
            ["/dev/null"], Result(126, "", "stcc: cannot run '/dev/null': permission denied\n"), id="no-program"
        ),
        pytest.param(["printf", "%s|", "-o", "json", "--", "-q"], Result(0, "-o|json|--|-q|", ""), id="its-options"),
    ],
)
def test_the_exit_code_is_the_commands_and_the_lock_is_released(
    noun: str, command: list[str], expected: Result, stcc: Stcc, records: Make
) -> None:
    record = free(records, noun)

    assert stcc.run(noun, "run", record.name, "--ttl", "12s", "--", *command) == expected
    assert holds(record) == []


@pytest.mark.parametrize("noun", NOUNS)
@pytest.mark.parametrize(
    ("words", "code"), [((), 75), (("-E", "0"), 0), (("-E", "42"), 42), (("--busy-exit-code", "255"), 255)]
)
def test_what_is_held_is_busy_and_nothing_is_run(
    noun: str, words: tuple[str, ...], code: int, stcc: Stcc, records: Make, tmp_path: Path
) -> None:
    record = records(noun)
    take(record, YOU)
    file = tmp_path / "status"
    answer = stcc.run(noun, "run", record.name, *words, "--status-file", str(file), "-q", "--", "touch", "ran")

    why = f"{record.name} is held by you since {SINCE}" if noun == "lock" else f"all permits of {record.name} are held"
    assert answer == Result(code, "", f"stcc: {why}\n")
    assert status(file) == {"outcome": "busy", "exit_code": code}
    assert (holds(record), (tmp_path / "ran").exists()) == ([YOU], False)


@pytest.mark.parametrize("noun", NOUNS)
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([], "stcc: one command is needed: after --, or with -c\n"),
        (["--"], "stcc: one command is needed: after --, or with -c\n"),
        (["-c", "true", "--", "true"], "stcc: one command is needed: after --, or with -c\n"),
        (["-c", " "], "stcc: the command is empty\n  is the variable set?\n"),
        (["--", ""], "stcc: the command is empty\n  is the variable set?\n"),
        (["-E", "256", "--", "true"], "stcc: -E is no exit code: '256'\n  0 to 255\n"),
        (["-E", "-1", "--", "true"], "stcc: -E is no exit code: '-1'\n  0 to 255\n"),
        (["-E", "busy", "--", "true"], "stcc: -E is no exit code: 'busy'\n  0 to 255\n"),
        (
            ["--status-file", "/nonexistent/x", "--", "true"],
            "stcc: --status-file cannot be written: '/nonexistent/x'\n",
        ),
        (["--status-file", "/tmp", "--", "true"], "stcc: --status-file cannot be written: '/tmp'\n"),
        (
            ["--status-file", "-", "--", "true"],
            "stcc: --status-file needs a file, not '-'\n  ./- is one of that name\n",
        ),
        (["--status-file", "", "--", "true"], "stcc: --status-file cannot be written: ''\n"),
        (
            ["--max-hold", "long", "--", "true"],
            "stcc: --max-hold is not a duration: 'long'\n  a number with a unit: 250ms, 90s, 5m, 2h, 7d\n",
        ),
        (
            ["--kill-grace", "-1", "--", "true"],
            "stcc: --kill-grace is not a duration: '-1'\n  a number with a unit: 250ms, 90s, 5m, 2h, 7d\n",
        ),
        (["--wait", "1s", "--no-wait", "--", "true"], "stcc: --wait and --no-wait exclude each other\n"),
        (
            ["--ttl", "0", "--", "true"],
            "stcc: --ttl is out of range: '0'\n  1s to 366d, or none: kept until it is released\n",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(
    noun: str, words: list[str], problem: str, proxied: ProxiedAccount, proxied_stcc: Stcc
) -> None:
    assert (proxied_stcc(noun, "run", "a", *words), proxied.requests) == (Result(2, "", problem), [])


@pytest.mark.parametrize("noun", NOUNS)
def test_a_run_inside_of_a_run_of_the_same_name_is_refused(noun: str, stcc: Stcc, records: Make) -> None:
    record, other = free(records, noun), free(records, noun)
    inner = f"{STCC} {noun} run {record.name} --wait 1m -- echo never"
    around = f"{STCC} {noun} run {other.name} -- sh -c '{inner}'; echo $?"

    assert stcc.run(noun, "run", record.name, "--", "sh", "-c", around) == Result(
        0,
        "2\n",
        f"stcc: {record.name} is held by the command that this one runs under\n  it would wait for itself\n",
    )


def test_a_lock_and_a_permit_of_one_name_are_two_things(stcc: Stcc, records: Make) -> None:
    lock, semaphore = free(records, "lock"), records("semaphore")
    assert stcc("semaphore", "create", lock.name, "--max", "1", "-q").code == 0
    inner = f"{STCC} semaphore run {lock.name} -- echo both"

    assert stcc.run("lock", "run", lock.name, "--", "sh", "-c", inner) == Result(0, "both\n", "")
    assert semaphore.kind == "semaphore"


def test_a_shell_runs_a_line_of_text(stcc: Stcc, lock: Record) -> None:
    told = Stcc(connection_string=stcc.connection_string, environment={"SHELL": "/bin/sh"})

    assert told.run("lock", "run", lock.name, "-c", "echo a b | tr a-z A-Z; exit 3") == Result(3, "A B\n", "")


def test_the_streams_are_the_commands(stcc: Stcc, lock: Record) -> None:
    child = stcc.process("lock", "run", lock.name, "--", "sh", "-c", "cat; echo story >&2", stdin=subprocess.PIPE)

    assert (child.communicate(b"from stdin\n", timeout=20), child.returncode) == ((b"from stdin\n", b"story\n"), 0)


@pytest.mark.parametrize("noun", NOUNS)
def test_a_status_file_says_it_all(noun: str, stcc: Stcc, records: Make, tmp_path: Path) -> None:
    record, file = free(records, noun), tmp_path / "status"
    words = ("--identity", ME, "--status-file", str(file))
    told = stcc.run(noun, "run", record.name, *words, "--", "sh", "-c", 'echo "$STCC_FENCE"; exit 4')
    found = status(file)
    at = found.pop("acquired_at")

    assert (told.code, told.err, at[:2], len(at)) == (4, "", "20", 20)
    assert found == {
        "outcome": "command-ran",
        "exit_code": 4,
        "target": record.name,
        "command": "sh",
        "child_exit": 4,
        "child_signal": None,
        "identity": ME,
        "fence": int(told.out),
        "renewals": 0,
        "lost": None,
        "stopped": False,
        "released": True,
    }


def test_the_envelope_is_on_stderr(stcc: Stcc, lock: Record) -> None:
    got = stcc.run("lock", "run", lock.name, "--identity", ME, "-o", "json", "--", "sh", "-c", "echo out; kill $$")
    document = json.loads(got.err)
    result = document.pop("result")
    del result["acquired_at"], result["waited"], result["held"]

    assert (got.code, got.out) == (143, "out\n")
    assert document == {
        "outcome": "command-ran",
        "exit_code": 143,
        "http_status": None,
        "error_code": None,
        "request_id": None,
        "target": lock.name,
        "observed": None,
    }
    assert result == {
        "command": "sh",
        "child_exit": None,
        "child_signal": "SIGTERM",
        "identity": ME,
        "fence": lock.fence,
        "renewals": 0,
        "lost": None,
        "stopped": False,
        "released": True,
    }


def test_a_refusal_leaves_stdout_to_the_command_too(stcc: Stcc, records: Make) -> None:
    lock = records("lock")
    lock.hold(YOU)
    got = stcc.run("lock", "run", lock.name, "-E", "9", "-o", "json", "--", "true")
    document = json.loads(got.err)

    assert (got.code, got.out, document["outcome"], document["exit_code"], document["observed"]["fence"]) == (
        9,
        "",
        "busy",
        9,
        FENCE,
    )


@pytest.mark.parametrize("noun", NOUNS)
def test_what_is_held_is_renewed_as_long_as_the_command_runs(
    noun: str, stcc: Stcc, records: Make, tmp_path: Path
) -> None:
    record, file = free(records, noun), tmp_path / "status"
    process = stcc.process(noun, "run", record.name, "--ttl", "12s", "--status-file", str(file), "--", "sleep", "18")
    while not holds(record):
        time.sleep(0.05)
    time.sleep(15)  # longer than the ttl, and than what others wait for besides
    assert stcc(noun, "acquire", record.name, "-q").code == 75

    assert (process.communicate(timeout=60), process.returncode, holds(record)) == ((b"", b""), 0, [])
    assert status(file)["renewals"] >= 3


@pytest.mark.parametrize("noun", NOUNS)
def test_runs_that_wait_for_one_another_count(noun: str, stcc: Stcc, records: Make, tmp_path: Path) -> None:
    record, counter = free(records, noun), tmp_path / "counter"
    counter.write_text("0")
    add = f"n=$(cat {counter}); sleep 0.3; echo $((n + 1)) >{counter}"
    words = ("--wait", "20s", "--poll-max", "10s", "-c", add)
    runs = [stcc.process(noun, "run", record.name, *words) for _ in range(4)]

    assert [(run.communicate(timeout=60), run.returncode) for run in runs] == [((b"", b""), 0)] * 4
    assert (counter.read_text(), holds(record)) == ("4\n", [])


def test_who_waits_for_a_neighbour_asks_the_service_no_more_often_than_a_stranger(
    proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record
) -> None:
    first = proxied_stcc.process("lock", "run", lock.name, "-c", "echo; sleep 2.5")
    assert first.stdout is not None
    first.stdout.readline()
    proxied.clear()
    second = proxied_stcc.process("lock", "run", lock.name, "--wait", "20s", "--poll-max", "60s", "--", "echo", "then")

    assert (second.communicate(timeout=60)[0], first.communicate(timeout=60)[1], first.returncode) == (
        b"then\n",
        b"",
        0,
    )
    assert len([one for one in proxied.requests if one.method == "GET"]) < 15


def test_a_neighbour_that_is_stopped_while_it_waits_is_in_nobodys_way(stcc: Stcc, lock: Record) -> None:
    lock.hold("you", ttl=86400)
    waiting = ("lock", "run", lock.name, "--wait", "60s", "-v", "--", "echo", "in")
    runs: list[subprocess.Popen[bytes]] = []
    for _ in range(2):
        run = stcc.process(*waiting)
        runs.append(run)
        assert run.stderr is not None
        while b"waiting for" not in run.stderr.readline():
            pass
        time.sleep(0.5)  # it has the turn, or waits for it
    runs[0].send_signal(signal.SIGSTOP)
    lock.free()
    try:
        assert (runs[1].communicate(timeout=60)[0], runs[1].returncode) == (b"in\n", 0)
    finally:
        runs[0].send_signal(signal.SIGCONT)
        runs[0].communicate(timeout=60)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGQUIT, 131)])
def test_who_is_ended_while_it_waits_says_so(
    number: signal.Signals, code: int, stcc: Stcc, lock: Record, tmp_path: Path
) -> None:
    lock.hold("you", ttl=600)
    file = tmp_path / "status"
    run = stcc.process("lock", "run", lock.name, "--wait", "60s", "-v", "--status-file", str(file), "--", "true")
    assert run.stderr is not None
    while b"waiting for" not in run.stderr.readline():
        pass
    run.send_signal(number)
    _, err = run.communicate(timeout=60)

    assert (run.returncode, f"stcc: interrupted by {number.name}" in err.decode()) == (code, True)
    assert json.loads(file.read_text()) == {"outcome": "interrupted", "exit_code": code}


def test_a_status_of_an_earlier_run_does_not_stay(stcc: Stcc, lock: Record, tmp_path: Path) -> None:
    file = tmp_path / "status"
    file.write_text("old")

    assert stcc.run("lock", "run", lock.name, "--ttl", "0", "--status-file", str(file), "--", "true").code == 2
    assert not file.exists()


def test_a_status_that_cannot_be_written_is_said_and_changes_nothing(stcc: Stcc, lock: Record) -> None:
    answer = stcc.run("lock", "run", lock.name, "--status-file", "/dev/full", "--", "sh", "-c", "exit 5")

    assert answer == Result(5, "", "stcc: '/dev/full' cannot be written: no space left on device\n")
    assert Path("/dev/full").is_char_device()

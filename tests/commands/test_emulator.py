"""`stcc emulator`: what each command prints and returns, and that what it started ends."""

import json
import os
import pty
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

import pytest

from stcc.emulator import background, process
from stcc.emulator import instance as instances
from stcc.emulator.instance import Instance
from tests.running import Result, Stcc, own_environment

NOT_RUNNING = Result(4, "", "stcc: no emulator is running\n  stcc emulator start\n")


@pytest.fixture
def stcc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Generator[Stcc]:
    """Call stcc with an emulator of the test's own, which ends with the test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    yield Stcc()
    background.stop()


def running() -> Instance:
    found = instances.running()
    assert found is not None
    return found


def accepts_connections(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def ports(instance: Instance) -> str:
    azurite = f"{instance.blob_port} (blob), {instance.queue_port} (queue), {instance.table_port} (table)"
    return f"{azurite}, and Azure Files on port {instance.file_port}"


def test_start_prints_the_connection_string_and_leaves_it_running(stcc: Stcc) -> None:
    started = stcc.run("emulator", "start")
    found = running()

    assert started == Result(
        0,
        f"{found.connection_string}\n",
        f"Azurite 3.36.0 is running on ports {ports(found)}, in memory; stcc emulator stop ends them\n",
    )
    assert Stcc(connection_string=found.connection_string)("container", "list", "-o", "ndjson") == Result(
        0, '{"outcome": "containers-listed", "exit_code": 0}\n', ""
    )
    assert stcc("--emulator", "container", "list", "-q") == Result(0, "", "")


def test_a_running_emulator_is_shown_is_not_started_twice_and_is_stopped_once(stcc: Stcc) -> None:
    before = stcc("emulator", "status")
    stcc("emulator", "start")
    found = running()

    assert before == NOT_RUNNING
    assert stcc("emulator", "status") == Result(
        0,
        f"pid                {found.pid}\n"
        f"blob port          {found.blob_port}\n"
        f"queue port         {found.queue_port}\n"
        f"table port         {found.table_port}\n"
        f"file port          {found.file_port}\n"
        "data               in memory\n"
        f"connection string  {found.connection_string}\n",
        "",
    )
    assert stcc("emulator", "start") == Result(
        9,
        "",
        f"stcc: an emulator is already running (pid {found.pid})\n"
        f"  seen afterwards: pid {found.pid}, blob port {found.blob_port}, queue port {found.queue_port}, "
        f"table port {found.table_port}, file port {found.file_port}, file pid {found.file_pid}\n"
        "  use it with --emulator, or end it with: stcc emulator stop\n",
    )
    assert running() == found
    assert stcc("emulator", "stop") == Result(
        0, "", f"ended the emulator (pid {found.pid}); what it held in memory is gone\n"
    )
    assert (accepts_connections(found.blob_port), stcc("emulator", "stop")) == (False, NOT_RUNNING)


def test_programs_get_one_document_for_each_command(stcc: Stcc, tmp_path: Path) -> None:
    started = json.loads(stcc("emulator", "start", "--data", str(tmp_path / "data"), "-o", "json").out)
    found = running()
    facts = {
        "blob_port": found.blob_port,
        "queue_port": found.queue_port,
        "table_port": found.table_port,
        "pid": found.pid,
        "data": str(tmp_path / "data"),
        "file_port": found.file_port,
        "file_pid": found.file_pid,
    }
    own = {"connection_string": found.connection_string, **facts}
    nothing = {"http_status": None, "error_code": None, "request_id": None, "target": "emulator", "observed": None}
    again = stcc("emulator", "start", "-o", "json")
    shown = json.loads(stcc("emulator", "status", "-o", "json").out)
    ended = json.loads(stcc("emulator", "stop", "-o", "json").out)

    assert started == nothing | {"outcome": "emulator-started", "exit_code": 0, "result": own | {"version": "3.36.0"}}
    assert json.loads(again.out) == nothing | {
        "outcome": "already-running",
        "exit_code": 9,
        "result": None,
        "observed": facts,
        "message": f"an emulator is already running (pid {found.pid})",
        "hint": "use it with --emulator, or end it with: stcc emulator stop",
    }
    assert shown == nothing | {"outcome": "emulator-running", "exit_code": 0, "result": own}
    assert ended == nothing | {
        "outcome": "emulator-stopped",
        "exit_code": 0,
        "result": {"pid": found.pid, "data": str(tmp_path / "data")},
    }
    assert json.loads(stcc("emulator", "status", "-o", "json").out) == nothing | {
        "outcome": "absent",
        "exit_code": 4,
        "result": None,
        "message": "no emulator is running",
        "hint": "stcc emulator start",
    }


def test_a_data_directory_outlives_stop_and_start(stcc: Stcc, tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    stcc("emulator", "start", "--data", data)
    pid = running().pid
    stcc("--emulator", "container", "create", "kept")
    stopped = stcc("emulator", "stop")
    stcc("emulator", "start", "--data", data)

    assert stopped == Result(0, "", f"ended the emulator (pid {pid}); its data is in {data}\n")
    assert stcc("--emulator", "container", "list", "--query", "[].name") == Result(0, "kept\n", "")


@pytest.mark.parametrize("service", ["blob", "queue", "table", "file"])
@pytest.mark.parametrize("verb", [("start",), ("run", "--", "true")], ids=["start", "run"])
def test_a_port_that_is_taken_is_named(stcc: Stcc, service: str, verb: tuple[str, ...]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]

        assert stcc("emulator", verb[0], f"--{service}-port", str(port), *verb[1:]) == Result(
            69,
            "",
            f"stcc: port {port} is not free for the {service} service: address already in use\n"
            f"  choose another with --{service}-port, or 0 for any free one\n",
        )
    assert instances.running() is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            ["start", "--blob-port", "70000"],
            "stcc: 70000 is not a port for the blob service (0 to 65535, 0 for any free one)\n",
            id="no-port",
        ),
        pytest.param(
            ["start", "--blob-port", "x"],
            "stcc: invalid value for '--blob-port': 'x' is not a valid int.\n",
            id="no-number",
        ),
        pytest.param(
            ["start", "--data", ""],
            "stcc: --data is empty\n  is the variable set? without --data everything is in memory\n",
            id="empty-data",
        ),
        pytest.param(
            ["start", "--data", "/dev/null"],
            "stcc: /dev/null cannot be the data directory: file exists\n",
            id="data-is-a-file",
        ),
        pytest.param(["run"], "stcc: missing argument '-- CMD...'.\n", id="no-command"),
        pytest.param(["run", "--", ""], "stcc: the command is empty\n  is the variable set?\n", id="empty-command"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(stcc: Stcc, arguments: list[str], message: str) -> None:
    assert (stcc("emulator", *arguments), instances.running()) == (Result(2, "", message), None)


def test_a_stranger_with_the_recorded_pid_is_left_alone(stcc: Stcc, tmp_path: Path) -> None:
    (tmp_path / "state/stcc").mkdir(parents=True)
    with subprocess.Popen(["sleep", "60"]) as stranger:
        instances.record(
            Instance(
                pid=stranger.pid,
                started="boot/1",
                blob_port=1,
                queue_port=2,
                table_port=3,
                data=None,
                file_port=4,
                file_pid=stranger.pid,
                file_started="boot/1",
            )
        )
        answers = (stcc("emulator", "status"), stcc("emulator", "stop"), stranger.poll())
        stranger.kill()

    assert answers == (NOT_RUNNING, NOT_RUNNING, None)


@pytest.mark.parametrize("verb", ["start", "status", "stop"])
def test_a_record_that_is_damaged_is_named_not_ignored(verb: str, stcc: Stcc, tmp_path: Path) -> None:
    record = tmp_path / "state/stcc/emulator.json"
    record.parent.mkdir(parents=True)
    record.write_text('{"pid": 1')

    result = stcc("emulator", verb)
    record.unlink()

    assert result == Result(
        74,
        "",
        f"stcc: the record of the running emulator cannot be read: {record}\n"
        "  end an Azurite that may still be running by hand (ps), then delete the file\n",
    )


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param(["true"], Result(0, "", ""), id="success"),
        pytest.param(["sh", "-c", "exit 3"], Result(3, "", ""), id="its-own-code"),
        pytest.param(["sh", "-c", "kill -9 $$"], Result(137, "", ""), id="a-signal"),
        pytest.param(
            ["/nonexistent"], Result(127, "", "stcc: cannot run '/nonexistent': no such file or directory\n"), id="none"
        ),
        pytest.param(
            ["/dev/null"], Result(126, "", "stcc: cannot run '/dev/null': permission denied\n"), id="no-program"
        ),
        pytest.param(["printf", "%s|", "-o", "json", "--", "-q"], Result(0, "-o|json|--|-q|", ""), id="its-options"),
        pytest.param(
            ["--", "printf", "%s|", "-o", "json", "--", "-q"], Result(0, "-o|json|--|-q|", ""), id="after-dashes"
        ),
        pytest.param(
            ["sh", "-c", "stcc -q container create data >etag && stcc container show data --query etag | cmp etag"],
            Result(0, "", ""),
            id="stcc",
        ),
    ],
)
def test_run_passes_streams_options_and_exit_code_through(
    stcc: Stcc, tmp_path: Path, command: list[str], expected: Result
) -> None:
    assert stcc.run("emulator", "run", *command, cwd=tmp_path) == expected


def test_the_command_finds_one_account_in_its_environment_and_its_stdin_is_ours(stcc: Stcc) -> None:
    inherited = {
        "AZURE_STORAGE_CONNECTION_STRING": "another",
        "AZURE_STORAGE_ACCOUNT": "another",
        "AZURE_STORAGE_KEY": "a2V5",
        "AZURE_STORAGE_SAS_TOKEN": "sig=x",
        "AZURE_STORAGE_AUTH_MODE": "login",
        "AZURE_TENANT_ID": "kept",
    }
    script = "env | grep ^AZURE_ | cut -d= -f1 | sort; cat; echo story >&2; [ $AZURE_STORAGE_CONNECTION_STRING = x ]"
    child = Stcc(environment=inherited).process("emulator", "run", "sh", "-c", script, stdin=subprocess.PIPE)
    out, err = child.communicate(b"from stdin\n")

    assert (child.returncode, out, err) == (
        1,
        b"AZURE_STORAGE_CONNECTION_STRING\nAZURE_TENANT_ID\nfrom stdin\n",
        b"story\n",
    )
    assert stcc("emulator", "status") == NOT_RUNNING


@pytest.mark.parametrize(
    ("command", "code", "document"),
    [
        pytest.param(
            ["sh", "-c", "echo out; exit 3"],
            3,
            {"outcome": "command-ended", "result": {"child_exit": 3, "child_signal": None}, "target": "sh"},
            id="its-own-code",
        ),
        pytest.param(
            ["sh", "-c", "echo out; kill $$"],
            143,
            {"outcome": "command-ended", "result": {"child_exit": None, "child_signal": "SIGTERM"}, "target": "sh"},
            id="a-signal",
        ),
    ],
)
def test_the_envelope_of_run_is_on_stderr(
    stcc: Stcc, command: list[str], code: int, document: dict[str, object]
) -> None:
    got = stcc.run("emulator", "run", "-o", "json", "--", *command)
    rest = {"exit_code": code, "http_status": None, "error_code": None, "request_id": None, "observed": None}

    assert (got.code, got.out, json.loads(got.err)) == (code, "out\n", document | rest)


def test_a_failure_of_run_leaves_stdout_to_the_command_and_is_no_document_because_the_command_was_given_one(
    stcc: Stcc,
) -> None:
    wrong = ("emulator", "run", "--blob-port", "70000")
    message = "70000 is not a port for the blob service (0 to 65535, 0 for any free one)"

    assert stcc(*wrong, "sh", "-o", "json") == Result(2, "", f"stcc: {message}\n")
    asked = stcc(*wrong, "-o", "json", "sh")
    assert (asked.code, asked.out, json.loads(asked.err)["message"]) == (2, "", message)


class Run(NamedTuple):
    """A `run` whose command has told the port of its Azurite."""

    process: "subprocess.Popen[bytes]"
    port: int


REPORT = "echo $AZURE_STORAGE_CONNECTION_STRING | sed 's/.*BlobEndpoint=[^;]*:\\([0-9]*\\).*/\\1/'; "


def started(stcc: Stcc, script: str) -> Run:
    child = stcc.process("emulator", "run", "--", "sh", "-c", REPORT + script, start_new_session=True)
    assert child.stdout is not None
    return Run(child, int(child.stdout.readline()))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_signals_reach_the_command_whose_answer_counts_and_azurite_ends(stcc: Stcc, number: signal.Signals) -> None:
    run = started(stcc, f"trap 'echo told; exit 5' {number.name[3:]}; echo ready; while :; do sleep 0.02; done")
    assert run.process.stdout is not None
    run.process.stdout.readline()
    before = accepts_connections(run.port)
    run.process.send_signal(number)
    out, err = run.process.communicate()

    assert (before, run.process.returncode, out, err) == (True, 5, b"told\n", b"")
    assert not accepts_connections(run.port)


def test_a_command_that_a_signal_ends_ends_run_with_that_signal_and_azurite_with_it(stcc: Stcc) -> None:
    run = started(stcc, "exec sleep 60")
    run.process.send_signal(signal.SIGTERM)
    out, err = run.process.communicate()

    assert (run.process.returncode, out, err, accepts_connections(run.port)) == (143, b"", b"", False)


COUNTING = """
import signal, sys, time
told = []
signal.signal(signal.SIGINT, lambda number, frame: told.append(number))
print("ready", flush=True)
for _ in range(50):
    time.sleep(0.02)
sys.exit(len(told) + 5)
"""


def test_ctrl_c_on_a_terminal_reaches_the_command_and_run_waits_for_what_it_makes_of_it() -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        arguments = [sys.executable, "-m", "stcc", "emulator", "run", "--", sys.executable, "-c", COUNTING]
        os.execve(sys.executable, arguments, own_environment())
    out = b""
    while b"ready" not in out:
        out += os.read(terminal, 1024)
    os.write(terminal, b"\x03")
    while True:
        try:
            more = os.read(terminal, 1024)
        except OSError:
            break
        out += more
        if not more:
            break
    os.close(terminal)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    # The terminal echoes ^C when it likes: before or after the end of the line.
    assert (status, out.replace(b"^C", b"").replace(b"\r\n", b"\n")) == (6, b"ready\n")


def test_a_signal_during_the_start_ends_everything(stcc: Stcc, tmp_path: Path) -> None:
    child = stcc.process("emulator", "run", "--", "touch", str(tmp_path / "ran"), start_new_session=True)
    azurite = azurite_below(child.pid)
    child.send_signal(signal.SIGTERM)
    out, err = child.communicate()

    assert (child.returncode, out, err) == (143, b"", b"stcc: interrupted by SIGTERM\n")
    assert (process.identity(azurite), (tmp_path / "ran").exists()) == (None, False)


def azurite_below(pid: int) -> int:
    """Return the pid of the Azurite that a process starts, as soon as it does; who waits in vain times out."""
    while True:
        listed = subprocess.run(["ps", "-axww", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True)
        for line in listed.stdout.splitlines():
            own, parent, arguments = line.split(maxsplit=2)
            if int(parent) == pid and "azurite.js" in arguments:
                return int(own)
        time.sleep(0.005)

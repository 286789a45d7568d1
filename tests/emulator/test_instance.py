import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import pytest
from azure.storage.blob import BlobServiceClient, ContainerClient

from stcc.emulator import background, install, process
from stcc.emulator import instance as instances
from stcc.emulator.errors import AlreadyRunning, PortTaken, StartFailed
from stcc.emulator.instance import Instance
from stcc.emulator.launch import Launched, Setup, command, end, surroundings, wait_until_ready
from stcc.errors import Local, Usage
from tests.emulator.conftest import silent

REPOSITORY = Path(instances.__file__).parents[2]


def example(*, pid: int = 1, started: str = "boot/1") -> Instance:
    ports = {"blob_port": 10, "queue_port": 11, "table_port": 12, "file_port": 13}
    return Instance(pid=pid, started=started, file_pid=2, file_started="boot/2", data=None, **ports)


def accepts_connections(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def containers(instance: Instance) -> list[str]:
    with BlobServiceClient.from_connection_string(instance.connection_string) as service:
        return [container.name for container in service.list_containers()]


def test_the_connection_string_names_the_development_account_and_the_four_services() -> None:
    assert example().connection_string == (
        "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;"
        "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;"
        "BlobEndpoint=http://127.0.0.1:10/devstoreaccount1;"
        "QueueEndpoint=http://127.0.0.1:11/devstoreaccount1;"
        "TableEndpoint=http://127.0.0.1:12/devstoreaccount1;"
        "FileEndpoint=http://127.0.0.1:13/devstoreaccount1;"
    )


def test_what_is_launched_answers_on_four_ports_until_it_is_ended(launching: Callable[[Setup], Launched]) -> None:
    launched = launching(Setup())
    instance = launched.instance
    ports = (instance.blob_port, instance.queue_port, instance.table_port, instance.file_port)
    before = [accepts_connections(port) for port in ports]

    end(launched)

    assert (len(set(ports)), before, [accepts_connections(port) for port in ports]) == (4, [True] * 4, [False] * 4)


def test_a_data_directory_outlives_azurite_and_the_account_is_the_known_one_whatever_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, launching: Callable[[Setup], Launched]
) -> None:
    monkeypatch.setenv("AZURITE_ACCOUNTS", "other:b3RoZXI=")
    monkeypatch.chdir(tmp_path)
    first = launching(Setup(data=Path("new/data")))
    with ContainerClient.from_connection_string(first.instance.connection_string, "kept") as container:
        container.create_container()
    end(first)

    second = launching(Setup(data=tmp_path / "new/data"))

    assert (containers(second.instance), first.instance.data, first.child.returncode) == (
        ["kept"],
        f"{tmp_path}/new/data",
        0,
    )


def test_the_pinned_api_version_is_accepted_without_the_flag_that_skips_the_check(tmp_path: Path) -> None:
    arguments = [word for word in command(Setup(), progress=silent) if word != "--skipApiVersionCheck"]
    with (tmp_path / "log").open("w+b") as log:
        child = subprocess.Popen(arguments, stdout=log, stderr=log, cwd=tmp_path, env=surroundings())
        try:
            ports = wait_until_ready(log.fileno(), alive=lambda: child.poll() is None)
            answers = {
                (service, version): status(ports[f"{service}_port"], version=version)
                for service in ("blob", "queue")
                for version in ("2021-12-02", "2099-01-01")
            }
        finally:
            child.kill()
            child.wait()

    # 403: the version is fine, and only then the missing signature is not.
    assert answers == {
        ("blob", "2021-12-02"): 403,
        ("blob", "2099-01-01"): 400,
        ("queue", "2021-12-02"): 403,
        ("queue", "2099-01-01"): 400,
    }


def status(port: int, *, version: str) -> int:
    with closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("GET", "/devstoreaccount1?comp=list", headers={"x-ms-version": version})
        return connection.getresponse().status


@pytest.mark.parametrize("service", ["blob", "queue", "table", "file"])
def test_a_taken_port_is_named_before_anything_starts(launching: Callable[[Setup], Launched], service: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port: int = other.getsockname()[1]
        setups = {
            "blob": Setup(blob_port=port),
            "queue": Setup(queue_port=port),
            "table": Setup(table_port=port),
            "file": Setup(file_port=port),
        }
        with pytest.raises(PortTaken) as failure:
            launching(setups[service])

    assert (failure.value.message, failure.value.hint, failure.value.exit_code) == (
        f"port {port} is not free for the {service} service: address already in use",
        f"choose another with --{service}-port, or 0 for any free one",
        69,
    )


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        pytest.param(
            Setup(blob_port=9999, queue_port=9999), "the four services need four different ports", id="same-port"
        ),
        pytest.param(
            Setup(table_port=65536),
            "65536 is not a port for the table service (0 to 65535, 0 for any free one)",
            id="too-high",
        ),
        pytest.param(
            Setup(blob_port=-1),
            "-1 is not a port for the blob service (0 to 65535, 0 for any free one)",
            id="negative",
        ),
        pytest.param(
            Setup(data=Path("/dev/null")),
            "/dev/null cannot be the data directory: file exists",
            id="data-is-no-directory",
        ),
        pytest.param(
            Setup(data=Path("/dev/null/below")),
            "/dev/null/below cannot be the data directory: not a directory",
            id="data-below-no-directory",
        ),
    ],
)
def test_a_setup_that_cannot_be_is_refused(launching: Callable[[Setup], Launched], setup: Setup, message: str) -> None:
    with pytest.raises(Usage) as failure:
        launching(setup)

    assert failure.value.message == message


def test_an_azurite_that_ends_during_its_start_is_quoted(launching: Callable[[Setup], Launched]) -> None:
    with pytest.raises(StartFailed) as failure:
        launching(Setup(flags=("--debug", "/dev/null/log")))

    assert failure.value.message == (
        "Azurite ended during its start: Exit due to unhandled error: EEXIST: file already exists, mkdir '/dev/null'"
    )
    assert failure.value.hint == f"if its installation is damaged, delete {install.place()}: it is installed again"


def test_an_azurite_that_ends_in_the_background_names_its_log(state: Path) -> None:
    with pytest.raises(StartFailed) as failure:
        background.start(Setup(flags=("--debug", "/dev/null/log")), progress=silent)

    log = state / "emulator.log"
    assert failure.value.hint == (
        f"if its installation is damaged, delete {install.place()}: it is installed again; its log: {log}"
    )
    assert "EEXIST" in log.read_text()


@pytest.mark.parametrize(
    ("log", "line"),
    [
        ("", "it said nothing"),
        ("one\ntwo\n\n", "two"),
        ("Error: Cannot find module 'x'\n    at load\n{\n  code: 'E'\n}\n\nNode.js v20.1.0\n",
         "Error: Cannot find module 'x'"),
        ("SyntaxError: bad\nNode.js v18.0.0\n", "SyntaxError: bad"),
        ("Exit due to unhandled error: no\nbye\n", "Exit due to unhandled error: no"),
    ],
)  # fmt: skip
def test_an_azurite_that_ends_is_quoted_with_the_line_that_says_why(log: str, line: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(log)

    with (tmp_path / "log").open("rb") as opened, pytest.raises(StartFailed) as failure:
        wait_until_ready(opened.fileno(), alive=lambda: False)

    assert failure.value.message == f"Azurite ended during its start: {line}"


def test_a_started_azurite_is_found_again_until_it_is_stopped(state: Path) -> None:
    started = background.start(Setup(), progress=silent)
    mode = (state / "emulator.json").stat().st_mode & 0o777
    found = instances.running()
    listed = containers(started)

    stopped = background.stop()

    assert (mode, found, listed, stopped) == (0o600, started, [], started)
    assert (instances.running(), background.stop(), accepts_connections(started.blob_port)) == (None, None, False)
    assert sorted(path.name for path in state.iterdir()) == ["emulator.lock", "emulator.log"]


@pytest.mark.usefixtures("state")
def test_a_second_start_is_refused_and_the_first_goes_on() -> None:
    first = background.start(Setup(), progress=silent)

    with pytest.raises(AlreadyRunning) as failure:
        background.start(Setup(), progress=silent)

    assert (failure.value.instance, failure.value.message, failure.value.exit_code, instances.running()) == (
        first,
        f"an emulator is already running (pid {first.pid})",
        9,
        first,
    )


@pytest.mark.usefixtures("state")
def test_an_azurite_that_died_is_forgotten_and_can_be_started_again() -> None:
    first = background.start(Setup(), progress=silent)
    process.end(first.pid, first.started)
    gone = instances.running()

    second = background.start(Setup(), progress=silent)

    assert (gone, instances.running()) == (None, second)


def test_a_started_azurite_outlives_its_command_and_does_not_hold_its_output_open(state: Path) -> None:
    program = (
        "from stcc.emulator import background; from stcc.emulator.launch import Setup\n"
        "print(background.start(Setup(), progress=print).connection_string)"
    )

    # Reading both pipes to their ends: this returns only when nobody has them open any more.
    answer = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "XDG_STATE_HOME": str(state.parent)},
    )
    found = instances.running()

    assert found is not None
    assert (answer.stdout, answer.stderr, containers(found)) == (f"{found.connection_string}\n", "", [])


@pytest.mark.usefixtures("state")
def test_a_start_that_fails_leaves_nothing_running() -> None:
    with pytest.raises(StartFailed):
        background.start(Setup(flags=("--debug", "/dev/null/log")), progress=silent)

    assert instances.running() is None


def test_a_stranger_with_the_recorded_pid_is_neither_found_nor_ended(state: Path) -> None:
    state.mkdir(parents=True)
    with subprocess.Popen(["sleep", "60"]) as stranger:
        instances.record(example(pid=stranger.pid, started="boot/1"))
        answers = (instances.running(), background.stop(), stranger.poll())
        stranger.kill()

    assert answers == (None, None, None)


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "7", "{}", json.dumps({"pid": 1}), json.dumps(dict.fromkeys(Instance.__slots__))]
    + [
        json.dumps(asdict(example(pid=1, started="boot/1")) | wrong)
        for wrong in (
            {"pid": "1"},
            {"pid": True},
            {"blob_port": 1.5},
            {"started": 7},
            {"data": 7},
            {"file_port": "1"},
            {"more": 1},
        )
    ],
)
def test_a_record_that_cannot_be_read_is_not_taken_for_nothing(state: Path, content: str) -> None:
    """An Azurite may be running behind it, which nobody would find again."""
    state.mkdir(parents=True)
    (state / "emulator.json").write_text(content)

    for ask in (instances.running, background.stop, lambda: background.start(Setup(), progress=print)):
        with pytest.raises(Local) as failure:
            ask()

        assert failure.value.message == f"the record of the running emulator cannot be read: {state / 'emulator.json'}"
    (state / "emulator.json").unlink()


def test_a_process_that_ignores_sigterm_is_killed_after_the_grace() -> None:
    stubborn = subprocess.Popen(["/bin/sh", "-c", "trap '' TERM; echo; sleep 60"], stdout=subprocess.PIPE)
    assert stubborn.stdout is not None
    stubborn.stdout.readline()

    process.end(stubborn.pid, process.identity(stubborn.pid) or "", grace=0.2)
    stubborn.stdout.close()

    assert stubborn.wait() == -signal.SIGKILL


def test_a_process_that_has_ended_has_no_identity_even_before_its_parent_noticed() -> None:
    child = subprocess.Popen(["/bin/sh", "-c", "read line"], stdin=subprocess.PIPE)
    before = process.identity(child.pid)
    process.end(child.pid, before or "")
    zombie = process.identity(child.pid)
    child.communicate()

    assert (before is None, zombie, process.identity(child.pid)) == (False, None, None)

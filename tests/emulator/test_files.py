"""Azure Files beside Azurite: they start and end together."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest
from azure.storage.fileshare import ShareServiceClient

from stcc.emulator import background, process
from stcc.emulator import instance as instances
from stcc.emulator.azfiles.store import Store
from stcc.emulator.errors import StartFailed
from stcc.emulator.instance import Instance
from stcc.emulator.launch import Launched, Setup, end, launch
from tests.emulator.conftest import silent

REPOSITORY = Path(instances.__file__).parents[2]


def shares(instance: Instance) -> list[str]:
    with ShareServiceClient.from_connection_string(instance.connection_string) as service:
        return [share.name for share in service.list_shares()]


def alive(instance: Instance) -> list[bool]:
    return [process.identity(pid) == started for pid, started in instance.processes]


def after_a_while(ask: Callable[[], list[bool]], wanted: list[bool]) -> list[bool]:
    until = time.monotonic() + 60
    while ask() != wanted and time.monotonic() < until:
        time.sleep(0.05)
    return ask()


def test_shares_outlive_their_emulator_in_the_data_directory(
    tmp_path: Path, launching: Callable[[Setup], Launched]
) -> None:
    first = launching(Setup(data=tmp_path / "data"))
    with ShareServiceClient.from_connection_string(first.instance.connection_string) as service:
        service.create_share("kept")
    end(first)

    second = launching(Setup(data=tmp_path / "data"))

    assert (shares(second.instance), first.file_child.returncode) == (["kept"], 0)


@pytest.mark.parametrize("which", [0, 1], ids=["azurite", "files"])
@pytest.mark.usefixtures("state")
def test_when_one_is_killed_in_the_background_the_other_ends(which: int) -> None:
    started = background.start(Setup(), progress=silent)
    before = alive(started)
    os.kill(started.processes[which][0], signal.SIGKILL)

    assert (before, after_a_while(lambda: alive(started), [False, False])) == ([True, True], [False, False])
    assert (instances.running(), background.stop()) == (None, None)


@pytest.mark.parametrize("which", [0, 1], ids=["azurite", "files"])
def test_when_one_is_killed_beside_us_the_other_ends(which: int, launching: Callable[[Setup], Launched]) -> None:
    launched = launching(Setup())
    os.kill(launched.instance.processes[which][0], signal.SIGKILL)

    assert after_a_while(lambda: alive(launched.instance), [False, False]) == [False, False]


@pytest.mark.usefixtures("state")
def test_half_an_emulator_is_not_running_and_is_ended_by_the_next_start() -> None:
    first = background.start(Setup(), progress=silent)
    os.kill(first.pid, signal.SIGSTOP)  # it does not end by itself when it is told to
    os.kill(first.file_pid, signal.SIGKILL)
    after_a_while(lambda: alive(first)[1:], [False])
    found = instances.running()

    second = background.start(Setup(), progress=silent)

    assert (found, alive(first), instances.running()) == (None, [False, False], second)


@pytest.mark.parametrize("way", ["background", "launch"])
@pytest.mark.usefixtures("state")
def test_a_data_directory_in_use_is_said_and_nothing_is_left(way: str, state: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    start = background.start if way == "background" else launch
    with Store(data, clock=time.time, durable=True), pytest.raises(StartFailed) as failure:
        start(Setup(data=data), progress=silent)

    assert failure.value.message == (f"Azure Files ended during its start: {data} is in use by another emulator")
    assert failure.value.hint == (f"its log: {state / 'emulator.log'}" if way == "background" else "")
    assert instances.remembered() is None


def test_without_the_extra_what_is_missing_is_said(tmp_path: Path) -> None:
    (tmp_path / "platformdirs").symlink_to(Path(platformdirs.__file__).parent)
    program = (
        "from stcc.emulator import files, errors\n"
        "try: files.command(port=0, data=None, companion=1)\n"
        "except errors.NoServer as error: print(error.message, error.hint, int(error.exit_code), sep='\\n')"
    )

    # -S: without the packages of the environment, so without the extra.
    answer = subprocess.run(
        [sys.executable, "-S", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{REPOSITORY}"},
    )

    assert (answer.stdout.splitlines(), answer.stderr) == (
        ["Azure Files needs uvicorn and httptools", "install them with: pip install 'stcc[emulator]'", "69"],
        "",
    )

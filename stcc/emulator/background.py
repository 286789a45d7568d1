"""The one Azurite that outlives its command: started, found again and stopped."""

import os
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final

from stcc.emulator import instance as instances
from stcc.emulator import launch, process
from stcc.emulator.errors import AlreadyRunning, StartFailed
from stcc.emulator.flock import exclusive
from stcc.emulator.instance import Instance
from stcc.emulator.launch import Setup
from stcc.errors import Local

# The shell ends at once, so that Azurite is nobody's child; only its pid comes back, and stderr is the log.
DETACH: Final = 'exec "$@" </dev/null >&2 & echo $!'


def start(setup: Setup, *, progress: Callable[[str], None]) -> Instance:
    """Start Azurite on its own and remember it; raise AlreadyRunning, and all that `launch` raises."""
    directory = instances.state_directory()
    with exclusive(directory / "emulator.lock", waiting=lambda: None), ExitStack() as undo:
        found = instances.running()
        if found is not None:
            raise AlreadyRunning(found)
        arguments = launch.command(setup, progress=progress)
        path = str(directory / "emulator.log")
        log = _open_log(path)
        undo.callback(os.close, log)
        with ExitStack() as failure:
            with process.undisturbed():
                pid = _detach(arguments, log)
                started = process.identity(pid) or ""
                failure.callback(process.end, pid, started)
            ports = launch.wait_until_ready(log, alive=lambda: process.identity(pid) == started, kept=path)
            instance = Instance(pid=pid, started=started, data=launch.location(setup), **ports)
            instances.record(instance)
            failure.pop_all()
    return instance


def stop() -> Instance | None:
    """End what `start` started and forget it; None when there is nothing to end."""
    with exclusive(instances.state_directory() / "emulator.lock", waiting=lambda: None):
        found = instances.running()
        if found is not None:
            process.end(found.pid, found.started)
        instances.forget()
    return found


def _detach(arguments: list[str], log: int) -> int:
    shell = subprocess.run(  # noqa: S603
        ["/bin/sh", "-c", DETACH, "sh", *arguments],
        stdout=subprocess.PIPE,
        stderr=log,
        check=False,
        cwd="/",
        env=launch.surroundings(),
        start_new_session=True,
    )
    if shell.returncode != 0:
        raise StartFailed(f"the shell could not start Azurite (status {shell.returncode})")
    return int(shell.stdout)


def _open_log(path: str) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as error:
        raise Local(f"{path} cannot be written: {error.strerror}") from error

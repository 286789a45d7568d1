"""The one emulator that outlives its command: started, found again and stopped."""

import os
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final

from stcc.emulator import files, launch, process
from stcc.emulator import instance as instances
from stcc.emulator.errors import AlreadyRunning, StartFailed
from stcc.emulator.flock import exclusive
from stcc.emulator.instance import Instance
from stcc.emulator.launch import Setup
from stcc.errors import Local

# The shell ends at once, so that Azurite is nobody's child; only its pid comes back, and stderr is the log.
DETACH: Final = 'exec "$@" </dev/null >&2 & echo $!'
# The same, but a shell stays and, when the command fails or is killed, ends the process whose pid is its name.
DETACH_WATCHED: Final = '{ "$@" >&2 & echo $!; exec >/dev/null; wait $! || kill "$0"; } </dev/null &'


def start(setup: Setup, *, progress: Callable[[str], None]) -> Instance:
    """Start both emulators on their own and remember them; raise AlreadyRunning, and all that `launch` raises."""
    directory = instances.state_directory()
    with exclusive(directory / "emulator.lock", waiting=lambda: None), ExitStack() as undo:
        found = instances.running()
        if found is not None:
            raise AlreadyRunning(found)
        _end_leftovers()
        arguments = launch.command(setup, progress=progress)
        path = str(directory / "emulator.log")
        log = _open_log(path)
        undo.callback(os.close, log)
        with ExitStack() as failure:
            with process.undisturbed():
                pid = _detach(arguments, log, script=DETACH)
                started = process.identity(pid) or ""
                failure.callback(process.end, pid, started)
                watched = launch.file_command(setup, companion=pid)
                file_pid = _detach(watched, log, script=DETACH_WATCHED, name=str(pid))
                file_started = process.identity(file_pid) or ""
                failure.callback(process.end, file_pid, file_started)
            file_port = files.wait_until_ready(log, alive=lambda: process.identity(file_pid) == file_started, kept=path)
            ports = launch.wait_until_ready(log, alive=lambda: process.identity(pid) == started, kept=path)
            instance = Instance(
                pid=pid,
                started=started,
                file_pid=file_pid,
                file_started=file_started,
                data=launch.location(setup),
                file_port=file_port,
                **ports,
            )
            instances.record(instance)
            failure.pop_all()
    return instance


def stop() -> Instance | None:
    """End what `start` started and forget it; None when there is nothing to end."""
    with exclusive(instances.state_directory() / "emulator.lock", waiting=lambda: None):
        found = instances.remembered()
        ended = _end_leftovers()
        instances.forget()
    return found if ended else None


def _end_leftovers() -> bool:
    """End what is alive of the instance that is remembered, and tell whether anything was."""
    found = instances.remembered()
    alive = [] if found is None else [one for one in found.processes if process.identity(one[0]) == one[1]]
    for pid, started in alive:
        process.end(pid, started)
    return bool(alive)


def _detach(arguments: list[str], log: int, *, script: str, name: str = "sh") -> int:
    shell = subprocess.run(  # noqa: S603
        ["/bin/sh", "-c", script, name, *arguments],
        stdout=subprocess.PIPE,
        stderr=log,
        check=False,
        cwd="/",
        env=launch.surroundings(),
        start_new_session=True,
    )
    if shell.returncode != 0:
        raise StartFailed(f"the shell could not start the emulator (status {shell.returncode})")
    return int(shell.stdout)


def _open_log(path: str) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as error:
        raise Local(f"{path} cannot be written: {error.strerror}") from error

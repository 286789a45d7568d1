"""What the tests have supervised, and how they look at it."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple, cast

from stcc.emulator import process
from stcc.leash import guard

SUPERVISED = str(Path(__file__).with_name("supervised.py"))
ROOT = str(Path(__file__).parents[2])
# Two processes that end by nothing but SIGKILL, and write down when they lived, and when they were told to end.
STUBBORN = """
import os, signal, sys, time
now = lambda: time.clock_gettime(time.CLOCK_BOOTTIME)
directory = sys.argv[1]
name = "grandchild" if os.fork() == 0 else "child"
told = open(f"{directory}/{name}.told", "a", buffering=1)
signal.signal(signal.SIGTERM, lambda number, frame: print(now(), file=told))
with open(f"{directory}/{name}.lives", "a", buffering=1) as lives:
    print(os.getpid(), file=lives)
    while True:
        print(now(), file=lives)
        time.sleep(0.005)
"""


class Life(NamedTuple):
    """A stubborn process: its pid, when it wrote last, and when it was told to end."""

    pid: int
    last: float
    told: list[float]

    @property
    def is_over(self) -> bool:
        return process.identity(self.pid) is None


def stubborn(directory: Path) -> tuple[str, ...]:
    """Return the command line of a child with a grandchild, neither of which ends when told to."""
    return (sys.executable, "-c", STUBBORN, str(directory))


def lives(directory: Path) -> list[Life]:
    """Return child and grandchild, when both have begun."""
    return [_life(directory, name) for name in ("child", "grandchild")]


def _life(directory: Path, name: str) -> Life:
    file = directory / f"{name}.lives"
    wait_for(lambda: file.exists() and len(file.read_text().splitlines()) > 1)
    # The kill may come in the middle of a line.
    pid, *moments = file.read_text().rpartition("\n")[0].splitlines()
    told = (directory / f"{name}.told").read_text().splitlines()
    return Life(int(pid), float(moments[-1]), [float(moment) for moment in told])


def start(*command: str, options: dict[str, Any] | None = None, **popen: Any) -> "subprocess.Popen[bytes]":
    """Start supervising a command, in a session of its own; its streams are pipes."""
    arguments: dict[str, Any] = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "start_new_session": True,
        "env": os.environ | {"PYTHONPATH": ROOT},
    }
    line = [sys.executable, SUPERVISED, json.dumps(options or {}), *command]
    return cast("subprocess.Popen[bytes]", subprocess.Popen(line, **(arguments | popen)))


def supervised(*command: str, options: dict[str, Any] | None = None, **popen: Any) -> tuple[int, str, str]:
    """Supervise a command to its end, and return the exit code and what was written."""
    started = start(*command, options=options, **popen)
    out, err = started.communicate()
    return started.returncode, out.decode(), err.decode()


def below(pid: int, script: str) -> int:
    """Return the child of a process that runs a script of this name, as soon as there is one."""
    found: list[int] = []

    def look() -> bool:
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                parent = stat.read_text().rpartition(") ")[2].split()[1]
                arguments = (stat.parent / "cmdline").read_text()
            except OSError:
                continue
            if int(parent) == pid and script in arguments:
                found.append(int(stat.parent.name))
        return bool(found)

    wait_for(look)
    return found[0]


def wait_for(there: Any, *, seconds: float = 60) -> None:
    """Return as soon as something is so; who waits in vain fails."""
    until = guard.now() + seconds
    while not there():
        assert guard.now() < until
        time.sleep(0.005)

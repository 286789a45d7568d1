"""The process group of a command, which is one of our children and leads it."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

_PROC = Path("/proc")


class Group:
    """A process group whose leader is not reaped before `close`: until then its number means nobody else."""

    def __init__(self, leader: "subprocess.Popen[bytes]") -> None:
        self.number = leader.pid
        self._leader = leader

    def tell(self, number: int) -> bool:
        """Send a signal to every process of the group; False when there is one and we may not."""
        try:
            os.killpg(self.number, number)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return True

    def stopped(self) -> int | None:
        """Return the signal that has stopped the leader since the last call."""
        with contextlib.suppress(ChildProcessError):
            state = os.waitid(os.P_PID, self.number, os.WSTOPPED | os.WNOHANG)
            if state is not None:
                return state.si_status
        return None

    @property
    def has_ended(self) -> bool:
        """Whether the leader has."""
        state = os.waitid(os.P_PID, self.number, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return state is not None

    @property
    def lives(self) -> bool:
        """Whether any process of the group does: one that has ended and is not reaped does not."""
        processes = processes_in_proc if (_PROC / "self/stat").exists() else processes_of_ps
        return any(group == self.number and state not in "ZX" for group, state in processes())

    def close(self) -> int:
        """Kill what lives, forget the group, and return the exit code of its leader, or -n when signal n ended it."""
        if self._leader.returncode is None:
            self.tell(signal.SIGKILL)
        return self._leader.wait()


def processes_in_proc() -> Iterator[tuple[int, str]]:
    """Yield group and state of every process there is."""
    for name in filter(str.isdecimal, os.listdir(_PROC)):  # noqa: PTH208  # there are many
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            # "pid (name) state ppid group ...": the name may hold spaces and brackets, so count from its end.
            stat = (_PROC / name / "stat").read_bytes().decode(errors="replace")
            state, _, group, _ = stat.rpartition(") ")[2].split(maxsplit=3)
            yield int(group), state


def processes_of_ps() -> Iterator[tuple[int, str]]:
    """Yield the same on systems without /proc."""
    listed = subprocess.run(["ps", "-A", "-o", "pgid=,stat="], capture_output=True, text=True, check=False)  # noqa: S607
    for line in listed.stdout.splitlines():
        group, state = line.split()
        yield int(group), state[0]

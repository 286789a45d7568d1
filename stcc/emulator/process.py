"""Processes by identity, so that a recycled pid is never taken for the process it once named."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import Final

from stcc.errors import Local

TICK: Final = 0.02
GRACE: Final = 5.0
_STOPS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def identity(pid: int) -> str | None:
    """Return what no other process ever has: its moment of start; None when it has ended (a zombie has)."""
    if Path("/proc/self/stat").exists():
        return _from_proc(pid)
    return _from_ps(pid)


def end(pid: int, started: str, *, grace: float = GRACE) -> None:
    """End that very process: SIGTERM, and SIGKILL when it is still there after `grace` seconds."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if identity(pid) != started:
            return
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        except PermissionError as error:
            raise Local(f"process {pid} belongs to another user and cannot be ended") from error
        _wait_until_gone(pid, started, seconds=grace)


@contextlib.contextmanager
def undisturbed() -> Generator[None]:
    """Put off every stop to the end of the block.

    A stop that comes while a process is being started would leave it behind: it runs, and nobody knows its pid.
    """
    late: list[int] = []
    in_main = threading.current_thread() is threading.main_thread()  # signals never disturb another thread
    handled = {number: handler for number in _STOPS if in_main and callable(handler := signal.getsignal(number))}
    for number in handled:
        signal.signal(number, lambda received, _: late.append(received))
    try:
        yield
    finally:
        for number, handler in handled.items():
            signal.signal(number, handler)
        for missed in late:
            signal.raise_signal(missed)


def _wait_until_gone(pid: int, started: str, *, seconds: float) -> None:
    until = time.monotonic() + seconds
    while identity(pid) == started and time.monotonic() < until:
        time.sleep(TICK)


def _from_proc(pid: int) -> str | None:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        # "pid (name) state ppid ...": the name may hold spaces and brackets, so count from its end.
        # Ticks count from the boot, hence the boot's own id.
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        state, *fields = stat.rpartition(") ")[2].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return None if state in "ZX" else f"{boot}/{fields[18]}"
    return None


def _from_ps(pid: int) -> str | None:
    import subprocess  # late: systems with /proc do without it

    listed = subprocess.run(  # noqa: S603
        ["ps", "-o", "stat=", "-o", "lstart=", "-p", str(pid)],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    state, _, moment = listed.stdout.strip().partition(" ")
    return moment.strip() if moment and not state.startswith("Z") else None

"""A command that runs beside us to its end, as in a shell: our streams are its streams, our signals its signals."""

import os
import signal
import subprocess
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, cast

from stcc.errors import StccError

PASSED_ON: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
# What the terminal itself sends to everybody in the foreground.
_TYPED: Final = frozenset({signal.SIGINT, signal.SIGQUIT})


class NotRun(StccError):
    """There is no such command (127), or it cannot be executed (126)."""

    kind = "not-run"

    def __init__(self, command: str, error: OSError) -> None:
        super().__init__(f"cannot run {command!r}: {(error.strerror or 'it cannot be executed').lower()}")
        self.exit_code = 127 if isinstance(error, FileNotFoundError) else 126


def run(command: Sequence[str], *, environment: Mapping[str, str], stdout: int | None = None) -> int:
    """Run a command to its end and return its exit code, or -n when signal n ended it; raise NotRun.

    Signals to us never end us meanwhile: they are passed on, and what the command makes of them counts.
    `stdout` is the descriptor that it writes to, None for ours.
    """
    with _started(command, env=environment, stdout=stdout) as child:
        return child.wait()


def filtered(command: Sequence[str], data: bytes, *, environment: Mapping[str, str]) -> tuple[int, bytes]:
    """Run a command with these bytes as its stdin, and return its exit code and what it wrote to stdout; as `run`."""
    with _started(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        output, _ = child.communicate(data)
        return child.returncode, output


@contextmanager
def _started(command: Sequence[str], **options: Any) -> Generator["subprocess.Popen[bytes]"]:
    """Start a command, and pass on to it what signals come meanwhile."""
    early: list[int] = []
    running: list[subprocess.Popen[bytes]] = []

    def receive(number: int) -> None:
        if not running:
            early.append(number)
        elif number not in _TYPED or not _in_foreground():
            running[0].send_signal(number)

    with _received(receive):
        try:
            # Files that our caller left open for us to inherit are meant for the command.
            started = subprocess.Popen(command, close_fds=False, **options)  # noqa: S603
            child = cast("subprocess.Popen[bytes]", started)
        except OSError as error:
            raise NotRun(command[0], error) from error
        running.append(child)
        for number in early:
            child.send_signal(number)
        yield child


@contextmanager
def _received(receive: Callable[[int], None]) -> Generator[None]:
    """Have the signals received instead of acted on, except those that our caller wants ignored."""
    before = {number: signal.getsignal(number) for number in PASSED_ON}
    try:
        for number, handler in before.items():
            if handler != signal.SIG_IGN:
                signal.signal(number, lambda received, _: receive(received))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _in_foreground() -> bool:
    """Tell whether a terminal sends what is typed to our whole process group, and so to the command as well."""
    try:
        terminal = os.open(Path("/dev/tty"), os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)

"""Starting a command so that at no moment it runs unguarded: first the guard and the gate, then the command."""

import os
import select
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from typing import BinaryIO, Final

from stcc.errors import StccError
from stcc.leash import gate, guard
from stcc.leash.group import Group

# A Python of its own each, without anything of the user's: quick, and nothing can get in the way.
_PYTHON: Final = (sys.executable, "-I", "-S")
# It takes a hundredth of a second; a machine that needs this long for it is no place to run anything on time.
_PATIENCE: Final = 10.0
_GOODBYE: Final = 1.0


class Guard:
    """The guard of one group, from here; `fileno` becomes readable when it has ended, which it does not by itself."""

    def __init__(self, orders: BinaryIO, ready: BinaryIO, process: "subprocess.Popen[bytes]") -> None:
        self._orders = orders
        self._ready = ready
        self._process = process

    def fileno(self) -> int:
        return self._ready.fileno()

    def tell(self, group: Group, left: float | None) -> None:
        """Have the group killed in `left` seconds from now, if nothing else is told before; None: not by time.

        A guard that has ended, or was dismissed, is told nothing; see `fileno`.
        """
        moment = "inf" if left is None else repr(guard.now() + left)
        self._write(f"{group.number} {moment}\n".encode())

    def wait_until_ready(self) -> None:
        """Return when it has understood what it was told first; raise StccError when it does not."""
        answers = select.poll()
        answers.register(self._ready, select.POLLIN)
        if not answers.poll(_PATIENCE * 1000) or not self._ready.read(1):
            raise StccError("the process that is to guard the command did not start")

    def dismiss(self) -> None:
        """End it: nothing of the group lives."""
        self._write(b"done\n")
        self._orders.close()
        self._ready.close()
        try:
            self._process.wait(_GOODBYE)
        except subprocess.TimeoutExpired:  # somebody has stopped it
            self._process.kill()
            self._process.wait()

    def _write(self, line: bytes) -> None:
        with suppress(BrokenPipeError):
            if not self._orders.closed:
                self._orders.write(line)


def start_guard() -> Guard:
    """Start a guard, which holds nothing of ours but its pipes: no terminal, no stream, no directory."""
    (told, orders), (ready, ack) = os.pipe(), os.pipe()
    os.set_blocking(orders, False)  # a guard that somebody has stopped must not stop us
    ours = os.fdopen(orders, "wb", buffering=0), os.fdopen(ready, "rb", buffering=0)
    with os.fdopen(told, "rb"), os.fdopen(ack, "wb"):
        try:
            process = subprocess.Popen(  # noqa: S603
                [*_PYTHON, guard.__file__, str(told), str(ack)],
                pass_fds=(told, ack),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                cwd="/",
            )
        except OSError:
            for pipe in ours:
                pipe.close()
            raise
    return Guard(*ours, process)


class Gate:
    """A process that will be the command, from here."""

    def __init__(self, order: BinaryIO, errors: BinaryIO, group: Group) -> None:
        self.group = group
        self._order = order
        self._errors = errors

    def open(self, command: Sequence[str], *, environment: Mapping[str, str], blocked: set[int]) -> OSError | None:
        """Let it become the command, with these signals blocked; return the error when that cannot be run."""
        with suppress(BrokenPipeError), closing(self._order):  # a signal may have ended it already
            self._order.write(gate.order(list(command), dict(environment), sorted(blocked)))
        failed = self._errors.read()
        return OSError(int(failed), os.strerror(int(failed))) if failed else None


@contextmanager
def start_gate(environment: Mapping[str, str]) -> Generator[Gate]:
    """Start the process that will be the command, in a group of its own, with our streams.

    At the end of the block nothing of that group lives; if the gate has not been opened by then, the command never ran.
    """
    (told, order), (errors, failed) = os.pipe(), os.pipe()
    with os.fdopen(order, "wb") as writing, os.fdopen(errors, "rb") as reading:
        with os.fdopen(told, "rb"), os.fdopen(failed, "wb"):
            for descriptor in (told, failed):
                os.set_inheritable(descriptor, True)  # noqa: FBT003
            arguments = [*_PYTHON, gate.__file__, str(told), str(failed)]
            # Files that our caller left open for us to inherit are meant for the command.
            leader = subprocess.Popen(arguments, close_fds=False, process_group=0, env=environment)  # noqa: S603
        group = Group(leader)
        try:
            yield Gate(writing, reading, group)
        finally:
            group.close()

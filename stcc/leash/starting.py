"""Starting a command so that at no moment it runs unguarded: first the guard and the gate, then the command."""

import os
import select
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from io import FileIO
from typing import BinaryIO, Final

from stcc.errors import StccError
from stcc.leash import gate, guard
from stcc.leash.group import Group

# A Python of its own each, without anything of the user's: quick, and nothing can get in the way.
_PYTHON: Final = (sys.executable, "-I", "-S")
# It takes a hundredth of a second; a machine that needs this long for it is no place to run anything on time.
_PATIENCE: Final = 10.0
_GOODBYE: Final = 1.0
# How long one that replaces another may take for it: it is left alone that long, while nobody else guards.
_START: Final = 3.0
# It is asked whether it is there after so many times the patience that an answer is waited for.
_ASKED_EVERY: Final = 2
# An answer is waited for in so many looks at least: a single long one says more about us than about the guard.
_LOOKS: Final = 4


class Guard:
    """The guard of one group, from here; `fileno` becomes readable when there is news for `check`.

    `patience` is how many seconds it may leave an order unanswered.
    """

    def __init__(self, orders: FileIO, ready: FileIO, process: "subprocess.Popen[bytes]", *, patience: float) -> None:
        self._orders = orders
        self._ready = ready
        self._process = process
        self._patience = patience
        self._order = b""
        self._sent = self._answered = 0
        self._asked = self._looked = guard.now()
        self._silence = 0.0
        self._has_ended = False

    def fileno(self) -> int:
        return self._ready.fileno()

    def tell(self, group: Group, left: float | None) -> None:
        """Have the group killed in `left` seconds from now, if nothing else is told before; None: not by time.

        A guard that has ended, or was dismissed, is told nothing; see `check`.
        """
        moment = "inf" if left is None else repr(guard.now() + left)
        self.pass_on(f"{group.number} {moment}\n".encode())

    def pass_on(self, order: bytes) -> None:
        """Give it an order that was made for another one."""
        self._order = order
        self._ask()

    def wait_until_ready(self) -> None:
        """Return when it has understood what it was told first; raise StccError when it does not."""
        answers = select.poll()
        answers.register(self._ready, select.POLLIN)
        if not answers.poll(_PATIENCE * 1000) or not self.check():
            raise _not_started()

    def check(self) -> bool:
        """Take in its answers, and ask it now and then; False when it has ended, or answers no more: `replace` it.

        Nothing is waited for: call it when there is news, and every `pause`. Time in which nobody called it, because
        we or the whole machine were stopped, counts as one look, so that the guard has its time to answer after that.
        """
        if self._ready.closed:
            return True
        answers, now = self._ready.read(4096), guard.now()  # None: there are none; b"": it has ended
        if answers:
            self._answered += len(answers)
            self._silence = 0
        elif self._owes_an_answer:
            self._silence += min(now - self._looked, self._patience_now / _LOOKS)
        elif now >= self._asked + self._patience * _ASKED_EVERY:
            self._ask()
        self._looked = now
        self._has_ended = answers == b""
        return not self._has_ended and self._silence < self._patience_now

    @property
    def pause(self) -> float:
        """How many seconds there is nothing to check without news."""
        look = self._patience_now / _LOOKS
        next_time = self._asked + self._patience * _ASKED_EVERY
        return look if self._owes_an_answer else max(next_time - guard.now(), look)

    def replace(self) -> "Guard":
        """Kill it, and return another that was told the same; raise OSError, or StccError if it ended at its start.

        It cannot do anything any more when its pipe is closed, also when it had only been stopped.
        """
        self._kill()
        if self._has_ended and not self._answered:  # the next one would do the same
            raise _not_started()
        another = start_guard(patience=self._patience)
        another.pass_on(self._order)
        return another

    def dismiss(self) -> None:
        """End it: nothing of the group lives."""
        self._write(b"done\n")
        self._close()
        try:
            self._process.wait(_GOODBYE)
        except subprocess.TimeoutExpired:  # somebody has stopped it
            self._kill()

    @property
    def _owes_an_answer(self) -> bool:
        return self._answered < self._sent

    @property
    def _patience_now(self) -> float:
        return self._patience if self._answered else max(self._patience, _START)

    def _ask(self) -> None:
        """Send the order, which is answered however often it comes."""
        self._asked = guard.now()
        if not self._owes_an_answer:
            self._looked = self._asked
        self._sent += self._write(self._order)

    def _write(self, line: bytes) -> bool:
        """Send a line, whole or not at all: it is no longer than a pipe takes at once."""
        try:
            return not self._orders.closed and bool(self._orders.write(line))
        except BrokenPipeError:
            return False

    def _kill(self) -> None:
        self._process.kill()  # ends one that is stopped as well
        with suppress(subprocess.TimeoutExpired):  # it is frozen, and ends without doing anything when it is not
            self._process.wait(_GOODBYE / 10)
        self._close()

    def _close(self) -> None:
        self._orders.close()
        self._ready.close()


def _not_started() -> StccError:
    return StccError("the process that is to guard the command did not start")


def start_guard(*, patience: float) -> Guard:
    """Start a guard, which holds nothing of ours but its pipes: no terminal, no stream, no directory."""
    (told, orders), (ready, ack) = os.pipe(), os.pipe()
    for pipe in (orders, ready, ack):  # a guard that somebody has stopped must not stop us, nor we the guard
        os.set_blocking(pipe, False)
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
            for file in ours:
                file.close()
            raise
    return Guard(*ours, process, patience=patience)


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

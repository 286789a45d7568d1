"""The terminal we were started from, if any, whose foreground goes to the command and comes back."""

import contextlib
import os
import signal
import termios
from collections.abc import Callable, Generator
from typing import Any, Final

from stcc.leash.group import Group
from stcc.leash.inbox import blocked

_TYPED: Final = frozenset({signal.SIGINT, signal.SIGQUIT})
_ASKS_FOR_IT: Final = frozenset({signal.SIGTTIN, signal.SIGTTOU})


class Terminal:
    """What is typed goes to one process group, the foreground: ours, or the command's while it runs.

    The command gets it at once when it talks to the terminal and nothing else, or else when it asks for it: in a
    pipeline there are others with us, a pager for one, which reading a key would stop.
    """

    def __init__(self, descriptor: int | None, group: Group) -> None:
        self._descriptor = descriptor
        self._group = group
        self._alone = os.isatty(0) and os.isatty(1)
        self._attributes: list[Any] | None = None
        self._was_given = False

    def give(self, *, asked: bool = False) -> bool:
        """Hand the foreground over, if it is ours; tell whether that was done."""
        return (asked or self._alone) and self._move(os.getpgrp(), self._group.number)

    def take(self) -> None:
        """Take the foreground back, if it is the command's."""
        self._was_given = self._move(self._group.number, os.getpgrp()) or self._was_given

    def follow(self, by: int, *, tell: Callable[[], None]) -> None:
        """Do as the command does, which signal `by` has stopped: give it the terminal if it wants that, or stop too.

        Then it goes on when we do. `tell` is called before we stop.
        """
        if self._descriptor is None:
            return
        if by in _ASKS_FOR_IT and self.give(asked=True):
            self._group.tell(signal.SIGCONT)
            return
        self.take()
        tell()
        _stop_all_of_us()
        if by in _ASKS_FOR_IT:
            return  # it goes on when the signal that continued us is passed on, so not if nobody could stop us
        self.give()
        self._group.tell(signal.SIGCONT)

    def restore(self, number: int) -> None:
        """Do what the command, ended by this signal, could not do, and what the terminal did not do for us."""
        if self._descriptor is None or not self._was_given:
            return
        if self._attributes is not None:
            with contextlib.suppress(termios.error), blocked({signal.SIGTTOU}):
                termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._attributes)
        if number in _TYPED:  # a script that runs us is to hear it too
            os.killpg(os.getpgrp(), number)

    def _move(self, owner: int, heir: int) -> bool:
        if self._descriptor is None:
            return False
        with contextlib.suppress(OSError, termios.error), blocked({signal.SIGTTOU}):
            if os.tcgetpgrp(self._descriptor) == owner:
                self._attributes = self._attributes or termios.tcgetattr(self._descriptor)
                os.tcsetpgrp(self._descriptor, heir)
                return True
        return False


@contextlib.contextmanager
def opened(group: Group) -> Generator[Terminal]:
    """Open the terminal that controls this process; where there is none, nothing is moved and nobody follows."""
    try:
        descriptor = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        yield Terminal(None, group)
        return
    try:
        yield Terminal(descriptor, group)
    finally:
        os.close(descriptor)


def _stop_all_of_us() -> None:
    """Stop our whole group as Ctrl-Z does, and return when somebody continues us.

    Where there is nobody who could, the system lets us go on at once.
    """
    before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    try:
        os.killpg(os.getpgrp(), signal.SIGTSTP)
    finally:
        signal.signal(signal.SIGTSTP, before)

"""Signals that wait to be read, instead of acting where they hit."""

import os
import signal
from collections.abc import Generator, Iterable
from contextlib import contextmanager


class Inbox:
    """The signals that have come; `fileno` is readable when there are some."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor

    def read(self) -> list[int]:
        """Return the signals that have come since the last call, in order; none when there are none."""
        try:
            return list(os.read(self._descriptor, 4096))
        except BlockingIOError:
            return []


@contextmanager
def receiving(numbers: Iterable[int]) -> Generator[Inbox]:
    """Have signals put into an inbox, except those that our caller wants ignored; for the main thread only.

    SIGCHLD comes too, whatever our caller does with it: without a handler, the ends of children could be lost.
    """
    handlers = {number: signal.getsignal(number) for number in numbers}
    mine = {number: handler for number, handler in handlers.items() if handler != signal.SIG_IGN}
    mine[signal.SIGCHLD] = signal.getsignal(signal.SIGCHLD)
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        for number in mine:
            signal.signal(number, _noted)
        yield Inbox(reading)
    finally:
        for number, handler in mine.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(before)
        os.close(reading)
        os.close(writing)


@contextmanager
def blocked(numbers: Iterable[int]) -> Generator[set[int]]:
    """Have signals wait, in this thread and in what it starts; yield what was blocked before."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield {int(number) for number in before}
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _noted(number: int, frame: object) -> None:
    """Do nothing: the interpreter itself has written the number to the inbox."""

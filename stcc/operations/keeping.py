"""Keeping what is held: it is renewed early enough, often enough, and never when it may be somebody else's already."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from typing import Final, NamedTuple, Protocol

from stcc.errors import StccError
from stcc.operations.waiting import Clock

# How often to look after a hold that needs no renewal: others can still end it.
CHECK_EVERY: Final = 10.0
# Waiting does not go on while the machine is suspended, the clock does: compare them this often.
TICK: Final = 1.0


class Kept(NamedTuple):
    """What an answered renewal says.

    `deadline` is the clock value until which it is ours for sure, counted from before the request; None: no end.
    """

    deadline: float | None


class Lost(NamedTuple):
    """A definite loss, in words for an operator."""

    why: str


class Missed(NamedTuple):
    """No answer came, and why: it may work the next time."""

    why: str


class Hold(Protocol):
    """What is held while a command runs."""

    @property
    def target(self) -> str:
        """What it is, in the user's words."""
        ...

    @property
    def ttl(self) -> float | None:
        """How many seconds a grant lasts; None: for ever, and `renew` only looks whether it is still held."""
        ...

    def renew(self) -> Kept | Lost:
        """Ask for a whole ttl more; raise StccError when no answer came."""
        ...


Answer = Kept | Lost | Missed


def keep(
    hold: Hold, granted: Kept, *, clock: Clock, pause: Callable[[float], bool], check_every: float = CHECK_EVERY
) -> Iterator[Answer]:
    """Renew when it is time, and yield each answer; end after a loss, or when the next renewal would be too late.

    The first renewal comes after a third of the ttl. After a failure the next one comes after a sixth of it, then
    sooner each time. `pause` lets time pass up to a clock value; False ends it.
    """
    deadline, failures = granted.deadline, 0
    due = _next(hold, deadline, check_every, now=clock.monotonic())
    while (deadline is None or due < deadline) and pause(due):
        if deadline is not None and clock.monotonic() >= deadline:  # the pause was longer than it was to be
            return
        answer = _renewed(hold)
        yield answer
        now = clock.monotonic()
        match answer:
            case Lost():
                return
            case Missed():
                due = now + _pause_after(failures, hold.ttl, check_every)
                failures += 1
            case Kept(deadline):
                failures = 0
                # Not at once, even when little time is left: an answer that grants less than was asked for changes
                # nothing by being repeated.
                due = max(_next(hold, deadline, check_every, now=now), now + _shortest(hold.ttl, check_every))


def _next(hold: Hold, deadline: float | None, check_every: float, *, now: float) -> float:
    """Return when to renew what has just been granted."""
    if hold.ttl is None or deadline is None:
        return now + check_every
    return max(now, deadline - hold.ttl * 2 / 3)


def _pause_after(failures: int, ttl: float | None, check_every: float) -> float:
    if ttl is None:
        return check_every
    halved: float = ttl / 6 / 2 ** min(failures, 30)
    return max(halved, _shortest(ttl, check_every))


def _shortest(ttl: float | None, check_every: float) -> float:
    return check_every if ttl is None else min(1.0, ttl / 12)


def _renewed(hold: Hold) -> Answer:
    try:
        return hold.renew()
    except StccError as error:
        return Missed(error.message)
    except Exception as error:  # noqa: BLE001  # the edge of a thread: an end of it here would be noticed by nobody
        return Missed(f"a bug in stcc: {type(error).__name__}: {error}")


class Keeper:
    """A thread that keeps a hold, so that a renewal without an answer delays nothing else.

    `fileno` becomes readable when there are answers.
    """

    def __init__(self, hold: Hold, granted: Kept, *, clock: Clock) -> None:
        self._clock = clock
        self._answers: SimpleQueue[Answer] = SimpleQueue()
        self._readable, self._written = os.pipe()
        self._stopped = threading.Event()
        steps = keep(hold, granted, clock=clock, pause=self._pause)
        self._thread = threading.Thread(target=self._drive, args=(steps,), name="keeper", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def fileno(self) -> int:
        return self._readable

    def answers(self) -> list[Answer]:
        """Return what has come since the last call; call it when `fileno` is readable."""
        os.read(self._readable, 4096)
        return self._waiting()

    def stop(self) -> None:
        """Begin no other renewal."""
        self._stopped.set()

    def end(self, *, wait: float) -> tuple[list[Answer], bool]:
        """Stop, and return the last answers, and whether a renewal is still under way after this wait."""
        self.stop()
        if self._thread.ident is not None:  # it may not have been started
            self._thread.join(max(wait, 0))
        under_way = self._thread.is_alive()
        if not under_way:  # else it will still write
            os.close(self._readable)
            os.close(self._written)
        return self._waiting(), under_way

    def _waiting(self) -> list[Answer]:
        answers: list[Answer] = []
        while True:
            try:
                answers.append(self._answers.get_nowait())
            except Empty:
                return answers

    def _drive(self, steps: Iterator[Answer]) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # they are for the main thread
        for answer in steps:
            self._answers.put(answer)
            os.write(self._written, b".")

    def _pause(self, until: float) -> bool:
        while (left := until - self._clock.monotonic()) > 0:
            if self._stopped.wait(min(left, TICK)):
                break
        return not self._stopped.is_set()

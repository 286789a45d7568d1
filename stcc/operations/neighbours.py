"""Runs of one user on one host queue at a file of their own: a hand-over there needs no service and takes no time.

Whoever holds the real lock holds the file, too, while it runs. The file decides nothing, and nobody relies on it:
who waits asks the service as often as a stranger does, and sooner only when the file becomes free.
"""

import contextlib
import fcntl
import os
from pathlib import Path
from typing import Final

from stcc.operations.turns import opened
from stcc.operations.waiting import Clock

_TICK: Final = 0.02


class Neighbours:
    """The file of one name, which others may share with it."""

    def __init__(self, directory: Path, name: str, *, clock: Clock) -> None:
        self._descriptor = opened(directory, name)
        self._clock = clock
        self._ours = False

    def nap(self, seconds: float, /) -> None:
        """Let so much time pass, or less: until the neighbour before us has left the file to us."""
        if self._ours or self._descriptor is None:
            self._clock.sleep(seconds)
            return
        until = self._clock.monotonic() + seconds
        while not self.take() and (rest := until - self._clock.monotonic()) > 0:
            self._clock.sleep(min(_TICK, rest))

    def take(self) -> bool:
        """Take the file, if nobody has it."""
        if self._descriptor is not None and not self._ours:
            with contextlib.suppress(OSError):
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._ours = True
        return self._ours

    def close(self) -> None:
        """Let the next one have the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

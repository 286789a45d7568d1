"""Runs of one user on one host queue at a file of their own: a hand-over there needs no service and takes no time.

Whoever holds the real lock holds the file, too, while it runs. The file decides nothing: who has it still has
to get the lock, and who cannot get it in time asks the service like a stranger.
"""

import contextlib
import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, Generic, TypeVar

from stcc.operations.turns import opened
from stcc.operations.waiting import Clock

S = TypeVar("S")
_TICK: Final = 0.02
# A hold without an end is looked at this often, in case it is broken.
_ANYWAY: Final = 5.0


class Neighbours(Generic[S]):
    """The file of one name; `left` says how long a state, once read, may last, and `wait` how a stranger waits."""

    def __init__(
        self,
        directory: Path,
        name: str,
        *,
        clock: Clock,
        left: Callable[[S], float | None],
        wait: Callable[[S, float], None],
    ) -> None:
        self._descriptor = opened(directory, name)
        self._clock = clock
        self._left = left
        self._wait = wait
        self._ours = False

    def pause(self, state: S, limit: float) -> None:
        """Wait for the neighbour who has the file, no longer than the hold that was read can last."""
        left = self._left(state)
        # Who has the file has no neighbour before it; one that has it longer than the lock is stopped, or stuck.
        if self._ours or self._descriptor is None or (left is not None and left <= _TICK):
            self._wait(state, limit)
            return
        until = self._clock.monotonic() + min(limit, _ANYWAY if left is None else left)
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

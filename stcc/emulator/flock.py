"""One process at a time: a lock on a file, which the kernel drops when its holder dies."""

import fcntl
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from stcc.errors import Local


@contextmanager
def exclusive(path: Path, *, waiting: Callable[[], None]) -> Generator[int]:
    """Hold the lock, and say `waiting` once when another process has it; yield its descriptor.

    A child that inherits the descriptor keeps the lock until it ends as well.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = path.open("ab")
    except OSError as error:
        raise Local(f"{path.parent} cannot be written: {error.strerror}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()

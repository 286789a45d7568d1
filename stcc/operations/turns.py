"""Processes of one user on one host take turns: a courtesy that spares them collisions, never what keeps data safe."""

import contextlib
import fcntl
import hashlib
import os
import time
from collections.abc import Generator
from pathlib import Path
from typing import Final

# Whoever takes longer than this is not waited for.
PATIENCE: Final = 3.0
_TICK: Final = 0.004
_FILES: Final = 256


@contextlib.contextmanager
def turn(directory: Path, name: str, *, patience: float = PATIENCE) -> Generator[bool]:
    """Hold the turn for a name, or go on without it when it cannot be had in time; yield which of the two it is."""
    descriptor = opened(directory, name)
    try:
        yield descriptor is not None and _taken(descriptor, patience)
    finally:
        if descriptor is not None:
            os.close(descriptor)


def opened(directory: Path, name: str) -> int | None:
    """Open one of a few files, chosen by the name; they are never removed, so they must not become many.

    None where none can be opened: what they are for is a courtesy.
    """
    number = hashlib.sha256(name.encode()).digest()[0] % _FILES
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(directory / f"turn-{number:02x}.lock", flags, 0o600)
    except OSError:
        return None


def _taken(descriptor: int, patience: float) -> bool:
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(_TICK)
        except OSError:
            return False
        else:
            return True

"""A download that goes on where it was interrupted.

What has come so far is kept beside the destination under a name that says of
which state of which blob it is. Behind the bytes is one more for each range:
1 when the range is complete and on the disk. It is written only after the
range itself has been flushed, so it can be believed after a crash, too.
"""

import contextlib
import fcntl
import hashlib
import os
import stat
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Final

from stcc import files
from stcc.errors import Unavailable

_SUFFIX: Final = ".stcc-part"
# So many ranges are flushed together: one at a time would wait for the disk as often as for the network.
_TOGETHER: Final = 4


class Partial(files.Draft):
    """A draft that stays when it is not kept; `ranges` are the ranges that it is filled with."""

    def __init__(self, descriptor: int, *, ranges: range) -> None:
        super().__init__(descriptor)
        self._ranges = ranges
        self._unmarked: list[int] = []
        flags = os.pread(descriptor, len(ranges), ranges.stop)
        self.finished = frozenset(offset for offset, flag in zip(ranges, flags, strict=False) if flag == 1)

    def finish(self, offset: int, /) -> None:
        """Hear that a range is complete, and remember so together with the next few."""
        self._unmarked.append(offset)
        if len(self._unmarked) == _TOGETHER:
            self.remember()

    def remember(self) -> int:
        """Flush what is complete, mark it, and return how many bytes are kept by now."""
        os.fsync(self._descriptor)
        for offset in self._unmarked:
            os.pwrite(self._descriptor, b"\1", self._ranges.stop + self._ranges.index(offset))
        self.finished |= {*self._unmarked}
        self._unmarked.clear()
        return sum(min(self._ranges.step, self._ranges.stop - offset) for offset in self.finished)


@contextlib.contextmanager
def resuming(path: Path, *, identity: str, ranges: range, tell: Callable[[str], None]) -> Generator[files.Draft]:
    """Open the file beside `path` that an interrupted download of the same thing left, or a new one.

    `identity` names the thing and its state; what is there of another state is removed. `ranges` are where its
    ranges begin, up to its size. `tell` hears what is kept. While somebody else is at work on the same file, or
    it cannot be trusted, as `files.replacing`.
    """
    path = Path(os.path.realpath(path))
    name = path.with_name(f".{path.name[:64]}.{hashlib.sha256(identity.encode()).hexdigest()[:16]}{_SUFFIX}")
    try:
        descriptor = _opened(name)
        if descriptor is None:
            with files.replacing(path) as draft:
                yield draft
            return
        draft = Partial(descriptor, ranges=ranges)
        if draft.finished:
            tell(f"going on with {name}, where {draft.remember()} of {ranges.stop} bytes are already")
        _remove_others(path, name)
        with _kept(draft, name, size=ranges.stop, tell=tell):
            yield draft
            if draft.size is not None:
                files.put_in_place(draft, name, path)
    except OSError as error:
        raise files.unwritable(path, error) from error


@contextlib.contextmanager
def _kept(draft: Partial, name: Path, *, size: int, tell: Callable[[str], None]) -> Generator[None]:
    """Keep what has come when the download is interrupted; a refusal or a full disk leaves nothing."""
    try:
        yield
        if draft.size is None:
            name.unlink(missing_ok=True)
    except (KeyboardInterrupt, Unavailable):
        if kept := draft.remember():
            tell(f"{kept} of {size} bytes are kept in {name}; the same command goes on from there")
        else:
            name.unlink(missing_ok=True)
        raise
    except BaseException:
        name.unlink(missing_ok=True)
        raise
    finally:
        draft.close()


def _opened(name: Path) -> int | None:
    """Open and lock the file, made if need be; None if it is somebody else's, or no plain file."""
    try:
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        facts, there = os.fstat(descriptor), name.lstat()
    except OSError:
        os.close(descriptor)
        return None
    ours = stat.S_ISREG(facts.st_mode) and facts.st_uid == os.geteuid() and facts.st_nlink == 1
    if not ours or (facts.st_ino, facts.st_dev) != (there.st_ino, there.st_dev) or facts.st_mode & 0o077:
        os.close(descriptor)
        return None
    return descriptor


def _remove_others(path: Path, name: Path) -> None:
    """Remove what is left of other states of what goes to the same place, unless somebody is at work on it."""
    for other in _siblings(path):
        if other != name and (descriptor := _opened(other)) is not None:
            other.unlink(missing_ok=True)
            os.close(descriptor)


def _siblings(path: Path) -> Iterator[Path]:
    start = f".{path.name[:64]}."
    for one in path.parent.iterdir():
        middle = one.name.removeprefix(start).removesuffix(_SUFFIX)
        if one.name == f"{start}{middle}{_SUFFIX}" and len(middle) == 16 and middle.isalnum():
            yield one

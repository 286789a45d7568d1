"""Local files: read as they are, and never harmed by a download that fails."""

import contextlib
import os
import stat
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from stcc.errors import Local, Usage

_AT_ONCE: Final = 1024 * 1024


class Readable(Protocol):
    """A stream of bytes; it comes to its end when it gives fewer than it was asked for."""

    def read(self, size: int = -1, /) -> bytes: ...


class Source:
    """Bytes from a file or a stream; a failure to read is `Local`."""

    def __init__(self, stream: Readable, *, name: str, size: int | None) -> None:
        self._stream = stream
        self._name = name
        self.size = size

    def read(self, size: int, /) -> bytes:
        """Return as many bytes as asked for, fewer only at the end."""
        try:
            return self._stream.read(size)
        except (OSError, ValueError) as error:
            raise Local(f"{self._name} cannot be read: {why(error)}") from error


class _Still(Source):
    """A regular file that must be at its end as it was at its beginning: half old and half new is neither."""

    def __init__(self, stream: BinaryIO, *, name: str, facts: os.stat_result) -> None:
        super().__init__(stream, name=name, size=facts.st_size)
        self._descriptor = stream.fileno()
        self._facts = facts

    def read(self, size: int, /) -> bytes:
        data = super().read(size)
        if len(data) < size:
            now = os.fstat(self._descriptor)
            if (now.st_size, now.st_mtime_ns) != (self._facts.st_size, self._facts.st_mtime_ns):
                raise Local(
                    f"{self._name} was changed while it was read; nothing was sent for good",
                    hint="try again; what only grows, as a log does, can be sent through a pipe",
                )
        return data


Opened = contextlib.AbstractContextManager[Source]


def already_open(stream: Readable, *, name: str) -> Opened:
    """Return a stream that somebody else opened and will close."""
    return contextlib.nullcontext(Source(stream, name=name, size=None))


@contextlib.contextmanager
def reading(name: str) -> Generator[Source]:
    """Open a file to be sent; `Usage` when it cannot be opened or is a directory."""
    try:
        stream = Path(name).open("rb")  # noqa: SIM115  # closed below
    except (OSError, ValueError) as error:
        raise Usage(f"the source cannot be read: {name!r}", hint=why(error)) from error
    with stream:
        facts = os.fstat(stream.fileno())
        if stat.S_ISREG(facts.st_mode):
            yield _Still(stream, name=repr(name), facts=facts)
        else:
            yield Source(stream, name=repr(name), size=None)


def destination(name: str | None, blob: str, *, force: bool) -> Path:
    """Return the file that a blob goes to: the last segment of its name in the current folder, or in a directory.

    `Usage` when the file exists and `force` was not said, or when the last segment cannot be a file's name. A link
    that leads nowhere exists: where it leads may be somebody else's choice.
    """
    path = Path(name if name is not None else ".")
    if not str(name if name is not None else ".").strip():
        raise Usage("the destination is empty", hint="is the variable set?")
    try:
        if path.is_dir():
            path /= _last_segment(blob)
        elif name is not None and name.endswith("/"):
            raise Usage(f"no such directory: {name!r}")
        leads_nowhere = path.is_symlink() and not path.exists()
        if path.is_dir() or ((path.is_file() or leads_nowhere) and not force):
            raise Usage(f"the destination exists: {str(path)!r}", hint="--force overwrites it")
        if not path.parent.is_dir():
            raise Usage(f"no such directory: {str(path.parent)!r}")
    except (OSError, ValueError) as error:
        raise Usage(f"not a destination: {str(path)!r}", hint=why(error)) from error
    return path


def _last_segment(blob: str) -> str:
    segment = blob.rsplit("/", 1)[-1]
    if segment in {"", ".", ".."} or "\0" in segment:
        raise Usage(f"the blob's name ends in no file name: {blob!r}", hint="name the destination")
    return segment


class Draft:
    """A file that is being written, at any place, by several threads; it takes the place of the old one if it is kept.

    `finished` is where the ranges begin that are there from an earlier time.
    """

    def __init__(self, descriptor: int) -> None:
        self.finished: frozenset[int] = frozenset()
        self.size: int | None = None
        self._descriptor = descriptor
        self._open = threading.Lock()
        self._closed = False

    def write(self, data: bytes, offset: int, /) -> None:
        """Write bytes to their place; after the end, they have nowhere to go."""
        with self._open:  # or a thread that nobody waits for would write into a file that is opened later
            view = memoryview(data)
            while view and not self._closed:
                written = os.pwrite(self._descriptor, view, offset)
                view, offset = view[written:], offset + written

    def finish(self, offset: int, /) -> None:
        """Hear that the range that begins here is complete."""

    def md5(self, size: int, /, *, ready: Callable[[], int]) -> bytes:
        """Return the MD5 of the first bytes; `ready` says how many of them are there, and waits for more."""
        import hashlib

        digest, done = hashlib.md5(usedforsecurity=False), 0
        while done < size:
            until = ready()
            while done < until:
                data = os.pread(self._descriptor, min(_AT_ONCE, until - done), done)
                digest.update(data)
                done += len(data)
        return digest.digest()

    def keep(self, size: int) -> None:
        """Say that everything was written, and how much that is."""
        self.size = size

    def complete(self) -> None:
        """Check the size of what was written, and see it safely on the disk."""
        os.ftruncate(self._descriptor, self.size or 0)
        os.fsync(self._descriptor)

    def close(self) -> None:
        """Let nothing more be written."""
        with self._open:
            self._closed = True
        os.close(self._descriptor)


@contextlib.contextmanager
def replacing(path: Path) -> Generator[Draft]:
    """Open a file beside `path` that takes its place when it is kept: flushed, and renamed.

    Whatever goes wrong leaves the old file alone. `Local` for every failure of the file system.
    """
    path = Path(os.path.realpath(path))
    try:
        with _temporary(path) as (draft, name):
            yield draft
            if draft.size is not None:
                put_in_place(draft, name, path)
    except OSError as error:
        raise unwritable(path, error) from error


@contextlib.contextmanager
def pouring(path: Path) -> Generator[Callable[[bytes], object]]:
    """Open what is no regular file, a pipe or a device, to be written in order; `Local` for every failure."""
    try:
        with path.open("ab") as file:  # /dev/stdout may be a file, and there may be something in it
            yield file.write
    except OSError as error:
        raise unwritable(path, error) from error


def write(path: Path, data: bytes) -> None:
    """Write a small file as a whole, or leave the old one; what is no regular file is written to."""
    if not has_places(path):
        with pouring(path) as pour:
            pour(data)
        return
    with replacing(path) as draft:
        draft.write(data, 0)
        draft.keep(len(data))


def remove(path: Path) -> None:
    """Remove a regular file, if it is there, and nothing else; `Local` when it stays."""
    try:
        if has_places(path):
            Path(os.path.realpath(path)).unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(path, error) from error


def has_places(path: Path) -> bool:
    """Tell whether bytes have places in it: a regular file, or one that is still to be made.

    What is in /dev is not ours to replace, whatever it leads to.
    """
    return not path.exists() or (path.is_file() and not path.is_relative_to("/dev"))


def put_in_place(draft: Draft, name: Path, path: Path) -> None:
    """Give a complete file the name and the mode of the one that it replaces."""
    if name.stat().st_size < (draft.size or 0):
        raise OSError("not all of it was written")
    draft.complete()
    name.chmod(_mode(path))
    name.replace(path)
    _sync_directory(path.parent)


def unwritable(path: Path, error: OSError) -> Local:
    return Local(f"{str(path)!r} cannot be written: {why(error)}")


@contextlib.contextmanager
def _temporary(path: Path) -> Generator[tuple[Draft, Path]]:
    import tempfile

    descriptor, created = tempfile.mkstemp(prefix=f".{path.name[:64]}.", suffix=".stcc", dir=path.parent)
    draft, name = Draft(descriptor), Path(created)
    try:
        yield draft, name
    finally:
        draft.close()
        name.unlink(missing_ok=True)


def _mode(path: Path) -> int:
    """Return the mode of the file that is replaced, or what the umask leaves of a new one."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    umask = os.umask(0o077)
    os.umask(umask)
    return 0o666 & ~umask


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def why(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()

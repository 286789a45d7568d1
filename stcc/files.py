"""Local files: read as they are, and never harmed by a download that fails."""

import contextlib
import os
import stat
from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO

from stcc.errors import Local, Usage


class Source:
    """Bytes from a file or a stream; a failure to read is `Local`."""

    def __init__(self, stream: BinaryIO, *, name: str, size: int | None) -> None:
        self._stream = stream
        self._name = name
        self.size = size

    def read(self, size: int, /) -> bytes:
        """Return as many bytes as asked for, fewer only at the end."""
        try:
            return self._stream.read(size)
        except (OSError, ValueError) as error:
            raise Local(f"{self._name} cannot be read: {_why(error)}") from error


Opened = contextlib.AbstractContextManager[Source]


def already_open(stream: BinaryIO, *, name: str) -> Opened:
    """Return a stream that somebody else opened and will close."""
    return contextlib.nullcontext(Source(stream, name=name, size=None))


@contextlib.contextmanager
def reading(name: str) -> Generator[Source]:
    """Open a file to be sent; `Usage` when it cannot be opened or is a directory."""
    try:
        stream = Path(name).open("rb")  # noqa: SIM115  # closed below
    except (OSError, ValueError) as error:
        raise Usage(f"the source cannot be read: {name!r}", hint=_why(error)) from error
    with stream:
        facts = os.fstat(stream.fileno())
        yield Source(stream, name=repr(name), size=facts.st_size if stat.S_ISREG(facts.st_mode) else None)


def destination(name: str | None, blob: str, *, force: bool) -> Path:
    """Return the file that a blob goes to: the last segment of its name in the current folder, or in a directory.

    `Usage` when the file exists and `force` was not said, or when the last segment cannot be a file's name.
    """
    path = Path(name if name is not None else ".")
    if not str(name if name is not None else ".").strip():
        raise Usage("the destination is empty", hint="is the variable set?")
    try:
        if path.is_dir():
            path /= _last_segment(blob)
        elif name is not None and name.endswith("/"):
            raise Usage(f"no such directory: {name!r}")
        if path.is_dir() or (path.exists() and path.is_file() and not force):
            raise Usage(f"the destination exists: {str(path)!r}", hint="--force overwrites it")
        if not path.parent.is_dir():
            raise Usage(f"no such directory: {str(path.parent)!r}")
    except (OSError, ValueError) as error:
        raise Usage(f"not a destination: {str(path)!r}", hint=_why(error)) from error
    return path


def _last_segment(blob: str) -> str:
    segment = blob.rsplit("/", 1)[-1]
    if segment in {"", ".", ".."} or "\0" in segment:
        raise Usage(f"the blob's name ends in no file name: {blob!r}", hint="name the destination")
    return segment


class Draft:
    """A file that is being written; it takes the place of the old one only if it is kept."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.size: int | None = None

    def keep(self, size: int) -> None:
        """Say that everything was written, and how much that is."""
        self.size = size


@contextlib.contextmanager
def replacing(path: Path) -> Generator[Draft]:
    """Open a file beside `path` that takes its place when it is kept: flushed, counted, and renamed.

    Whatever goes wrong leaves the old file alone; what is no regular file (a pipe, /dev/null) is written
    directly. `Local` for every failure of the file system.
    """
    path = Path(os.path.realpath(path))
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as direct:
                yield Draft(direct)
            return
        with _temporary(path) as (descriptor, name):
            # Buffered, because the SDK ignores the short writes of an unbuffered file.
            with os.fdopen(descriptor, "wb") as file:
                draft = Draft(file)
                yield draft
                file.flush()
                _check_size(file, draft.size)
                os.fsync(file.fileno())
            if draft.size is not None:
                name.chmod(_mode(path))
                name.replace(path)
                _sync_directory(path.parent)
    except OSError as error:
        raise Local(f"{str(path)!r} cannot be written: {_why(error)}") from error


@contextlib.contextmanager
def _temporary(path: Path) -> Generator[tuple[int, Path]]:
    import tempfile

    descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:64]}.", suffix=".stcc", dir=path.parent)
    draft = Path(name)
    try:
        yield descriptor, draft
    finally:
        draft.unlink(missing_ok=True)


def _check_size(file: BinaryIO, size: int | None) -> None:
    if size is not None and os.fstat(file.fileno()).st_size != size:
        raise OSError("not all of it was written")


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


def _why(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()

"""The standard streams, from which nothing gets lost unnoticed."""

import io
import os
from typing import TYPE_CHECKING, BinaryIO, TextIO, cast

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Whole(io.RawIOBase):
    """A stream that takes all that it is given, with nothing kept for later.

    One call to the system may take a part (the disk is full after it, the reader goes away, a signal comes), or, of a
    stream that somebody made non-blocking, nothing. `fails`: what is not taken is an `OSError`; else it is dropped.
    """

    def __init__(self, raw: io.FileIO, *, fails: bool) -> None:
        self.name = raw.name
        self._raw = raw
        self._fails = fails

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._raw.isatty()

    def fileno(self) -> int:
        return self._raw.fileno()

    def write(self, data: "ReadableBuffer", /) -> int:
        rest = whole = memoryview(data)
        try:
            while rest:
                rest = rest[self._raw.write(rest) or self._wait() :]
        except OSError:
            if self._fails:
                raise
        return len(whole)

    def _wait(self) -> int:
        """Wait until a non-blocking stream takes something again; return the none that it took now."""
        import select

        ready = select.poll()
        ready.register(self._raw, select.POLLOUT)
        ready.poll()
        return 0


def whole(stream: TextIO | None, *, fails: bool) -> TextIO | None:
    """Return a stream of the process without its buffer, which would lose what it could not write; None if closed."""
    if stream is None:
        return None
    raw = getattr(stream.buffer, "raw", stream.buffer)  # with PYTHONUNBUFFERED there is no buffer
    unbuffered = Whole(cast("io.FileIO", raw), fails=fails)
    return io.TextIOWrapper(unbuffered, stream.encoding, stream.errors, write_through=True)


class Patient:
    """A stream to read from, to which no bytes yet are not the end, though somebody made it non-blocking."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def read(self, size: int = -1, /) -> bytes:
        """Return so many bytes, or all, fewer only at the end."""
        data = self._stream.read(size) or b""  # None where there is nothing yet
        while (size < 0 or len(data) < size) and self._does_not_wait and (more := self._awaited(size - len(data))):
            data += more
        return data

    @property
    def _does_not_wait(self) -> bool:
        try:
            return not os.get_blocking(self._stream.fileno())
        except (OSError, ValueError):  # it is no file of the system's
            return False

    def _awaited(self, size: int) -> bytes:
        """Return the next bytes as soon as there are any; none at the end."""
        import select

        ready = select.poll()
        ready.register(self._stream, select.POLLIN)
        data = None
        while data is None:
            ready.poll()
            data = cast("bytes | None", self._stream.read(max(size, -1)))
        return data

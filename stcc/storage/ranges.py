"""Writing the content of a file: ranges of at most 4 MiB, over a few connections."""

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Final, NamedTuple, Protocol

from stcc.storage.account import CONNECTIONS

RANGE: Final = 4 * 1024 * 1024
# How much room a content of unknown size gets at first; then twice as much each time.
_ROOM: Final = 64 * 1024 * 1024


class Source(Protocol):
    """Where the bytes come from: read to its end, once; `size` is known for a regular file."""

    @property
    def size(self) -> int | None: ...
    def read(self, size: int, /) -> bytes: ...


class Content:
    """A source that is read in ranges; one that fits into a single range is known before it is written."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._first = source.read(RANGE)
        self._second = source.read(RANGE) if len(self._first) == RANGE else b""
        self.is_small = not self._second
        self.size = len(self._first) if self.is_small else source.size

    @property
    def md5(self) -> bytes | None:
        """The hash of a small one; that of a large one is known at its end."""
        return hashlib.md5(self._first, usedforsecurity=False).digest() if self.is_small else None

    def __iter__(self) -> Iterator[bytes]:
        """Yield the ranges in their order, once."""
        first, second, self._first, self._second = self._first, self._second, b"", b""
        yield from (part for part in (first, second) if part)
        while len(second) == RANGE and (part := self._source.read(RANGE)):
            second = part
            yield part


class Written(NamedTuple):
    """What was written: its size, its MD5, and how long the file is by now."""

    size: int
    md5: bytes
    room: int


def write(
    content: Content,
    *,
    room: int,
    put: Callable[[bytes, int], object],
    grow: Callable[[int], object],
    progress: Callable[[int], object],
) -> Written:
    """Write all ranges of a content into a file that is `room` bytes long.

    `put` writes bytes at an offset, from several threads; `grow` makes the file longer; `progress` is told how
    many bytes have arrived.
    """
    digest, size = hashlib.md5(usedforsecurity=False), 0
    flying: set[Future[int]] = set()
    pool = ThreadPoolExecutor(CONNECTIONS)
    try:
        for data in content:
            if size + len(data) > room:
                room = _more_room(size + len(data), room, known=content.size)
                grow(room)
            digest.update(data)
            flying.add(pool.submit(_put, put, data, size))
            size += len(data)
            if len(flying) == CONNECTIONS:
                flying = _landed(flying, progress)
        while flying:
            flying = _landed(flying, progress)
    finally:
        # Whoever ends this early (a refusal, Ctrl-C) does not wait for what is still under way.
        pool.shutdown(wait=False, cancel_futures=True)
    return Written(size, digest.digest(), room)


def _more_room(needed: int, room: int, *, known: int | None) -> int:
    return known if known is not None and known >= needed else max(needed, 2 * room, _ROOM)


def _put(put: Callable[[bytes, int], object], data: bytes, offset: int) -> int:
    put(data, offset)
    return len(data)


def _landed(flying: set[Future[int]], progress: Callable[[int], object]) -> set[Future[int]]:
    """Wait for one range at least and return those still under way; raise what a range met."""
    landed, flying = wait(flying, return_when=FIRST_COMPLETED)
    for one in landed:
        progress(one.result())
    return flying

"""Writing the content of a file: ranges of at most 4 MiB, over a few connections."""

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Final, NamedTuple, Never, Protocol

from stcc.storage.account import CONNECTIONS
from stcc.storage.answers import Rejected

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


def give_up(_: Callable[[], object], rejected: Rejected) -> Never:
    """Take a no for an answer."""
    raise rejected


def write(
    content: Content,
    *,
    room: int,
    put: Callable[[bytes, int], object],
    grow: Callable[[int], object],
    progress: Callable[[int], object],
    insist: Callable[[Callable[[], object], Rejected], object] = give_up,
) -> Written:
    """Write all ranges of a content into a file that is `room` bytes long.

    `put` writes bytes at an offset, from several threads; `grow` makes the file longer; `progress` is told how
    many bytes have arrived. `insist` is asked, in this thread, with a range that was rejected: it puts it after all,
    or raises.
    """
    digest, size = hashlib.md5(usedforsecurity=False), 0
    flying: dict[Future[object], _Range] = {}
    pool = ThreadPoolExecutor(CONNECTIONS)

    def land() -> None:
        """Wait for one range at least; raise what it met."""
        for one in wait(flying, return_when=FIRST_COMPLETED).done:
            arriving = flying.pop(one)
            try:
                one.result()
            except Rejected as rejected:
                insist(partial(put, arriving.data, arriving.offset), rejected)
            progress(len(arriving.data))

    try:
        for data in content:
            if size + len(data) > room:
                room = _more_room(size + len(data), room, known=content.size)
                grow(room)
            digest.update(data)
            flying[pool.submit(put, data, size)] = _Range(data, size)
            size += len(data)
            if len(flying) == CONNECTIONS:
                land()
        while flying:
            land()
    finally:
        # Whoever ends this early (a refusal, Ctrl-C) does not wait for what is still under way.
        pool.shutdown(wait=False, cancel_futures=True)
    return Written(size, digest.digest(), room)


class _Range(NamedTuple):
    data: bytes
    offset: int


def _more_room(needed: int, room: int, *, known: int | None) -> int:
    return known if known is not None and known >= needed else max(needed, 2 * room, _ROOM)

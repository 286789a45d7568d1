"""Content of files: blocks of 64 KiB, each with a bit for every 512 bytes that were written.

Several files may have the same content (a copy, a snapshot): it is multiplied when one of them is written.
"""

from collections.abc import Iterator
from typing import Final

from stcc.emulator.azfiles.store import Store

BLOCK: Final = 65_536
SECTOR: Final = 512
_PER_BLOCK: Final = BLOCK // SECTOR
_AT_ONCE: Final = 4 * 1024 * 1024
_SELECT: Final = "SELECT number, bytes FROM block WHERE content = ? AND number BETWEEN ? AND ? ORDER BY number"


def write(store: Store, content: int, offset: int, data: bytes) -> None:
    """Put bytes at a place; the blocks they touch in part keep the rest."""
    done = 0
    while done < len(data):
        number, start = divmod(offset + done, BLOCK)
        piece = data[done : done + BLOCK - start]
        sectors, old = _block(store, content, number)
        if len(piece) < BLOCK:
            old = old.ljust(start, b"\0")
            new = old[:start] + piece + old[start + len(piece) :]
        else:
            new = piece
        _save(store, content, number, sectors | _bits(start, start + len(piece)), new)
        done += len(piece)


def clear(store: Store, content: int, start: int, end: int) -> None:
    """Forget the sectors that lie wholly in [start, end), and put zeros into the ones that lie there in part.

    `end` at the file's end is to be given as a multiple of a sector.
    """
    first, last = -(-start // SECTOR) * SECTOR, end // SECTOR * SECTOR
    if first >= last:
        _zero(store, content, start, end)
        return
    _zero(store, content, start, first)
    _zero(store, content, last, end)
    _delete(store, content, first, last)


def cut(store: Store, content: int, length: int) -> None:
    """Forget what is beyond a length."""
    number, start = divmod(length, BLOCK)
    store.rows.execute("DELETE FROM block WHERE content = ? AND number > ?", (content, number))
    sectors, old = _block(store, content, number)
    _save(store, content, number, sectors & _bits(0, start), old[:start])


def ranges(store: Store, content: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the written parts of [start, end), as first byte and the byte after the last."""
    rows = store.rows.execute(
        "SELECT number, sectors FROM block WHERE content = ? AND number BETWEEN ? AND ? ORDER BY number",
        (content, start // BLOCK, max(start, end - 1) // BLOCK),
    )
    begun: tuple[int, int] | None = None
    for number, bits in rows:
        for first, last in _runs(int.from_bytes(bits, "little"), number * BLOCK):
            if begun is not None and begun[1] == first:
                begun = (begun[0], last)
                continue
            yield from _within(begun, start, end)
            begun = (first, last)
    yield from _within(begun, start, end)


def read(store: Store, content: int, start: int, end: int) -> bytes | Iterator[bytes]:
    """Return the bytes of [start, end): at once when they are few, else in pieces that all are of this moment."""
    bounds = (content, start // BLOCK, max(start, end - 1) // BLOCK)
    if end - start <= _AT_ONCE:
        return b"".join(_filled(iter(store.rows.execute(_SELECT, bounds)), start, end))
    rows = store.pieces(_SELECT, bounds)
    next(rows)
    return _filled(rows, start, end)


def own(store: Store, content: int) -> int:
    """Return the number of a content that nobody else has: this one, or a copy of it."""
    users = store.rows.execute("SELECT count(*) FROM (SELECT 1 FROM node WHERE content = ? LIMIT 2)", (content,))
    if users.fetchone()[0] < 2:
        return content
    copy = store.content()
    store.rows.execute(
        "INSERT INTO block SELECT ?, number, sectors, bytes FROM block WHERE content = ?", (copy, content)
    )
    return copy


def drop_if_unused(store: Store, content: int) -> None:
    store.rows.execute(
        "DELETE FROM block WHERE content = ?1 AND NOT EXISTS (SELECT 1 FROM node WHERE content = ?1)", (content,)
    )


def _block(store: Store, content: int, number: int) -> tuple[int, bytes]:
    found = store.rows.execute(
        "SELECT sectors, bytes FROM block WHERE content = ? AND number = ?", (content, number)
    ).fetchone()
    return (0, b"") if found is None else (int.from_bytes(found[0], "little"), found[1])


def _save(store: Store, content: int, number: int, sectors: int, data: bytes) -> None:
    if sectors == 0:
        store.rows.execute("DELETE FROM block WHERE content = ? AND number = ?", (content, number))
        return
    row = (content, number, sectors.to_bytes(_PER_BLOCK // 8, "little"), data)
    store.rows.execute("INSERT OR REPLACE INTO block VALUES (?, ?, ?, ?)", row)


def _zero(store: Store, content: int, start: int, end: int) -> None:
    """Put zeros where something was written, within one or two sectors."""
    for first, last in list(ranges(store, content, start, end)):
        write(store, content, first, bytes(last - first))


def _delete(store: Store, content: int, first: int, last: int) -> None:
    whole = (content, -(-first // BLOCK), last // BLOCK)
    store.rows.execute("DELETE FROM block WHERE content = ? AND number >= ? AND number < ?", whole)
    for number in {first // BLOCK, last // BLOCK}:
        start, end = max(first - number * BLOCK, 0), min(last - number * BLOCK, BLOCK)
        sectors, old = _block(store, content, number)
        if start < end and sectors:
            kept = old[:start] + bytes(max(0, min(end, len(old)) - start)) + old[end:]
            _save(store, content, number, sectors & ~_bits(start, end), kept)


def _bits(start: int, end: int) -> int:
    """Return a bit for each sector that [start, end) of a block touches."""
    first, last = start // SECTOR, -(-end // SECTOR)
    return (1 << last) - (1 << first)


def _runs(bits: int, base: int) -> Iterator[tuple[int, int]]:
    at = 0
    while bits:
        skipped = (bits & -bits).bit_length() - 1
        bits >>= skipped
        length = (~bits & (bits + 1)).bit_length() - 1
        bits >>= length
        at += skipped
        yield base + at * SECTOR, base + (at + length) * SECTOR
        at += length


def _within(run: tuple[int, int] | None, start: int, end: int) -> Iterator[tuple[int, int]]:
    if run is not None and max(run[0], start) < min(run[1], end):
        yield max(run[0], start), min(run[1], end)


def _filled(rows: Iterator[tuple[int, bytes]], start: int, end: int) -> Iterator[bytes]:
    """Yield the bytes of [start, end) with zeros where there is no block, in pieces of at most a block."""
    at = start
    for number, data in rows:
        while at < number * BLOCK:
            gap = min(BLOCK, number * BLOCK - at)
            yield bytes(gap)
            at += gap
        last = min((number + 1) * BLOCK, end)
        yield data[at - number * BLOCK : last - number * BLOCK].ljust(last - at, b"\0")
        at = last
    while at < end:
        gap = min(BLOCK, end - at)
        yield bytes(gap)
        at += gap

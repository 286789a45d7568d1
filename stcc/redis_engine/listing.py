"""Listing the locks of a server: those that stcc has written a note about."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain, islice
from typing import Any, Final

from stcc.operations.locking import facts
from stcc.operations.waiting import Clock, SystemClock
from stcc.outcomes import Listing
from stcc.outcomes.lock import COLUMNS
from stcc.redis_engine import moments
from stcc.redis_engine.lock import kept, keys_of, reads, state_of
from stcc.redis_engine.refusals import said
from stcc.redis_engine.server import Line, patiently
from stcc.redis_engine.watched import Seen
from stcc.values.places import Kind

_PAGE: Final = 500
_CLOCK: Final = SystemClock()
Row = Mapping[str, object]


def locks(line: Line, *, limit: int | None, kind: Kind = "lock", clock: Clock = _CLOCK) -> Listing:
    """List the locks, or who has the lead, where stcc has granted it; the first page is read at once."""
    target = str(line.server) if line.server.path is not None else f"{line.server}/{line.server.db}"
    pages = _pages(line, kind, target=target, clock=clock)
    items = islice(chain(next(pages), chain.from_iterable(pages)), limit)
    return Listing(kind=f"{kind}s-listed", target=target, columns=COLUMNS["locks-listed"], items=items, reply=said())


def _pages(line: Line, kind: Kind, *, target: str, clock: Clock) -> Iterator[list[Row]]:
    """Yield the lines page by page; the server may come across a key twice, and is not told to remember."""
    cursor: Any = 0
    met: set[bytes] = set()
    begin = keys_of("", kind).note
    leaders = keys_of("", "leader").note
    while True:
        scan = partial(line.ask, ("SCAN", cursor, "MATCH", f"{begin}*", "COUNT", _PAGE))
        ((cursor, found),) = patiently(scan, target=target, clock=clock)
        new = [key for key in found if key not in met and (kind == "leader" or not key.startswith(leaders.encode()))]
        met.update(new)
        names = [key.removeprefix(begin.encode()) for key in new]
        yield patiently(partial(_rows, line, kind, names), target=target, clock=clock)
        if int(cursor) == 0:
            return


def _rows(line: Line, kind: Kind, names: list[bytes]) -> list[Row]:
    """Return the lines of some names, read in one go; one that was released meanwhile is none."""
    texts = [name.decode("utf-8", "surrogateescape") for name in names]
    asked = [reads(keys_of(text, kind)) for text in texts]
    *replies, time = line.ask(*chain.from_iterable(asked), ("TIME",))
    now, size = moments.read(time), len(reads(keys_of("", kind)))
    rows: list[Row] = []
    for number, text in enumerate(texts):
        mine = replies[number * size : (number + 1) * size]
        state = state_of(Seen(kept(mine), mine, now, 0.0))
        if state.held is not None:
            rows.append({"name": text, **facts(state)})
    return rows

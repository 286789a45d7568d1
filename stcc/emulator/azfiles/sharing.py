"""Who may have a file open together: the sharing table, for requests and for SMB clients."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

# r, w and d as in SMB: read, write, delete. What each request counts as, and what it lets others have meanwhile.
READ: Final = "r"
WRITE: Final = "w"
CREATE: Final = "wd"
DELETE: Final = "d"
# The documentation says "write and delete", its table says that read has to be shared, too.
LEASE: Final = "rwd"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """A byte range that an SMB client has locked, `end` included."""

    start: int
    end: int
    is_exclusive: bool

    def overlaps(self, start: int, end: int) -> bool:
        return self.start < end and start <= self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """What an SMB client has open: its access, what it shares, and what it has locked."""

    access: str
    shared: str
    locks: tuple[Lock, ...] = ()


def excludes_request(opens: Iterable[Open], needs: str) -> bool:
    """Tell whether a request that counts as this access meets an open that does not share it.

    A deletion meets every open: unlike SMB's own, it does not wait for the last one to be closed. A lease, which
    shares reading only, also meets every open that can write or delete.
    """
    for one in opens:
        if needs == DELETE or not set(needs) <= set(one.shared):
            return True
        if needs == LEASE and set(one.access) & {"w", "d"}:
            return True
    return False


def excludes_open(opens: Iterable[Open], *, access: str, shared: str) -> bool:
    """Tell whether an SMB client may not open a file so, because of how others have it open."""
    return any(not set(access) <= set(one.shared) or not set(one.access) <= set(shared) for one in opens)


def is_locked(opens: Iterable[Open], *, start: int, end: int, writing: bool) -> bool:
    """Tell whether a locked range is in the way: a shared lock keeps writers out, an exclusive one readers, too."""
    return any(lock.overlaps(start, end) and (writing or lock.is_exclusive) for one in opens for lock in one.locks)

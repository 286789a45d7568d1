"""The data directory: one SQLite database, and a lock that keeps a second emulator out.

Every request is one transaction. What was committed has left this process, so that its end, however sudden, neither
loses an acknowledged change nor leaves half of one. (A crash of the whole machine may lose the last changes.)
"""

import fcntl
import sqlite3
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

from stcc.emulator.azfiles import moments

SCHEMA: Final = """
CREATE TABLE share (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, snapshot TEXT NOT NULL, root INTEGER,
    etag INTEGER NOT NULL, metadata TEXT NOT NULL, quota INTEGER NOT NULL, tier TEXT NOT NULL,
    tier_changed INTEGER NOT NULL, policies TEXT NOT NULL, lease TEXT NOT NULL, UNIQUE (name, snapshot)
);
CREATE TABLE node (
    id INTEGER PRIMARY KEY AUTOINCREMENT, share INTEGER NOT NULL, parent INTEGER NOT NULL, name TEXT NOT NULL,
    folded TEXT NOT NULL, is_directory INTEGER NOT NULL, file_id INTEGER NOT NULL, etag INTEGER NOT NULL,
    created INTEGER NOT NULL, written INTEGER NOT NULL, changed INTEGER NOT NULL, attributes TEXT NOT NULL,
    permission TEXT NOT NULL, metadata TEXT NOT NULL, headers TEXT NOT NULL, length INTEGER NOT NULL,
    content INTEGER NOT NULL, lease TEXT NOT NULL, copied TEXT NOT NULL, is_going INTEGER NOT NULL,
    UNIQUE (parent, folded)
);
CREATE INDEX node_of_share ON node (share);
CREATE INDEX node_with_content ON node (content);
CREATE TABLE block (
    content INTEGER NOT NULL, number INTEGER NOT NULL, sectors BLOB NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (content, number)
) WITHOUT ROWID;
CREATE TABLE handle (
    id INTEGER PRIMARY KEY AUTOINCREMENT, node INTEGER NOT NULL, access TEXT NOT NULL, shared TEXT NOT NULL,
    session INTEGER NOT NULL, client TEXT NOT NULL, client_name TEXT NOT NULL,
    opened INTEGER NOT NULL, locks TEXT NOT NULL
);
CREATE INDEX handle_of_node ON handle (node);
CREATE TABLE permission (share TEXT NOT NULL, key TEXT NOT NULL, sddl TEXT NOT NULL, PRIMARY KEY (share, key));
CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
INSERT INTO counter VALUES ('content', 0), ('etag', 0);
PRAGMA user_version = 1;
"""
VERSION: Final = 1
LOCK: Final = "files.lock"


class Unusable(Exception):
    """The data directory belongs to another emulator, running or of another version."""


class Store:
    """All facts, behind one connection; `clock` tells the seconds since 1970."""

    def __init__(self, directory: Path, *, clock: Callable[[], float], durable: bool) -> None:
        self._lock = _locked(directory / LOCK, "ab")
        self._path = directory / "files.sqlite"
        self._clock = clock
        self.rows = _connect(self._path)
        # What is committed is in the kernel's hands in both modes; `normal` also survives its end, for the most part.
        self.rows.execute(f"PRAGMA synchronous = {'normal' if durable else 'off'}")
        self.rows.execute("PRAGMA cache_size = -16384")
        found = self.rows.execute("PRAGMA user_version").fetchone()[0]
        if found not in (0, VERSION):
            self.close()
            raise Unusable(f"{directory} was written by another version of the emulator")
        if found == 0:
            self.rows.executescript(f"BEGIN IMMEDIATE; {SCHEMA} COMMIT;")

    @property
    def now(self) -> float:
        return self._clock()

    def moment(self) -> int:
        """Return the present in ticks, never the same twice: it is the ETag of a change."""
        present = moments.from_unix(self.now)
        return self._next("etag", f"max(value + 1, {present})")

    def content(self) -> int:
        """Return the number of a content that nothing has yet."""
        return self._next("content", "value + 1")

    @contextmanager
    def transaction(self, *, changing: bool) -> Generator[None]:
        """Keep all changes of the block or, when it raises, none."""
        self.rows.execute("BEGIN IMMEDIATE" if changing else "BEGIN")
        try:
            yield
        except BaseException:
            self.rows.execute("ROLLBACK")
            raise
        self.rows.execute("COMMIT")

    def pieces(self, query: str, values: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        """Yield rows as they are now, whatever is changed while they are read."""
        apart = _connect(self._path)
        try:
            apart.execute("BEGIN")
            rows = apart.execute(query, values)
            first = rows.fetchone()  # the snapshot starts with the first read, before our caller goes on
            yield ()
            while first is not None:
                yield first
                first = rows.fetchone()
        finally:
            apart.close()

    def close(self) -> None:
        self.rows.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _next(self, counter: str, value: str) -> int:
        statement = f"UPDATE counter SET value = {value} WHERE name = ? RETURNING value"  # noqa: S608  # our own words
        number: int = self.rows.execute(statement, (counter,)).fetchone()[0]
        return number


def _connect(path: Path) -> sqlite3.Connection:
    rows = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
    rows.execute("PRAGMA journal_mode = wal")
    return rows


def is_in_use(directory: Path) -> bool:
    """Tell whether somebody serves this directory, or may be about to, or it is not ours."""
    try:
        _locked(directory / LOCK).close()
    except (OSError, Unusable):
        return True
    return False


def _locked(path: Path, mode: str = "rb") -> Any:
    file = path.open(mode)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise Unusable(f"{path.parent} is in use by another emulator") from None
    return file

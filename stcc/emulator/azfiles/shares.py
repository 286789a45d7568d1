"""Shares and their snapshots, as rows."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from stcc.emulator.azfiles import leases
from stcc.emulator.azfiles.leases import Lease
from stcc.emulator.azfiles.refusals import Refusal
from stcc.emulator.azfiles.store import Store

DEFAULT_QUOTA: Final = 5120
LARGEST_QUOTA: Final = 102_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share, or a snapshot of one (`snapshot` is its time, else empty); `etag` is the moment of the last change."""

    id: int = 0
    name: str
    snapshot: str = ""
    root: int = 0
    etag: int
    metadata: Mapping[str, str]
    quota: int = DEFAULT_QUOTA
    tier: str = "TransactionOptimized"
    tier_changed: int
    policies: str = ""
    lease: Lease = leases.NONE


_COLUMNS: Final = tuple(field.name for field in fields(Share))
_SELECT: Final = f"SELECT {', '.join(_COLUMNS)} FROM share"  # noqa: S608  # our own names


def get(store: Store, name: str, snapshot: str = "") -> Share:
    """Return a share with its lease as of now; raise Refusal."""
    found = find(store, name, snapshot)
    if found is None:
        raise Refusal("ShareSnapshotNotFound" if snapshot and find(store, name) else "ShareNotFound")
    return found


def find(store: Store, name: str, snapshot: str = "") -> Share | None:
    row = store.rows.execute(f"{_SELECT} WHERE name = ? AND snapshot = ?", (name, snapshot)).fetchone()
    return None if row is None else _share(store, row)


def snapshots(store: Store, name: str) -> list[Share]:
    rows = store.rows.execute(f"{_SELECT} WHERE name = ? AND snapshot != '' ORDER BY snapshot", (name,))
    return [_share(store, row) for row in rows.fetchall()]


def page(
    store: Store, *, prefix: str, after: tuple[str, str], most: int, with_snapshots: bool
) -> tuple[list[Share], bool]:
    """Return shares in the order of names, each after its snapshots, and whether there are more."""
    # A share comes after its snapshots, as in the service: "~" is behind every time.
    key = "name, CASE snapshot WHEN '' THEN '~' ELSE snapshot END"
    rows = store.rows.execute(
        f"{_SELECT} WHERE substr(name, 1, ?) = ? AND ({key}) > (?, ?) AND (snapshot = '' OR ?) ORDER BY {key} LIMIT ?",
        (len(prefix), prefix, *after, with_snapshots, most + 1),
    )
    found = [_share(store, row) for row in rows.fetchall()]
    return found[:most], len(found) > most


def add(store: Store, share: Share) -> Share:
    names = _COLUMNS[1:]
    marks = ", ".join("?" * len(names))
    row = store.rows.execute(
        f"INSERT INTO share ({', '.join(names)}) VALUES ({marks})",  # noqa: S608  # our own names
        _values(share)[1:],
    )
    return replace(share, id=row.lastrowid or 0)


def save(store: Store, share: Share) -> None:
    names = _COLUMNS[1:]
    pairs = ", ".join(f"{name} = ?" for name in names)
    store.rows.execute(f"UPDATE share SET {pairs} WHERE id = ?", (*_values(share)[1:], share.id))  # noqa: S608


def delete(store: Store, share: Share) -> None:
    """Delete a share or snapshot with all that is in it."""
    rows = store.rows
    rows.execute("DELETE FROM handle WHERE node IN (SELECT id FROM node WHERE share = ?)", (share.id,))
    contents = "SELECT DISTINCT content FROM node WHERE share = ? AND content != 0"
    own = [content for (content,) in rows.execute(contents, (share.id,)).fetchall()]
    rows.execute("DELETE FROM node WHERE share = ?", (share.id,))
    rows.execute("DELETE FROM share WHERE id = ?", (share.id,))
    unused = "DELETE FROM block WHERE content = ?1 AND NOT EXISTS (SELECT 1 FROM node WHERE content = ?1)"
    rows.executemany(unused, [(content,) for content in own])
    if not share.snapshot:
        rows.execute("DELETE FROM permission WHERE share = ?", (share.name,))


def _share(store: Store, row: tuple[Any, ...]) -> Share:
    named = dict(zip(_COLUMNS, row, strict=True))
    named["metadata"] = json.loads(named["metadata"])
    named["lease"] = leases.loaded(named["lease"]).at(store.now)
    return Share(**named)


def _values(share: Share) -> tuple[Any, ...]:
    named = {name: getattr(share, name) for name in _COLUMNS}
    named["metadata"] = json.dumps(share.metadata)
    named["lease"] = leases.stored(share.lease)
    return tuple(named.values())

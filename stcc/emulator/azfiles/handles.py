"""What SMB clients have open, as rows."""

import json
from dataclasses import asdict, dataclass
from typing import Any, Final

from stcc.emulator.azfiles import nodes, sharing
from stcc.emulator.azfiles.nodes import Node
from stcc.emulator.azfiles.refusals import Refusal
from stcc.emulator.azfiles.sharing import Lock, Open
from stcc.emulator.azfiles.store import Store

_SELECT: Final = "SELECT id, node, access, shared, session, client, client_name, opened, locks FROM handle"


@dataclass(frozen=True, slots=True, kw_only=True)
class Handle:
    """A file or directory that an SMB client has open; `client` is its address with port, `opened` in ticks."""

    id: int
    node: int
    session: int
    client: str
    client_name: str
    opened: int
    how: Open


def add(store: Store, node: Node, how: Open, *, client: str, client_name: str) -> Handle:
    session = 1 + (store.rows.execute("SELECT max(session) FROM handle").fetchone()[0] or 0)
    opened = store.moment()
    locks = json.dumps([asdict(lock) for lock in how.locks])
    row = store.rows.execute(
        "INSERT INTO handle (node, access, shared, session, client, client_name, opened, locks) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (node.id, how.access, how.shared, session, client, client_name, opened, locks),
    )
    return Handle(
        id=row.lastrowid or 0,
        node=node.id,
        session=session,
        client=client,
        client_name=client_name,
        opened=opened,
        how=how,
    )


def get(store: Store, number: int) -> Handle | None:
    row = store.rows.execute(f"{_SELECT} WHERE id = ?", (number,)).fetchone()
    return None if row is None else _handle(row)


def on(store: Store, node: Node) -> list[Open]:
    """Return how a file or directory is open."""
    rows = store.rows.execute(f"{_SELECT} WHERE node = ?", (node.id,)).fetchall()
    return [_handle(row).how for row in rows]


def listed(store: Store, top: Node, *, recursive: bool) -> list[Handle]:
    """Return the handles on a node, with `recursive` also those on what is in it, in the order of their ids."""
    numbers = nodes.below(store, top) if recursive else [top.id]
    rows = store.rows.execute(
        f"{_SELECT} WHERE node IN (SELECT value FROM json_each(?)) ORDER BY id",  # noqa: S608  # our own words
        (json.dumps(numbers),),
    )
    return [_handle(row) for row in rows.fetchall()]


def close(store: Store, handle: Handle) -> None:
    """Close a handle; with the last one goes what was marked for deletion."""
    store.rows.execute("DELETE FROM handle WHERE id = ?", (handle.id,))
    node = nodes.by_id(store, handle.node)
    if node.is_going and not on(store, node):
        nodes.remove(store, node)


def check(store: Store, node: Node, needs: str) -> None:
    """Raise Refusal when a request that counts as this access (see `sharing`) meets what SMB clients do."""
    check_stays(node)
    if sharing.excludes_request(on(store, node), needs):
        raise Refusal("SharingViolation")


def check_stays(node: Node) -> None:
    """Raise Refusal when an SMB client has marked it for deletion: then it is neither there nor gone."""
    if node.is_going:
        raise Refusal("DeletePending")


def check_range(store: Store, node: Node, *, start: int, end: int, writing: bool) -> None:
    if sharing.is_locked(on(store, node), start=start, end=end, writing=writing):
        raise Refusal("FileLockConflict")


def check_nobody_below(store: Store, top: Node) -> None:
    """Raise Refusal when anything in a directory, or the directory itself, is open."""
    if listed(store, top, recursive=True):
        raise Refusal("SharingViolation")


def _handle(row: tuple[Any, ...]) -> Handle:
    number, node, access, shared, session, client, client_name, opened, locks = row
    how = Open(access=access, shared=shared, locks=tuple(Lock(**lock) for lock in json.loads(locks)))
    return Handle(id=number, node=node, session=session, client=client, client_name=client_name, opened=opened, how=how)

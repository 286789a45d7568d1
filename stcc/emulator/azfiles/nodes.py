"""Directories and files, as rows of a tree; every share and snapshot has a tree of its own."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from stcc.emulator.azfiles import content, leases
from stcc.emulator.azfiles.leases import Lease
from stcc.emulator.azfiles.names import folded
from stcc.emulator.azfiles.refusals import Refusal
from stcc.emulator.azfiles.shares import Share
from stcc.emulator.azfiles.store import Store

# What the service gives out has the upper half of 64 bits.
_FIRST_FILE_ID: Final = 1 << 63


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A directory or a file; the times and `etag` are ticks, `content` is 0 for a directory.

    `is_going`: an SMB client has marked it for deletion, and somebody has it open.
    """

    id: int = 0
    share: int
    parent: int
    name: str
    folded: str = ""
    is_directory: bool
    file_id: int = 0
    etag: int
    created: int
    written: int
    changed: int
    attributes: str
    permission: str
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    length: int = 0
    content: int = 0
    lease: Lease = leases.NONE
    copied: Mapping[str, str] = field(default_factory=dict[str, str])
    is_going: bool = False

    @property
    def shown_id(self) -> int:
        return 0 if self.parent <= 0 else _FIRST_FILE_ID + self.file_id

    @property
    def is_read_only(self) -> bool:
        return "ReadOnly" in self.attributes.split(" | ")


_COLUMNS: Final = tuple(field.name for field in fields(Node))
_LIST: Final = ", ".join(_COLUMNS)
_JSON: Final = ("metadata", "headers", "copied")


def root(store: Store, share: Share) -> Node:
    return by_id(store, share.root)


def by_id(store: Store, number: int) -> Node:
    """Return a node that is known to be there."""
    row = store.rows.execute(f"SELECT {_LIST} FROM node WHERE id = ?", (number,)).fetchone()  # noqa: S608
    return _node(row)


def child(store: Store, parent: Node, name: str) -> Node | None:
    row = store.rows.execute(
        f"SELECT {_LIST} FROM node WHERE parent = ? AND folded = ?",  # noqa: S608  # our own names
        (parent.id, folded(name)),
    ).fetchone()
    return None if row is None else _node(row)


def find(store: Store, share: Share, path: tuple[str, ...]) -> Node | None:
    """Return what is at a path, None when nothing is; raise Refusal when a directory on the way is missing."""
    at = root(store, share)
    for name in path[:-1]:
        below = child(store, at, name)
        if below is None or not below.is_directory or below.is_going:
            raise Refusal("ParentNotFound")
        at = below
    return child(store, at, path[-1]) if path else at


def parent_of(store: Store, share: Share, path: tuple[str, ...]) -> Node:
    at = find(store, share, path[:-1])
    if at is None or not at.is_directory:
        raise Refusal("ParentNotFound")
    if at.is_going:
        raise Refusal("DeletePending")
    return at


def path_of(store: Store, node: Node) -> str:
    """Return the path of a node within its share; empty for the root."""
    found: list[str] = []
    while node.parent > 0:
        found.append(node.name)
        node = by_id(store, node.parent)
    return "/".join(reversed(found))


def children(store: Store, parent: Node, *, prefix: str, after: str, most: int) -> tuple[list[Node], bool]:
    """Return what is in a directory in the order of names, without what is going, and whether there is more."""
    start = folded(prefix)
    rows = store.rows.execute(
        f"SELECT {_LIST} FROM node WHERE parent = ? AND folded > ? AND substr(folded, 1, ?) = ? AND NOT is_going "  # noqa: S608
        "ORDER BY folded LIMIT ?",
        (parent.id, after, len(start), start, most + 1),
    )
    found = [_node(row) for row in rows.fetchall()]
    return found[:most], len(found) > most


def is_empty(store: Store, parent: Node) -> bool:
    return store.rows.execute("SELECT 1 FROM node WHERE parent = ? LIMIT 1", (parent.id,)).fetchone() is None


def below(store: Store, top: Node) -> list[int]:
    """Return the ids of a node and of everything in it."""
    rows = store.rows.execute(
        "WITH RECURSIVE tree(id) AS (SELECT ? UNION ALL SELECT node.id FROM node JOIN tree ON node.parent = tree.id) "
        "SELECT id FROM tree",
        (top.id,),
    )
    return [number for (number,) in rows.fetchall()]


def add(store: Store, node: Node) -> Node:
    """Insert a node; a new one gets an id that never was."""
    names = _COLUMNS[1:]
    marks = ", ".join("?" * len(names))
    row = store.rows.execute(f"INSERT INTO node ({', '.join(names)}) VALUES ({marks})", _values(node)[1:])  # noqa: S608
    made = replace(node, id=row.lastrowid or 0)
    if node.file_id == 0:
        made = replace(made, file_id=made.id)
        store.rows.execute("UPDATE node SET file_id = id WHERE id = ?", (made.id,))
    return made


def save(store: Store, node: Node) -> None:
    names = _COLUMNS[1:]
    pairs = ", ".join(f"{name} = ?" for name in names)
    store.rows.execute(f"UPDATE node SET {pairs} WHERE id = ?", (*_values(node)[1:], node.id))  # noqa: S608


def remove(store: Store, node: Node) -> None:
    store.rows.execute("DELETE FROM node WHERE id = ?", (node.id,))
    if node.content:
        content.drop_if_unused(store, node.content)


def copy_tree(store: Store, source: Share, copy: Share) -> int:
    """Give a snapshot the tree of its share, and return the new root; contents are shared."""
    numbers: dict[int, int] = {}
    for number in below(store, root(store, source)):  # parents come before their children
        node = by_id(store, number)
        parent = numbers.get(node.parent, -copy.id)
        made = add(store, replace(node, share=copy.id, parent=parent, lease=leases.NONE, is_going=False))
        numbers[number] = made.id
    return numbers[source.root]


def _node(row: tuple[Any, ...]) -> Node:
    named = dict(zip(_COLUMNS, row, strict=True))
    named["lease"] = leases.loaded(named["lease"])
    named["is_directory"], named["is_going"] = bool(named["is_directory"]), bool(named["is_going"])
    for name in _JSON:
        named[name] = json.loads(named[name]) if named[name] else {}
    return Node(**named)


def _values(node: Node) -> tuple[Any, ...]:
    named = {name: getattr(node, name) for name in _COLUMNS}
    named["folded"] = folded(node.name)
    named["lease"] = leases.stored(node.lease)
    for name in _JSON:
        named[name] = json.dumps(named[name]) if named[name] else ""
    return tuple(named.values())

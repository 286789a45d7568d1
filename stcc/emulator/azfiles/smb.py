"""SMB clients, simulated: routes beside the service's own by which a person or a test opens and closes files."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from stcc.emulator.azfiles import handles, names, nodes, shares, sharing
from stcc.emulator.azfiles.handles import Handle
from stcc.emulator.azfiles.moments import iso
from stcc.emulator.azfiles.nodes import Node
from stcc.emulator.azfiles.refusals import Refusal
from stcc.emulator.azfiles.reply import Reply
from stcc.emulator.azfiles.sharing import Lock, Open
from stcc.emulator.azfiles.store import Store

# No account can have this name.
PREFIX: Final = "/-/smb/"
_LARGEST: Final = (1 << 63) - 1


class Denied(Exception):
    """An SMB client is refused: `status` is what its server would say."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def answer(store: Store, method: str, raw_path: str, headers: Mapping[str, str], body: bytes) -> Reply:
    """Do what a JSON document says, and answer with one.

    A page in a browser cannot send it: its type needs a permission that nobody here gives.
    """
    act = _ACTS.get(raw_path.removeprefix(PREFIX))
    if method != "POST" or act is None or headers.get("content-type") != "application/json":
        return _json(404, {"status": "STATUS_INVALID_DEVICE_REQUEST", "message": "there is no such request"})
    try:
        asked: dict[str, Any] = json.loads(body)
        with store.transaction(changing=True):
            return _json(200, act(store, asked))
    except Denied as denied:
        return _json(409, {"status": denied.status, "message": denied.message})
    except Refusal as refusal:
        return _json(409, {"status": "STATUS_OBJECT_PATH_NOT_FOUND", "message": f"{refusal.code}: {refusal.message}"})
    except (ValueError, TypeError, KeyError, OverflowError):
        return _json(400, {"status": "STATUS_INVALID_PARAMETER", "message": "the document is not as it should be"})


def _open(store: Store, asked: dict[str, Any]) -> dict[str, Any]:
    node = _node(store, str(asked["share"]), str(asked["path"]))
    locks = tuple(
        Lock(start=int(lock["start"]), end=int(lock.get("end", _LARGEST)), is_exclusive=bool(lock["exclusive"]))
        for lock in asked.get("locks", ())
    )
    how = Open(access=_letters(asked["access"]), shared=_letters(asked["shared"]), locks=locks)
    _check(store, node, how)
    client = str(asked.get("client", "10.0.0.4:50445"))
    made = handles.add(store, node, how, client=client, client_name=str(asked.get("client_name", "")))
    return _shown(store, made)


def _close(store: Store, asked: dict[str, Any]) -> dict[str, Any]:
    handle = _handle(store, asked)
    shown = _shown(store, handle)
    handles.close(store, handle)
    still_there = store.rows.execute("SELECT 1 FROM node WHERE id = ?", (handle.node,)).fetchone() is not None
    return shown | {"deleted": not still_there}


def _list(store: Store, asked: dict[str, Any]) -> dict[str, Any]:
    share = shares.get(store, str(asked["share"]))
    top = nodes.find(store, share, names.path(str(asked.get("path", "")), keep_trailing_dots=True))
    if top is None:
        raise Denied("STATUS_OBJECT_NAME_NOT_FOUND", "there is no such file or directory")
    return {"handles": [_shown(store, handle) for handle in handles.listed(store, top, recursive=True)]}


def _mark_delete(store: Store, asked: dict[str, Any]) -> dict[str, Any]:
    handle = _handle(store, asked)
    node = nodes.by_id(store, handle.node)
    if "d" not in handle.how.access:
        raise Denied("STATUS_ACCESS_DENIED", "the handle was opened without delete access (d)")
    if node.is_read_only:
        raise Denied("STATUS_CANNOT_DELETE", "the file is read-only")
    if node.parent <= 0 or (node.is_directory and not nodes.is_empty(store, node)):
        raise Denied("STATUS_DIRECTORY_NOT_EMPTY", "the directory is not empty")
    store.rows.execute("UPDATE node SET is_going = ? WHERE id = ?", (not asked.get("undo"), node.id))
    return _shown(store, handle)


_ACTS: Final[dict[str, Callable[[Store, dict[str, Any]], dict[str, Any]]]] = {
    "open": _open,
    "close": _close,
    "list": _list,
    "mark-delete": _mark_delete,
}


def _check(store: Store, node: Node, how: Open) -> None:
    """Raise Denied when the file may not be opened so."""
    opens = handles.on(store, node)
    if node.is_going:
        raise Denied("STATUS_DELETE_PENDING", "the file is marked for deletion")
    if sharing.excludes_open(opens, access=how.access, shared=how.shared):
        raise Denied("STATUS_SHARING_VIOLATION", "another client has it open, and their sharing excludes each other")
    if node.lease.is_active and set(how.access) & {"w", "d"}:
        raise Denied("STATUS_SHARING_VIOLATION", "a REST client holds a lease, which shares nothing but reading")
    if node.is_read_only and "w" in how.access:
        raise Denied("STATUS_ACCESS_DENIED", "the file is read-only")
    for lock in how.locks:
        if sharing.is_locked(opens, start=lock.start, end=lock.end + 1, writing=lock.is_exclusive):
            raise Denied("STATUS_LOCK_NOT_GRANTED", "another client has locked a part of it")


def _node(store: Store, share: str, path: str) -> Node:
    found = nodes.find(store, shares.get(store, share), names.path(path, keep_trailing_dots=True))
    if found is None:
        raise Denied("STATUS_OBJECT_NAME_NOT_FOUND", "there is no such file or directory")
    return found


def _handle(store: Store, asked: dict[str, Any]) -> Handle:
    found = handles.get(store, int(asked["handle"]))
    if found is None:
        raise Denied("STATUS_FILE_CLOSED", "there is no such handle")
    return found


def _letters(text: object) -> str:
    """Return which of r, w and d are in a text; raise ValueError when others are."""
    if not isinstance(text, str) or not set(text) <= set("rwd"):
        raise ValueError(text)
    return "".join(letter for letter in "rwd" if letter in text)


def _shown(store: Store, handle: Handle) -> dict[str, Any]:
    node = nodes.by_id(store, handle.node)
    row = store.rows.execute("SELECT name FROM share WHERE id = ?", (node.share,)).fetchone()
    return {
        "handle": str(handle.id),
        "share": row[0],
        "path": nodes.path_of(store, node),
        "access": handle.how.access,
        "shared": handle.how.shared,
        "client": handle.client,
        "client_name": handle.client_name,
        "opened": iso(handle.opened),
        "delete_pending": node.is_going,
    }


def _json(status: int, document: dict[str, Any]) -> Reply:
    return Reply(status=status, headers={"content-type": "application/json"}, body=json.dumps(document).encode())

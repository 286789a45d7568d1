"""What SMB knows of a file or directory: attributes, times, permission; as headers say it, and as they show it."""

from dataclasses import replace
from typing import Any, Final

from stcc.emulator.azfiles import moments, nodes, permissions
from stcc.emulator.azfiles.nodes import Node
from stcc.emulator.azfiles.refusals import bad_header, unsupported
from stcc.emulator.azfiles.request import Request
from stcc.emulator.azfiles.store import Store

_NAMES: Final = (
    "ReadOnly",
    "Hidden",
    "System",
    "Directory",
    "Archive",
    "Temporary",
    "Offline",
    "NotContentIndexed",
    "NoScrubData",
)
_KNOWN: Final = {name.lower(): name for name in _NAMES}
_NFS: Final = ("x-ms-owner", "x-ms-group", "x-ms-mode", "x-ms-file-mode-copy-mode", "x-ms-file-owner-copy-mode")
_TIMES: Final = {
    "x-ms-file-creation-time": "created",
    "x-ms-file-last-write-time": "written",
    "x-ms-file-change-time": "changed",
}


def fresh(request: Request, store: Store, *, share: int, parent: int, name: str, is_directory: bool) -> Node:
    """Return a new node that is not in the tree yet: what the headers say, and the service's defaults."""
    moment = store.moment()
    node = Node(
        share=share,
        parent=parent,
        name=name,
        is_directory=is_directory,
        etag=moment,
        created=moment,
        written=moment,
        changed=moment,
        attributes="Directory" if is_directory else "Archive",
        permission=permissions.key_of(permissions.INHERITED),
        metadata=request.metadata,
    )
    return said(request, store, node)


def said(request: Request, store: Store, node: Node) -> Node:
    """Return the node with what the headers say; without a header, or with `preserve`, it keeps what it has."""
    for header in _NFS:
        if request.headers.get(header):
            raise unsupported("NFS shares")
    if request.headers.get("x-ms-file-permission-format", "sddl").lower() != "sddl":
        raise unsupported("permissions in the binary format")
    node = _with_attributes(request, node)
    for header, field in _TIMES.items():
        node = _with_time(request, node, header, field)
    return replace(node, permission=_permission(request, store, node))


def shown(store: Store, node: Node) -> dict[str, str]:
    parent = 0 if node.parent <= 0 else nodes.by_id(store, node.parent).shown_id
    return {
        "x-ms-file-attributes": node.attributes,
        "x-ms-file-change-time": moments.iso(node.changed),
        "x-ms-file-creation-time": moments.iso(node.created),
        "x-ms-file-id": str(node.shown_id),
        "x-ms-file-last-write-time": moments.iso(node.written),
        "x-ms-file-parent-id": str(parent),
        "x-ms-file-permission-key": node.permission,
    }


def parsed(text: str, *, is_directory: bool) -> str:
    """Return attributes in the service's order and spelling; raise Refusal."""
    asked = {part.strip().lower() for part in text.split("|")}
    if not asked <= {*_KNOWN, "none"}:
        raise bad_header("x-ms-file-attributes", text)
    asked.discard("directory")
    asked.discard("none")
    if is_directory:
        asked.add("directory")
    return " | ".join(name for name in _NAMES if name.lower() in asked) or "Archive"


def _with_attributes(request: Request, node: Node) -> Node:
    text = request.headers.get("x-ms-file-attributes", "")
    if text.lower() in {"", "preserve", "source"}:
        return node
    return replace(node, attributes=parsed(text, is_directory=node.is_directory))


def _with_time(request: Request, node: Node, header: str, field: str) -> Node:
    text = request.headers.get(header, "")
    if text.lower() in {"", "preserve", "source"}:
        return node
    moment = node.etag if text.lower() == "now" else moments.parsed(text)
    if moment is None:
        raise bad_header(header, text)
    changes: dict[str, Any] = {field: moment}
    return replace(node, **changes)


def _permission(request: Request, store: Store, node: Node) -> str:
    sddl, key = request.headers.get("x-ms-file-permission", ""), request.headers.get("x-ms-file-permission-key", "")
    share = request.share or ""
    if key and sddl and sddl.lower() != "preserve":
        raise bad_header("x-ms-file-permission-key", key)
    if key and key.lower() != "source":
        return permissions.known(store, share, key)
    if sddl.lower() == "inherit":
        return permissions.key_of(permissions.INHERITED)
    if sddl.lower() in {"", "preserve", "source"}:
        return node.permission
    if len(sddl) > permissions.LONGEST_IN_HEADER:
        raise bad_header("x-ms-file-permission", sddl[:100])
    return permissions.keep(store, share, sddl)

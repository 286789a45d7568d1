"""Requests about one file: create, read, properties, delete."""

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from stcc.emulator.azfiles import attributes, content, handles, leases, nodes, sharing
from stcc.emulator.azfiles.call import Call, changed, metadata_headers
from stcc.emulator.azfiles.nodes import Node
from stcc.emulator.azfiles.refusals import Refusal, bad_header, missing_header, unsupported
from stcc.emulator.azfiles.reply import Reply
from stcc.emulator.azfiles.request import Request

LARGEST: Final = 4 * 1024**4
LARGEST_DIGESTED: Final = 4 * 1024**2
# The service's own headers of a file, by the name under which it shows them.
HEADERS: Final = {
    "content-type": "x-ms-content-type",
    "content-encoding": "x-ms-content-encoding",
    "content-language": "x-ms-content-language",
    "cache-control": "x-ms-cache-control",
    "content-disposition": "x-ms-content-disposition",
    "content-md5": "x-ms-content-md5",
}
_ENCRYPTED: Final = {"x-ms-request-server-encrypted": "true"}


def create(call: Call) -> Reply:
    request = call.request
    if request.required("x-ms-type").lower() != "file":
        raise bad_header("x-ms-type", request.headers["x-ms-type"])
    _refuse_unsupported(request)
    length = request.number("x-ms-content-length", least=0, most=LARGEST)
    if length is None:
        raise missing_header("x-ms-content-length")
    store, share = call.store, call.share_to_change()
    parent = nodes.parent_of(store, share, request.path)
    old = checked_target(call, nodes.child(store, parent, request.path[-1]))
    name = request.path[-1]
    node = attributes.fresh(request, store, share=share.id, parent=parent.id, name=name, is_directory=False)
    node = replace(node, length=length, content=store.content(), headers=_said_headers(request, {}))
    return described(call, put_in_place(call, node, old), 201)


def checked_target(call: Call, old: Node | None) -> Node | None:
    """Return the file that a create or copy overwrites, once nothing speaks against it."""
    if old is None:
        leases.check_file_write(leases.NONE, call.lease_id)
        return None
    handles.check_stays(old)
    if old.is_directory:
        raise Refusal("ResourceTypeMismatch")
    leases.check_file_write(old.lease, call.lease_id)
    handles.check(call.store, old, sharing.CREATE)
    if old.is_read_only and not call.request.flag("x-ms-file-copy-ignore-readonly"):
        raise Refusal("ReadOnlyAttribute")
    return old


def put_in_place(call: Call, node: Node, old: Node | None) -> Node:
    """Put a new file where an old one may be: it stays the same file, with its id and its lease."""
    if old is None:
        return nodes.add(call.store, node)
    kept = old.lease if old.lease.is_active else leases.NONE
    node = replace(node, id=old.id, file_id=old.file_id, name=old.name, lease=kept)
    nodes.save(call.store, node)
    content.drop_if_unused(call.store, old.content)
    return node


def show(call: Call) -> Reply:
    node = call.file(call.share_to_read())
    leases.check_file_read(node.lease, call.lease_id)
    return Reply(status=200, headers=_properties(call, node), length=node.length)


def show_metadata(call: Call) -> Reply:
    node = call.file(call.share_to_read())
    leases.check_file_read(node.lease, call.lease_id)
    return Reply(status=200, headers=changed(node.etag) | metadata_headers(node))


def get(call: Call) -> Reply:
    node = call.file(call.share_to_read())
    leases.check_file_read(node.lease, call.lease_id)
    handles.check(call.store, node, sharing.READ)
    found = asked_range(call.request)
    start, end = (0, node.length) if found is None else (found[0], min(found[1], node.length))
    if found is not None and start >= node.length:
        raise Refusal("InvalidRange")
    handles.check_range(call.store, node, start=start, end=end, writing=False)
    headers = _properties(call, node) | {"accept-ranges": "bytes"} | dict(call.grant.overrides)
    data = content.read(call.store, node.content, start, end)
    if found is not None:
        headers["content-range"] = f"bytes {start}-{end - 1}/{node.length}"
        if "content-md5" in headers:
            headers["x-ms-content-md5"] = headers.pop("content-md5")
    if call.request.flag("x-ms-range-get-content-md5"):
        headers["content-md5"] = _digest(data, is_range=found is not None)
    status = 200 if found is None else 206
    if isinstance(data, bytes):
        return Reply(status=status, headers=headers, body=data)
    return Reply(status=status, headers=headers, pieces=data, length=end - start)


def set_properties(call: Call) -> Reply:
    node = _to_change(call, sharing.WRITE)
    moment = call.store.moment()
    node = replace(node, etag=moment, changed=moment, headers=_said_headers(call.request, node.headers))
    node = attributes.said(call.request, call.store, node)
    length = call.request.number("x-ms-content-length", least=0, most=LARGEST)
    if length is not None and length != node.length:
        handles.check_range(call.store, node, start=min(length, node.length), end=LARGEST, writing=True)
        own = content.own(call.store, node.content)
        if length < node.length:
            content.cut(call.store, own, length)
        node = replace(node, length=length, content=own)
    nodes.save(call.store, node)
    return described(call, node, 200)


def set_metadata(call: Call) -> Reply:
    node = _to_change(call, sharing.WRITE)
    moment = call.store.moment()
    nodes.save(call.store, replace(node, etag=moment, changed=moment, metadata=call.request.metadata))
    return Reply(status=200, headers=changed(moment) | _ENCRYPTED)


def delete(call: Call) -> Reply:
    node = _to_change(call, sharing.DELETE)
    if node.is_read_only:
        raise Refusal("ReadOnlyAttribute")
    nodes.remove(call.store, node)
    return Reply(status=202)


def described(call: Call, node: Node, status: int) -> Reply:
    """Return the answer to a change that tells what the file is now."""
    return Reply(status=status, headers=changed(node.etag) | attributes.shown(call.store, node) | _ENCRYPTED)


def asked_range(request: Request) -> tuple[int, int] | None:
    """Return the range of a request, its end excluded; None without one."""
    header = "x-ms-range" if request.headers.get("x-ms-range") else "range"
    value = request.headers.get(header, "")
    if not value:
        return None
    found = re.fullmatch(r"bytes=(\d{1,15})-(\d{1,15})?", value)
    if found is None:
        raise bad_header(header, value)
    start, end = int(found[1]), int(found[2]) + 1 if found[2] else LARGEST
    if start >= end:
        raise bad_header(header, value)
    return start, end


def _to_change(call: Call, needs: str) -> Node:
    node = call.file(call.share_to_change())
    leases.check_file_write(node.lease, call.lease_id)
    handles.check(call.store, node, needs)
    return node if node.lease.is_active else replace(node, lease=leases.NONE)


def _refuse_unsupported(request: Request) -> None:
    if request.headers.get("content-length", "0") != "0":
        raise unsupported("the creation of a file together with its content")
    if request.headers.get("x-ms-file-file-type", "Regular").lower() != "regular":
        raise unsupported("NFS shares")
    if request.headers.get("x-ms-file-property-semantics", "New").lower() != "new":
        raise unsupported("the restoring of properties")


def _said_headers(request: Request, old: Mapping[str, str]) -> dict[str, str]:
    """Return the file's headers: all that are given; where none is, the old ones."""
    given = {name: request.headers[header] for name, header in HEADERS.items() if request.headers.get(header)}
    if "content-md5" in given:
        request.md5("x-ms-content-md5")
    return given or dict(old)


def _properties(call: Call, node: Node) -> dict[str, str]:
    lease = node.lease if node.lease.is_active else leases.NONE  # what was broken is shown as available
    return {
        "content-type": "application/octet-stream",
        **node.headers,
        **changed(node.etag),
        **attributes.shown(call.store, node),
        **leases.described(lease),
        **node.copied,
        **metadata_headers(node),
        "x-ms-server-encrypted": "true",
        "x-ms-type": "File",
    }


def _digest(data: object, *, is_range: bool) -> str:
    if not is_range or not isinstance(data, bytes) or len(data) > LARGEST_DIGESTED:
        raise bad_header("x-ms-range-get-content-md5", "true")
    return base64.b64encode(hashlib.md5(data, usedforsecurity=False).digest()).decode()

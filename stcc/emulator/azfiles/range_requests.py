"""Requests about ranges of a file: write, clear, list."""

import base64
import hashlib
from dataclasses import replace
from typing import Final

from stcc.emulator.azfiles import content, file_requests, handles, leases, moments, nodes, sharing
from stcc.emulator.azfiles.call import Call, changed
from stcc.emulator.azfiles.nodes import Node
from stcc.emulator.azfiles.refusals import Refusal, bad_header, missing_header, unsupported
from stcc.emulator.azfiles.reply import Reply, document, element
from stcc.emulator.azfiles.request import Request

LARGEST: Final = 4 * 1024 * 1024


def put(call: Call) -> Reply:
    request = call.request
    for header, what in (
        ("x-ms-copy-source", "the writing of ranges from a URL"),
        ("x-ms-structured-body", "structured messages"),
        ("x-ms-content-crc64", "CRC64 checksums"),
    ):
        if request.headers.get(header):
            raise unsupported(what)
    how = request.required("x-ms-write").lower()
    if how not in {"update", "clear"}:
        raise bad_header("x-ms-write", how)
    start, end = _range(request)
    node = _to_write(call, start, end)
    if how == "clear":
        return _clear(call, node, start, end)
    return _update(call, node, start, end)


def list_(call: Call) -> Reply:
    if "prevsharesnapshot" in call.request.query:
        raise unsupported("differences between snapshots")
    node = call.file(call.share_to_read())
    leases.check_file_read(node.lease, call.lease_id)
    handles.check(call.store, node, sharing.READ)
    start, end = file_requests.asked_range(call.request) or (0, node.length)
    marker = call.request.query.get("marker", "")
    start = max(start, int(marker)) if marker.isdecimal() else start
    found = list(content.ranges(call.store, node.content, start, min(end, node.length)))
    most = call.request.most_results() if "maxresults" in call.request.query else len(found)
    inside = "".join(
        f"<Range>{element('Start', first)}{element('End', last - 1)}</Range>" for first, last in found[:most]
    )
    if most < len(found):
        inside += element("NextMarker", found[most][0])
    headers = changed(node.etag) | {"x-ms-content-length": str(node.length)}
    return document(200, f"<Ranges>{inside}</Ranges>" if inside else "<Ranges />", headers)


def _update(call: Call, node: Node, start: int, end: int) -> Reply:
    body = call.request.body
    if end - start > LARGEST:
        raise Refusal("RequestBodyTooLarge")
    if len(body) != end - start:
        raise bad_header("content-length", str(len(body)))
    digest = hashlib.md5(body, usedforsecurity=False).digest()
    if call.request.md5("content-md5") not in {None, digest}:
        raise Refusal("Md5Mismatch")
    own = content.own(call.store, node.content)
    content.write(call.store, own, start, body)
    headers = {"content-md5": base64.b64encode(digest).decode(), "x-ms-request-server-encrypted": "true"}
    return _saved(call, replace(node, content=own), headers)


def _clear(call: Call, node: Node, start: int, end: int) -> Reply:
    if call.request.body:
        raise bad_header("content-length", str(len(call.request.body)))
    own = content.own(call.store, node.content)
    # The last sector is whole when the file ends in it.
    content.clear(call.store, own, start, -(-end // content.SECTOR) * content.SECTOR if end == node.length else end)
    return _saved(call, replace(node, content=own), {})


def _saved(call: Call, node: Node, headers: dict[str, str]) -> Reply:
    moment = call.store.moment()
    keeps = call.request.headers.get("x-ms-file-last-write-time", "now").lower()
    if keeps not in {"now", "preserve"}:
        raise bad_header("x-ms-file-last-write-time", keeps)
    node = replace(node, etag=moment, changed=moment, written=moment if keeps == "now" else node.written)
    nodes.save(call.store, node)
    shown = {"x-ms-file-last-write-time": moments.iso(node.written)}
    return Reply(status=201, headers=changed(moment) | headers | shown)


def _range(request: Request) -> tuple[int, int]:
    found = file_requests.asked_range(request)
    if found is None:
        raise missing_header("x-ms-range")
    if found[1] == file_requests.LARGEST:  # "bytes=0-" says no end
        raise bad_header("x-ms-range", request.headers.get("x-ms-range", ""))
    return found


def _to_write(call: Call, start: int, end: int) -> Node:
    node = call.file(call.share_to_change())
    leases.check_file_write(node.lease, call.lease_id)
    handles.check(call.store, node, sharing.WRITE)
    if node.is_read_only:
        raise Refusal("ReadOnlyAttribute")
    handles.check_range(call.store, node, start=start, end=end, writing=True)
    if end > node.length:
        raise Refusal("InvalidRange")
    return node if node.lease.is_active else replace(node, lease=leases.NONE)

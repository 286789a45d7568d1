"""Renames within a share: one step, so that a reader sees the old file or the new one."""

from dataclasses import replace

from stcc.emulator.azfiles import attributes, file_requests, handles, leases, nodes, origins, sharing
from stcc.emulator.azfiles.call import Call
from stcc.emulator.azfiles.nodes import Node
from stcc.emulator.azfiles.refusals import Refusal, bad_header, unsupported
from stcc.emulator.azfiles.reply import Reply
from stcc.emulator.azfiles.shares import Share


def rename_file(call: Call) -> Reply:
    return _rename(call, is_directory=False)


def rename_directory(call: Call) -> Reply:
    return _rename(call, is_directory=True)


def _rename(call: Call, *, is_directory: bool) -> Reply:
    store, request, share = call.store, call.request, call.share_to_change()
    source = _source(call, share, is_directory=is_directory)
    parent = nodes.parent_of(store, share, request.path)
    if parent.id in nodes.below(store, source):
        raise bad_header("x-ms-file-rename-source", request.headers["x-ms-file-rename-source"])
    target = nodes.child(store, parent, request.path[-1])
    if target is not None and target.id != source.id:
        _check_target(call, source, target)
        nodes.remove(store, target)
    moment = store.moment()
    node = replace(source, parent=parent.id, name=request.path[-1], etag=moment, changed=moment)
    node = attributes.said(request, store, node)
    if request.metadata:
        node = replace(node, metadata=request.metadata)
    if request.headers.get("x-ms-content-type") and not is_directory:
        node = replace(node, headers={**node.headers, "content-type": request.headers["x-ms-content-type"]})
    nodes.save(store, node)
    return file_requests.described(call, node, 200)


def _source(call: Call, share: Share, *, is_directory: bool) -> Node:
    """Return what is to be renamed, once nothing speaks against its going."""
    origin = origins.find(call, "x-ms-file-rename-source", needs="d")
    source = origin.node
    if origin.share.id != share.id:
        raise unsupported("renames from one share to another")
    if source.is_directory != is_directory:
        raise Refusal("ResourceTypeMismatch")
    if source.parent <= 0:
        raise Refusal("InvalidUri")
    handles.check_stays(source)
    if is_directory:
        handles.check_nobody_below(call.store, source)
        return source
    given = call.request.guid("x-ms-source-lease-id")
    leases.check_file_write(source.lease, given)
    handles.check(call.store, source, sharing.DELETE)
    return source if source.lease.is_active else replace(source, lease=leases.NONE)


def _check_target(call: Call, source: Node, target: Node) -> None:
    """Raise Refusal unless the target may be replaced; only files can be, and only by files."""
    handles.check_stays(target)
    if not call.request.flag("x-ms-file-rename-replace-if-exists"):
        raise Refusal("ResourceAlreadyExists")
    if source.is_directory or target.is_directory:
        raise Refusal("ResourceTypeMismatch" if source.is_directory != target.is_directory else "ResourceAlreadyExists")
    leases.check_file_write(target.lease, call.request.guid("x-ms-destination-lease-id"))
    handles.check(call.store, target, sharing.DELETE)
    if target.is_read_only and not call.request.flag("x-ms-file-rename-ignore-readonly"):
        raise Refusal("ReadOnlyAttribute")

"""Requests about one directory."""

from dataclasses import replace

from stcc.emulator.azfiles import attributes, handles, nodes
from stcc.emulator.azfiles.call import Call, changed, metadata_headers
from stcc.emulator.azfiles.nodes import Node
from stcc.emulator.azfiles.refusals import Refusal, unsupported
from stcc.emulator.azfiles.reply import Reply


def create(call: Call) -> Reply:
    if call.request.headers.get("x-ms-file-property-semantics", "New").lower() != "new":
        raise unsupported("the restoring of properties")
    share = call.share_to_change()
    if not call.request.path:
        raise Refusal("ResourceAlreadyExists")
    parent = nodes.parent_of(call.store, share, call.request.path)
    name = call.request.path[-1]
    found = nodes.child(call.store, parent, name)
    if found is not None:
        handles.check_stays(found)
        raise Refusal("ResourceAlreadyExists" if found.is_directory else "ResourceTypeMismatch")
    node = attributes.fresh(call.request, call.store, share=share.id, parent=parent.id, name=name, is_directory=True)
    return _described(call, nodes.add(call.store, node), 201)


def show(call: Call) -> Reply:
    node = call.directory(call.share_to_read())
    headers = changed(node.etag) | attributes.shown(call.store, node) | {"x-ms-server-encrypted": "true"}
    return Reply(status=200, headers=headers | metadata_headers(node))


def show_metadata(call: Call) -> Reply:
    node = call.directory(call.share_to_read())
    return Reply(status=200, headers=changed(node.etag) | metadata_headers(node))


def set_properties(call: Call) -> Reply:
    node = _at(call.directory(call.share_to_change()), call.store.moment())
    node = attributes.said(call.request, call.store, node)
    nodes.save(call.store, node)
    return _described(call, node, 200)


def set_metadata(call: Call) -> Reply:
    node = _at(call.directory(call.share_to_change()), call.store.moment())
    nodes.save(call.store, replace(node, metadata=call.request.metadata))
    return Reply(status=200, headers=changed(node.etag) | {"x-ms-request-server-encrypted": "true"})


def delete(call: Call) -> Reply:
    node = call.directory(call.share_to_change())
    if not call.request.path:
        raise Refusal("InvalidUri")
    if not nodes.is_empty(call.store, node):
        raise Refusal("DirectoryNotEmpty")
    if handles.on(call.store, node):
        raise Refusal("CannotDeleteFileOrDirectory")
    nodes.remove(call.store, node)
    return Reply(status=202)


def _at(node: Node, moment: int) -> Node:
    return replace(node, etag=moment, changed=moment)


def _described(call: Call, node: Node, status: int) -> Reply:
    headers = changed(node.etag) | attributes.shown(call.store, node) | {"x-ms-request-server-encrypted": "true"}
    return Reply(status=status, headers=headers)

"""Copies within the account, complete when they are answered."""

from dataclasses import replace
from uuid import uuid4

from stcc.emulator.azfiles import attributes, file_requests, handles, nodes, origins, permissions, sharing
from stcc.emulator.azfiles.call import Call, changed
from stcc.emulator.azfiles.moments import http_date
from stcc.emulator.azfiles.nodes import Node
from stcc.emulator.azfiles.origins import Origin
from stcc.emulator.azfiles.refusals import Refusal, bad_header
from stcc.emulator.azfiles.reply import Reply


def copy(call: Call) -> Reply:
    store, request, share = call.store, call.request, call.share_to_change()
    origin = origins.find(call, "x-ms-copy-source", needs="r")
    source = origin.node
    if source.is_directory:
        raise Refusal("ResourceTypeMismatch")
    handles.check(store, source, sharing.READ)
    parent = nodes.parent_of(store, share, request.path)
    name = request.path[-1]
    old = file_requests.checked_target(call, nodes.child(store, parent, name))
    fresh = attributes.fresh(request, store, share=share.id, parent=parent.id, name=name, is_directory=False)
    made = file_requests.put_in_place(call, _copied(call, origin, fresh), old)
    told = {"x-ms-copy-id": made.copied["x-ms-copy-id"], "x-ms-copy-status": "success"}
    return Reply(status=202, headers=changed(made.etag) | told)


def abort(call: Call) -> Reply:
    """Refuse: there is never a copy under way."""
    if not call.request.query.get("copyid"):
        raise Refusal("InvalidQueryParameterValue")
    action = call.request.required("x-ms-copy-action")
    if action.lower() != "abort":
        raise bad_header("x-ms-copy-action", action)
    call.file(call.share_to_change())
    raise Refusal("NoPendingCopyOperation")


def _copied(call: Call, origin: Origin, node: Node) -> Node:
    """Return the new file: content and headers of the source; of the rest what the request wants from there."""
    source, request = origin.node, call.request
    node = replace(
        node,
        length=source.length,
        content=source.content,
        headers=source.headers,
        metadata=request.metadata or source.metadata,
        copied={
            "x-ms-copy-completion-time": http_date(node.etag),
            "x-ms-copy-id": str(uuid4()),
            "x-ms-copy-progress": f"{source.length}/{source.length}",
            "x-ms-copy-source": origin.url,
            "x-ms-copy-status": "success",
        },
    )
    wanted = {
        "x-ms-file-attributes": "attributes",
        "x-ms-file-creation-time": "created",
        "x-ms-file-last-write-time": "written",
        "x-ms-file-change-time": "changed",
    }
    for header, field in wanted.items():
        if request.headers.get(header, "").lower() == "source":
            node = replace(node, **{field: getattr(source, field)})
    if request.headers.get("x-ms-file-permission-copy-mode", "").lower() == "source":
        sddl = permissions.find(call.store, origin.share.name, source.permission) or permissions.INHERITED
        node = replace(node, permission=permissions.keep(call.store, call.share_name, sddl))
    if request.flag("x-ms-file-copy-set-archive"):
        text = f"{node.attributes} | Archive"
        node = replace(node, attributes=attributes.parsed(text, is_directory=False))
    return node

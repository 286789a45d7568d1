"""Requests about what SMB clients have open: list, force close."""

from typing import Final

from stcc.emulator.azfiles import handles, markers, nodes
from stcc.emulator.azfiles.call import Call
from stcc.emulator.azfiles.handles import Handle
from stcc.emulator.azfiles.listing import named
from stcc.emulator.azfiles.moments import http_date
from stcc.emulator.azfiles.refusals import bad_header, bad_parameter
from stcc.emulator.azfiles.reply import Reply, document, element

_RIGHTS: Final = {"r": "Read", "w": "Write", "d": "Delete"}


def list_(call: Call) -> Reply:
    found = _found(call)
    (after,) = markers.read(call.request.query.get("marker", ""), size=1)
    if after and not after.isdecimal():
        raise bad_parameter("marker", call.request.query["marker"])
    following = [handle for handle in found if handle.id > int(after or 0)]
    page = following[: call.request.most_results()]
    items = "".join(_item(call, handle) for handle in page)
    marker = markers.written(str(page[-1].id)) if len(page) < len(following) else ""
    entries = f"<Entries>{items}</Entries>" if items else "<Entries />"
    return document(200, f"<EnumerationResults>{entries}{element('NextMarker', marker)}</EnumerationResults>")


def close(call: Call) -> Reply:
    wanted = call.request.required("x-ms-handle-id")
    if wanted != "*" and not wanted.isdecimal():
        raise bad_header("x-ms-handle-id", wanted)
    closed = [handle for handle in _found(call) if wanted in {"*", str(handle.id)}]
    for handle in closed:
        handles.close(call.store, handle)
    headers = {"x-ms-number-of-handles-closed": str(len(closed)), "x-ms-number-of-handles-failed": "0"}
    return Reply(status=200, headers=headers)


def _found(call: Call) -> list[Handle]:
    """Return the handles that the request is about; what is marked for deletion still has them."""
    node = call.node(call.share_to_read())
    recursive = call.request.headers.get("x-ms-recursive")
    if recursive is not None and not node.is_directory:
        raise bad_header("x-ms-recursive", recursive)
    return handles.listed(call.store, node, recursive=call.request.flag("x-ms-recursive"))


def _item(call: Call, handle: Handle) -> str:
    node = nodes.by_id(call.store, handle.node)
    parent = 0 if node.parent <= 0 else nodes.by_id(call.store, node.parent).shown_id
    rights = "".join(element("AccessRight", word) for letter, word in _RIGHTS.items() if letter in handle.how.access)
    return (
        f"<Handle>{element('HandleId', handle.id)}{named('Path', nodes.path_of(call.store, node))}"
        f"{element('FileId', node.shown_id)}{element('ParentId', parent)}{element('SessionId', handle.session)}"
        f"{element('ClientIp', handle.client)}{element('ClientName', handle.client_name)}"
        f"{element('OpenTime', http_date(handle.opened))}<AccessRightList>{rights}</AccessRightList></Handle>"
    )

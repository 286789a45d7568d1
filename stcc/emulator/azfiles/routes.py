"""Which operation a request asks for, what it needs to be allowed, and which function does it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from stcc.emulator.azfiles import (
    copying,
    directory_requests,
    file_requests,
    handle_requests,
    lease_requests,
    listing,
    range_requests,
    renaming,
    share_requests,
)
from stcc.emulator.azfiles.call import Call
from stcc.emulator.azfiles.grants import Level
from stcc.emulator.azfiles.refusals import unsupported
from stcc.emulator.azfiles.reply import Reply
from stcc.emulator.azfiles.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One of `needs` (letters of a shared access signature) must be granted on `level`."""

    run: Callable[[Call], Reply]
    needs: str
    level: Level = "o"


_SHARE: Final = {
    ("PUT", ""): Operation(run=share_requests.create, needs="cw", level="c"),
    ("GET", ""): Operation(run=share_requests.show, needs="r", level="c"),
    ("HEAD", ""): Operation(run=share_requests.show, needs="r", level="c"),
    ("DELETE", ""): Operation(run=share_requests.delete, needs="d", level="c"),
    ("PUT", "properties"): Operation(run=share_requests.set_properties, needs="w", level="c"),
    ("PUT", "metadata"): Operation(run=share_requests.set_metadata, needs="w", level="c"),
    ("GET", "metadata"): Operation(run=share_requests.show_metadata, needs="r", level="c"),
    ("HEAD", "metadata"): Operation(run=share_requests.show_metadata, needs="r", level="c"),
    ("GET", "stats"): Operation(run=share_requests.statistics, needs="r", level="c"),
    ("PUT", "snapshot"): Operation(run=share_requests.snapshot, needs="cw", level="c"),
    ("GET", "acl"): Operation(run=share_requests.get_policies, needs="r", level="c"),
    ("PUT", "acl"): Operation(run=share_requests.set_policies, needs="w", level="c"),
    ("PUT", "filepermission"): Operation(run=share_requests.create_permission, needs="cw", level="c"),
    ("GET", "filepermission"): Operation(run=share_requests.get_permission, needs="r", level="c"),
    ("PUT", "lease"): Operation(run=lease_requests.of_share, needs="wd", level="c"),
}
_DIRECTORY: Final = {
    ("PUT", ""): Operation(run=directory_requests.create, needs="cw"),
    ("GET", ""): Operation(run=directory_requests.show, needs="r"),
    ("HEAD", ""): Operation(run=directory_requests.show, needs="r"),
    ("DELETE", ""): Operation(run=directory_requests.delete, needs="d"),
    ("PUT", "properties"): Operation(run=directory_requests.set_properties, needs="w"),
    ("PUT", "metadata"): Operation(run=directory_requests.set_metadata, needs="w"),
    ("GET", "metadata"): Operation(run=directory_requests.show_metadata, needs="r"),
    ("HEAD", "metadata"): Operation(run=directory_requests.show_metadata, needs="r"),
    ("GET", "list"): Operation(run=listing.list_directory, needs="l", level="c"),
    ("PUT", "rename"): Operation(run=renaming.rename_directory, needs="cw"),
}
_FILE: Final = {
    ("PUT", ""): Operation(run=file_requests.create, needs="cw"),
    ("GET", ""): Operation(run=file_requests.get, needs="r"),
    ("HEAD", ""): Operation(run=file_requests.show, needs="r"),
    ("DELETE", ""): Operation(run=file_requests.delete, needs="d"),
    ("PUT", "properties"): Operation(run=file_requests.set_properties, needs="w"),
    ("PUT", "metadata"): Operation(run=file_requests.set_metadata, needs="w"),
    ("GET", "metadata"): Operation(run=file_requests.show_metadata, needs="r"),
    ("HEAD", "metadata"): Operation(run=file_requests.show_metadata, needs="r"),
    ("PUT", "range"): Operation(run=range_requests.put, needs="w"),
    ("GET", "rangelist"): Operation(run=range_requests.list_, needs="r"),
    ("PUT", "rename"): Operation(run=renaming.rename_file, needs="cw"),
    ("PUT", "copy"): Operation(run=copying.abort, needs="w"),
    ("PUT", "lease"): Operation(run=lease_requests.of_file, needs="wd"),
}
_HANDLES: Final = {
    ("GET", "listhandles"): Operation(run=handle_requests.list_, needs="rl"),
    ("PUT", "forceclosehandles"): Operation(run=handle_requests.close, needs="w"),
}
_COPY: Final = Operation(run=copying.copy, needs="cw")
_SHARES: Final = Operation(run=listing.list_shares, needs="l", level="s")


def operation(request: Request) -> Operation:
    """Return what is asked for; raise Refusal for what the emulator does not do."""
    kind, comp = request.query.get("restype", "").lower(), request.query.get("comp", "").lower()
    asked = (request.method, comp)
    found = _HANDLES.get(asked) if request.share and not kind else None
    if found is None and request.share is None:
        found = _SHARES if (asked, kind) == (("GET", "list"), "") else None
    elif found is None and kind == "share" and not request.path:
        found = _SHARE.get(asked)
    elif found is None and kind == "directory":
        found = _DIRECTORY.get(asked)
    elif found is None and kind == "" and request.path:
        is_copy = asked == ("PUT", "") and "x-ms-copy-source" in request.headers
        found = _COPY if is_copy else _FILE.get(asked)
    if found is None:
        raise unsupported(f"{request.method} with restype='{kind}' and comp='{comp}' on this resource")
    return found

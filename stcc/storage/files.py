"""Files and directories: looking at them, deleting them, their metadata; one request each.

One who names a path need not know which of the two it is: a file is asked for,
and a directory when there is no file. A slash at the end says "directory" and
saves the first question.
"""

import base64
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from stcc.knowledge.refusals import BY_SMB
from stcc.outcomes import Refused, Reply
from stcc.outcomes.file import FileDeleted, FileMetadataSet, FileShown, Kind
from stcc.storage.account import Account
from stcc.storage.answers import Rejected, Said, ask, ask_properties, ask_tagged
from stcc.storage.marker import in_headers, left_in, marked
from stcc.storage.refusals import Look, lease_facts, refused
from stcc.storage.settle import change, read
from stcc.values.conditions import Conditions
from stcc.values.targets import FileTarget
from stcc.values.times import iso

T = TypeVar("T")


def show(account: Account, target: FileTarget, *, conditions: Conditions) -> FileShown | Refused:
    """Read the properties of a file or a directory."""

    def shown(kind: Kind) -> FileShown:
        if kind == "directory":
            call = account.directory(target).get_directory_properties
            said = read(lambda: ask_tagged(call), target=target)
            return _directory(said, said.reply(), target)
        call = account.file(target).get_file_properties
        said = read(lambda: ask_properties(call, headers=conditions.headers()), target=target)
        return _file(said, said.reply(), target)

    try:
        return either(target, shown, leased=conditions.lease_id is not None)
    except Rejected as rejected:
        return refusal(account, target, rejected, doing="show")


def delete(account: Account, target: FileTarget, *, conditions: Conditions) -> FileDeleted | Refused:
    """Delete a file, or an empty directory; a 404 after a lost answer proves nothing, so that stays unknown."""

    def deleted(kind: Kind) -> FileDeleted:
        is_file = kind == "file"
        call = account.file(target).delete_file if is_file else account.directory(target).delete_directory
        options = {"headers": conditions.headers()} if is_file else {}
        said, settled = change(lambda: ask(call, **options), target=target, look=look_at(account, target))
        return FileDeleted(reply=said.reply(settled=settled), target=str(target), type=kind)

    try:
        return either(target, deleted, leased=conditions.lease_id is not None)
    except Rejected as rejected:
        return refusal(account, target, rejected, doing="delete")


def set_metadata(
    account: Account, target: FileTarget, *, metadata: Mapping[str, str], conditions: Conditions, marker: bool
) -> FileMetadataSet | Refused:
    """Replace the metadata of a file or a directory; a lost answer is settled by the operation id among it."""
    sent = marked(metadata, marker=marker)

    def replaced(kind: Kind) -> FileMetadataSet:
        if kind == "directory":
            client = account.directory(target)
            properties, asking, send = client.get_directory_properties, ask_tagged, client.set_directory_metadata
        else:
            client = account.file(target)
            properties, asking, send = client.get_file_properties, ask_properties, client.set_file_metadata
        headers = in_headers(sent) | (conditions.headers() if kind == "file" else {})
        said: Said[dict[str, Any]]
        said, settled = change(
            lambda: ask_tagged(send, None, headers=dict(headers)),
            target=target,
            evidence=lambda: left_in(properties, sent, ask=asking),
            look=look_at(account, target),
        )
        etag = str(said.value["etag"])
        return FileMetadataSet(reply=said.reply(settled=settled), target=str(target), type=kind, etag=etag)

    try:
        return either(target, replaced, leased=conditions.lease_id is not None)
    except Rejected as rejected:
        return refusal(account, target, rejected, doing="set the metadata of")


def either(target: FileTarget, attempt: Callable[[Kind], T], *, leased: bool = False) -> T:
    """Attempt something on a file, and, when there is none, on a directory.

    What is `leased` is a file: directories have no leases. What is neither is refused as a file is.
    """
    if target.is_directory:
        return attempt("directory")
    try:
        return attempt("file")
    except Rejected as rejected:
        if not _may_be_directory(rejected) or leased:
            raise
        try:
            return attempt("directory")
        except Rejected as second:
            raise (rejected if _may_be_directory(second) else second) from None


def _may_be_directory(rejected: Rejected) -> bool:
    return rejected.code in {"ResourceNotFound", "ResourceTypeMismatch"}


def refusal(account: Account, target: FileTarget, rejected: Rejected, *, doing: str) -> Refused:
    """Return the refusal of `doing`, and what is there; where SMB clients are in the way, they are to be asked for.

    (The properties could not be read: what is marked for deletion refuses that, too.)
    """
    look = None if rejected.code in BY_SMB else look_at(account, target)
    return refused(rejected, target=target, doing=doing, look=look)


def look_at(account: Account, target: FileTarget) -> Look | None:
    """Return how to find out what is there now, or None when nobody wants to know."""
    if not account.diagnose:
        return None

    def look(kind: Kind) -> Mapping[str, object]:
        if kind == "directory":
            found = ask(account.directory(target).get_directory_properties).value
            return {"etag": found.etag, "last_modified": iso(found.last_modified), "type": "directory"}
        found = ask(account.file(target).get_file_properties).value
        return {**lease_facts(found), "size": found.size}

    return lambda: either(target, look)


def _file(said: Said[Any], reply: Reply, target: FileTarget) -> FileShown:
    found = said.value
    md5 = found.content_settings.content_md5
    return FileShown(
        reply=reply,
        target=str(target),
        type="file",
        size=found.size,
        content_type=found.content_settings.content_type,
        content_md5=None if md5 is None else base64.b64encode(md5).decode(),
        lease_state=found.lease.state,
        lease_status=found.lease.status,
        lease_duration=found.lease.duration,
        **_common(said),
    )


def _directory(said: Said[Any], reply: Reply, target: FileTarget) -> FileShown:
    return FileShown(
        reply=reply,
        target=str(target),
        type="directory",
        size=None,
        content_type=None,
        content_md5=None,
        lease_state=None,
        lease_status=None,
        lease_duration=None,
        **_common(said),
    )


def _common(said: Said[Any]) -> dict[str, Any]:
    """Return what files and directories have in common; times as SMB clients see them, to 100 ns."""
    found, headers = said.value, said.headers
    return {
        "etag": found.etag,
        "last_modified": iso(found.last_modified) or "",
        "attributes": found.file_attributes,
        "created": headers.get("x-ms-file-creation-time"),
        "written": headers.get("x-ms-file-last-write-time"),
        "file_id": found.file_id,
        "permission_key": found.permission_key,
        "metadata": found.metadata or {},
    }

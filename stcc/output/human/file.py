"""Files and directories, for people."""

from typing import assert_never

from stcc.outcomes.file import (
    DirectoryMade,
    FileDeleted,
    FileGot,
    FileMetadataSet,
    FileOutcome,
    FileRenamed,
    FileShown,
    HandlesClosed,
)
from stcc.output.human.metadata import shown
from stcc.output.text import Text, cell, pairs


def human(outcome: FileOutcome) -> Text:
    """Return ETag or properties for stdout, and what happened for stderr."""
    target = cell(outcome.target)
    match outcome:
        case FileGot(etag=etag, size=size, path=path):
            return Text(out=f"{etag}\n", err=f"got {target}, {_counted(size, 'byte')}, into {cell(path)}\n")
        case FileShown():
            return Text(out=pairs(_fields(outcome)))
        case FileDeleted(type=kind):
            return Text(err=f"deleted {kind} {target}\n")
        case FileMetadataSet(etag=etag, type=kind):
            return Text(out=f"{etag}\n", err=f"set the metadata of {kind} {target}\n")
        case FileRenamed(etag=etag, to=to, type=kind):
            return Text(out=f"{etag}\n", err=f"renamed {kind} {target} to {cell(to)}\n")
        case DirectoryMade(etag=etag, made=made):
            story = f"made {', '.join(map(cell, made))}" if made else f"{target} is there already"
            return Text(out=f"{etag}\n", err=f"{story}\n")
        case HandlesClosed(closed=closed, failed=failed):
            story = f"closed {_counted(closed, 'handle')} of {target}"
            return Text(out=f"{closed}\n", err=story + (f", and failed to close {failed}\n" if failed else "\n"))
        case _:
            assert_never(outcome)


def _fields(outcome: FileShown) -> dict[str, object]:
    fields: dict[str, object] = {
        outcome.type: outcome.target,
        "etag": outcome.etag,
        "last_modified": outcome.last_modified,
        "lease": " ".join(filter(None, [outcome.lease_state, outcome.lease_duration])) or None,
        "size": outcome.size,
        "content_type": outcome.content_type,
        "content_md5": outcome.content_md5,
        "attributes": outcome.attributes,
        "created": outcome.created,
        "written": outcome.written,
    }
    return fields | shown(outcome.metadata)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"

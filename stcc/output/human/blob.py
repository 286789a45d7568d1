"""Blobs, for people."""

from typing import assert_never

from stcc.outcomes.blob import BlobDeleted, BlobGot, BlobOutcome, BlobPut, BlobShown
from stcc.output.human.metadata import shown
from stcc.output.text import Text, cell, pairs


def human(outcome: BlobOutcome) -> Text:
    """Return ETag or properties for stdout, and what happened for stderr."""
    target = cell(outcome.target)
    match outcome:
        case BlobPut(etag=etag, size=size, blocks=blocks):
            how = f" in {blocks} blocks" if blocks else ""
            return Text(out=f"{etag}\n", err=f"put {target}, {_bytes(size)}{how}\n")
        case BlobGot(etag=etag, size=size, path=path):
            return Text(out=f"{etag}\n", err=f"got {target}, {_bytes(size)}, into {cell(path)}\n")
        case BlobShown():
            return Text(out=pairs(_fields(outcome)))
        case BlobDeleted(snapshots="only"):
            return Text(err=f"deleted the snapshots of {target}\n")
        case BlobDeleted(snapshots="include"):
            return Text(err=f"deleted {target} and its snapshots\n")
        case BlobDeleted():
            return Text(err=f"deleted {target}\n")
        case _:
            assert_never(outcome)


def _fields(outcome: BlobShown) -> dict[str, object]:
    fields: dict[str, object] = {
        "blob": outcome.target,
        "etag": outcome.etag,
        "last_modified": outcome.last_modified,
        "lease": " ".join(filter(None, [outcome.lease_state, outcome.lease_duration])),
        "size": outcome.size,
        "type": outcome.blob_type,
        "content_type": outcome.content_type,
        "content_md5": outcome.content_md5,
        "tier": outcome.tier,
        "created": outcome.created,
        "tags": outcome.tag_count,
        "sequence_number": outcome.sequence_number,
        "copy": " ".join(filter(None, [outcome.copy_status, outcome.copy_id])) or None,
    }
    return fields | shown(outcome.metadata)


def _bytes(size: int) -> str:
    return "1 byte" if size == 1 else f"{size} bytes"

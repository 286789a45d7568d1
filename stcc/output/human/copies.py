"""Copies of blobs, for people."""

from typing import assert_never

from stcc.outcomes.copies import BlobCopied, CopyAborted, CopyOutcome
from stcc.output.text import Text, cell


def human(outcome: CopyOutcome) -> Text:
    """Return the ETag for stdout, and how far the copy is for stderr."""
    target = cell(outcome.target)
    match outcome:
        case BlobCopied(etag=etag, copy_status="success"):
            return Text(out=f"{etag}\n", err=f"copied to {target}\n")
        case BlobCopied(etag=etag, copy_id=copy_id):
            return Text(out=f"{etag}\n", err=f"the copy to {target} goes on, its id is {cell(copy_id)}\n")
        case CopyAborted():
            return Text(err=f"aborted the copy to {target}, which is empty now\n")
        case _:
            assert_never(outcome)

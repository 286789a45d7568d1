"""Append blobs, for people."""

from stcc.outcomes.append import BlobAppended
from stcc.output.text import Text, cell


def human(outcome: BlobAppended) -> Text:
    """Return the ETag for stdout, and where the bytes are for stderr."""
    target = cell(outcome.target)
    made = f"created {target}\n" if outcome.created else ""
    return Text(out=f"{outcome.etag}\n", err=f"{made}appended {outcome.size} bytes to {target} at {outcome.offset}\n")

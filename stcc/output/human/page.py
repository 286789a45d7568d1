"""Page blobs, for people."""

from typing import assert_never

from stcc.outcomes.page import PageOutcome, PagesCleared, PagesCreated, PagesPut
from stcc.output.text import Text, cell


def human(outcome: PageOutcome) -> Text:
    """Return the ETag for stdout, and what happened for stderr."""
    target = cell(outcome.target)
    match outcome:
        case PagesCreated(etag=etag, size=size):
            return Text(out=f"{etag}\n", err=f"created {target}, {size} bytes of zeros\n")
        case PagesPut(etag=etag, offset=offset, length=length):
            return Text(out=f"{etag}\n", err=f"put {length} bytes into {target} at {offset}\n")
        case PagesCleared(etag=etag, offset=offset, length=length):
            return Text(out=f"{etag}\n", err=f"cleared {length} bytes of {target} at {offset}\n")
        case _:
            assert_never(outcome)

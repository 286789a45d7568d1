"""Shares, for people."""

from typing import assert_never

from stcc.outcomes.share import (
    ShareCreated,
    ShareDeleted,
    ShareMetadataSet,
    ShareOutcome,
    ShareShown,
    ShareSnapshotTaken,
)
from stcc.output.human.metadata import shown
from stcc.output.text import Text, pairs


def human(outcome: ShareOutcome) -> Text:
    """Return ETag, snapshot or properties for stdout, and what happened for stderr."""
    target = outcome.target
    match outcome:
        case ShareCreated(etag=etag):
            return Text(out=f"{etag}\n", err=f"created share {target}\n")
        case ShareShown():
            fields = {
                "share": target,
                "etag": outcome.etag,
                "last_modified": outcome.last_modified,
                "lease": " ".join(filter(None, [outcome.lease_state, outcome.lease_duration])),
                "quota": None if outcome.quota is None else f"{outcome.quota} GiB",
                "tier": outcome.tier,
            }
            return Text(out=pairs(fields | shown(outcome.metadata)))
        case ShareDeleted(snapshots=snapshots):
            return Text(err=f"deleted share {target}{' with its snapshots' if snapshots else ''}\n")
        case ShareSnapshotTaken(snapshot=snapshot):
            return Text(out=f"{snapshot}\n", err=f"took a snapshot of share {target}\n")
        case ShareMetadataSet(etag=etag):
            return Text(out=f"{etag}\n", err=f"set the metadata of share {target}\n")
        case _:
            assert_never(outcome)

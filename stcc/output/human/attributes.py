"""Metadata, headers, tags, tiers and snapshots, for people."""

from typing import assert_never

from stcc.outcomes.attributes import (
    AttributesOutcome,
    BlobHeadersSet,
    BlobMetadataSet,
    BlobSnapshotTaken,
    BlobTagsSet,
    BlobTagsShown,
    BlobTierSet,
    ContainerMetadataSet,
)
from stcc.output.text import Text, cell, tsv_line


def human(outcome: AttributesOutcome) -> Text:
    """Return ETag, tags or the snapshot's time for stdout, and what happened for stderr."""
    target = cell(outcome.target)
    match outcome:
        case BlobMetadataSet(etag=etag):
            return Text(out=f"{etag}\n", err=f"set the metadata of {target}\n")
        case ContainerMetadataSet(etag=etag):
            return Text(out=f"{etag}\n", err=f"set the metadata of container {target}\n")
        case BlobHeadersSet(etag=etag):
            return Text(out=f"{etag}\n", err=f"set the headers of {target}\n")
        case BlobTagsSet():
            return Text(err=f"set the tags of {target}\n")
        case BlobTagsShown(tags=tags):
            lines = "".join(f"{cell(name)}={cell(value)}\n" for name, value in tags.items())
            return Text(out=lines, err="" if tags else f"{target} has no tags\n")
        case BlobTierSet(tier=tier, pending=True):
            return Text(err=f"{target} is being brought back to {tier}, which takes hours: blob show\n")
        case BlobTierSet(tier=tier):
            return Text(err=f"{target} is in tier {tier}\n")
        case BlobSnapshotTaken(snapshot=snapshot):
            return Text(out=f"{snapshot}\n", err=f"took a snapshot of {target}\n")
        case _:
            assert_never(outcome)


def tsv(outcome: AttributesOutcome) -> str | None:
    """Return one line per tag, `NAME<TAB>VALUE`; None for what is one line of fields."""
    if isinstance(outcome, BlobTagsShown):
        return "".join(map(tsv_line, outcome.tags.items()))
    return None

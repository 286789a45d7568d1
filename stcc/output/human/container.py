"""Containers, for people."""

from typing import assert_never

from stcc.outcomes.container import ContainerCreated, ContainerDeleted, ContainerOutcome, ContainerShown
from stcc.output.human.metadata import shown
from stcc.output.text import Text, pairs, visible


def human(outcome: ContainerOutcome) -> Text:
    """Return ETag or properties for stdout, and what happened for stderr."""
    match outcome:
        case ContainerCreated(target=target, etag=etag):
            return Text(out=f"{etag}\n", err=f"created container {target}\n")
        case ContainerShown():
            fields = {
                "container": outcome.target,
                "etag": outcome.etag,
                "last_modified": outcome.last_modified,
                "lease": " ".join(filter(None, [outcome.lease_state, outcome.lease_duration])),
                "public_access": outcome.public_access,
            }
            return Text(out=pairs(fields | shown(outcome.metadata)))
        case ContainerDeleted(target=target):
            return Text(err=f"deleted container {visible(target)}\n")
        case _:
            assert_never(outcome)

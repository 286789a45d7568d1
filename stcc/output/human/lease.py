"""Leases, for people."""

from typing import assert_never

from stcc.outcomes.lease import (
    LeaseAcquired,
    LeaseBroken,
    LeaseChanged,
    LeaseOutcome,
    LeaseReleased,
    LeaseRenewed,
    LeaseShown,
)
from stcc.output.text import Text, cell, pairs


def human(outcome: LeaseOutcome) -> Text:
    """Return the id (or the seconds left) for stdout, and what happened for stderr."""
    target = cell(outcome.target)
    match outcome:
        case LeaseAcquired(lease_id=lease_id, duration=None):
            return Text(out=f"{lease_id}\n", err=f"leased {target} until it is released or broken\n")
        case LeaseAcquired(lease_id=lease_id, duration=duration):
            return Text(out=f"{lease_id}\n", err=f"leased {target} for {duration} seconds\n")
        case LeaseRenewed(lease_id=lease_id):
            return Text(out=f"{lease_id}\n", err=f"renewed the lease of {target}\n")
        case LeaseChanged(lease_id=lease_id):
            return Text(out=f"{lease_id}\n", err=f"changed the id of the lease of {target}\n")
        case LeaseReleased():
            return Text(err=f"released {target}\n")
        case LeaseBroken():
            return Text(out=f"{outcome.seconds_left}\n", err=_broken(outcome, target))
        case LeaseShown():
            fields = {
                "target": outcome.target,
                "lease": " ".join(filter(None, [outcome.state, outcome.duration])),
                "status": outcome.status,
                "etag": outcome.etag,
                "last_modified": outcome.last_modified,
            }
            return Text(out=pairs(fields))
        case _:
            assert_never(outcome)


def _broken(outcome: LeaseBroken, target: str) -> str:
    if outcome.seconds_left == 0 or outcome.waited:
        return f"broke the lease of {target}; it is free\n"
    return f"breaking the lease of {target}; it is free in {outcome.seconds_left} seconds, at {outcome.free_at}\n"

"""Locks, for people."""

from typing import assert_never

from stcc.outcomes.lock import LockAcquired, LockBroken, LockOutcome, LockReleased, LockRenewed, LockShown
from stcc.output.text import Text, cell, pairs


def human(outcome: LockOutcome) -> Text:
    """Return the identity or a table for stdout, and what happened for stderr."""
    target = cell(outcome.target)
    match outcome:
        case LockAcquired():
            return Text(
                out=f"{outcome.identity}\n", err=f"locked {target} {_until(outcome.ttl)}{_fence(outcome.fence)}\n"
            )
        case LockRenewed():
            return Text(err=f"renewed {target} {_until(outcome.ttl)}{_fence(outcome.fence)}\n")
        case LockReleased(was="held"):
            return Text(err=f"released {target}\n")
        case LockReleased(was="expired"):
            return Text(err=f"released {target}, whose time was over already\n")
        case LockReleased():
            return Text(err=f"nobody held {target} any more: there was nothing to release\n")
        case LockShown():
            return Text(out=pairs(_fields(outcome)))
        case LockBroken():
            return Text(err=f"broke {target}, which {cell(outcome.identity)} held\n")
        case _:
            assert_never(outcome)


def _fields(outcome: LockShown) -> dict[str, object]:
    return {
        "name": outcome.target,
        "holder": outcome.identity,
        "since": outcome.since,
        "expires": outcome.expires or "never",
        "fence": outcome.fence,
        "note": outcome.note,
    }


def _until(ttl: float | None) -> str:
    return "until it is released or broken" if ttl is None else f"for {ttl:g} seconds"


def _fence(fence: int | None) -> str:
    return "" if fence is None else f", fence {fence}"

"""Semaphores, for people."""

from typing import assert_never

from stcc.outcomes.semaphore import (
    PermitAcquired,
    PermitReleased,
    PermitRenewed,
    SemaphoreCreated,
    SemaphoreOutcome,
    SemaphoreResized,
    SemaphoreShown,
)
from stcc.output.text import Text, cell, pairs, table, tsv_line

_COLUMNS = ("identity", "since", "expires", "fence", "note")


def human(outcome: SemaphoreOutcome) -> Text:
    """Return the identity or tables for stdout, and what happened for stderr."""
    target = cell(outcome.target)
    match outcome:
        case SemaphoreCreated(created=True):
            return Text(err=f"created {target} with {_permits(outcome.max)}\n")
        case SemaphoreCreated():
            return Text(err=f"{target} is there already, with {_permits(outcome.max)}\n")
        case SemaphoreResized():
            drains = f"; {outcome.current} are held: no new one before they are fewer" * (outcome.current > outcome.max)
            return Text(err=f"{target} has {_permits(outcome.max)} now, {outcome.was} before{drains}\n")
        case PermitAcquired():
            held = f"permit {outcome.current} of {outcome.max} of {target}"
            return Text(out=f"{outcome.identity}\n", err=f"acquired {held} {_until(outcome.ttl)}\n")
        case PermitRenewed():
            return Text(err=f"renewed the permit of {target} {_until(outcome.ttl)}\n")
        case PermitReleased():
            return Text(err=f"released a permit of {target}; {outcome.current} of {outcome.max} are held\n")
        case SemaphoreShown():
            facts = pairs({"name": outcome.target, "max": outcome.max, "current": outcome.current})
            rows = ([holder[column] for column in _COLUMNS] for holder in outcome.holders)
            return Text(out=facts + ("\n" + table(_COLUMNS, rows) if outcome.holders else ""))
        case _:
            assert_never(outcome)


def tsv(outcome: SemaphoreOutcome) -> str | None:
    """Return a line for each holder of what is shown."""
    if not isinstance(outcome, SemaphoreShown):
        return None
    return "".join(tsv_line(holder[column] for column in _COLUMNS) for holder in outcome.holders)


def _permits(count: int) -> str:
    return "1 permit" if count == 1 else f"{count} permits"


def _until(ttl: float | None) -> str:
    return "until it is released" if ttl is None else f"for {ttl:g} seconds"

"""Who leads, for people."""

from collections.abc import Mapping
from typing import assert_never

from stcc.outcomes.leader import COLUMNS, LeaderOutcome, LeaderResigned, LeaderShown
from stcc.output.text import Text, cell, pairs, tsv_line


def human(outcome: LeaderOutcome) -> Text:
    """Return a table for stdout, and what happened for stderr."""
    target = cell(outcome.target)
    match outcome:
        case LeaderShown():
            return Text(out=pairs(_fields(outcome)))
        case LeaderResigned(ended=True):
            return Text(err=f"{cell(outcome.identity)} leads {target} no more\n")
        case LeaderResigned():
            return Text(err=f"asked {cell(outcome.identity)} to resign as the leader of {target}\n")
        case _:
            assert_never(outcome)


def line(item: Mapping[str, object]) -> str:
    """Return the line of a change: when it was seen, who leads, and the number of the term."""
    return tsv_line(item.get(column) for column in COLUMNS["leader-watched"])


def _fields(outcome: LeaderShown) -> dict[str, object]:
    return {
        "name": outcome.target,
        "leader": outcome.identity,
        "since": outcome.since,
        "expires": outcome.expires or "never",
        "fence": outcome.fence,
        "note": outcome.note,
        "asked to resign": "yes" if outcome.resigning else None,
    }

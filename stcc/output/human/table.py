"""Tables, for people."""

from typing import assert_never

from stcc.outcomes.table import TableCreated, TableDeleted, TableOutcome
from stcc.output.text import Text, visible


def human(outcome: TableOutcome) -> Text:
    """Return what happened for stderr; a table has nothing that a script could want."""
    match outcome:
        case TableCreated(target=target):
            return Text(err=f"created table {visible(target)}\n")
        case TableDeleted(target=target):
            return Text(err=f"deleted table {visible(target)}\n")
        case _:
            assert_never(outcome)

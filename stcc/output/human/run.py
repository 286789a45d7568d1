"""Commands that were run while something was held, for people: they hear of what they have not been told yet."""

from stcc.outcomes.run import CommandRan
from stcc.output.text import Text, cell


def human(outcome: CommandRan) -> Text:
    """Return what was noticed only afterwards; a command that was stopped was told why at once."""
    if outcome.lost is None or outcome.stopped:
        return Text()
    return Text(err=f"stcc: {cell(outcome.target)} had been lost when {cell(outcome.command)} ended: {outcome.lost}\n")

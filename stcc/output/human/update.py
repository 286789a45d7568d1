"""Updates, for people."""

from stcc.outcomes.update import Updated
from stcc.output.text import Text, cell


def human(outcome: Updated) -> Text:
    """Return the ETag for stdout, and what happened for stderr."""
    target = cell(outcome.target)
    again = "" if outcome.attempts == 1 else f", in round {outcome.attempts}: others were writing, too"
    story = f"updated {target}, {outcome.size} bytes{again}\n" if outcome.changed else f"{target} is unchanged\n"
    return Text(out="" if outcome.etag is None else f"{outcome.etag}\n", err=story)

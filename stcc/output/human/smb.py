"""Simulated SMB clients, for people."""

from typing import assert_never

from stcc.outcomes.smb import SmbClosed, SmbMarked, SmbOpened, SmbOutcome
from stcc.output.text import Text, cell


def human(outcome: SmbOutcome) -> Text:
    """Return the handle for stdout, and what happened for stderr."""
    target = cell(outcome.target)
    match outcome:
        case SmbOpened():
            shared = outcome.shared or "nothing"
            return Text(
                out=f"{outcome.handle}\n",
                err=f"an SMB client at {cell(outcome.client)} has {target} open for {outcome.access}, and shares "
                f"{shared}\n",
            )
        case SmbClosed(deleted=True):
            return Text(err=f"closed {target}, which was marked for deletion and is gone\n")
        case SmbClosed():
            return Text(err=f"closed {target}\n")
        case SmbMarked(delete_pending=True):
            return Text(err=f"{target} goes when the last SMB client closes it\n")
        case SmbMarked():
            return Text(err=f"{target} stays\n")
        case _:
            assert_never(outcome)

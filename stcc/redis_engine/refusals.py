"""What is refused before anything is changed: keys and holders that are somebody else's matter."""

from stcc.exits import Exit
from stcc.outcomes import Refused, Reply

# There is no HTTP here. The envelope has room for a status only.
_STATUS = None


def said(settled: str | None = None) -> Reply:
    """Return the envelope of a yes."""
    return Reply(http_status=_STATUS, settled=settled)


def other_kind(target: str, what: str) -> Refused:
    """Return the refusal of a key that is used for something else; it is left as it is."""
    return _conflict(target, f"cannot use {target}: {what}")


def foreign(target: str, identity: str) -> Refused:
    """Return the refusal to change what came without stcc: nobody knows how long it was meant to be held."""
    return _conflict(target, f"cannot change {target}: {identity} holds it, but not by stcc")


def _conflict(target: str, summary: str) -> Refused:
    return Refused(
        outcome="conflict",
        exit_code=Exit.CONFLICT,
        target=target,
        summary=summary,
    )

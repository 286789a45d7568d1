"""Public access and stored access policies, for people."""

from collections.abc import Mapping
from typing import Final, assert_never

from stcc.outcomes.acl import AclOutcome, AclSet, AclShown
from stcc.output.text import Text, pairs, table, tsv_line

_COLUMNS: Final = ("id", "start", "expiry", "permissions")


def human(outcome: AclOutcome) -> Text:
    """Return access and policies, or the new ETag, for stdout, and what happened for stderr."""
    match outcome:
        case AclShown():
            fields = {
                "container": outcome.target,
                "public_access": outcome.public_access,
                "etag": outcome.etag,
                "last_modified": outcome.last_modified,
                "policies": "" if outcome.policies else "none",
            }
            listed = table(_COLUMNS, [_row(policy) for policy in outcome.policies]) if outcome.policies else ""
            return Text(out=pairs(fields) + listed)
        case AclSet(target=target, etag=etag, written=True):
            return Text(out=f"{etag}\n", err=f"set the ACL of container {target}\n")
        case AclSet(target=target, etag=etag):
            return Text(out=f"{etag}\n", err=f"the ACL of container {target} is so already\n")
        case _:
            assert_never(outcome)


def tsv(outcome: AclOutcome) -> str | None:
    """Return one line per policy: id, start, expiry, permissions; None for what is one line of fields."""
    if isinstance(outcome, AclShown):
        return "".join(tsv_line(_row(policy)) for policy in outcome.policies)
    return f"{outcome.etag}\n"


def _row(policy: Mapping[str, str | None]) -> list[str | None]:
    return [policy[column] for column in _COLUMNS]

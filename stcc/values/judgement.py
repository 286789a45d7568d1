"""What a write would be answered, judged beforehand from what is there.

Only a preview, to spare a long upload that is bound to be refused; the same
conditions travel with the commit, and decide. (semantics.md, section 2)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from stcc.values.conditions import Conditions


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a look found of an existing blob."""

    etag: str
    last_modified: datetime
    leased: bool


def of_put(conditions: Conditions, seen: Seen | None) -> tuple[int, str] | None:
    """Return status and code of the refusal that Put Blob or Put Block List would meet, or None.

    `seen` is None for a blob that is not there. Tags and the lease id are not judged here: the look sends them.
    """
    if seen is None:
        return (412, "ConditionNotMet") if "--if-match" in conditions.values else None
    if seen.leased and conditions.lease_id is None:
        return 412, "LeaseIdMissing"
    if conditions.values.get("--if-none-match") == "*":
        return 409, "BlobAlreadyExists"
    return None if _met(conditions.values, seen) else (412, "ConditionNotMet")


def _met(values: Mapping[str, str], seen: Seen) -> bool:
    """Tell whether all conditions hold; of the two pairs that a write may carry, the ETag decides."""
    if (expected := values.get("--if-match")) is not None:
        return expected in {"*", seen.etag}
    if (unwanted := values.get("--if-none-match")) is not None:
        return unwanted != seen.etag
    if (since := values.get("--if-modified-since")) is not None:
        return seen.last_modified > parsedate_to_datetime(since)
    if (since := values.get("--if-unmodified-since")) is not None:
        return seen.last_modified <= parsedate_to_datetime(since)
    return True

"""What answers have in common: what was seen after a refusal, and the one document of JSON."""

import json
from typing import Any

from stcc.values.times import iso
from tests.running import Result
from tests.situations import Situation


def seen(there: Situation, target: str, *, expected: str = "", sized: bool = True) -> str:
    """Return the line that tells what is there after a refusal."""
    found = there.properties(target)
    first = f"expected etag {expected}, " if expected else ""
    lease = f"lease state {found.lease.state}, lease status {found.lease.status}"
    duration = f", lease duration {found.lease.duration}" if found.lease.duration else ""
    when = iso(found.last_modified)
    size = f", size {found.size}" if sized else ""
    return f"  seen afterwards: {first}etag {found.etag}, last modified {when}, {lease}{duration}{size}\n"


def document(result: Result) -> dict[str, Any]:
    """Return the only document on stdout, without the name of the request."""
    found: dict[str, Any] = json.loads(result.out)
    assert (found.pop("request_id") is not None, result.err) == (True, "")
    return found

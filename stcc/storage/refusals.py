"""The service's no as an outcome: exit code, words, and what is there now."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from stcc.exits import Exit
from stcc.knowledge.refusals import MEANINGS, UNMET
from stcc.outcomes import Refused
from stcc.storage.answers import Lost, Rejected, Unsent
from stcc.values.times import iso

_BY_STATUS: Final = {
    304: ("not-modified", Exit.NOT_MODIFIED, "not modified"),
    401: ("denied", Exit.DENIED, "the credential is not accepted"),
    403: ("denied", Exit.DENIED, "not allowed"),
    404: ("absent", Exit.ABSENT, "not found"),
    409: ("conflict", Exit.CONFLICT, "conflict"),
    412: ("precondition-failed", Exit.PRECONDITION, "a condition is not met"),
}
_WORTH_A_LOOK: Final = frozenset({404, 409, 412})
Look = Callable[[], Mapping[str, object]]


def refused(
    rejected: Rejected,
    *,
    target: object,
    doing: str,
    look: Look | None = None,
    expected: str | None = None,
    before: str | None = None,
    judged: int | None = None,
) -> Refused:
    """Return the refusal of `doing` ("put", "acquire the lease of") to `target`.

    `look` finds what is there now, beside the ETag that the caller `expected`; a look that fails changes
    nothing: the refusal stands without it. `before` says that stcc judged so itself, before it asked;
    `judged` is the status that the refusal amounts to, where the service's own says something else.
    """
    status = judged or rejected.status
    outcome, code, words = _BY_STATUS.get(status, ("failed", Exit.FAILED, rejected.message or "not accepted"))
    meaning, hint = MEANINGS.get(rejected.code or "", (words, ""))
    if rejected.code in UNMET and expected in {None, "*"}:
        meaning, hint = "a condition is not met", "look at what is there, and at the condition"
    return Refused(
        outcome=outcome,
        exit_code=code,
        http_status=rejected.status if before is None else None,
        error_code=rejected.code,
        request_id=rejected.request_id,
        target=str(target),
        summary=f"{target}: not modified ({rejected})"
        if code == Exit.NOT_MODIFIED
        else f"cannot {doing} {target}: {meaning} ({before or rejected})",
        hint="" if code == Exit.NOT_MODIFIED else hint,
        observed=_observed(look, expected) if status in _WORTH_A_LOOK else None,
    )


def as_write(rejected: Rejected) -> int | None:
    """Return what a refusal of a write amounts to: some writes answer an unmet condition with a read's 304."""
    return 412 if rejected.status == 304 else None


def _observed(look: Look | None, expected: str | None) -> Mapping[str, object] | None:
    if look is None or (seen := looked(look)) is None:
        return None
    return seen if expected is None else {"expected_etag": expected, **seen}


def looked(look: Look) -> Mapping[str, object] | None:
    """Return what a look sees, `{"exists": False}` where there is nothing, or None when it sees nothing at all."""
    try:
        return look()
    except Rejected as rejected:
        return {"exists": False} if rejected.status == 404 else None
    except (Lost, Unsent):
        return None


def lease_facts(properties: Any) -> dict[str, object]:
    """Return ETag, time and lease of a blob or container from the SDK's reading of its properties."""
    lease = properties.lease
    return {
        "etag": properties.etag,
        "last_modified": iso(properties.last_modified),
        "lease_state": lease.state,
        "lease_status": lease.status,
        "lease_duration": lease.duration,
    }

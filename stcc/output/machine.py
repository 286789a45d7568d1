"""The JSON envelope: one document, the same for answers, refusals and failures."""

import dataclasses
import re
from typing import Any

from stcc.errors import StccError
from stcc.exits import Exit
from stcc.outcomes import Listing, Outcome, Refused
from stcc.output.text import is_mapping, without_secrets

_NOT_PLAIN = "[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"


def result(outcome: Outcome) -> dict[str, Any]:
    """Return the fields of a success that are its own."""
    return {
        field.name: getattr(outcome, field.name)
        for field in dataclasses.fields(outcome)  # type: ignore[arg-type]  # every outcome is a dataclass
        if field.name not in {"reply", "target"} and field.repr
    }


def envelope(
    outcome: str,
    exit_code: int,
    *,
    http_status: int | None = None,
    error_code: str | None = None,
    request_id: str | None = None,
    target: str | None = None,
    result: object = None,
    observed: object = None,
    message: str | None = None,
    hint: str | None = None,
) -> dict[str, Any]:
    """Return the envelope; `message` and `hint` are there when something went wrong."""
    document: dict[str, Any] = {
        "outcome": outcome,
        "exit_code": int(exit_code),
        "http_status": http_status,
        "error_code": error_code,
        "request_id": request_id,
        "target": None if target is None else without_secrets(target),
        "result": result,
        "observed": observed,
    }
    if message is not None:
        document |= {"message": without_secrets(message), "hint": without_secrets(hint or "") or None}
    return document


def of_success(outcome: Outcome, *, result: object) -> dict[str, Any]:
    """Return the envelope of a yes."""
    reply = outcome.reply
    settled = None if reply is None or reply.settled is None else {"answer_lost": True, "settled_by": reply.settled}
    return envelope(
        outcome.kind,
        getattr(outcome, "exit_code", Exit.DONE),
        http_status=None if reply is None else reply.http_status,
        request_id=None if reply is None else reply.request_id,
        target=outcome.target,
        result=result,
        observed=settled,
    )


def of_listing(listing: Listing, *, result: object) -> dict[str, Any]:
    """Return the envelope of many things."""
    reply, ending = listing.reply, listing.ended()
    return envelope(
        ending.kind,
        ending.exit_code,
        http_status=None if reply is None else reply.http_status,
        request_id=None if reply is None else reply.request_id,
        target=listing.target,
        result=result,
    )


def of_refusal(refused: Refused) -> dict[str, Any]:
    """Return the envelope of a no."""
    return envelope(
        refused.outcome,
        refused.exit_code,
        http_status=refused.http_status,
        error_code=refused.error_code,
        request_id=refused.request_id,
        target=refused.target,
        observed=refused.observed,
        message=refused.summary,
        hint=refused.hint,
    )


def of_failure(error: StccError) -> dict[str, Any]:
    """Return the envelope of a failure."""
    return envelope(
        error.kind,
        error.exit_code,
        http_status=error.http_status,
        error_code=error.error_code,
        request_id=error.request_id,
        target=error.target,
        observed=error.observed,
        message=error.message,
        hint=error.hint,
    )


def document(value: object) -> str:
    """Return one line of JSON in which no character can act on a terminal, and every string keeps its value."""
    import json

    text = json.dumps(value, ensure_ascii=False, default=_plain)
    return re.sub(_NOT_PLAIN, lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def _plain(value: object) -> object:
    if is_mapping(value):
        return dict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    msg = f"no JSON for {type(value).__name__}"
    raise TypeError(msg)

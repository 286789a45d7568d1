"""One step: a request's answer beside what it had to be."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol

from stcc.errors import Usage
from stcc.exits import Exit
from stcc.knowledge.operations import Operation
from stcc.outcomes import Refused, Reply
from stcc.outcomes.demo import Step
from stcc.values import conditions
from stcc.values.conditions import Conditions

FORCED = Conditions(force=True)


class Yes(Protocol):
    """Any success."""

    @property
    def reply(self) -> Reply | None: ...


def step(
    asked: str,
    answer: Yes | Refused,
    meaning: str,
    *,
    sent: Conditions | str = "",
    status: int | Sequence[int],
    codes: Sequence[str] = (),
    holds: bool = True,
) -> Step:
    """Compare an answer with what it had to be: one of the statuses, one of the codes, and what else must hold."""
    statuses = (status,) if isinstance(status, int) else tuple(status)
    http_status, error_code, exit_code = _facts(answer)
    right = http_status in statuses and (not codes or error_code in codes)
    expected = " or ".join(map(str, statuses)) + (f" {' or '.join(codes)}" if codes else "")
    return Step(
        asked=asked,
        condition=sent if isinstance(sent, str) else _headers(sent),
        http_status=http_status,
        error_code=error_code,
        exit_code=exit_code,
        meaning=meaning if right and holds else _instead(answer, right=right),
        expected=f"{expected}: {meaning}",
        as_expected=right and holds,
    )


def ended(asked: str, answer: Yes | Refused, meaning: str, *, exits: Exit, holds: bool = True) -> Step:
    """Compare what came of several requests with the exit code that it had to have, and what else must hold."""
    http_status, error_code, exit_code = _facts(answer)
    right = exit_code == exits
    return Step(
        asked=asked,
        condition="",
        http_status=http_status,
        error_code=error_code,
        exit_code=exit_code,
        meaning=meaning if right and holds else _instead(answer, right=right),
        expected=f"exit {int(exits)}: {meaning}",
        as_expected=right and holds,
    )


def aside(asked: str, meaning: str, *, instead: str | None) -> Step:
    """Tell what happened beside the requests; `instead` is what went otherwise, None for nothing."""
    return Step(
        asked=asked,
        condition="",
        http_status=None,
        error_code=None,
        exit_code=Exit.DONE if instead is None else Exit.FAILED,
        meaning=meaning if instead is None else instead,
        expected=meaning,
        as_expected=instead is None,
    )


def unsent(asked: str, operation: Operation, etag: str, meaning: str) -> Step:
    """Let stcc's own check refuse an ETag that the service would ignore with this operation."""
    refusal: Usage | None = None
    try:
        conditions.parse(operation, {"--if-match": etag}, now=datetime.now(UTC))
    except Usage as usage:
        refusal = usage
    return Step(
        asked=asked,
        condition=f"If-Match: {etag}",
        http_status=None,
        error_code=None,
        exit_code=Exit.DONE if refusal is None else refusal.exit_code,
        meaning="it was accepted" if refusal is None else meaning,
        expected="nothing is sent",
        as_expected=refusal is not None,
    )


def _facts(answer: Yes | Refused) -> tuple[int | None, str | None, int]:
    if isinstance(answer, Refused):
        return answer.http_status, answer.error_code, answer.exit_code
    return None if answer.reply is None else answer.reply.http_status, None, Exit.DONE


def _instead(answer: Yes | Refused, *, right: bool) -> str:
    if right:
        return "the answer is the right one, what is stored is not"
    return answer.summary if isinstance(answer, Refused) else "it was accepted"


def _headers(conditions: Conditions) -> str:
    if conditions.force:
        return "none (--force)"
    return "; ".join(f"{name}: {value}" for name, value in conditions.headers().items())

"""One step: a request's answer beside what it had to be."""

from collections.abc import Sequence
from typing import Protocol

from stcc.exits import Exit
from stcc.outcomes import Refused, Reply
from stcc.outcomes.demo import Step
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

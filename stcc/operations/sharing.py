"""SMB clients in the way of a request: who they are, waiting for them, and closing what they have open.

Unlike a lease, an open handle has nobody to ask and no time at which it ends.
Whoever closes it by force takes it from a client that may not have written
everything yet; so it is done only when that was said, and only to the handles
that were seen.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from stcc.knowledge.refusals import BY_SMB
from stcc.operations.waiting import Clock, busy, pauses, until
from stcc.outcomes import Refused
from stcc.values.handles import Handle

T = TypeVar("T")
LONGEST_PAUSE = 1.0


class Opens(Protocol):
    """The open handles of what an operation is about."""

    def handles(self) -> Sequence[Handle] | None:
        """Return them; None when nobody says."""
        ...

    def close(self, handle: Handle, /) -> object:
        """Close exactly this one; a `Refused` when it cannot be."""
        ...


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Insistence:
    """How much to insist: `wait` so many seconds, then `close`, if both are asked for.

    `close` is asked whether these handles may be closed; None where they never may. `look`: a refusal names them.
    """

    wait: float | None = None
    close: Callable[[Sequence[Handle]], bool] | None = None
    look: bool = True


def insist(attempt: Callable[[], T | Refused], opens: Opens, how: Insistence, *, clock: Clock) -> T | Refused:
    """Return the answer of `attempt`, tried again as long as SMB clients are in its way and `how` says so.

    After all the waiting it is busy. What is refused for another reason (404: by now it is really gone) is so at once.
    """
    answer = _waited(attempt, how.wait, clock)
    if how.close is not None and is_in_the_way(answer):
        answer = _without_them(attempt, opens, how.close, answer)
    if not is_in_the_way(answer) or not isinstance(answer, Refused):
        return answer
    return _told(answer, opens.handles() if how.look else None, waited=how.wait)


def is_in_the_way(answer: object) -> bool:
    """Tell whether an answer is a refusal because of what SMB clients have open."""
    return isinstance(answer, Refused) and answer.error_code in BY_SMB


def _waited(attempt: Callable[[], T | Refused], wait: float | None, clock: Clock) -> T | Refused:
    if wait is None:
        return attempt()
    refusals: list[T | Refused] = []

    def once() -> tuple[T | Refused] | None:
        answer = attempt()
        if not is_in_the_way(answer):
            return (answer,)
        refusals[:] = [answer]
        return None

    found = until(once, wait=wait, clock=clock, between=pauses(longest=LONGEST_PAUSE))
    return refusals[0] if found is None else found[0]


def _without_them(
    attempt: Callable[[], T | Refused], opens: Opens, close: Callable[[Sequence[Handle]], bool], answer: T | Refused
) -> T | Refused:
    """Close what is open and try once more; a client that opens it again wins."""
    handles = opens.handles()
    if not handles or not close(handles):
        return answer
    for handle in handles:
        closed = opens.close(handle)
        if isinstance(closed, Refused):
            return closed
    return attempt()


def _told(refused: Refused, handles: Sequence[Handle] | None, *, waited: float | None) -> Refused:
    observed, hint = None, refused.hint
    if handles is not None:
        observed = {"handles": [handle.facts() for handle in handles]}
        hint = hint if handles else "no open handle is listed: by now it may be closed, so try again"
    told = dataclasses.replace(refused, observed=observed, hint=hint)
    return told if waited is None else busy(told, waited)

"""Writes that carry the number of a grant: a later holder's write is never replaced by an earlier one's.

The number is kept with what is written. It is read with the ETag, and the write depends on that ETag, so
nobody can write in between. Whoever writes without a number takes it away. (docs/guarantees.md)
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeVar

from stcc.exits import Exit
from stcc.operations.updating import ATTEMPTS, rounds
from stcc.operations.waiting import Clock
from stcc.outcomes import Refused
from stcc.values.conditions import Conditions

T = TypeVar("T")
# The metadata that keeps the number.
FENCE: Final = "stcc_fence"


class Mark(NamedTuple):
    """What is there now, before the write: None where there is nothing, or no number."""

    etag: str | None
    fence: int | None


def fenced(
    fence: int,
    look: Callable[[], Mark | Refused],
    write: Callable[[Conditions], T | Refused],
    *,
    target: object,
    given: Conditions,
    clock: Clock,
    attempts: int = ATTEMPTS,
) -> T | Refused:
    """Write over what `look` sees, unless that was written under a later grant; again if somebody else was faster.

    `given` are the other conditions of the write: a lease id at most.
    """

    def attempt(_: int) -> T | Refused:
        seen = look()
        if isinstance(seen, Refused):
            return seen
        if seen.fence is not None and seen.fence > fence:
            return too_old(target, fence, seen.fence, seen.etag)
        pin = {"--if-none-match": "*"} if seen.etag is None else {"--if-match": seen.etag}
        return write(Conditions({**pin, **given.values}))

    return rounds(attempt, attempts=attempts, clock=clock)


def fence_in(metadata: Mapping[str, str] | None) -> int | None:
    """Return the number that is kept in metadata; what is no number is none."""
    text = next((value for name, value in (metadata or {}).items() if name.lower() == FENCE), "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None


def too_old(target: object, fence: int, stored: int, etag: str | None) -> Refused:
    """Return the refusal of a write whose grant is not the latest that has written."""
    return Refused(
        outcome="precondition-failed",
        exit_code=Exit.PRECONDITION,
        target=str(target),
        summary=f"cannot write {target}: fence {fence} is older than {stored}, under which it was written",
        hint="somebody else has the lock by now, or had it since: stop, and acquire it again",
        observed={"fence": stored, "etag": etag},
    )

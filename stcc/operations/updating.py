"""Read, change, write only if nobody wrote in between; and again if somebody did.

The pause after a conflict follows what a round takes here: half fixed and half
random, around twice the smoothed time of a round, doubling with every conflict
up to 64 times that. A constant would be too long for one network and too short
for another. (performance.md, section 5)
"""

import dataclasses
import random
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final, Protocol, TypeVar

from stcc.exits import Exit
from stcc.knowledge.refusals import UNMET
from stcc.operations.waiting import Clock
from stcc.outcomes import Refused
from stcc.outcomes.update import Updated, Version

T = TypeVar("T")
ATTEMPTS: Final = 10
_SMOOTHING: Final = 0.25
_LONGEST: Final = 64.0


class Document(Protocol):
    """Bytes that are written back as a whole: a blob, its metadata, an entity."""

    @property
    def target(self) -> str: ...
    def read(self) -> Version | Refused:
        """Return what is there."""
        ...

    def write(self, content: bytes, over: Version) -> Updated | Refused:
        """Replace this version, and no other one."""
        ...


def update(
    document: Document,
    change: Callable[[bytes], bytes],
    *,
    attempts: int,
    clock: Clock,
    turn: Callable[[], AbstractContextManager[object]],
) -> Updated | Refused:
    """Write what `change` makes of a document, in as many rounds as it takes, at most `attempts`.

    What comes out unchanged is not written. `turn` is held during a round: whoever shares it does not collide.
    """

    def attempt(number: int) -> Updated | Refused:
        with turn():
            found = document.read()
            if isinstance(found, Refused):
                return found
            changed = change(found.content)
            same = changed == found.content and found.etag is not None and not found.due
            answer = unchanged(document, found) if same else document.write(changed, found)
            return dataclasses.replace(answer, attempts=number) if isinstance(answer, Updated) else answer

    answer = rounds(attempt, attempts=attempts, clock=clock)
    if not isinstance(answer, Refused) or not overtaken(answer):
        return answer
    # Also where the last round lost against somebody who made what was missing.
    hint = f"others were faster in all of {attempts} rounds: try again, or allow more --attempts"
    return dataclasses.replace(answer, outcome="precondition-failed", exit_code=Exit.PRECONDITION, hint=hint)


def unchanged(document: Document, found: Version) -> Updated:
    """Return the answer when there is nothing to write."""
    return Updated(
        reply=found.reply,
        target=document.target,
        etag=found.etag,
        changed=False,
        attempts=1,
        size=len(found.content),
    )


def rounds(attempt: Callable[[int], T | Refused], *, attempts: int, clock: Clock) -> T | Refused:
    """Return what a round of reading and writing under the ETag that was read gives; `attempt` is told its number.

    A round that another writer was faster than is tried again, `attempts` times in all; then its refusal stands.
    """
    pace: float | None = None
    for tried in range(1, attempts + 1):
        began = clock.monotonic()
        answer = attempt(tried)
        if tried == attempts or not overtaken(answer):
            return answer
        took = clock.monotonic() - began
        pace = took if pace is None else pace + _SMOOTHING * (took - pace)
        clock.sleep(_equal_jitter(2 * pace * min(2.0 ** (tried - 1), _LONGEST)))
    raise AssertionError  # the last round returns


def overtaken(answer: object) -> bool:
    """Tell whether a write was refused because somebody else wrote first; a lease in the way is something else."""
    return isinstance(answer, Refused) and answer.error_code in UNMET | {"BlobAlreadyExists"}


def _equal_jitter(pause: float) -> float:
    return pause / 2 + random.random() * pause / 2  # noqa: S311  # spreads load, hides nothing

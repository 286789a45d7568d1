"""Read, change, write only if nobody wrote in between; and again if somebody did.

The pause after a conflict follows what a round takes here: half fixed and half
random, around twice the smoothed time of a round, doubling with every conflict
up to 64 times that. A constant would be too long for one network and too short
for another. (performance.md, section 5)
"""

import random
from collections.abc import Callable
from typing import Final, TypeVar

from stcc.knowledge.refusals import UNMET
from stcc.operations.waiting import Clock
from stcc.outcomes import Refused

T = TypeVar("T")
ATTEMPTS: Final = 10
_SMOOTHING: Final = 0.25
_LONGEST: Final = 64.0


def update(attempt: Callable[[], T | Refused], *, attempts: int = ATTEMPTS, clock: Clock) -> T | Refused:
    """Return what a round of reading and writing under the ETag that was read gives.

    A round that another writer was faster than is tried again, `attempts` times in all; then its refusal stands.
    """
    pace: float | None = None
    for tried in range(1, attempts + 1):
        began = clock.monotonic()
        answer = attempt()
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

"""How often to ask, and how to settle an answer that got lost.

A read is asked again, quickly and a few times. A change is sent once; only
when its answer was lost is it sent again, and then a refusal proves nothing:
it may be the echo of the first one having landed. What settles it is a yes to
the identical request, or evidence that no other writer can have left.
Otherwise the outcome is unknown, and said so. (semantics.md, section 8)
"""

import time
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from stcc.errors import Interrupted, Unavailable, Unknown
from stcc.storage.answers import THROTTLED, Lost, Rejected, Unsent
from stcc.storage.refusals import Look, looked

T = TypeVar("T")
_PAUSES: Final = (0.05, 0.2, 0.5)
_LONGEST_PAUSE: Final = 3.0
_PATIENCE: Final = 10.0


def read(send: Callable[[], T], *, target: object, sleep: Callable[[float], None] = time.sleep) -> T:
    """Return the answer to a read; `Rejected` when it is a no, `Unavailable` when nobody answers."""
    for pause in _pauses():
        try:
            return send()
        except (Rejected, Lost, Unsent) as failure:
            if isinstance(failure, Rejected) and failure.status not in THROTTLED:
                raise
            if pause is None:
                raise _unavailable(target, failure) from failure
            sleep(max(pause, _advised(failure)))
    raise AssertionError  # the last pause is None


def change(
    send: Callable[[], T],
    *,
    target: object,
    evidence: Callable[[], T | None] | None = None,
    repeat: bool = True,
    look: Look | None = None,
    meaning: str = "the change may or may not have been applied",
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[T, str | None]:
    """Return the answer to a change, and how it was settled if an answer was lost on the way.

    `repeat=False` for what must never be sent twice; `evidence` returns the answer that was lost when it
    finds proof, and None otherwise; `meaning` says what a lost answer leaves open. Raises `Rejected` for a
    plain no, `Unavailable` when nothing can have changed, `Unknown` when something may have, `Interrupted`
    when a signal came in between.
    """
    lost: Lost | None = None
    try:
        for pause in _pauses():
            try:
                return send(), None if lost is None else "repeat"
            except (Rejected, Lost, Unsent) as failure:
                lost = failure if lost is None and isinstance(failure, Lost) else lost
                if pause is None or not _worth_repeating(failure, lost=lost is not None, repeat=repeat):
                    if lost is None:
                        raise _plain(failure, target) from failure
                    break
                sleep(max(pause, _advised(failure)))
        return _by_evidence(evidence, target=target, lost=lost, look=look, meaning=meaning)
    except KeyboardInterrupt as stop:
        what = f"{target}: {meaning}"
        raise Interrupted(stop, what, target=str(target)) from None


def _pauses() -> Iterator[float | None]:
    """Yield how long to pause after each try that failed, and None for the last; slow answers make it two tries."""
    until = time.monotonic() + _PATIENCE
    yield _PAUSES[0]
    for pause in _PAUSES[1:]:
        if time.monotonic() < until:
            yield pause
    yield None


def _worth_repeating(failure: Rejected | Lost | Unsent, *, lost: bool, repeat: bool) -> bool:
    match failure:
        case Rejected():  # throttled: it was not even looked at
            return failure.status in THROTTLED
        case Unsent():
            return lost
        case Lost():
            return repeat


def _plain(failure: Rejected | Lost | Unsent, target: object) -> Exception:
    """Return what a failure means while no answer has been lost: the service's no, or nobody there."""
    if isinstance(failure, Rejected) and failure.status not in THROTTLED:
        return failure
    return _unavailable(target, failure)


def _by_evidence(
    evidence: Callable[[], T | None] | None, *, target: object, lost: Lost | None, look: Look | None, meaning: str
) -> tuple[T, str]:
    try:
        found = None if evidence is None else evidence()
    except (Rejected, Lost, Unsent):
        found = None
    if found is not None:
        return found, "evidence"
    raise Unknown(
        f"{target}: the answer was lost ({lost}); {meaning}",
        target=str(target),
        hint="look before you repeat it",
        observed=None if look is None else looked(look),
    )


def _unavailable(target: object, failure: Exception) -> Unavailable:
    reason = f"the service answered {failure}" if isinstance(failure, Rejected) else str(failure)
    return Unavailable(f"{target}: {reason}", target=str(target), hint="nothing was changed; try again later")


def _advised(failure: Exception) -> float:
    """Return the seconds that Retry-After asks for, within reason."""
    text = failure.headers.get("retry-after", "") if isinstance(failure, Rejected) else ""
    return min(float(text), _LONGEST_PAUSE) if text.isdecimal() else 0.0

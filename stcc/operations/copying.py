"""Waiting for a copy that the service makes in its own time."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from stcc.errors import Unavailable, Unknown
from stcc.exits import Exit
from stcc.operations.waiting import Clock, pauses, until
from stcc.outcomes import Refused
from stcc.outcomes.copies import BlobCopied, CopyState

LONGEST_PAUSE: Final = 5.0
PENDING: Final = "pending"


class Target(Protocol):
    """The blob that is copied to."""

    def state(self) -> CopyState | Refused:
        """Look how far the last copy to it is."""
        ...


def until_done(
    target: Target,
    started: BlobCopied,
    *,
    wait: float,
    clock: Clock,
    progress: Callable[[int, int | None], object],
) -> BlobCopied | Refused:
    """Return what became of a copy, waiting for at most `wait` seconds; then it is busy.

    Another copy or another writer may have taken its place meanwhile, and then it is lost. `Unknown` when nobody
    tells how far it is: it has begun, and may go on.
    """

    def attempt() -> BlobCopied | Refused | None:
        try:
            seen = target.state()
        except Unavailable as nobody:
            raise _unseen(started, nobody) from nobody
        if isinstance(seen, Refused):
            return seen
        progress(seen.copied or 0, seen.total)
        if seen.copy_id != started.copy_id:
            return _overwritten(started, seen)
        if seen.status == PENDING:
            return None
        if seen.status == "success":
            return dataclasses.replace(started, etag=seen.etag, last_modified=seen.last_modified, copy_status="success")
        return _failed(started, seen)

    if started.copy_status != PENDING:
        return started
    done = until(attempt, wait=wait, clock=clock, between=pauses(longest=LONGEST_PAUSE))
    return done if done is not None else _busy(started, wait=wait)


def _overwritten(started: BlobCopied, seen: CopyState) -> Refused:
    summary = f"{started.target} was overwritten by somebody else before the copy was done"
    observed = {"etag": seen.etag, "last_modified": seen.last_modified, "copy_id": seen.copy_id}
    return _refused(started, Exit.PRECONDITION, "precondition-failed", summary, observed=observed)


def _failed(started: BlobCopied, seen: CopyState) -> Refused:
    why = seen.description or "no reason is given"
    return _refused(
        started,
        Exit.FAILED,
        "failed",
        f"the copy to {started.target} was begun, and is {seen.status}: {why}",
        hint=f"{started.target} is empty now",
        observed={"etag": seen.etag, "copy_id": seen.copy_id, "copy_status": seen.status},
    )


def _unseen(started: BlobCopied, nobody: Unavailable) -> Unknown:
    return Unknown(
        f"the copy was begun, and may be done or go on; {nobody.message}",
        target=started.target,
        hint=_ways(started),
        observed={"copy_id": started.copy_id},
    )


def _busy(started: BlobCopied, *, wait: float) -> Refused:
    return _refused(
        started,
        Exit.BUSY,
        "busy",
        f"the copy to {started.target} is not done after {wait:g} seconds, and goes on",
        hint=_ways(started),
        observed={"copy_id": started.copy_id, "copy_status": PENDING},
    )


def _ways(started: BlobCopied) -> str:
    return f"look with blob show, end it with: stcc blob copy-abort {started.target} {started.copy_id}"


def _refused(
    started: BlobCopied,
    exit_code: Exit,
    outcome: str,
    summary: str,
    *,
    observed: Mapping[str, object],
    hint: str = "",
) -> Refused:
    return Refused(
        outcome=outcome,
        exit_code=exit_code,
        http_status=started.reply.http_status,
        request_id=started.reply.request_id,
        target=started.target,
        summary=summary,
        hint=hint,
        observed=observed,
    )

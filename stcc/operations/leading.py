"""Leading: a lock that many want all the time. Who loses it stands again; who is asked to resign lets others first."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

from stcc.errors import Unavailable, Unexpected
from stcc.operations import locking
from stcc.operations.locking import Lock, Overtaken, State
from stcc.operations.waiting import Clock, pauses
from stcc.outcomes import Refused
from stcc.outcomes.leader import LeaderResigned, LeaderShown
from stcc.values.times import iso


def show(lock: Lock) -> LeaderShown | Refused:
    """Say who leads."""
    state = lock.read()
    if isinstance(state, Refused):
        return state
    held = state.holder
    if held is None:
        return locking.nobody(lock.target, state)
    return LeaderShown(
        reply=state.reply,
        target=lock.target,
        identity=held.identity,
        since=held.since,
        expires=state.expires,
        fence=held.fence,
        note=held.note,
        resigning=held.leave,
    )


def resign(lock: Lock, *, identity: str | None, wait: float, clock: Clock) -> LeaderResigned | Refused:
    """Ask the leader to resign, and wait for the end of its term; with an identity, only if that one leads.

    Nobody else can lead before it has stopped: it is asked, not deposed.
    """
    for _ in range(locking.ROUNDS):
        state = lock.read()
        if isinstance(state, Refused):
            return state
        held = state.holder
        if held is None:
            return locking.nobody(lock.target, state)
        if identity is not None and held.identity != identity:
            return locking.not_holder(lock.target, state, identity, doing="resign as the leader of")
        if not held.leave:
            answer = lock.keep(state, held._replace(leave=True))
            if isinstance(answer, Refused):
                return answer
            if isinstance(answer, Overtaken):
                continue
        ended = _ended(lock, state, wait=wait, clock=clock)
        if isinstance(ended, Refused):
            return ended
        return LeaderResigned(
            reply=state.reply, target=lock.target, identity=held.identity, fence=held.fence, ended=ended
        )
    return locking.restless(lock.target)


def _ended(lock: Lock, seen: State, *, wait: float, clock: Clock) -> bool | Refused:
    """Tell whether the term that was seen ends within the time."""
    assert seen.held is not None
    ends = clock.monotonic() + wait
    while (left := ends - clock.monotonic()) > 0:
        try:
            state = lock.read()
        except Unavailable:  # it has been asked, whoever can be reached
            clock.sleep(min(left, 1.0))
            continue
        if isinstance(state, Refused):
            return state
        if state.holder is None or state.holder.fence != seen.held.fence:
            return True
        lock.wait(state, min(left, 1.0))
    if wait:
        return locking.busy(lock.target, seen, wait=wait)
    return False


def changes(
    lock: Lock, first: State, *, clock: Clock, poll_max: float, tell: Callable[[str], None]
) -> Iterator[Mapping[str, object]]:
    """Yield who leads now, and then every change; a refusal to look comes out of the iterator.

    An outage is told once, and waited for: who leads may change meanwhile, and that is seen afterwards.
    """
    state, told, between, is_out = first, _NOTHING, pauses(longest=poll_max), False
    while True:
        now = _term(state)
        if now != told:
            told, between = now, pauses(longest=poll_max)
            yield {"at": iso(datetime.now(UTC).replace(microsecond=0)), **_line(state)}
        clock.sleep(next(between))
        try:
            seen = lock.read()
        except Unavailable as outage:
            if not is_out:
                tell(f"{outage.message}; still watching")
            is_out = True
            continue
        if isinstance(seen, Refused):
            raise _broken_off(seen)
        state, is_out = seen, False


def _broken_off(refused: Refused) -> Unexpected:
    failure = Unexpected(
        refused.summary,
        hint=refused.hint,
        target=refused.target,
        http_status=refused.http_status,
        error_code=refused.error_code,
        request_id=refused.request_id,
    )
    failure.kind, failure.exit_code = refused.outcome, refused.exit_code
    return failure


_NOTHING = object()


def _term(state: State) -> object:
    return None if state.holder is None else (state.holder.identity, state.holder.fence)


def _line(state: State) -> dict[str, object]:
    held = state.holder
    if held is None:
        return {"leader": None, "fence": None, "since": None, "note": None}
    return {"leader": held.identity, "fence": held.fence, "since": held.since, "note": held.note}

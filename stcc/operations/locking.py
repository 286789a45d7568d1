"""A lock that only its holder can release: what may be done with it, decided here for every engine.

An engine reads the lock as a whole, and changes it only if nobody has changed it since. What a state means for
whom is the table of docs/guarantees.md.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from stcc.errors import Interrupted, Unavailable, Unknown
from stcc.exits import Exit
from stcc.operations.waiting import Clock
from stcc.outcomes import Refused, Reply
from stcc.outcomes.lock import LockBroken, LockReleased, LockShown
from stcc.values.claims import Claim, Tenure

# Two that fight for one name see each other's changes; a hundred in a row is not a fight, it is a fault.
ROUNDS: Final = 100
_MINE: Final = "that is the identity that was given: lock acquire --reentrant would be fine with it"


class State(NamedTuple):
    """What an engine has read.

    `left`: seconds until others may take it, None for never. `over`: its holder may not count on it any more.
    `fence`: the last number that was given for this name. `token`: the engine's own, what a change depends on.
    `ahead`: how many wait for it in front of us, where those who wait have agreed on an order.
    """

    held: Tenure | None
    left: float | None
    over: bool
    expires: str | None
    fence: int
    token: object
    reply: Reply | None = None
    ahead: int = 0

    @property
    def is_free(self) -> bool:
        """Whether we may take it."""
        return not self.ahead and (self.held is None or (self.left is not None and self.left <= 0))

    @property
    def holder(self) -> Tenure | None:
        """Who has it as others see it: nobody, where they may take it."""
        return None if self.is_free else self.held


class Granted(NamedTuple):
    """A yes: what is held now, and until when on our clock, counted from before the request; None for ever.

    `again`: it was held by the same identity before.
    """

    state: State
    deadline: float | None
    reply: Reply
    again: bool = False

    @property
    def expires(self) -> str | None:
        """Until when it is held by the service's clock, as far as its answer says."""
        return self.state.expires

    @property
    def tenure(self) -> Tenure:
        """What is held."""
        assert self.state.held is not None
        return self.state.held


class Overtaken(NamedTuple):
    """Somebody has changed it since it was read; with `perhaps`, it may have been we, before them: an answer was lost.

    Either way, what was to be changed is not there any more, and never will be.
    """

    perhaps: bool = False


class Lock(Protocol):
    """One name on one engine. A `Refused` is an engine's no: denied, or the name is used for something else."""

    @property
    def target(self) -> str: ...
    def read(self) -> State | Refused: ...
    def take(self, over: State, claim: Claim) -> Granted | Overtaken | Refused:
        """Make it the claimant's, with a new fence."""
        ...

    def keep(self, over: State, tenure: Tenure) -> Granted | Overtaken | Refused:
        """Start the time of its holder anew."""
        ...

    def free(self, over: State) -> Reply | Overtaken | Refused:
        """Make it nobody's."""
        ...

    def wait(self, state: State, limit: float) -> None:
        """Let time pass, at most `limit` seconds, and no longer than it takes until it may be free."""
        ...


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait (seconds; 0: one try), on which clock, and whom to tell what is waited for."""

    wait: float
    clock: Clock
    tell: Callable[[str], None]


def acquire(lock: Lock, claim: Claim, *, patience: Patience, reentrant: bool = False) -> Granted | Refused:
    """Take the lock as soon as it is free, or say who holds it when the time is up."""
    ends = patience.clock.monotonic() + patience.wait
    told: tuple[object, ...] | None = ()
    while True:
        left = ends - patience.clock.monotonic()
        answer = _tried(lock, claim, reentrant=reentrant, patient=left > 0)
        if isinstance(answer, Granted | Refused):
            return answer
        if isinstance(answer, State) and left <= 0:
            mine = answer.held is not None and answer.held.identity == claim.identity
            return busy(lock.target, answer, wait=patience.wait, mine=mine)
        if isinstance(answer, State):
            if told != (now := answer.held and (answer.held.identity, answer.held.fence)):
                told = now
                patience.tell(f"waiting for {holder(answer)}")
            lock.wait(answer, left)
        elif isinstance(answer, Unavailable):
            patience.tell(f"{answer.message}; trying again")
            patience.clock.sleep(min(1.0, left))


def _tried(
    lock: Lock, claim: Claim, *, reentrant: bool, patient: bool
) -> Granted | Refused | Overtaken | State | Unavailable:
    """Look, and take it if that may be; return the state if it may not, or what went wrong and may pass."""
    try:
        state = lock.read()
        if isinstance(state, Refused):
            return state
        mine = state.held is not None and state.held.identity == claim.identity
        if state.is_free or (mine and state.over):
            with naming(claim):
                return lock.take(state, claim)
        if mine and reentrant and state.held is not None:
            kept = lock.keep(state, state.held._replace(ttl=claim.ttl))
            return kept._replace(again=True) if isinstance(kept, Granted) else kept
    except Unavailable as unavailable:  # nothing was changed
        if not patient:
            raise
        return unavailable
    return state


@contextmanager
def naming(claim: Claim) -> Generator[None]:
    """Name the identity where a grant may have been made that nobody was told of."""
    try:
        yield
    except (Unknown, Interrupted) as lost:
        lost.hint = f"if it was granted, {claim.identity} holds it: release it with --identity {claim.identity}"
        raise


def renew(lock: Lock, identity: str, *, known: State | None = None, fence: int | None = None) -> Granted | Refused:
    """Start the time of the holder anew; `known` is what an earlier grant left, and saves the look at it.

    With a `fence`, only the grant of that number counts: the identity may have got another one elsewhere.
    """
    for _ in range(ROUNDS):
        state = lock.read() if known is None else known
        known = None
        if isinstance(state, Refused):
            return state
        if state.held is None or not _is(state.held, identity, fence) or state.over:
            return not_holder(lock.target, state, identity, doing="renew")
        answer = lock.keep(state, state.held)
        if not isinstance(answer, Overtaken):
            return answer
    return restless(lock.target)


def release(
    lock: Lock, identity: str, *, known: State | None = None, fence: int | None = None
) -> LockReleased | Refused:
    """Make it nobody's, if it is the identity's; that there was nothing to release any more is said, and good.

    `known` and `fence` as for a renewal.
    """
    perhaps: int | None = None
    for _ in range(ROUNDS):
        state = lock.read() if known is None else known
        known = None
        if isinstance(state, Refused):
            return state
        if perhaps is not None and (state.held is None or state.held.fence != perhaps):
            return LockReleased(reply=state.reply, target=lock.target, identity=identity, fence=perhaps, was="held")
        if state.held is None:
            return LockReleased(reply=state.reply, target=lock.target, identity=identity, fence=None, was="free")
        if not _is(state.held, identity, fence):
            if state.is_free:
                return LockReleased(reply=state.reply, target=lock.target, identity=identity, fence=None, was="free")
            return not_holder(lock.target, state, identity, doing="release")
        answer = lock.free(state)
        if isinstance(answer, Refused):
            return answer
        if not isinstance(answer, Overtaken):
            was = "expired" if state.over else "held"
            return LockReleased(reply=answer, target=lock.target, identity=identity, fence=state.held.fence, was=was)
        if answer.perhaps and not state.over:
            perhaps = state.held.fence
    return restless(lock.target)


def _is(held: Tenure, identity: str, fence: int | None) -> bool:
    return held.identity == identity and fence in {None, held.fence}


def show(lock: Lock) -> LockShown | Refused:
    """Say who holds it."""
    state = lock.read()
    if isinstance(state, Refused):
        return state
    held = state.holder
    if held is None:
        return nobody(lock.target, state)
    return LockShown(
        reply=state.reply,
        target=lock.target,
        identity=held.identity,
        since=held.since,
        expires=state.expires,
        ttl=held.ttl,
        fence=held.fence,
        note=held.note,
    )


def break_(lock: Lock, seen: State) -> LockBroken | Refused:
    """Take it from the holder that was seen; from another one that came since, nothing is taken."""
    state: State | Refused = seen
    for _ in range(ROUNDS):
        if isinstance(state, Refused):
            return state
        held = state.holder
        if held is None:
            return nobody(lock.target, state)
        if seen.held is None or (held.identity, held.fence) != (seen.held.identity, seen.held.fence):
            return _conflict(lock.target, state, f"{lock.target} has another holder by now: nothing was broken")
        if held.fence is None:
            return _conflict(lock.target, state, f"cannot break {lock.target}: it was not locked by stcc")
        answer = lock.free(state)
        if isinstance(answer, Refused):
            return answer
        if not isinstance(answer, Overtaken):
            return LockBroken(reply=answer, target=lock.target, identity=held.identity, fence=held.fence)
        state = lock.read()
    return restless(lock.target)


def facts(state: State) -> dict[str, object]:
    """Return a line of a listing, without the name."""
    held = state.held
    if held is None:
        return {"state": "free", "holder": None, "since": None, "expires": None, "fence": state.fence, "note": None}
    named = "expired" if state.is_free else "held"
    return {"state": named, **observed(state)}


def observed(state: State) -> dict[str, object]:
    """Return who holds it, for the report of a refusal."""
    if state.held is None:
        return {"holder": None}
    held = state.held
    return {
        "holder": held.identity,
        "since": held.since,
        "expires": state.expires,
        "fence": held.fence,
        "note": held.note,
    }


def busy(target: str, state: State, *, wait: float, mine: bool = False) -> Refused:
    """Return the refusal of what is still held after waiting, `mine`: by the very identity that asks."""
    after = f" after {wait:g} seconds" if wait else ""
    kept = "kept for" if state.held is None else "held by"
    return Refused(
        outcome="busy",
        exit_code=Exit.BUSY,
        target=target,
        summary=f"{target} is {'still ' if wait else ''}{kept} {holder(state)}{after}",
        hint=_MINE if mine else "" if wait else "--wait 60s waits for it",
        observed=observed(state),
    )


def not_holder(target: str, state: State, identity: str, *, doing: str) -> Refused:
    """Return the refusal of who does not hold it, or does not any more."""
    if state.held is not None and state.held.identity == identity:
        over = "the time it was held for is over"
        why = over if state.over else "it was granted anew to the same identity, elsewhere"
    elif state.holder is None:
        why = "nobody holds it"
    else:
        why = "somebody else holds it"
    return _conflict(target, state, f"cannot {doing} {target}: {why}")


def nobody(target: str, state: State) -> Refused:
    """Return the answer that nobody holds it."""
    return Refused(
        outcome="absent",
        exit_code=Exit.ABSENT,
        http_status=None if state.reply is None else state.reply.http_status,
        request_id=None if state.reply is None else state.reply.request_id,
        target=target,
        summary=f"nobody holds {target}",
    )


def _conflict(target: str, state: State, summary: str) -> Refused:
    return Refused(
        outcome="not-holder",
        exit_code=Exit.CONFLICT,
        target=target,
        summary=summary,
        observed=None if state.held is None else observed(state),
    )


def restless(target: str, *, rounds: int = ROUNDS) -> Refused:
    """Return the refusal of a change that others were always faster than."""
    return Refused(
        outcome="precondition-failed",
        exit_code=Exit.PRECONDITION,
        target=target,
        summary=f"{target} was changed by others {rounds} times in a row",
        hint="nothing was changed; try again",
    )


def holder(state: State) -> str:
    """Name the holder, with all that may help to find it."""
    if state.held is None:
        return f"{state.ahead} who came before"
    parts = [state.held.identity]
    if state.held.since is not None:
        parts.append(f"since {state.held.since}")
    if state.held.note:
        parts.append(f"({state.held.note})")
    return " ".join(parts)

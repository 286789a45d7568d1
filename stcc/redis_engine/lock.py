"""Locks and the lead on Redis: a string key whose value is the identity of the holder, with an expiry.

So do clients that know only identities, and both exclude each other. Beside it lie a note (since when, which
fence, ...), which counts only while it names the holder, and the last fence, which stays.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from stcc.operations.locking import Granted, Overtaken, State
from stcc.operations.waiting import Clock
from stcc.outcomes import Refused, Reply
from stcc.redis_engine import notes, wake
from stcc.redis_engine.fair import DEAD_AFTER, Queue, standing_of
from stcc.redis_engine.moments import after, written
from stcc.redis_engine.notes import Note
from stcc.redis_engine.refusals import foreign, other_kind, said
from stcc.redis_engine.server import Command, Line, WrongType
from stcc.redis_engine.watched import Changed, Seen, Watched
from stcc.values.claims import Claim, Tenure
from stcc.values.places import Kind, RedisPlace


class Keys(NamedTuple):
    """The keys of one lock."""

    holder: str
    note: str
    fence: str
    wake: str
    queue: str


class Kept(NamedTuple):
    """What the keys hold; `holder` is the identity."""

    holder: bytes | None
    note: bytes | None
    fence: bytes | None


class RedisLock:
    """The lock of one name, for one thread; `fair` waits its turn among those who do the same."""

    def __init__(
        self, line: Line, place: RedisPlace, *, clock: Clock, fair: bool = False, dead_after: float = DEAD_AFTER
    ) -> None:
        self.target = str(place)
        self._line = line
        self._clock = clock
        self._keys = keys = keys_of(place.name, place.kind)
        self._queue = Queue(keys.queue, keys.wake, dead_after=dead_after) if fair else None
        ordered: tuple[Command, ...] = () if self._queue is None else (self._queue.read,)
        self._watched = Watched(
            line,
            keys=[*keys[:3], *([keys.queue] if fair else [])],
            reads=[*reads(keys), *ordered],
            content=kept,
            clock=clock,
            target=self.target,
        )

    def read(self) -> State | Refused:
        """Read who holds it; a key that is no lock is refused."""
        try:
            seen = self._watched.look()
        except WrongType:
            return other_kind(self.target, f"the key {self._keys.holder}, or one beside it, is used for something else")
        if not notes.is_number(seen.content.fence):
            return other_kind(self.target, f"the key {self._keys.fence} does not hold a fence")
        standing = standing_of(self._queue, seen.replies, now=seen.now)
        return state_of(seen)._replace(ahead=standing.ahead)

    def take(self, over: State, claim: Claim) -> Granted | Overtaken | Refused:
        """Set the key where there is none."""
        seen = _seen(over)
        fence = max(over.fence + 1, seen.now)
        tenure = Tenure(claim.identity, claim.ttl, written(seen.now), fence, claim.note)
        left = () if self._queue is None else self._queue.leave(standing_of(self._queue, seen.replies, now=seen.now))
        granted = self._hold(seen, tenure, "NX", (("SET", self._keys.fence, fence), *left), fence=fence)
        if self._queue is not None and isinstance(granted, Granted):
            self._queue.ticket = None
        return granted

    def keep(self, over: State, tenure: Tenure) -> Granted | Overtaken | Refused:
        """Set the same key again, which starts its time anew."""
        if over.held is None or over.held.fence is None:
            return foreign(self.target, tenure.identity)
        return self._hold(_seen(over), tenure, "XX", (), fence=over.fence)

    def free(self, over: State) -> Reply | Overtaken | Refused:
        """Delete the key, and wake one of those who wait."""
        was = _seen(over).content

        def gone(now: Kept) -> bool:
            return now.holder != was.holder or (over.held is not None and _fence(now) != over.held.fence)

        commands = (("DEL", self._keys.holder, self._keys.note), *wake.push(self._keys.wake))
        answer = self._watched.change(_seen(over), commands, done=gone, proof="state")
        if not isinstance(answer, Changed):
            return answer
        wake.yield_to_the_woken(self._line, self._keys.wake, clock=self._clock)
        return said(answer.settled)

    def wait(self, state: State, limit: float) -> None:
        """Block until somebody releases it, or it may have expired, or a second has gone by."""
        seen, queue = _seen(state), self._queue
        if queue is None:
            wake.doze(self._line, self._keys.wake, limit=limit, left=state.left, clock=self._clock)
        elif queue.ticket is None:  # and look again: whoever left before this could not know of us
            wake.say(self._line, queue.join(now=seen.now))
        else:
            standing = queue.standing(seen.replies[-1], now=seen.now)
            stay = queue.stay(standing, now=seen.now, limit=limit)
            left = min((each for each in (state.left, standing.left) if each is not None), default=None)
            wake.doze(self._line, queue.bed(standing), limit=limit, left=left, clock=self._clock, before=stay)

    def _hold(
        self, seen: Seen[Kept], tenure: Tenure, mode: str, more: Sequence[Command], *, fence: int
    ) -> Granted | Overtaken:
        note, identity = notes.line(Note(tenure)), tenure.identity.encode()
        expiry = () if tenure.ttl is None else ("PX", round(tenure.ttl * 1000))
        answer = self._watched.change(
            seen,
            [("SET", self._keys.holder, identity, mode, *expiry), ("SET", self._keys.note, note, *expiry), *more],
            done=lambda now: (now.holder, now.note) == (identity, note),
        )
        if isinstance(answer, Overtaken):
            return answer
        reply = said(answer.settled)
        expires = None if tenure.ttl is None else written(after(seen.now, tenure.ttl))
        token = seen._replace(content=Kept(identity, note, str(fence).encode()))
        state = State(tenure, tenure.ttl, over=False, expires=expires, fence=fence, token=token, reply=reply)
        return Granted(state, None if tenure.ttl is None else answer.asked + tenure.ttl, reply)


def keys_of(name: str, kind: Kind) -> Keys:
    """Return the keys of a name; the lead has a name of its own, the lock is the one that everybody knows."""
    key = f"stcc::leader::{name}" if kind == "leader" else name
    return Keys(key, *(f"stcc::{part}::{key}" for part in ("lock", "fence", "wake", "queue")))


def reads(keys: Keys) -> tuple[Command, ...]:
    """Return what `kept` and `state_of` need."""
    return (("GET", keys.holder), ("GET", keys.note), ("PTTL", keys.holder), ("GET", keys.fence))


def kept(replies: Sequence[Any]) -> Kept:
    """Return what a change depends on; the rest of the time is not a part of it."""
    holder, note, _, fence, *_ = replies
    return Kept(holder, note, fence)


def state_of(seen: Seen[Kept]) -> State:
    """Return what was read as the port has it."""
    content, pttl = seen.content, int(seen.replies[2])
    fence = notes.number(content.fence)
    if content.holder is None:
        return State(None, None, over=False, expires=None, fence=fence, token=seen, reply=said())
    identity = notes.text(content.holder)
    noted = notes.read(content.note, identity)
    # It is there, so somebody holds it, be it for less than a millisecond.
    left = None if pttl == -1 else max(pttl, 1) / 1000
    return State(
        Tenure(identity, None, None, None) if noted is None else noted.tenure,
        left,
        over=False,
        expires=None if left is None else written(after(seen.now, left)),
        fence=fence,
        token=seen,
        reply=said(),
    )


def _fence(content: Kept) -> int | None:
    noted = None if content.holder is None else notes.read(content.note, notes.text(content.holder))
    return None if noted is None else noted.tenure.fence


def _seen(state: State) -> Seen[Kept]:
    return cast("Seen[Kept]", state.token)

"""Semaphores on Redis: a set of identities, and a string that says how many there may be.

So do clients that know only identities. Beside them lies a hash of notes, with the moment at which each permit is
over. Every operation first removes those that are, and the notes of those who have left, so what was read is what
counts, for everybody.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from stcc.errors import Unavailable, Unknown
from stcc.operations.locking import Overtaken
from stcc.operations.permits import Permit, PermitGranted, Permits
from stcc.operations.waiting import Clock
from stcc.outcomes import Refused, Reply
from stcc.redis_engine import notes, wake
from stcc.redis_engine.moments import after, written
from stcc.redis_engine.notes import Note
from stcc.redis_engine.refusals import foreign, other_kind, said
from stcc.redis_engine.server import Command, Line, WrongType
from stcc.redis_engine.watched import Changed, Seen, Watched
from stcc.values.claims import Claim, Tenure
from stcc.values.places import RedisPlace


class Kept(NamedTuple):
    """What the keys hold; the members are identities."""

    members: frozenset[bytes]
    max: bytes | None
    notes: Mapping[bytes, bytes]
    fence: bytes | None


class Keys(NamedTuple):
    """The keys of one semaphore."""

    max: str
    holders: str
    notes: str
    fence: str
    wake: str


class RedisSemaphore:
    """The semaphore of one name, for one thread."""

    def __init__(self, line: Line, place: RedisPlace, *, clock: Clock) -> None:
        self.target = str(place)
        self._line = line
        self._clock = clock
        keys = keys_of(place.name)
        self._max, self._holders, self._notes, self._fence, self._wake = keys
        self._watched = Watched(
            line,
            keys=keys[:4],
            reads=[("SMEMBERS", self._holders), ("GET", self._max), ("HGETALL", self._notes), ("GET", self._fence)],
            content=_kept,
            clock=clock,
            target=self.target,
        )

    def read(self) -> Permits | Refused:
        """Read who holds a permit, after what is over has been removed."""
        try:
            seen = self._watched.look()
            while over := _over(seen):
                self._remove(seen, over)
                seen = self._watched.look()
        except WrongType:
            return other_kind(self.target, "one of its keys holds something else")
        if seen.content.max is not None and not seen.content.max.isdigit():
            return other_kind(self.target, f"the key {self._max} does not hold a number")
        if not notes.is_number(seen.content.fence):
            return other_kind(self.target, f"the key {self._fence} does not hold a fence")
        return _permits(seen)

    def limit(self, over: Permits, most: int) -> Reply | Overtaken | Refused:
        """Set the maximum, and wake one of those who wait: there may be room now."""
        commands: tuple[Command, ...] = (("SET", self._max, most), *wake.push(self._wake))
        size = str(most).encode()
        answer = self._watched.change(_seen(over), commands, done=lambda now: now.max == size, proof="state")
        return said(answer.settled) if isinstance(answer, Changed) else answer

    def take(self, over: Permits, claim: Claim) -> PermitGranted | Overtaken | Refused:
        """Add a member, and wake the next one if there is room for more."""
        seen = _seen(over)
        fence = max(notes.number(seen.content.fence) + 1, seen.now)
        tenure = Tenure(claim.identity, claim.ttl, written(seen.now), fence, claim.note)
        room = over.max is not None and len(over.holders) + 1 < over.max
        more: tuple[Command, ...] = (("SET", self._fence, fence), *(wake.push(self._wake) if room else ()))
        return self._hold(over, tenure, (("SADD", self._holders, claim.identity), *more))

    def keep(self, over: Permits, tenure: Tenure) -> PermitGranted | Overtaken | Refused:
        """Move on when the permit is over."""
        if tenure.fence is None:
            return foreign(self.target, tenure.identity)
        return self._hold(over, tenure, ())

    def free(self, over: Permits, identity: str) -> Reply | Overtaken | Refused:
        """Remove a member, and wake one of those who wait."""
        seen, member = _seen(over), identity.encode()
        commands = (("SREM", self._holders, member), ("HDEL", self._notes, member), *wake.push(self._wake))
        answer = self._watched.change(seen, commands, done=lambda now: member not in now.members, proof="state")
        return said(answer.settled) if isinstance(answer, Changed) else answer

    def wait(self, state: Permits, limit: float) -> None:
        """Block until somebody releases a permit, or one may be over, or a second has gone by."""
        wake.doze(self._line, self._wake, limit=limit, left=state.left, clock=self._clock)

    def _remove(self, seen: Seen[Kept], over: frozenset[bytes]) -> None:
        """Remove what is over, unless somebody else just did something here."""
        commands: tuple[Command, ...] = (("SREM", self._holders, *over), ("HDEL", self._notes, *over))
        try:
            self._watched.change(seen, commands, done=lambda now: not over & now.notes.keys())
        except Unknown as unknown:  # it would have been removed anyway: what was asked for has not begun
            raise Unavailable(unknown.message, target=self.target, hint="try again later") from unknown

    def _hold(self, over: Permits, tenure: Tenure, more: Sequence[Command]) -> PermitGranted | Overtaken:
        seen, member = _seen(over), tenure.identity.encode()
        expires = None if tenure.ttl is None else after(seen.now, tenure.ttl)
        note = notes.line(Note(tenure, expires))
        answer = self._watched.change(
            seen,
            [("HSET", self._notes, member, note), *more],
            done=lambda now: member in now.members and now.notes.get(member) == note,
        )
        if isinstance(answer, Overtaken):
            return answer
        # The expiry was counted from the server's clock at the look, so ours counts from before that.
        deadline = None if tenure.ttl is None else seen.asked + tenure.ttl
        mine = Permit(tenure, None if expires is None else written(expires), tenure.ttl)
        others = (one for one in over.holders if one.tenure.identity != tenure.identity)
        reply = said(answer.settled)
        return PermitGranted(over._replace(holders=_ordered((*others, mine)), reply=reply), tenure, deadline, reply)


def keys_of(name: str) -> Keys:
    """Return the keys of a name; the first two are those that everybody knows."""
    key = f"semaphore::{name}"
    return Keys(f"{key}::max_size", f"{key}::holders", f"{key}::stcc", f"stcc::fence::{key}", f"stcc::wake::{key}")


def _kept(replies: Sequence[Any]) -> Kept:
    members, most, flat, fence = replies
    return Kept(frozenset(members), most, dict(zip(flat[::2], flat[1::2], strict=True)), fence)


def _over(seen: Seen[Kept]) -> frozenset[bytes]:
    """Return whose time is over, and who has left and is still written about."""
    gone: set[bytes] = set()
    for member, data in seen.content.notes.items():
        noted = notes.read(data, notes.text(member))
        ended = noted is not None and noted.expires is not None and noted.expires <= seen.now
        if ended or member not in seen.content.members:
            gone.add(member)
    return frozenset(gone)


def _permits(seen: Seen[Kept]) -> Permits:
    """Return what was read as the port has it."""
    content = seen.content
    holders = (_permit(member, content.notes.get(member), now=seen.now) for member in content.members)
    most = None if content.max is None else int(content.max)
    return Permits(most, _ordered(holders), token=seen, reply=said())


def _ordered(holders: Iterable[Permit]) -> tuple[Permit, ...]:
    """Return the holders in the order of their grants, those without a fence last."""

    def place(one: Permit) -> tuple[bool, int, str]:
        return one.tenure.fence is None, one.tenure.fence or 0, one.tenure.identity

    return tuple(sorted(holders, key=place))


def _permit(member: bytes, data: bytes | None, *, now: int) -> Permit:
    identity = notes.text(member)
    noted = notes.read(data, identity)
    if noted is None:
        return Permit(Tenure(identity, None, None, None), None, None)
    if noted.expires is None:
        return Permit(noted.tenure, None, None)
    return Permit(noted.tenure, written(noted.expires), (noted.expires - now) / 1_000_000)


def _seen(permits: Permits) -> Seen[Kept]:
    return cast("Seen[Kept]", permits.token)

"""Keys that are changed only if they are still what was read, and how a lost answer to that is settled.

WATCH before reading, MULTI and EXEC around the change: the server refuses it when any of the keys was touched in
between. So a change may be sent again after its answer was lost: if it goes through, the first one did not,
and never will, because the second one touched the keys.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

from stcc.errors import Denied, Interrupted, Unavailable, Unknown
from stcc.operations.locking import Overtaken
from stcc.operations.waiting import Clock
from stcc.redis_engine import moments
from stcc.redis_engine.server import Command, Line, Lost, patiently

T = TypeVar("T")
_PAUSES: Final = (0.05, 0.2, 0.5)


class Seen(NamedTuple, Generic[T]):
    """What was read: `content` is what a change depends on, `replies` are those to all of the reads.

    `now` is the server's clock in microseconds, `asked` the moment on ours before it was asked.
    """

    content: T
    replies: Sequence[Any]
    now: int
    asked: float


class Changed(NamedTuple):
    """A yes; `settled` says how a lost answer was settled, None if none was lost. `asked` is the moment before."""

    settled: str | None
    asked: float


class Watched(Generic[T]):
    """Some keys of a server: `reads` are the commands that read them, `content` makes something of the replies."""

    def __init__(
        self,
        line: Line,
        *,
        keys: Sequence[str],
        reads: Sequence[Command],
        content: Callable[[Sequence[Any]], T],
        clock: Clock,
        target: str,
    ) -> None:
        self._line = line
        self._look: tuple[Command, ...] = (("UNWATCH",), ("WATCH", *keys), *reads, ("TIME",))
        self._content = content
        self._clock = clock
        self._target = target

    def look(self) -> Seen[T]:
        """Read the keys and watch them from now on; `Unavailable` when a few tries bring no answer."""
        return patiently(self._seen, target=self._target, clock=self._clock)

    def change(
        self, seen: Seen[T], commands: Sequence[Command], *, done: Callable[[T], bool], proof: str = "evidence"
    ) -> Changed | Overtaken:
        """Do the commands if the keys are what was seen, all or none of them.

        `done` tells from what is there after a lost answer that they were done; `proof` is the word for that.
        Raises `Unavailable` when nothing was changed, `Unknown` when that cannot be found out.
        """
        try:
            if self._line.watching is not seen and self.look().content != seen.content:
                return Overtaken()
            asked = self._clock.monotonic()
            try:
                return Changed(None, asked) if self._executed(commands) else Overtaken()
            except Lost as lost:
                settled = self._settled(seen, commands, done, proof, lost)
            return Overtaken(perhaps=True) if settled is None else Changed(settled, asked)
        except KeyboardInterrupt as stop:
            what = f"{self._target}: the change may or may not have been applied"
            raise Interrupted(stop, what, target=self._target) from None

    def _settled(
        self, seen: Seen[T], commands: Sequence[Command], done: Callable[[T], bool], proof: str, lost: Lost
    ) -> str | None:
        """Return what settled it; None if somebody else was faster, which also ends the lost one."""
        for pause in _PAUSES:
            self._clock.sleep(pause)
            try:
                content = self.look().content
                if done(content):
                    return proof
                if content != seen.content:
                    return None
                if self._executed(commands):
                    return "repeat"
            except Lost:
                continue
            except (Unavailable, Denied):
                break
        raise Unknown(
            f"{self._target}: the answer was lost ({lost}); the change may or may not have been applied",
            target=self._target,
            hint="look before you repeat it",
        )

    def _seen(self) -> Seen[T]:
        asked = self._clock.monotonic()
        self._line.watching = None
        _, _, *replies, time = self._line.ask(*self._look)
        seen = Seen(self._content(replies), replies, moments.read(time), asked)
        self._line.watching = seen
        return seen

    def _executed(self, commands: Sequence[Command]) -> bool:
        """Do the commands at once; False if the watched keys were touched, or a command found it can do nothing."""
        self._line.watching = None
        replies = self._line.transact(commands)
        return replies is not None and None not in replies

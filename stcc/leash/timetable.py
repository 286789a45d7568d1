"""When a command is told to end, and when it is killed: before what is held can be somebody else's.

granted        renewed        renewed                          SIGTERM         SIGKILL  deadline
|--- ttl/3 ----|--- ttl/3 ----|----------- no answer ----------|---- grace ----|- early-|
"""

from typing import Final

# What is killed takes a moment to be dead: seconds, or a twentieth of the ttl.
_EARLY: Final = 0.1


class Timetable:
    """The moments of one run, on a clock that the caller reads.

    `deadline` is when the hold ends; None: never. `max_hold` is the longest that the command may have it.
    """

    def __init__(
        self, ttl: float | None, *, deadline: float | None, grace: float, max_hold: float | None, now: float
    ) -> None:
        self.began = now
        self.deadline = deadline
        self._grace = grace if ttl is None else min(grace, ttl / 4)
        self._early = 0 if ttl is None else min(_EARLY, ttl / 20)
        self._longest = None if max_hold is None else now + max_hold
        self._kill_at: float | None = None

    @property
    def last_moment(self) -> float | None:
        """When the command is killed at the latest."""
        return None if self.deadline is None else self.deadline - self._early

    @property
    def is_ending(self) -> bool:
        """Whether the command has been told to end."""
        return self._kill_at is not None

    def held_long_enough(self, now: float) -> bool:
        return self._longest is not None and now >= self._longest

    def nearly_over(self, now: float) -> bool:
        """Tell whether the grace that is left is all there is left."""
        return self.last_moment is not None and now >= self.last_moment - self._grace

    def end(self, now: float) -> None:
        """Begin the end: the command is told now, and has the grace, or what is left."""
        moments = [now + self._grace, *([] if self.last_moment is None else [self.last_moment])]
        self._kill_at = min(moments)

    def kills(self, now: float) -> bool:
        """Tell whether what still lives is to be killed."""
        return self._kill_at is not None and now >= self._kill_at

    def next(self, now: float) -> float | None:
        """Return the next of these moments that is still to come."""
        term = None if self.last_moment is None else self.last_moment - self._grace
        moments = [moment for moment in (term, self._longest, self._kill_at) if moment is not None and moment > now]
        return min(moments, default=None)

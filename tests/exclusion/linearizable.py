"""Whether a history of calls to a lock can have happened one after the other, each at a moment between its
begin and its end: the search of Wing and Gong, with a lock that expires as its specification.
"""

from typing import Final, Literal, NamedTuple

_FREE: Final = ("", 0, 0.0, 0.0)


class Call(NamedTuple):
    """A call and what came of it: a grant has a fence, None is busy; a release or a renewal says yes or no."""

    kind: Literal["acquire", "renew", "release"]
    who: str
    begin: float
    end: float
    result: int | Literal["yes", "no"] | None


class Held(NamedTuple):
    """The lock: its holder ("" for nobody), the last fence, and when the call that granted it began and ended."""

    who: str
    fence: int
    begin: float
    end: float


def is_linearizable(history: list[Call], *, ttl: float, slack: float) -> bool:
    """Tell whether there is an order; a hold lasts at least `ttl` seconds, and at most `slack` more."""
    calls = sorted(history, key=lambda call: call.begin)
    everything = frozenset(range(len(calls)))
    seen: set[tuple[frozenset[int], Held]] = set()
    waiting = [(everything, Held(*_FREE))]
    while waiting:
        left, held = waiting.pop()
        if not left:
            return True
        if (left, held) in seen:
            continue
        seen.add((left, held))
        first_end = min(calls[one].end for one in left)
        for one in left:
            call = calls[one]
            if call.begin <= first_end:
                waiting += [(left - {one}, after) for after in _after(held, call, ttl=ttl, slack=slack)]
    return False


def _after(held: Held, call: Call, *, ttl: float, slack: float) -> list[Held]:
    """Return the states that the call can have left; none if it cannot have come out as it did."""
    may_be_over = held.who == "" or call.end >= held.begin + ttl
    may_last = held.who != "" and call.begin <= held.end + ttl + slack
    match call.kind, call.result:
        case "acquire", None:
            return [held] if may_last else []
        case "acquire", int(fence):
            granted = Held(call.who, fence, call.begin, call.end)
            return [granted] if may_be_over and fence > held.fence else []
        case "renew", "yes":
            return [held._replace(begin=call.begin, end=call.end)] if held.who == call.who else []
        case "release", "yes":
            return [held._replace(who="")] if held.who == call.who else []
        case _:  # a no to somebody who is not, or is not any more, the holder
            return [held] if held.who != call.who or may_be_over else []

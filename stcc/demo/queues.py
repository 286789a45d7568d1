"""A message: whoever dequeues it gets a receipt, and only the newest receipt is good."""

from collections.abc import Iterator
from typing import Final

from stcc.demo.place import BrokenOff, Place, granted
from stcc.demo.steps import step
from stcc.operations import waiting
from stcc.operations.waiting import Clock
from stcc.outcomes import Refused
from stcc.outcomes.demo import Step
from stcc.outcomes.queue import Message, MessageDeleted, Messages, MessageSent, MessageUpdated, empty
from stcc.storage import messages

LONG: Final = 30
SHORT: Final = 1
# The service says 404, Azurite and the documents 400; to the holder of a receipt they are one.
STALE: Final = (400, 404)


def queue(place: Place, *, clock: Clock) -> Iterator[Step]:
    """Take a message and lose it: by an update of one's own, and by being late."""
    jobs = Jobs(place)
    yield step("send a message", jobs.send("resize 17.png"), "there for whoever comes first", status=201)
    taken = jobs.take(hidden=LONG)
    yield step(f"dequeue it, hidden for {LONG} seconds", taken, "ours for now, with a receipt", status=200)
    mine = _one(taken)
    other = jobs.take(hidden=LONG)
    nothing = isinstance(other, Refused)
    yield step("somebody else dequeues", other, "others do not see it", status=200, holds=nothing)

    updated = jobs.update(mine, hidden=LONG)
    yield step("ask for more time", updated, "a new receipt; the old one is void", status=204)
    renewed = granted(updated).pop_receipt
    late = jobs.delete(mine.id, mine.pop_receipt)
    yield step("delete it with the old receipt", late, "stale (the service says 404)", status=STALE)
    deleted = jobs.delete(mine.id, renewed)
    yield step("delete it with the new receipt", deleted, "done, and gone", status=204)
    yield from _late(jobs, clock)


def _late(jobs: "Jobs", clock: Clock) -> Iterator[Step]:
    yield step("send another message", jobs.send("resize 18.png"), "there for whoever comes first", status=201)
    taken = jobs.take(hidden=SHORT)
    yield step(f"dequeue it, hidden for {SHORT} second", taken, "and now we are slow", status=200)
    ours = _one(taken)
    again = jobs.take_in_time(hidden=LONG, clock=clock)
    second = isinstance(again, Messages) and (again.found[0].id, again.found[0].dequeue_count) == (ours.id, 2)
    yield step("later, somebody else dequeues", again, "it is theirs, a second time", status=200, holds=second)
    theirs = _one(again)
    late = jobs.delete(ours.id, ours.pop_receipt)
    yield step("we delete it with our receipt", late, "stale: work must be harmless to repeat", status=STALE)
    deleted = jobs.delete(theirs.id, theirs.pop_receipt)
    yield step("they delete it with theirs", deleted, "done, and gone", status=204)


class Jobs:
    """The queue that everybody takes from."""

    def __init__(self, place: Place) -> None:
        self._account = place.account
        self._target = place.queue()

    def send(self, text: str) -> MessageSent | Refused:
        """Add a message."""
        return messages.send(self._account, self._target, text=text, hidden=None, ttl=None)

    def take(self, *, hidden: int) -> Messages | Refused:
        """Take one message; an empty queue is a refusal."""
        found = messages.dequeue(self._account, self._target, count=1, hidden=hidden, encoding="text")
        return empty(str(self._target)) if found is None else found

    def take_in_time(self, *, hidden: int, clock: Clock) -> Messages | Refused:
        """Take one message as soon as there is one."""

        def attempt() -> Messages | Refused | None:
            return messages.dequeue(self._account, self._target, count=1, hidden=hidden, encoding="text")

        found = waiting.until(attempt, wait=10 * SHORT, clock=clock, between=waiting.pauses(longest=0.2))
        return empty(str(self._target)) if found is None else found

    def update(self, message: Message, *, hidden: int) -> MessageUpdated | Refused:
        """Hide a message for longer."""
        receipt = message.pop_receipt or ""
        return messages.update(
            self._account, self._target, message=message.id, receipt=receipt, hidden=hidden, text=None
        )

    def delete(self, message: str, receipt: str | None) -> MessageDeleted | Refused:
        """Delete a message."""
        return messages.delete(self._account, self._target, message=message, receipt=receipt or "")


def _one(answer: Messages | Refused) -> Message:
    if isinstance(answer, Refused):
        raise BrokenOff(answer.summary)
    return answer.found[0]

"""Answers about queues and their messages."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from stcc.exits import Exit
from stcc.outcomes import Listing, Refused, Reply
from stcc.values.messages import Body

_MESSAGE: Final = ("id", "pop_receipt", "body")
COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "queues-listed": ("name", "metadata"),
    "messages-dequeued": _MESSAGE,
    "messages-peeked": _MESSAGE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueCreated:
    noun: ClassVar[str] = "queue"
    kind: ClassVar[str] = "queue-created"

    reply: Reply
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueExists:
    """It is there, with the metadata that was asked for: from before, or, when settled, perhaps by this request."""

    noun: ClassVar[str] = "queue"
    kind: ClassVar[str] = "queue-exists"

    reply: Reply
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueShown:
    """The count is approximate, and includes the messages that are hidden at the moment."""

    noun: ClassVar[str] = "queue"
    kind: ClassVar[str] = "queue-shown"

    reply: Reply
    target: str
    approximate_message_count: int
    metadata: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueDeleted:
    noun: ClassVar[str] = "queue"
    kind: ClassVar[str] = "queue-deleted"

    reply: Reply
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueCleared:
    noun: ClassVar[str] = "queue"
    kind: ClassVar[str] = "queue-cleared"

    reply: Reply
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageSent:
    """The receipt is good at once: the sender may update or delete the message. Year 9999 means never."""

    noun: ClassVar[str] = "queue"
    kind: ClassVar[str] = "message-sent"

    reply: Reply
    target: str
    id: str
    pop_receipt: str
    inserted_on: str | None
    expires_on: str | None
    next_visible_on: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageUpdated:
    """The receipt is the new one; the one that was given is stale from now on."""

    noun: ClassVar[str] = "queue"
    kind: ClassVar[str] = "message-updated"

    reply: Reply
    target: str
    id: str
    pop_receipt: str
    next_visible_on: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDeleted:
    noun: ClassVar[str] = "queue"
    kind: ClassVar[str] = "message-deleted"

    reply: Reply
    target: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message that was dequeued, or peeked at: then it has no receipt and no time to come back."""

    id: str
    pop_receipt: str | None
    body: Body
    dequeue_count: int | None
    inserted_on: str | None
    expires_on: str | None
    next_visible_on: str | None

    @property
    def item(self) -> dict[str, object]:
        """The fields of a listing: of `body` (text) and `body_base64` (bytes that are no text) one is None."""
        text = self.body.text
        return {
            "id": self.id,
            "pop_receipt": self.pop_receipt,
            "body": text,
            "body_base64": base64.b64encode(self.body.content).decode() if text is None else None,
            "encoding": self.body.encoding,
            "dequeue_count": self.dequeue_count,
            "inserted_on": self.inserted_on,
            "expires_on": self.expires_on,
            "next_visible_on": self.next_visible_on,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """What one request found, at least one message, in the order of the answer.

    All messages of one answer may carry the same receipt: only id and receipt together name one.
    """

    reply: Reply
    found: tuple[Message, ...]

    def listing(self, kind: str, target: str) -> Listing:
        """Return them as an answer."""
        return Listing(
            kind=kind,
            target=target,
            columns=COLUMNS[kind],
            items=(message.item for message in self.found),
            noun="queue",
            reply=self.reply,
        )


def empty(target: str) -> Refused:
    """Return the refusal of a queue in which no message is visible."""
    return Refused(
        outcome="empty",
        exit_code=Exit.BUSY,
        http_status=200,
        target=target,
        summary=f"queue {target}: no message is visible",
        hint="what others have dequeued comes back unless they delete it; --wait 1m waits for a message",
    )


QueueOutcome = (
    QueueCreated
    | QueueExists
    | QueueShown
    | QueueDeleted
    | QueueCleared
    | MessageSent
    | MessageUpdated
    | MessageDeleted
)

"""Messages: one request each; what must not happen twice is never sent twice."""

import dataclasses
from typing import Any, Final

from stcc.exits import Exit
from stcc.outcomes import Refused
from stcc.outcomes.queue import Message, MessageDeleted, Messages, MessageSent, MessageUpdated
from stcc.storage.account import Account
from stcc.storage.answers import Lost, Rejected, Said, ask
from stcc.storage.queues import look_at
from stcc.storage.refusals import refused
from stcc.storage.settle import change, read
from stcc.values.messages import Encoding, decoded
from stcc.values.targets import QueueTarget
from stcc.values.times import iso

# The documents say 400 PopReceiptMismatch, the service in the field says 404: to the holder of a receipt they are one.
_STALE: Final = frozenset({"PopReceiptMismatch", "MessageNotFound"})
_RECEIPT: Final = "x-ms-popreceipt"


def send(
    account: Account, target: QueueTarget, *, text: str, hidden: int | None, ttl: int | None
) -> MessageSent | Refused:
    """Add a message; `hidden` and `ttl` in seconds, None for the service's defaults (0 and 7 days)."""
    client = account.queue(target.queue)
    try:
        said, settled = change(
            lambda: ask(client.send_message, text, visibility_timeout=hidden, time_to_live=ttl),
            target=target,
            repeat=False,
            meaning="the message may or may not have been sent",
        )
    except Rejected as rejected:
        return _refused(rejected, account, client, target=target, doing="send to")
    sent = said.value
    return MessageSent(
        reply=said.reply(settled=settled),
        target=str(target),
        id=sent.id,
        pop_receipt=sent.pop_receipt,
        inserted_on=iso(sent.inserted_on),
        expires_on=iso(sent.expires_on),
        next_visible_on=iso(sent.next_visible_on),
    )


def dequeue(
    account: Account, target: QueueTarget, *, count: int, hidden: int, encoding: Encoding
) -> Messages | Refused | None:
    """Take up to `count` messages, which nobody else sees for `hidden` seconds; None when none is visible."""
    client = account.queue(target.queue)

    def take(**options: Any) -> list[Any]:
        pages = client.receive_messages(messages_per_page=count, visibility_timeout=hidden, **options).by_page()
        return list(next(pages, ()))  # one page is one request

    try:
        said, _ = change(
            lambda: ask(take),
            target=target,
            repeat=False,
            meaning=f"messages may have been taken: if so, they come back after {hidden}s",
        )
    except Rejected as rejected:
        return _refused(rejected, account, client, target=target, doing="dequeue from")
    return _messages(said, encoding=encoding)


def peek(account: Account, target: QueueTarget, *, count: int, encoding: Encoding) -> Messages | Refused | None:
    """Look at up to `count` messages without taking them; None when none is visible."""
    client = account.queue(target.queue)
    try:
        said = read(lambda: ask(client.peek_messages, max_messages=count), target=target)
    except Rejected as rejected:
        return _refused(rejected, account, client, target=target, doing="peek at")
    return _messages(said, encoding=encoding)


def update(
    account: Account, target: QueueTarget, *, message: str, receipt: str, hidden: int, text: str | None
) -> MessageUpdated | Refused:
    """Hide a message for `hidden` seconds from now, with another text if there is one; its receipt changes."""
    client = account.queue(target.queue)

    def send() -> Said[Any]:
        said = ask(client.update_message, message, receipt, content=text, visibility_timeout=hidden)
        # An answer that breaks off within its headers looks whole; a header is whole if another one follows it.
        if _RECEIPT not in list(said.headers)[:-1]:
            raise Lost("the answer broke off before the new receipt")
        return said

    try:
        said, settled = change(
            send, target=target, meaning=f"message {message} may or may not have been updated, and have a new receipt"
        )
    except Rejected as rejected:
        return _refused(rejected, account, client, target=target, doing=f"update message {message} of")
    return MessageUpdated(
        reply=said.reply(settled=settled),
        target=str(target),
        id=message,
        pop_receipt=said.value.pop_receipt,
        next_visible_on=iso(said.value.next_visible_on),
    )


def delete(account: Account, target: QueueTarget, *, message: str, receipt: str) -> MessageDeleted | Refused:
    """Delete a message; a 404 after a lost answer proves nothing, so that stays unknown."""
    client = account.queue(target.queue)
    try:
        said, settled = change(
            lambda: ask(client.delete_message, message, receipt),
            target=target,
            meaning=f"message {message} may or may not have been deleted",
        )
    except Rejected as rejected:
        return _refused(rejected, account, client, target=target, doing=f"delete message {message} of")
    return MessageDeleted(reply=said.reply(settled=settled), target=str(target), id=message)


def _messages(said: Said[Any], *, encoding: Encoding) -> Messages | None:
    found = tuple(
        Message(
            id=one.id,
            pop_receipt=one.pop_receipt,
            body=decoded(one.content or "", encoding=encoding),
            dequeue_count=one.dequeue_count,
            inserted_on=iso(one.inserted_on),
            expires_on=iso(one.expires_on),
            next_visible_on=iso(one.next_visible_on),
        )
        for one in said.value
    )
    return Messages(reply=said.reply(), found=found) if found else None


def _refused(rejected: Rejected, account: Account, client: Any, *, target: QueueTarget, doing: str) -> Refused:
    """Return the refusal; nothing can be seen of one message afterwards, so a stale receipt is not looked into."""
    if rejected.code in _STALE:
        plain = refused(rejected, target=target, doing=doing)
        return dataclasses.replace(plain, outcome="stale-receipt", exit_code=Exit.PRECONDITION)
    return refused(rejected, target=target, doing=doing, look=look_at(account, client))

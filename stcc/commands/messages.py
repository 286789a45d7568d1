"""stcc queue: send, dequeue, peek, update, delete-message."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer

from stcc.commands.options import group, on, runtime_of
from stcc.errors import Local, Usage
from stcc.knowledge import operations
from stcc.operations import waiting
from stcc.outcomes import Content, Listing, Refused
from stcc.outcomes.queue import MessageDeleted, Messages, MessageSent, MessageUpdated, empty
from stcc.runtime import Runtime
from stcc.values import messages, times
from stcc.values.messages import Encoding
from stcc.values.targets import QueueTarget, queue_target

app = group("Messages of a queue.")
Queue = Annotated[str, typer.Argument(metavar="QUEUE", help="Name or URL of the queue.")]
MessageId = Annotated[str, typer.Argument(metavar="ID", help="Id of the message.")]
Receipt = Annotated[
    str, typer.Option("--pop-receipt", metavar="RECEIPT", help="The newest receipt of the message; each is good once.")
]
EncodingName = Annotated[
    str,
    typer.Option("--encoding", metavar="text|base64", help="What is in the queue: the text itself, or its base64."),
]
Count = Annotated[int, typer.Option("--max", min=1, max=32, metavar="N", help="At most so many messages, 1 to 32.")]
BodyOnly = Annotated[bool, typer.Option("--body-only", help="Print the body of one message, and not a byte more.")]
Wait = Annotated[
    str | None, typer.Option("--wait", metavar="DURATION|forever", help="Wait so long for a message to be visible.")
]
NoWait = Annotated[bool, typer.Option("--no-wait", help="Try once; the default.")]


def asked(ctx: typer.Context, queue: str) -> tuple[Runtime, QueueTarget]:
    """Return the runtime and the queue that was named; no condition holds for it."""
    runtime = runtime_of(ctx)
    runtime.conditions(operations.QUEUE)
    return runtime, queue_target(queue)


@app.command(cls=on(operations.QUEUE))
def send(
    ctx: typer.Context,
    queue: Queue,
    text: Annotated[str, typer.Argument(metavar="TEXT|-", help="The message, or - for what stdin holds.")],
    visibility: Annotated[
        str | None, typer.Option("--visibility", metavar="DURATION", help="Hidden at first for so long: 0 to 7d (0).")
    ] = None,
    ttl: Annotated[
        str | None, typer.Option("--ttl", metavar="DURATION|never", help="Expires after so long: 1s or more (7d).")
    ] = None,
    encoding: EncodingName = "text",
) -> MessageSent | Refused:
    """Send a message, once, and print its id and receipt, tab-separated.

    stcc queue send jobs 'resize 17.png'
    """
    runtime, target = asked(ctx, queue)
    hidden = None if visibility is None else messages.hidden(visibility, low=0)
    expires = None if ttl is None else messages.ttl(ttl)
    messages.check_hidden_before_expiry(hidden=hidden, ttl=expires)
    body = _body(runtime, text, option="TEXT", encoding=messages.encoding(encoding))
    account = runtime.account(target.at)
    from stcc.storage import messages as storage

    return storage.send(account, target, text=body, hidden=hidden, ttl=expires)


@app.command(cls=on(operations.QUEUE))
def dequeue(
    ctx: typer.Context,
    queue: Queue,
    count: Count = 1,
    visibility: Annotated[
        str, typer.Option("--visibility", metavar="DURATION", help="Hidden from others for so long: 1s to 7d.")
    ] = "30s",
    encoding: EncodingName = "text",
    body_only: BodyOnly = False,
    wait: Wait = None,
    no_wait: NoWait = False,
) -> Listing | Content | Refused:
    r"""Take messages: ID, RECEIPT and TEXT, tab-separated, a line each; 75 when none is visible.

    In TEXT, tab, line ends and backslash are written \t \n \r \\.
    A message comes back when its visibility ends, unless it is deleted before.

    stcc queue dequeue jobs --visibility 5m --wait 1m
    """
    runtime, target = asked(ctx, queue)
    reading = _reading(runtime, count=count, encoding=encoding, body_only=body_only, wait=wait, no_wait=no_wait)
    hidden = messages.hidden(visibility, low=1)
    account = runtime.account(target.at)
    from stcc.storage import messages as storage

    return _found(
        lambda: storage.dequeue(account, target, count=count, hidden=hidden, encoding=reading.encoding),
        reading,
        runtime=runtime,
        kind="messages-dequeued",
        target=target,
    )


@app.command(cls=on(operations.QUEUE))
def peek(
    ctx: typer.Context,
    queue: Queue,
    count: Count = 1,
    encoding: EncodingName = "text",
    body_only: BodyOnly = False,
    wait: Wait = None,
    no_wait: NoWait = False,
) -> Listing | Content | Refused:
    """Look at messages without taking them, printed as by dequeue with an empty RECEIPT; 75 when none is visible.

    stcc queue peek jobs --max 32
    """
    runtime, target = asked(ctx, queue)
    reading = _reading(runtime, count=count, encoding=encoding, body_only=body_only, wait=wait, no_wait=no_wait)
    account = runtime.account(target.at)
    from stcc.storage import messages as storage

    return _found(
        lambda: storage.peek(account, target, count=count, encoding=reading.encoding),
        reading,
        runtime=runtime,
        kind="messages-peeked",
        target=target,
    )


@app.command(cls=on(operations.QUEUE))
def update(
    ctx: typer.Context,
    queue: Queue,
    message: MessageId,
    receipt: Receipt,
    visibility: Annotated[
        str | None,
        typer.Option("--visibility", metavar="DURATION", help="Hidden from now on for so long: 0 to 7d (30s)."),
    ] = None,
    body: Annotated[
        str | None, typer.Option("--body", metavar="TEXT|-", help="The new body, or - for what stdin holds.")
    ] = None,
    encoding: EncodingName = "text",
) -> MessageUpdated | Refused:
    """Hide a message for longer, or show it at once with --visibility 0, change its body; print the new receipt.

    Every update starts the hidden time anew: without --visibility it is 30s, as of dequeue.

    stcc queue update jobs "$id" --pop-receipt "$receipt" --visibility 5m
    """
    runtime, target = asked(ctx, queue)
    name, known = messages.message_id(message), messages.pop_receipt(receipt)
    if visibility is None and body is None:
        raise Usage("there is nothing to update", hint="--visibility, --body, or both")
    hidden = messages.hidden("30s" if visibility is None else visibility, low=0)
    held = messages.encoding(encoding)
    text = None if body is None else _body(runtime, body, option="--body", encoding=held)
    account = runtime.account(target.at)
    from stcc.storage import messages as storage

    return storage.update(account, target, message=name, receipt=known, hidden=hidden, text=text)


@app.command("delete-message", cls=on(operations.QUEUE))
def delete_message(ctx: typer.Context, queue: Queue, message: MessageId, receipt: Receipt) -> MessageDeleted | Refused:
    """Delete a message that was dequeued; 12 if its receipt is stale: somebody else has it now, or it is gone.

    stcc queue delete-message jobs "$id" --pop-receipt "$receipt"
    """
    runtime, target = asked(ctx, queue)
    name, known = messages.message_id(message), messages.pop_receipt(receipt)
    account = runtime.account(target.at)
    from stcc.storage import messages as storage

    return storage.delete(account, target, message=name, receipt=known)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """How messages are read: what is in the queue, what is printed of it, how long to wait for it."""

    encoding: Encoding
    body_only: bool
    wait: float


def _reading(
    runtime: Runtime, *, count: int, encoding: str, body_only: bool, wait: str | None, no_wait: bool
) -> _Reading:
    if body_only and count > 1:
        raise Usage("--body-only prints one message; it excludes --max", hint="the end of a body could not be seen")
    if body_only and (runtime.settings.output != "human" or runtime.settings.query is not None):
        raise Usage("--body-only prints bytes; it excludes --output and --query")
    if wait is not None and no_wait:
        raise Usage("--wait and --no-wait exclude each other")
    return _Reading(
        encoding=messages.encoding(encoding),
        body_only=body_only,
        wait=0 if wait is None else times.waiting(wait, option="--wait"),
    )


def _found(
    ask: Callable[[], Messages | Refused | None], reading: _Reading, *, runtime: Runtime, kind: str, target: QueueTarget
) -> Listing | Content | Refused:
    found: Messages | Refused | None = waiting.until(
        ask, wait=reading.wait, clock=waiting.SystemClock(), between=waiting.pauses()
    )
    if found is None:
        return empty(str(target))
    if isinstance(found, Refused):
        return found
    for message in found.found:
        if message.body.encoding != reading.encoding:
            runtime.story(f"message {message.id} is not base64: shown as it is in the queue")
    if reading.body_only:
        return _body_alone(found, runtime=runtime, kind=kind, target=target)
    return found.listing(kind, str(target))


def _body_alone(found: Messages, *, runtime: Runtime, kind: str, target: QueueTarget) -> Content:
    message = found.found[0]
    receipt = "" if message.pop_receipt is None else f", receipt {message.pop_receipt}"
    runtime.story(f"message {message.id}{receipt}")
    return Content(kind=kind, target=str(target), etag=None, write=partial(_written, message.body.content))


def _written(content: bytes, write: Callable[[bytes], object]) -> None:
    write(content)


def _body(runtime: Runtime, text: str, *, option: str, encoding: Encoding) -> str:
    """Return what the queue shall hold, from the command line or from stdin."""
    if text != "-":
        return messages.encoded(messages.from_argument(text, option=option), encoding=encoding)
    try:
        content = runtime.bytes_in.read(messages.most_bytes(encoding) + 1)
    except OSError as error:
        raise Local(f"stdin cannot be read: {error.strerror}") from error
    return messages.encoded(content, encoding=encoding)

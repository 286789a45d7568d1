"""Queues and messages, for people."""

import base64
from collections.abc import Mapping
from typing import assert_never

from stcc.outcomes.queue import (
    MessageDeleted,
    MessageSent,
    MessageUpdated,
    QueueCleared,
    QueueCreated,
    QueueDeleted,
    QueueExists,
    QueueOutcome,
    QueueShown,
)
from stcc.output.human.metadata import shown
from stcc.output.text import Text, pairs, tsv_line


def human(outcome: QueueOutcome) -> Text:  # one for each outcome
    """Return id, receipt or properties for stdout, and what happened for stderr."""
    match outcome:
        case QueueCreated(target=target):
            return Text(err=f"created queue {target}\n")
        case QueueExists(target=target) if outcome.reply.settled is not None:
            return Text(err=f"queue {target} is there, with this metadata; whose request made it cannot be told\n")
        case QueueExists(target=target):
            return Text(err=f"queue {target} was there already, with the same metadata\n")
        case QueueShown(target=target, approximate_message_count=count):
            return Text(out=pairs({"queue": target, "messages": f"about {count}"} | shown(outcome.metadata)))
        case QueueDeleted(target=target):
            return Text(err=f"deleted queue {target}\n")
        case QueueCleared(target=target):
            return Text(err=f"cleared queue {target}\n")
        case MessageSent(target=target, id=message, pop_receipt=receipt):
            return Text(out=tsv_line([message, receipt]), err=f"sent a message to {target}\n")
        case MessageUpdated(target=target, id=message, pop_receipt=receipt):
            return Text(
                out=tsv_line([receipt]),
                err=f"updated message {message} of {target}, hidden until {outcome.next_visible_on}\n",
            )
        case MessageDeleted(target=target, id=message):
            return Text(err=f"deleted message {message} of {target}\n")
        case _:
            assert_never(outcome)


def line(item: Mapping[str, object]) -> str:
    r"""Return `ID<TAB>RECEIPT<TAB>TEXT` of a message, `\t \n \r \\` escaped; bytes that are not UTF-8 as `\xNN`."""
    if item["body"] is not None:
        return tsv_line([item["id"], item["pop_receipt"], item["body"]])
    escaped = base64.b64decode(str(item["body_base64"])).replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")
    for raw, name in (("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
        escaped = escaped.replace(raw, name)
    return tsv_line([item["id"], item["pop_receipt"]]).removesuffix("\n") + f"\t{escaped}\n"

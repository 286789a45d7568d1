"""Queues: one request each."""

from collections.abc import Mapping
from typing import Any

from azure.core.exceptions import ResourceExistsError

from stcc.outcomes import Listing, Refused
from stcc.outcomes.queue import COLUMNS, QueueCleared, QueueCreated, QueueDeleted, QueueExists, QueueShown
from stcc.storage.account import Account
from stcc.storage.answers import Rejected, ask
from stcc.storage.listing import pages
from stcc.storage.refusals import Look, refused
from stcc.storage.settle import change, read
from stcc.values.targets import QueueTarget

_SAME_METADATA = 204


def create(
    account: Account, target: QueueTarget, *, metadata: Mapping[str, str]
) -> QueueCreated | QueueExists | Refused:
    """Create a queue; one that is there with the same metadata is an answer, with other metadata a refusal."""
    client = account.queue(target.queue)

    def send(**options: Any) -> None:
        try:
            client.create_queue(metadata=dict(metadata), **options)
        except ResourceExistsError as error:  # the SDK makes an error of this yes, too
            if error.status_code != _SAME_METADATA:
                raise

    look = look_at(account, client)
    try:
        said, settled = change(lambda: ask(send), target=target, look=look)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="create queue", look=look)
    outcome = QueueExists if said.status == _SAME_METADATA else QueueCreated
    return outcome(reply=said.reply(settled=settled), target=str(target))


def show(account: Account, target: QueueTarget) -> QueueShown | Refused:
    """Read a queue's metadata and its approximate number of messages."""
    client = account.queue(target.queue)
    try:
        said = read(lambda: ask(client.get_queue_properties), target=target)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="show queue", look=look_at(account, client))
    return QueueShown(
        reply=said.reply(),
        target=str(target),
        approximate_message_count=said.value.approximate_message_count,
        metadata=said.value.metadata or {},
    )


def delete(account: Account, target: QueueTarget) -> QueueDeleted | Refused:
    """Delete a queue; a 404 after a lost answer proves nothing, so that stays unknown."""
    client = account.queue(target.queue)
    look = look_at(account, client)
    try:
        said, settled = change(lambda: ask(client.delete_queue), target=target, look=look)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="delete queue", look=look)
    return QueueDeleted(reply=said.reply(settled=settled), target=str(target))


def clear(account: Account, target: QueueTarget) -> QueueCleared | Refused:
    """Delete every message, hidden ones too."""
    client = account.queue(target.queue)
    look = look_at(account, client)
    try:
        said, settled = change(lambda: ask(client.clear_messages), target=target, look=look)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="clear queue", look=look)
    return QueueCleared(reply=said.reply(settled=settled), target=str(target))


def listing(account: Account, *, prefix: str, limit: int | None) -> Listing | Refused:
    """List the account's queues with their metadata."""
    target = f"queues of {account.connection.account}"
    call = account.queue_service().list_queues
    try:
        found = pages(call, target=target, limit=limit, name_starts_with=prefix or None, include_metadata=True)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="list the")
    return Listing(
        kind="queues-listed",
        target=target,
        columns=COLUMNS["queues-listed"],
        items=({"name": one.name, "metadata": one.metadata or {}} for one in found),
    )


def look_at(account: Account, client: Any) -> Look | None:
    """Return how to look at a queue after a refusal, or None when nobody wants to know."""
    if not account.diagnose:
        return None

    def look() -> Mapping[str, object]:
        found = ask(client.get_queue_properties).value
        return {"approximate_message_count": found.approximate_message_count, "metadata": found.metadata or None}

    return look

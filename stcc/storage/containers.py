"""Containers: one request each."""

from collections.abc import Mapping
from typing import Any

from stcc.outcomes import Listing, Refused
from stcc.outcomes.container import COLUMNS, ContainerCreated, ContainerDeleted, ContainerShown
from stcc.storage.account import Account
from stcc.storage.answers import Rejected, ask, ask_properties, ask_tagged
from stcc.storage.listing import pages
from stcc.storage.marker import left_in, marked, version
from stcc.storage.refusals import Look, lease_facts, refused
from stcc.storage.settle import change, read
from stcc.values.conditions import Conditions
from stcc.values.targets import ContainerTarget
from stcc.values.times import iso


def create(
    account: Account, target: ContainerTarget, *, metadata: Mapping[str, str], marker: bool
) -> ContainerCreated | Refused:
    """Create a container; a lost answer is settled by the operation id in its metadata."""
    client = account.container(target.container)
    look = look_at(account, client)
    sent = marked(metadata, marker=marker)
    try:
        said, settled = change(
            lambda: ask_tagged(client.create_container, metadata=dict(sent)),
            target=target,
            evidence=lambda: left_in(client.get_container_properties, sent),
            look=look,
        )
    except Rejected as rejected:
        return refused(rejected, target=target, doing="create container", look=look)
    return ContainerCreated(reply=said.reply(settled=settled), target=str(target), **version(said.value))


def show(account: Account, target: ContainerTarget, *, conditions: Conditions) -> ContainerShown | Refused:
    """Read a container's properties."""
    client = account.container(target.container)
    try:
        said = read(
            lambda: ask_properties(client.get_container_properties, headers=conditions.headers()), target=target
        )
    except Rejected as rejected:
        return refused(rejected, target=target, doing="show container", look=look_at(account, client))
    found = said.value
    return ContainerShown(
        reply=said.reply(),
        target=str(target),
        etag=found.etag,
        last_modified=iso(found.last_modified) or "",
        lease_state=found.lease.state,
        lease_status=found.lease.status,
        lease_duration=found.lease.duration,
        public_access=found.public_access,
        metadata=found.metadata or {},
    )


def delete(account: Account, target: ContainerTarget, *, conditions: Conditions) -> ContainerDeleted | Refused:
    """Delete a container; a 404 after a lost answer proves nothing, so that stays unknown."""
    client = account.container(target.container)
    look = look_at(account, client)
    try:
        said, settled = change(
            lambda: ask(client.delete_container, headers=conditions.headers()), target=target, look=look
        )
    except Rejected as rejected:
        return refused(rejected, target=target, doing="delete container", look=look)
    return ContainerDeleted(reply=said.reply(settled=settled), target=str(target))


def listing(account: Account, *, prefix: str, limit: int | None) -> Listing | Refused:
    """List the account's containers with their leases."""
    target = f"containers of {account.connection.account}"
    call = account.blob_service().list_containers
    try:
        found = pages(call, target=target, limit=limit, name_starts_with=prefix or None)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="list the")
    return Listing(
        kind="containers-listed",
        target=target,
        columns=COLUMNS["containers-listed"],
        items=({"name": one.name, **lease_facts(one), "public_access": one.public_access} for one in found),
    )


def look_at(account: Account, client: Any) -> Look | None:
    """Return how to find out what is there now, or None when nobody wants to know."""
    if not account.diagnose:
        return None
    return lambda: lease_facts(ask(client.get_container_properties).value)

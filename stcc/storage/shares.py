"""Shares: one request each."""

from collections.abc import Mapping
from typing import Any

from stcc.outcomes import Listing, Refused
from stcc.outcomes.share import (
    COLUMNS,
    ShareCreated,
    ShareDeleted,
    ShareMetadataSet,
    ShareShown,
    ShareSnapshotTaken,
)
from stcc.storage.account import Account
from stcc.storage.answers import Rejected, ask, ask_properties, ask_tagged
from stcc.storage.listing import pages
from stcc.storage.marker import in_headers, left_in, marked, version
from stcc.storage.metadata import replace
from stcc.storage.refusals import Look, lease_facts, refused
from stcc.storage.settle import change, read
from stcc.storage.snapshots import take
from stcc.values.conditions import Conditions
from stcc.values.targets import ShareTarget
from stcc.values.times import iso


def create(
    account: Account, target: ShareTarget, *, metadata: Mapping[str, str], quota: int | None, marker: bool
) -> ShareCreated | Refused:
    """Create a share of at most `quota` GiB; a lost answer is settled by the operation id in its metadata."""
    client, sent = account.share(target), marked(metadata, marker=marker)
    look = look_at(account, client)
    options = {} if quota is None else {"quota": quota}
    try:
        said, settled = change(
            lambda: ask_tagged(client.create_share, headers=in_headers(sent), **options),
            target=target,
            evidence=lambda: left_in(client.get_share_properties, sent),
            look=look,
        )
    except Rejected as rejected:
        return refused(rejected, target=target, doing="create share", look=look)
    return ShareCreated(reply=said.reply(settled=settled), target=str(target), **version(said.value))


def show(account: Account, target: ShareTarget, *, conditions: Conditions) -> ShareShown | Refused:
    """Read a share's properties."""
    client = account.share(target)
    try:
        said = read(lambda: ask_properties(client.get_share_properties, headers=conditions.headers()), target=target)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="show share", look=look_at(account, client))
    found = said.value
    return ShareShown(
        reply=said.reply(),
        target=str(target),
        etag=found.etag,
        last_modified=iso(found.last_modified) or "",
        lease_state=found.lease.state,
        lease_status=found.lease.status,
        lease_duration=found.lease.duration,
        quota=found.quota,
        tier=found.access_tier,
        metadata=found.metadata or {},
    )


def delete(
    account: Account, target: ShareTarget, *, conditions: Conditions, snapshots: str | None
) -> ShareDeleted | Refused:
    """Delete a share or a snapshot of it; `snapshots` is `include`, `include-leased` or None.

    A 404 after a lost answer proves nothing, so that stays unknown.
    """
    client = account.share(target)
    look = look_at(account, client)
    try:
        said, settled = change(
            lambda: ask(client.delete_share, delete_snapshots=snapshots or False, headers=conditions.headers()),
            target=target,
            look=look,
        )
    except Rejected as rejected:
        return refused(rejected, target=target, doing="delete share", look=look)
    return ShareDeleted(reply=said.reply(settled=settled), target=str(target), snapshots=snapshots)


def snapshot(account: Account, target: ShareTarget, *, metadata: Mapping[str, str]) -> ShareSnapshotTaken | Refused:
    """Take a snapshot."""
    client = account.share(target)
    look = look_at(account, client)
    sent, listing = dict(metadata) or None, "share list --include snapshots"
    try:
        said, taken = take(client.create_snapshot, target=target, look=look, listing=listing, metadata=sent)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="take a snapshot of share", look=look)
    return ShareSnapshotTaken(reply=said.reply(), target=str(target), snapshot=taken, **version(said.value))


def set_metadata(
    account: Account, target: ShareTarget, *, metadata: Mapping[str, str], conditions: Conditions, marker: bool
) -> ShareMetadataSet | Refused:
    """Replace a share's metadata; a lost answer is settled by the operation id among it."""
    client = account.share(target)
    done = replace(
        client.set_share_metadata,
        client.get_share_properties,
        marked(metadata, marker=marker),
        target=target,
        conditions=conditions,
        look=look_at(account, client),
        doing="set the metadata of share",
    )
    return done if isinstance(done, Refused) else ShareMetadataSet(target=str(target), **done)


def listing(account: Account, *, prefix: str, snapshots: bool, limit: int | None) -> Listing | Refused:
    """List the account's shares with their leases, and their snapshots if they are asked for."""
    target = f"shares of {account.connection.account}"
    call = account.share_service().list_shares
    try:
        found = pages(
            call, target=target, limit=limit, name_starts_with=prefix or None, include_snapshots=snapshots or None
        )
    except Rejected as rejected:
        return refused(rejected, target=target, doing="list the")
    return Listing(
        kind="shares-listed",
        target=target,
        columns=COLUMNS["shares-listed"],
        items=(_item(one) for one in found),
    )


def _item(found: Any) -> Mapping[str, object]:
    facts = {"name": found.name, "snapshot": found.snapshot, "quota": found.quota, "tier": found.access_tier}
    return {**facts, **lease_facts(found)}


def look_at(account: Account, client: Any) -> Look | None:
    """Return how to find out what is there now, or None when nobody wants to know."""
    if not account.diagnose:
        return None
    return lambda: lease_facts(ask(client.get_share_properties).value)

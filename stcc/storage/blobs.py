"""Blobs: looking at them and deleting them, one request each."""

import base64
from collections.abc import Mapping
from typing import Any, Final

from stcc.outcomes import Listing, Refused
from stcc.outcomes.blob import COLUMNS, BlobDeleted, BlobShown
from stcc.storage.account import Account
from stcc.storage.answers import Rejected, ask, ask_properties
from stcc.storage.listing import pages
from stcc.storage.refusals import Look, lease_facts, refused
from stcc.storage.settle import change, read
from stcc.values.conditions import Conditions
from stcc.values.targets import BlobTarget, ContainerTarget
from stcc.values.times import iso

# Columns that a listing has only when they were asked for.
_ASKED_FOR: Final = {"snapshot": "snapshots", "metadata": "metadata", "tags": "tags"}


def show(account: Account, target: BlobTarget, *, conditions: Conditions) -> BlobShown | Refused:
    """Read a blob's properties."""
    client = account.blob(target)
    try:
        said = read(lambda: ask_properties(client.get_blob_properties, headers=conditions.headers()), target=target)
    except Rejected as rejected:
        look = look_at(account, client)
        return refused(rejected, target=target, doing="show", look=look, expected=conditions.expected_etag)
    found = said.value
    md5 = found.content_settings.content_md5
    return BlobShown(
        reply=said.reply(),
        target=str(target),
        etag=found.etag,
        last_modified=iso(found.last_modified) or "",
        size=found.size,
        blob_type=str(getattr(found.blob_type, "value", found.blob_type)),
        content_type=found.content_settings.content_type,
        content_md5=None if md5 is None else base64.b64encode(md5).decode(),
        lease_state=found.lease.state,
        lease_status=found.lease.status,
        lease_duration=found.lease.duration,
        tier=found.blob_tier,
        created=iso(found.creation_time),
        tag_count=found.tag_count,
        metadata=found.metadata or {},
        sequence_number=found.page_blob_sequence_number,
        copy_id=found.copy.id,
        copy_status=found.copy.status,
    )


def delete(
    account: Account, target: BlobTarget, *, conditions: Conditions, snapshots: str | None
) -> BlobDeleted | Refused:
    """Delete a blob or a snapshot; `snapshots` is `include`, `only` or None.

    A 404 after a lost answer proves nothing, somebody else may have deleted it, so that stays unknown.
    """
    client = account.blob(target)
    look = look_at(account, client)
    try:
        said, settled = change(
            lambda: ask(client.delete_blob, delete_snapshots=snapshots, headers=conditions.headers()),
            target=target,
            look=look,
        )
    except Rejected as rejected:
        return refused(rejected, target=target, doing="delete", look=look, expected=conditions.expected_etag)
    return BlobDeleted(reply=said.reply(settled=settled), target=str(target), snapshots=snapshots)


def listing(
    account: Account, target: ContainerTarget, *, prefix: str, include: list[str], limit: int | None
) -> Listing | Refused:
    """List blobs with their leases; `include` as the REST operation spells it (`snapshots`, `metadata`, `tags`)."""
    call = account.container(target.container).list_blobs
    shown = f"{target}/{prefix}" if prefix else str(target)
    try:
        found = pages(call, target=shown, limit=limit, name_starts_with=prefix or None, include=include or None)
    except Rejected as rejected:
        return refused(rejected, target=shown, doing="list")
    extra = [column for column, asked in _ASKED_FOR.items() if asked in include]
    return Listing(
        kind="blobs-listed",
        target=shown,
        columns=(*COLUMNS["blobs-listed"], *extra),
        items=(_item(one, include) for one in found),
    )


def _item(found: Any, include: list[str]) -> Mapping[str, object]:
    """Return the fields of one blob; what was not asked for is None, not empty."""
    return {
        "name": found.name,
        "snapshot": found.snapshot,
        "size": found.size,
        "blob_type": str(getattr(found.blob_type, "value", found.blob_type)),
        **lease_facts(found),
        # Listings leave out the quotes that belong to the tag everywhere else.
        "etag": f'"{found.etag.strip(chr(34))}"' if found.etag else None,
        "content_type": found.content_settings.content_type,
        "tier": found.blob_tier,
        "metadata": (found.metadata or {}) if "metadata" in include else None,
        "tags": (found.tags or {}) if "tags" in include else None,
    }


def look_at(account: Account, client: Any) -> Look | None:
    """Return how to find out what is there now, or None when nobody wants to know."""
    if not account.diagnose:
        return None

    def look() -> Mapping[str, object]:
        found = ask(client.get_blob_properties).value
        return {**lease_facts(found), "size": found.size}

    return look

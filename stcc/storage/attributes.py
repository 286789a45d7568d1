"""What is kept beside a blob's bytes: metadata, headers, tier, snapshots."""

from collections.abc import Mapping
from typing import Any, Final

from azure.storage.blob import ContentSettings

from stcc.outcomes import Refused
from stcc.outcomes.attributes import (
    BlobHeadersSet,
    BlobMetadataSet,
    BlobSnapshotTaken,
    BlobTierSet,
    ContainerMetadataSet,
)
from stcc.storage.account import Account
from stcc.storage.answers import Rejected, ask, ask_properties, ask_tagged
from stcc.storage.blobs import look_at
from stcc.storage.containers import look_at as look_at_container
from stcc.storage.marker import marked, version
from stcc.storage.metadata import replace
from stcc.storage.refusals import Look, as_write, refused
from stcc.storage.settle import change, read
from stcc.storage.snapshots import take
from stcc.values import judgement
from stcc.values.conditions import Conditions
from stcc.values.headers import NAMES, HeaderEdit
from stcc.values.judgement import Seen
from stcc.values.targets import BlobTarget, ContainerTarget

_ACCEPTED: Final = 202


def set_metadata(
    account: Account, target: BlobTarget, *, metadata: Mapping[str, str], conditions: Conditions, marker: bool
) -> BlobMetadataSet | Refused:
    """Replace a blob's metadata; a lost answer is settled by the operation id among it."""
    client = account.blob(target)
    done = replace(
        client.set_blob_metadata,
        client.get_blob_properties,
        marked(metadata, marker=marker),
        target=target,
        conditions=conditions,
        look=look_at(account, client),
        doing="set the metadata of",
    )
    return done if isinstance(done, Refused) else BlobMetadataSet(target=str(target), **done)


def set_container_metadata(
    account: Account, target: ContainerTarget, *, metadata: Mapping[str, str], conditions: Conditions, marker: bool
) -> ContainerMetadataSet | Refused:
    """Replace a container's metadata; a lost answer is settled by the operation id among it."""
    client = account.container(target.container)
    done = replace(
        client.set_container_metadata,
        client.get_container_properties,
        marked(metadata, marker=marker),
        target=target,
        conditions=conditions,
        look=look_at_container(account, client),
        doing="set the metadata of container",
    )
    return done if isinstance(done, Refused) else ContainerMetadataSet(target=str(target), **done)


def replace_headers(
    account: Account, target: BlobTarget, *, edit: HeaderEdit, conditions: Conditions
) -> BlobHeadersSet | Refused:
    """Set a blob's headers in one request, which clears all others."""
    client = account.blob(target)
    return _put_headers(account, client, target, edit.given, conditions=conditions)


def edit_headers(
    account: Account, target: BlobTarget, *, edit: HeaderEdit, conditions: Conditions
) -> BlobHeadersSet | Refused:
    """Set some of a blob's headers and send the others along as they were read, only if nobody wrote in between.

    The ETag that was read takes the place of the caller's conditions on ETag and time: that state is known
    to meet them, and no other one will be written.
    """
    client = account.blob(target)
    look = look_at(account, client)
    try:
        found = read(lambda: ask_properties(client.get_blob_properties), target=target).value
    except Rejected as rejected:
        return refused(rejected, target=target, doing="set the headers of", look=look)
    leased = found.lease.state in {"leased", "breaking"}
    verdict = judgement.of_put(conditions, Seen(etag=found.etag, last_modified=found.last_modified, leased=leased))
    if verdict is not None:
        return refused(
            Rejected(*verdict, "", {}),
            target=target,
            doing="set the headers of",
            look=look,
            expected=conditions.expected_etag,
            before="checked before the write",
        )
    stored = {name: getattr(found.content_settings, name) for name in NAMES.values()}
    return _put_headers(account, client, target, edit.applied_to(stored), conditions=_pinned(conditions, found.etag))


def _pinned(conditions: Conditions, etag: str) -> Conditions:
    beside = {flag: conditions.values[flag] for flag in ("--if-tags", "--lease-id") if flag in conditions.values}
    return Conditions({"--if-match": etag, **beside})


def _put_headers(
    account: Account, client: Any, target: BlobTarget, headers: Mapping[str, object], *, conditions: Conditions
) -> BlobHeadersSet | Refused:
    settings: dict[str, Any] = {
        name: bytearray(value) if isinstance(value, bytes) else value for name, value in headers.items()
    }
    look = look_at(account, client)
    try:
        said, settled = change(
            lambda: ask_tagged(client.set_http_headers, ContentSettings(**settings), headers=conditions.headers()),
            target=target,
            look=look,
        )
    except Rejected as rejected:
        expected = conditions.expected_etag
        return refused(rejected, target=target, doing="set the headers of", look=look, expected=expected)
    return BlobHeadersSet(reply=said.reply(settled=settled), target=str(target), **version(said.value))


def set_tier(
    account: Account, target: BlobTarget, *, tier: str, priority: str | None, conditions: Conditions
) -> BlobTierSet | Refused:
    """Move a blob to another tier; 202 is the beginning of its way out of the archive."""
    client = account.blob(target)
    look = _look_with_tier(account, client)
    options = {} if priority is None else {"rehydrate_priority": priority}
    try:
        said, settled = change(
            lambda: ask(client.set_standard_blob_tier, tier, headers=conditions.headers(), **options),
            target=target,
            look=look,
        )
    except Rejected as rejected:
        return refused(rejected, target=target, doing="set the tier of", look=look)
    return BlobTierSet(
        reply=said.reply(settled=settled), target=str(target), tier=tier, pending=said.status == _ACCEPTED
    )


def snapshot(
    account: Account, target: BlobTarget, *, metadata: Mapping[str, str], conditions: Conditions
) -> BlobSnapshotTaken | Refused:
    """Take a snapshot.

    An unmet condition is 412 on the service, and where it is taken for a read, 304: refused in both cases.
    """
    client = account.blob(target)
    look = look_at(account, client)
    sent: dict[str, Any] = {"metadata": dict(metadata) or None, "headers": conditions.headers()}
    try:
        said, taken = take(
            client.create_snapshot, target=target, look=look, listing="blob list --include snapshots", **sent
        )
    except Rejected as rejected:
        return refused(
            rejected,
            target=target,
            doing="take a snapshot of",
            look=look,
            expected=conditions.expected_etag,
            judged=as_write(rejected),
        )
    return BlobSnapshotTaken(reply=said.reply(), target=str(target), snapshot=taken, **version(said.value))


def _look_with_tier(account: Account, client: Any) -> Look | None:
    look = look_at(account, client)
    if look is None:
        return None

    def looking() -> Mapping[str, object]:
        found = ask(client.get_blob_properties).value
        return {**look(), "tier": found.blob_tier, "archive_status": found.archive_status}

    return looking

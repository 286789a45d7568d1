"""Page blobs: created at their full size, written and cleared in pages of 512 bytes."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from azure.storage.blob import ContentSettings

from stcc.outcomes import Listing, Refused
from stcc.outcomes.page import COLUMNS, PagesCleared, PagesCreated, PagesPut
from stcc.storage.account import Account
from stcc.storage.answers import Rejected, Said, ask, ask_tagged, attempt_to_read
from stcc.storage.blobs import look_at
from stcc.storage.listing import Page, walk
from stcc.storage.marker import left_in, marked, version
from stcc.storage.refusals import Look, refused
from stcc.storage.settle import change
from stcc.values.attributes import Attributes
from stcc.values.conditions import Conditions
from stcc.values.targets import BlobTarget

_PAGES: Final = 5000


def create(
    account: Account,
    target: BlobTarget,
    *,
    size: int,
    sequence_number: int | None,
    attributes: Attributes,
    conditions: Conditions,
) -> PagesCreated | Refused:
    """Create a page blob of zeros; a lost answer is settled by the operation id in its metadata."""
    client = account.blob(target)
    look = look_at(account, client)
    metadata = marked(attributes.metadata, marker=attributes.marker)
    tags: dict[str, Any] = {"tags": dict(attributes.tags)} if attributes.tags else {}

    def send() -> Said[dict[str, Any]]:
        return ask_tagged(
            client.create_page_blob,
            size,
            content_settings=ContentSettings(content_type=attributes.content_type),
            metadata=dict(metadata),
            sequence_number=sequence_number,
            headers=conditions.headers(),
            **tags,
        )

    try:
        said, settled = change(
            send, target=target, evidence=lambda: left_in(client.get_blob_properties, metadata), look=look
        )
    except Rejected as rejected:
        return refused(rejected, target=target, doing="create", look=look, expected=conditions.expected_etag)
    return PagesCreated(reply=said.reply(settled=settled), target=str(target), size=size, **version(said.value))


def put(
    account: Account, target: BlobTarget, data: bytes, *, offset: int, conditions: Conditions
) -> PagesPut | Refused:
    """Write pages in one request; without a condition, sending it again writes the same once more."""
    client = account.blob(target)
    look = _look(account, client)
    try:
        said, settled = change(
            lambda: ask_tagged(client.upload_page, data, offset=offset, length=len(data), headers=conditions.headers()),
            target=target,
            look=look,
        )
    except Rejected as rejected:
        expected = conditions.expected_etag
        return refused(rejected, target=target, doing="put pages into", look=look, expected=expected)
    return PagesPut(
        reply=said.reply(settled=settled), target=str(target), **_written(said.value, offset=offset, length=len(data))
    )


def clear(
    account: Account, target: BlobTarget, *, offset: int, length: int, conditions: Conditions
) -> PagesCleared | Refused:
    """Make pages zero, which frees their space."""
    client = account.blob(target)
    look = _look(account, client)
    try:
        said, settled = change(
            lambda: ask_tagged(client.clear_page, offset=offset, length=length, headers=conditions.headers()),
            target=target,
            look=look,
        )
    except Rejected as rejected:
        expected = conditions.expected_etag
        return refused(rejected, target=target, doing="clear pages of", look=look, expected=expected)
    return PagesCleared(
        reply=said.reply(settled=settled), target=str(target), **_written(said.value, offset=offset, length=length)
    )


def _written(value: Mapping[str, Any], *, offset: int, length: int) -> dict[str, Any]:
    return {**version(value), "offset": offset, "length": length, "sequence_number": value["blob_sequence_number"]}


def _look(account: Account, client: Any) -> Look | None:
    """Return a look that also tells the sequence number."""
    look = look_at(account, client)
    if look is None:
        return None
    return lambda: {**look(), "sequence_number": ask(client.get_blob_properties).value.page_blob_sequence_number}


def ranges(
    account: Account,
    target: BlobTarget,
    *,
    offset: int | None,
    length: int | None,
    since: str | None,
    conditions: Conditions,
) -> Listing | Refused:
    """List what is written; with `since`, a snapshot's time, what was written or cleared after it.

    The pages of the answer after the first carry its ETag: they are all of one state of the blob.
    """
    client = account.blob(target)
    pinned: dict[str, str] = {}

    def note(response: Any) -> None:
        pinned.setdefault("If-Match", str(response.http_response.headers.get("etag")))

    def page(token: Any) -> Page:
        headers = conditions.headers() if token is None else _pin(pinned, conditions)
        found = client.list_page_ranges(
            offset=offset,
            length=length,
            previous_snapshot=since,
            headers=headers,
            raw_response_hook=note,
            results_per_page=_PAGES,
        ).by_page(continuation_token=token)
        return attempt_to_read(lambda: (list(next(found, ())), found.continuation_token))

    try:
        items = walk(page, target=target, limit=None)
    except Rejected as rejected:
        look, expected = look_at(account, client), conditions.expected_etag
        return refused(rejected, target=target, doing="list the page ranges of", look=look, expected=expected)
    return Listing(
        kind="page-ranges-listed", target=str(target), columns=COLUMNS["page-ranges-listed"], items=_items(items)
    )


def _pin(pinned: Mapping[str, str], conditions: Conditions) -> dict[str, str]:
    lease = {} if conditions.lease_id is None else {"x-ms-lease-id": conditions.lease_id}
    return {**pinned, **lease}


def _items(found: Iterator[Any]) -> Iterator[Mapping[str, object]]:
    for one in found:
        kind = "cleared" if one.cleared else "written"
        yield {"kind": kind, "start": one.start, "end": one.end, "length": one.end - one.start + 1}

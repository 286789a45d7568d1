"""Appending to a blob: one atomic request, which is never sent twice unless its position is part of it."""

from collections.abc import Mapping
from typing import Any, Final

from azure.storage.blob import ContentSettings

from stcc.outcomes import Refused
from stcc.outcomes.append import BlobAppended
from stcc.storage.account import Account
from stcc.storage.answers import Lost, Rejected, Said, ask, ask_tagged
from stcc.storage.blobs import look_at
from stcc.storage.marker import left_in, marked, version
from stcc.storage.refusals import Look, refused
from stcc.storage.settle import change
from stcc.values.attributes import Attributes
from stcc.values.conditions import Conditions
from stcc.values.targets import BlobTarget

# Conditions under which the same bytes cannot land twice: the first landing makes them untrue.
_ONCE: Final = ("--append-position", "--if-match")
_BEHIND_THE_END: Final = 416
_MEANING: Final = "the bytes may or may not have been appended"


def append(
    account: Account, target: BlobTarget, data: bytes, *, create: Attributes | None, conditions: Conditions
) -> BlobAppended | Refused:
    """Append bytes; `create` are the attributes of the blob that is made if there is none, None for never.

    A lost answer stays unknown unless the request can be repeated and is accepted then: equal bytes at the
    same place may be somebody else's.
    """
    client = account.blob(target)
    try:
        return _appended(account, client, target, data, conditions=conditions, created=False)
    except Rejected as rejected:
        if create is None or rejected.status != 404 or rejected.code == "ContainerNotFound":
            return _refused(account, client, target, rejected, conditions=conditions)
    created = False
    try:
        created = _create(client, target, create)
        return _appended(account, client, target, data, conditions=conditions, created=created)
    except Rejected as rejected:
        return _refused(account, client, target, rejected, conditions=conditions, created=created)


def _appended(
    account: Account, client: Any, target: BlobTarget, data: bytes, *, conditions: Conditions, created: bool
) -> BlobAppended:
    def send() -> Said[dict[str, Any]]:
        said = ask_tagged(client.append_block, data, length=len(data), headers=conditions.headers())
        if not str(said.value["blob_append_offset"]).isdecimal():
            raise Lost("the answer was cut off before the offset")
        return said

    said, settled = change(
        send,
        target=target,
        repeat=any(flag in conditions.values for flag in _ONCE),
        look=_look_at_bytes(account, client, data, conditions),
        meaning=f"it was created, and {_MEANING}" if created else _MEANING,
    )
    return BlobAppended(
        reply=said.reply(settled=settled),
        target=str(target),
        offset=int(said.value["blob_append_offset"]),
        size=len(data),
        blocks=int(said.value["blob_committed_block_count"] or 0),
        created=created,
        **version(said.value),
    )


def _create(client: Any, target: BlobTarget, attributes: Attributes) -> bool:
    """Create the blob, and tell whether it was us: somebody else may have been faster."""
    metadata = marked(attributes.metadata, marker=attributes.marker)
    tags: dict[str, Any] = {"tags": dict(attributes.tags)} if attributes.tags else {}

    def send() -> Said[dict[str, Any]]:
        return ask_tagged(
            client.create_append_blob,
            content_settings=ContentSettings(content_type=attributes.content_type),
            metadata=dict(metadata),
            headers={"If-None-Match": "*"},
            **tags,
        )

    try:
        change(send, target=target, evidence=lambda: left_in(client.get_blob_properties, metadata))
    except Rejected as rejected:
        if rejected.status != 409:
            raise
        return False
    return True


def _refused(
    account: Account,
    client: Any,
    target: BlobTarget,
    rejected: Rejected,
    *,
    conditions: Conditions,
    created: bool = False,
) -> Refused:
    look, expected = look_at(account, client), conditions.expected_etag
    doing = "append to the just created" if created else "append to"
    return refused(rejected, target=target, doing=doing, look=look, expected=expected)


def _look_at_bytes(account: Account, client: Any, data: bytes, conditions: Conditions) -> Look | None:
    """Return a look that also tells whether the same bytes are at the position that was asked for."""
    look, position = look_at(account, client), conditions.values.get("--append-position")
    if look is None or position is None:
        return look

    def looking() -> Mapping[str, object]:
        seen = look()
        return {**seen, "same_content": _bytes_at(client, int(position), len(data)) == data}

    return looking


def _bytes_at(client: Any, position: int, size: int) -> bytes:
    """Return what a blob has from a position on, which is nothing where it ends there."""
    try:
        return bytes(ask(client.download_blob, offset=position, length=size).value.readall())
    except Rejected as rejected:
        if rejected.status != _BEHIND_THE_END:
            raise
        return b""

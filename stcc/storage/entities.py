"""Entities: one request each, and each with exactly the condition that was given."""

import base64
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, TypeVar

from azure.core import MatchConditions
from azure.data.tables import EdmType, EntityProperty, UpdateMode

from stcc.outcomes import Listing, Refused
from stcc.outcomes.entity import (
    COLUMNS,
    EntityDeleted,
    EntityInserted,
    EntityMerged,
    EntityReplaced,
    EntityShown,
    EntityUpserted,
)
from stcc.storage.account import Account
from stcc.storage.answers import Rejected, Said
from stcc.storage.listing import Page, walk
from stcc.storage.odata import ask, ask_document, ask_page, etag
from stcc.storage.refusals import Look, refused
from stcc.storage.settle import change, read
from stcc.storage.tables import PAGE
from stcc.values.conditions import Conditions
from stcc.values.edm import Edm, Typed
from stcc.values.entities import Content, EntityTarget
from stcc.values.properties import SYSTEM, Properties, annotated, from_answer
from stcc.values.targets import TableTarget

Written = TypeVar("Written", EntityInserted, EntityReplaced, EntityMerged, EntityUpserted)
Mode = Literal["replace", "merge"]
_MODES: Final = {"replace": UpdateMode.REPLACE, "merge": UpdateMode.MERGE}
_NEXT: Final = {
    "PartitionKey": "x-ms-continuation-nextpartitionkey",
    "RowKey": "x-ms-continuation-nextrowkey",
}


def get(account: Account, target: EntityTarget) -> EntityShown | Refused:
    """Read one entity."""
    client = account.table(target.table.table)
    try:
        said = read(lambda: _read(client, target), target=target)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="get entity")
    return EntityShown(reply=said.reply(), target=str(target), **_shown(said.value))


def query(
    account: Account, table: TableTarget, *, matching: str | None, select: Sequence[str] | None, limit: int | None
) -> Listing | Refused:
    """List the entities that match an OData filter, all of them without one."""
    client = account.table(table.table)
    options = {"results_per_page": min(limit or PAGE, PAGE), "select": select}

    def page(token: Any) -> Page:
        if matching is None:
            found, headers = ask_page(client.list_entities, token, **options)
        else:
            found, headers = ask_page(client.query_entities, token, query_filter=matching, **options)
        following = {name: headers.get(header) for name, header in _NEXT.items()}
        return found, following if any(following.values()) else None

    try:
        entities = walk(page, target=table, limit=limit)
    except Rejected as rejected:
        return refused(rejected, target=table, doing="query table")
    columns = COLUMNS["entities-listed"]
    return Listing(kind="entities-listed", target=str(table), columns=columns, items=map(_shown, entities))


def insert(account: Account, target: EntityTarget, content: Content) -> EntityInserted | Refused:
    """Insert an entity that is not there yet."""

    def send(client: Any, entity: dict[str, Any]) -> Said[bytes]:
        return ask(client.create_entity, entity, headers={"Prefer": "return-no-content"})

    return _write(account, target, content, send=send, doing="insert", outcome=EntityInserted)


def replace(
    account: Account, target: EntityTarget, content: Content, *, conditions: Conditions
) -> EntityReplaced | Refused:
    """Replace an entity as a whole: properties that are not given are gone."""
    send = _updating("replace", conditions)
    return _write(account, target, content, conditions, send=send, doing="replace", outcome=EntityReplaced)


def merge(
    account: Account, target: EntityTarget, content: Content, *, conditions: Conditions
) -> EntityMerged | Refused:
    """Set the given properties of an entity and leave the others."""
    send = _updating("merge", conditions)
    return _write(account, target, content, conditions, send=send, doing="merge into", outcome=EntityMerged)


def upsert(account: Account, target: EntityTarget, content: Content, *, mode: Mode) -> EntityUpserted | Refused:
    """Insert the entity, or replace or merge it, whatever is there."""

    def send(client: Any, entity: dict[str, Any]) -> Said[bytes]:
        return ask(client.upsert_entity, entity, mode=_MODES[mode])

    return _write(account, target, content, send=send, doing="upsert", outcome=EntityUpserted)


def delete(account: Account, target: EntityTarget, *, conditions: Conditions) -> EntityDeleted | Refused:
    """Delete an entity; a 404 after a lost answer proves nothing, so that stays unknown."""
    client = account.table(target.table.table)
    look, keys = _look(account, client, target), (target.partition_key, target.row_key)
    try:
        said, settled = change(
            lambda: ask(client.delete_entity, *keys, **_if_match(conditions)), target=target, look=look
        )
    except Rejected as rejected:
        return refused(rejected, target=target, doing="delete entity", look=look, expected=conditions.expected_etag)
    return EntityDeleted(reply=said.reply(settled=settled), target=str(target))


def _updating(mode: Mode, conditions: Conditions) -> Callable[[Any, dict[str, Any]], Said[bytes]]:
    return lambda client, entity: ask(client.update_entity, entity, mode=_MODES[mode], **_if_match(conditions))


def _if_match(conditions: Conditions) -> dict[str, Any]:
    """Return what makes the SDK send this If-Match and no other; without an ETag it is `*`, which --force means here.

    A request without the header would be an upsert.
    """
    expected = conditions.expected_etag
    if expected in {None, "*"}:
        return {"match_condition": MatchConditions.Unconditionally}
    return {"match_condition": MatchConditions.IfNotModified, "etag": expected}


def _write(
    account: Account,
    target: EntityTarget,
    content: Content,
    conditions: Conditions | None = None,
    *,
    send: Callable[[Any, dict[str, Any]], Said[bytes]],
    doing: str,
    outcome: type[Written],
) -> Written | Refused:
    """Send a write once; a lost answer is settled by the operation id in the property that `--marker` named."""
    client = account.table(target.table.table)
    properties = dict(content.properties)
    if content.marker is not None:
        properties[content.marker] = Typed(Edm.STRING, str(uuid.uuid4()))
    entity, look = _entity(target, properties), _look(account, client, target)

    def once() -> Said[str | None]:
        said = send(client, entity)
        return Said(etag(said), said.status, said.headers)

    def mine() -> Said[str | None] | None:
        return None if content.marker is None else _evidence(client, target, properties, marker=content.marker)

    try:
        said, settled = change(once, target=target, evidence=mine, look=look)
    except Rejected as rejected:
        expected = None if conditions is None else conditions.expected_etag
        return refused(rejected, target=target, doing=f"{doing} entity", look=look, expected=expected)
    return outcome(reply=said.reply(settled=settled), target=str(target), etag=said.value)


def _evidence(client: Any, target: EntityTarget, sent: Properties, *, marker: str) -> Said[str | None] | None:
    """Return the answer to a read-back that finds our mark, else None.

    The mark survives a merge by somebody else, so the ETag counts as ours only where all properties are.
    """
    found = _read(client, target)
    stored = from_answer(found.value)
    if stored.get(marker) != sent[marker]:
        return None
    return Said(found.value["odata.etag"] if stored == sent else None, found.status, found.headers)


def _read(client: Any, target: EntityTarget, *, select: Sequence[str] | None = None) -> Said[Mapping[str, Any]]:
    return ask_document(client.get_entity, target.partition_key, target.row_key, select=select)


def _entity(target: EntityTarget, properties: Properties) -> dict[str, Any]:
    """Return what the SDK writes as exactly these properties: every type said, nothing left to be inferred."""
    keys = {"PartitionKey": target.partition_key, "RowKey": target.row_key}
    return keys | {name: EntityProperty(_for_sdk(one), EdmType(one.edm)) for name, one in properties.items()}


def _for_sdk(one: Typed) -> Any:
    return base64.b64decode(str(one.value)) if one.edm == Edm.BINARY else one.value


def _shown(entity: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "partition_key": entity["PartitionKey"],
        "row_key": entity["RowKey"],
        "timestamp": entity["Timestamp"],
        "etag": entity["odata.etag"],
        "properties": annotated(from_answer(entity)),
    }


def _look(account: Account, client: Any, target: EntityTarget) -> Look | None:
    if not account.diagnose:
        return None

    def look() -> Mapping[str, object]:
        found = _read(client, target, select=SYSTEM).value
        return {"exists": True, "etag": found["odata.etag"], "last_modified": found["Timestamp"]}

    return look

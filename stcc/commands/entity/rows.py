"""stcc entity: get, query, insert, replace, merge, upsert, delete."""

from typing import Annotated, Literal

import typer

from stcc.commands.documents import document
from stcc.commands.entity import Marker, PartitionKey, RowKey, Table
from stcc.commands.options import Limit, group, on, runtime_of
from stcc.errors import Usage
from stcc.knowledge import operations
from stcc.outcomes import Answer
from stcc.runtime import Runtime
from stcc.values.entities import Content, EntityTarget, content, entity_target, query_filter, selection
from stcc.values.properties import from_arguments, from_document
from stcc.values.targets import table_target

app = group("Entities as they are.")

Given = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME=VALUE]...",
        help="name=text; age:=3, paid:=true, x:=1.5 (JSON); name:TYPE=VALUE with TYPE one of "
        "string bool int32 int64 double datetime guid binary.",
    ),
]
From = Annotated[
    str | None,
    typer.Option("--from", metavar="FILE|-", help="Properties as a JSON object with OData types, as entity get has."),
]


@app.command(cls=on(operations.GET_ENTITY))
def get(ctx: typer.Context, table: Table, partition_key: PartitionKey, row_key: RowKey) -> Answer:
    """Show an entity: keys, ETag, properties and their types.

    stcc entity get jobs 2026 nightly
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.GET_ENTITY)
    target = entity_target(table, partition_key, row_key)
    account = runtime.account(target.table.at)
    from stcc.storage import entities

    return entities.get(account, target)


@app.command(cls=on(operations.QUERY_ENTITIES))
def query(
    ctx: typer.Context,
    table: Table,
    matching: Annotated[str | None, typer.Option("--filter", metavar="ODATA", help="Only those that match.")] = None,
    select: Annotated[str | None, typer.Option("--select", metavar="A,B", help="Only these properties.")] = None,
    limit: Limit = None,
) -> Answer:
    """List the entities of a table.

    stcc entity query jobs --filter "PartitionKey eq '2026' and age gt 3"
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.QUERY_ENTITIES)
    target, wanted = table_target(table), None if matching is None else query_filter(matching)
    selected = None if select is None else selection(select)
    account = runtime.account(target.at)
    from stcc.storage import entities

    return entities.query(account, target, matching=wanted, select=selected, limit=limit)


@app.command(cls=on(operations.INSERT_ENTITY))
def insert(
    ctx: typer.Context,
    table: Table,
    partition_key: PartitionKey,
    row_key: RowKey,
    properties: Given = None,
    source: From = None,
    marker: Marker = None,
) -> Answer:
    """Insert an entity and print its ETag; 9 if there is one with these keys.

    stcc entity insert jobs 2026 nightly owner=anna tries:=3 when:datetime=2026-01-31T12:00:00Z
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.INSERT_ENTITY)
    target = entity_target(table, partition_key, row_key)
    written = _content(runtime, target, properties or [], source, marker)
    account = runtime.account(target.table.at)
    from stcc.storage import entities

    return entities.insert(account, target, written)


@app.command(cls=on(operations.REPLACE_ENTITY))
def replace(
    ctx: typer.Context,
    table: Table,
    partition_key: PartitionKey,
    row_key: RowKey,
    properties: Given = None,
    source: From = None,
    marker: Marker = None,
) -> Answer:
    """Replace an entity as a whole and print its new ETag; 12 if it changed.

    stcc entity replace jobs 2026 nightly owner=bert tries:=4 --if-match "$etag"
    """
    runtime = runtime_of(ctx)
    conditions = runtime.conditions(operations.REPLACE_ENTITY)
    target = entity_target(table, partition_key, row_key)
    written = _something(_content(runtime, target, properties or [], source, marker), source)
    account = runtime.account(target.table.at)
    from stcc.storage import entities

    return entities.replace(account, target, written, conditions=conditions)


@app.command(cls=on(operations.MERGE_ENTITY))
def merge(
    ctx: typer.Context,
    table: Table,
    partition_key: PartitionKey,
    row_key: RowKey,
    properties: Given = None,
    source: From = None,
    marker: Marker = None,
) -> Answer:
    """Set some properties of an entity and print its new ETag; 12 if it changed.

    stcc entity merge jobs 2026 nightly tries:=5 --if-match "$etag"
    """
    runtime = runtime_of(ctx)
    conditions = runtime.conditions(operations.MERGE_ENTITY)
    target = entity_target(table, partition_key, row_key)
    written = _something(_content(runtime, target, properties or [], source, marker), source)
    account = runtime.account(target.table.at)
    from stcc.storage import entities

    return entities.merge(account, target, written, conditions=conditions)


@app.command(cls=on(operations.UPSERT_ENTITY))
def upsert(
    ctx: typer.Context,
    table: Table,
    partition_key: PartitionKey,
    row_key: RowKey,
    properties: Given = None,
    mode: Annotated[
        Literal["replace", "merge"] | None,
        typer.Option("--mode", help="What to do with an entity that is there; must be said."),
    ] = None,
    source: From = None,
    marker: Marker = None,
) -> Answer:
    """Write an entity, whatever is there, and print its ETag.

    stcc entity upsert jobs 2026 nightly tries:=0 --mode merge
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.UPSERT_ENTITY)
    if mode is None:
        raise Usage("an upsert needs --mode replace or --mode merge", hint="merge keeps the properties not given")
    target = entity_target(table, partition_key, row_key)
    written = _something(_content(runtime, target, properties or [], source, marker), source)
    account = runtime.account(target.table.at)
    from stcc.storage import entities

    return entities.upsert(account, target, written, mode=mode)


@app.command(cls=on(operations.DELETE_ENTITY))
def delete(ctx: typer.Context, table: Table, partition_key: PartitionKey, row_key: RowKey) -> Answer:
    """Delete an entity; 12 if it changed, 4 if it is not there.

    stcc entity delete jobs 2026 nightly --if-match "$etag"
    """
    runtime = runtime_of(ctx)
    conditions = runtime.conditions(operations.DELETE_ENTITY)
    target = entity_target(table, partition_key, row_key)
    account = runtime.account(target.table.at)
    from stcc.storage import entities

    return entities.delete(account, target, conditions=conditions)


def _content(
    runtime: Runtime, target: EntityTarget, arguments: list[str], source: str | None, marker: str | None
) -> Content:
    """Return what to write, from the arguments or from --from."""
    if source is None:
        return content(from_arguments(arguments), target=target, marker=marker)
    if arguments:
        raise Usage("--from and NAME=VALUE exclude each other")
    given = document(runtime, source, of="an entity")
    properties = from_document(given, partition_key=target.partition_key, row_key=target.row_key)
    return content(properties, target=target, marker=marker)


def _something(written: Content, source: str | None) -> Content:
    """Refuse to write nothing: a list of properties that came out empty would empty the entity."""
    if not written.properties and source is None:
        raise Usage("no property is given", hint="NAME=VALUE, or --from; for none on purpose: echo '{}' and --from -")
    return written

"""stcc entity update and edit."""

import typer

from stcc.commands import rewriting
from stcc.commands.entity import Marker, PartitionKey, RowKey, Table
from stcc.commands.options import group, on, runtime_of
from stcc.commands.rewriting import Attempts, Command, NoLocalLock
from stcc.knowledge import operations
from stcc.operations.updating import ATTEMPTS
from stcc.outcomes import Answer
from stcc.values.entities import entity_target
from stcc.values.properties import property_name

app = group("Entities, read and written back.")


@app.command(cls=on(operations.REWRITE_ENTITY))
def update(
    ctx: typer.Context,
    table: Table,
    partition_key: PartitionKey,
    row_key: RowKey,
    command: Command,
    attempts: Attempts = ATTEMPTS,
    no_local_lock: NoLocalLock = False,
    marker: Marker = None,
) -> Answer:
    """Change an entity by a command, without losing what others write, and print its ETag.

    CMD gets the properties as JSON on stdin, and what it writes to stdout replaces the entity, only if nobody wrote
    in between; if somebody did, CMD runs again. 12 when --attempts are used up. If CMD fails, nothing is changed.

    stcc entity update jobs 2026 nightly -- jq '.tries += 1'
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.REWRITE_ENTITY)
    target = entity_target(table, partition_key, row_key)
    mark = None if marker is None else property_name(marker)
    account = runtime.account(target.table.at)
    from stcc.storage.documents import EntityDocument

    return rewriting.updated(
        runtime,
        EntityDocument(account, target, marker=mark),
        command,
        place=account.connection.endpoint("table"),
        attempts=attempts,
        allow_empty=True,
        takes_turns=not no_local_lock,
    )


@app.command(cls=on(operations.REWRITE_ENTITY))
def edit(
    ctx: typer.Context, table: Table, partition_key: PartitionKey, row_key: RowKey, marker: Marker = None
) -> Answer:
    """Edit the properties of an entity in $VISUAL or $EDITOR, as JSON, and print its new ETag.

    If somebody writes meanwhile, both changes are merged; what cannot be written is kept in a file, which is named.

    stcc entity edit jobs 2026 nightly
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.REWRITE_ENTITY)
    target = entity_target(table, partition_key, row_key)
    mark, editor = None if marker is None else property_name(marker), rewriting.editor_of(runtime)
    account = runtime.account(target.table.at)
    from stcc.storage.documents import EntityDocument

    return rewriting.edited(runtime, EntityDocument(account, target, marker=mark), editor, name="entity.json")

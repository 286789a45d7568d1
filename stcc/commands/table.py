"""stcc table: create, list, delete, run."""

import json
import re
from typing import Annotated

import typer

from stcc.commands import holding, leased, running
from stcc.commands.holding import NoWait, Wait
from stcc.commands.options import Limit, Yes, group, on, runtime_of
from stcc.commands.running import Command, RunCommand
from stcc.errors import Usage
from stcc.knowledge import operations
from stcc.outcomes import Answer
from stcc.values import places, times
from stcc.values.targets import blob_target, table_target

app = group("Tables.")
_PREFIX = re.compile(r"([A-Za-z][A-Za-z0-9]{0,62})?", re.ASCII)
Table = Annotated[str, typer.Argument(metavar="TABLE", help="Name or URL of the table.")]


@app.command(cls=on(operations.TABLE))
def create(ctx: typer.Context, table: Table) -> Answer:
    """Create a table; 9 if there is one of that name.

    stcc table create jobs
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.TABLE)
    target = table_target(table)
    account = runtime.account(target.at)
    from stcc.storage import tables

    return tables.create(account, target)


@app.command("list", cls=on(operations.TABLE))
def list_(
    ctx: typer.Context,
    prefix: Annotated[str, typer.Option("--prefix", help="Only names that start so; case counts.")] = "",
    limit: Limit = None,
) -> Answer:
    """List tables.

    stcc table list --prefix log
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.TABLE)
    if _PREFIX.fullmatch(prefix) is None:
        raise Usage(f"--prefix is not the beginning of a table's name: {prefix!r}", hint="letters and digits")
    account = runtime.account()
    from stcc.storage import tables

    return tables.listing(account, prefix=prefix, limit=limit)


@app.command(cls=on(operations.TABLE))
def delete(ctx: typer.Context, table: Table, yes: Yes = False) -> Answer:
    """Delete a table and every entity in it.

    stcc table delete jobs --yes
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.TABLE)
    target = table_target(table)
    runtime.confirm(f"delete table {target} with all its entities", yes=yes)
    account = runtime.account(target.at)
    from stcc.storage import tables

    return tables.delete(account, target)


@app.command(cls=RunCommand)
def run(
    ctx: typer.Context,
    table: Table,
    command: Command = None,
    duration: Annotated[str, typer.Option("--duration", metavar="15..60", help="Seconds; it is renewed.")] = "30",
    lock_blob: Annotated[
        str | None, typer.Option("--lock-blob", metavar="CONTAINER/BLOB", help="Else stcc-locks/table/TABLE.")
    ] = None,
    wait: Wait = None,
    no_wait: NoWait = False,
) -> Answer:
    """Run a command while holding the lock of a table; 75 if somebody else holds it, 76 if it was lost.

    The service has no locks for tables: this one is a lease on a blob, made for it, and counts for those who ask
    for it. The command is told STCC_LEASE_ID and STCC_LEASE_TARGET.

    stcc table run jobs --wait 5m -- ./reorganise.sh
    """
    runtime = runtime_of(ctx)
    what = running.task(runtime, command)
    seconds = times.whole_seconds(duration, option="--duration", low=15, high=60)
    patience = holding.seconds_to_wait(wait, no_wait=no_wait)
    named = table_target(table)
    if named.at is not None:
        raise Usage("table run takes the name of a table: its lock is a blob of the account that is configured")
    blob = blob_target(lock_blob) if lock_blob is not None else places.azure_place(named.table, "table").blob
    if blob.snapshot is not None:
        raise Usage("a snapshot cannot be leased")
    record = json.dumps({"kind": "table", "table": named.table}).encode()
    return leased.run(runtime, what, blob, seconds=seconds, wait=patience, create=record)

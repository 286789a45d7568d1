"""stcc table: create, list, delete."""

import re
from typing import Annotated

import typer

from stcc.commands.options import Limit, Yes, group, on, runtime_of
from stcc.errors import Usage
from stcc.knowledge import operations
from stcc.outcomes import Answer
from stcc.values.targets import table_target

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

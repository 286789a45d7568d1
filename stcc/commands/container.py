"""stcc container: create, show, list, delete."""

from typing import Annotated

import typer

from stcc.commands.options import Limit, Metadata, NoMarker, Yes, group, on, runtime_of
from stcc.knowledge import operations
from stcc.outcomes import Answer
from stcc.values.metadata import metadata as parse_metadata
from stcc.values.targets import container_target, name_prefix

app = group("Containers of blobs.")
Container = Annotated[str, typer.Argument(metavar="CONTAINER", help="Name or URL of the container.")]


@app.command(cls=on(operations.CREATE_CONTAINER))
def create(ctx: typer.Context, container: Container, metadata: Metadata = None, no_marker: NoMarker = False) -> Answer:
    """Create a container and print its ETag; 9 if there is one of that name.

    stcc container create data
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.CREATE_CONTAINER)
    target, values = container_target(container), parse_metadata(metadata or [])
    account = runtime.account(target.at)
    from stcc.storage import containers

    return containers.create(account, target, metadata=values, marker=not no_marker)


@app.command(cls=on(operations.SHOW_CONTAINER))
def show(ctx: typer.Context, container: Container) -> Answer:
    """Show a container: ETag, lease, metadata.

    stcc container show data
    """
    runtime = runtime_of(ctx)
    target, conditions = container_target(container), runtime.conditions(operations.SHOW_CONTAINER)
    account = runtime.account(target.at)
    from stcc.storage import containers

    return containers.show(account, target, conditions=conditions)


@app.command("list", cls=on(operations.LIST_CONTAINERS))
def list_(
    ctx: typer.Context,
    prefix: Annotated[str, typer.Option("--prefix", help="Only names that start so.")] = "",
    limit: Limit = None,
) -> Answer:
    """List containers with their leases.

    stcc container list --prefix log
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.LIST_CONTAINERS)
    start, account = name_prefix(prefix), runtime.account()
    from stcc.storage import containers

    return containers.listing(account, prefix=start, limit=limit)


@app.command(cls=on(operations.DELETE_CONTAINER))
def delete(ctx: typer.Context, container: Container, yes: Yes = False) -> Answer:
    """Delete a container and every blob in it, leased ones too.

    stcc container delete data --yes
    """
    runtime = runtime_of(ctx)
    target, conditions = container_target(container), runtime.conditions(operations.DELETE_CONTAINER)
    runtime.confirm(f"delete container {target} with all its blobs", yes=yes)
    from stcc.storage import containers

    return containers.delete(runtime.account(target.at), target, conditions=conditions)

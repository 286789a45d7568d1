"""stcc blob: show and list."""

from enum import StrEnum
from typing import Annotated

import typer

from stcc.commands.blob import Blob, Snapshot
from stcc.commands.options import Limit, group, on, runtime_of
from stcc.knowledge import operations
from stcc.outcomes import Answer
from stcc.values.targets import blob_target, listing_target

app = group("Blobs that are there.")


class Include(StrEnum):
    """What a listing shows besides the blobs, as the service spells it."""

    SNAPSHOTS = "snapshots"
    METADATA = "metadata"
    TAGS = "tags"
    DELETED = "deleted"
    UNCOMMITTED = "uncommittedblobs"


@app.command(cls=on(operations.SHOW_BLOB))
def show(ctx: typer.Context, target: Blob, snapshot: Snapshot = None) -> Answer:
    """Show a blob: ETag, lease, size, content type, metadata.

    stcc blob show data/report.csv --query etag
    """
    runtime = runtime_of(ctx)
    blob, conditions = blob_target(target, snapshot=snapshot), runtime.conditions(operations.SHOW_BLOB)
    account = runtime.account(blob.at)
    from stcc.storage import blobs

    return blobs.show(account, blob, conditions=conditions)


@app.command("list", cls=on(operations.LIST_BLOBS))
def list_(
    ctx: typer.Context,
    target: Annotated[str, typer.Argument(metavar="CONTAINER[/PREFIX]")],
    include: Annotated[
        list[Include] | None,
        typer.Option("--include", help="What to list besides; repeatable."),
    ] = None,
    limit: Limit = None,
) -> Answer:
    """List blobs with their leases.

    stcc blob list data/2026/ --limit 100
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.LIST_BLOBS)
    container, prefix = listing_target(target)
    account = runtime.account(container.at)
    from stcc.storage import blobs

    return blobs.listing(account, container, prefix=prefix, include=[one.value for one in include or []], limit=limit)

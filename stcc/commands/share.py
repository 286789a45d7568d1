"""stcc share: create, show, list, delete, snapshot, set-metadata."""

from typing import Annotated, Literal

import typer

from stcc.commands.options import Clear, Limit, Metadata, NoMarker, Pairs, Yes, group, on, runtime_of, some_pairs
from stcc.errors import Usage
from stcc.knowledge import operations
from stcc.outcomes import Answer
from stcc.values.metadata import metadata as parse_metadata
from stcc.values.targets import ShareTarget, name_prefix, share_target

app = group("Shares of Azure Files.")
Share = Annotated[str, typer.Argument(metavar="SHARE", help="Name or URL of the share.")]
Snapshot = Annotated[str | None, typer.Option("--snapshot", metavar="TIME", help="A snapshot instead of the share.")]


@app.command(cls=on(operations.CREATE_SHARE))
def create(
    ctx: typer.Context,
    share: Share,
    quota: Annotated[
        int | None, typer.Option("--quota", min=1, max=102400, metavar="GIB", help="How much it may hold.")
    ] = None,
    metadata: Metadata = None,
    no_marker: NoMarker = False,
) -> Answer:
    """Create a share and print its ETag; 9 if there is one of that name.

    stcc share create team
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.CREATE_SHARE)
    target, values = _live(share), parse_metadata(metadata or [])
    account = runtime.account(target.at)
    from stcc.storage import shares

    return shares.create(account, target, metadata=values, quota=quota, marker=not no_marker)


@app.command(cls=on(operations.SHOW_SHARE))
def show(ctx: typer.Context, share: Share, snapshot: Snapshot = None) -> Answer:
    """Show a share: ETag, lease, quota, metadata.

    stcc share show team
    """
    runtime = runtime_of(ctx)
    target, conditions = share_target(share, snapshot=snapshot), runtime.conditions(operations.SHOW_SHARE)
    account = runtime.account(target.at)
    from stcc.storage import shares

    return shares.show(account, target, conditions=conditions)


@app.command("list", cls=on(operations.LIST_SHARES))
def list_(
    ctx: typer.Context,
    prefix: Annotated[str, typer.Option("--prefix", help="Only names that start so.")] = "",
    include: Annotated[Literal["snapshots"] | None, typer.Option("--include", help="List the snapshots, too.")] = None,
    limit: Limit = None,
) -> Answer:
    """List shares with their leases.

    stcc share list --include snapshots
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.LIST_SHARES)
    start, account = name_prefix(prefix), runtime.account()
    from stcc.storage import shares

    return shares.listing(account, prefix=start, snapshots=include is not None, limit=limit)


@app.command(cls=on(operations.DELETE_SHARE))
def delete(
    ctx: typer.Context,
    share: Share,
    snapshot: Snapshot = None,
    snapshots: Annotated[
        Literal["include", "include-leased"] | None, typer.Option("--snapshots", help="Delete its snapshots, too.")
    ] = None,
    yes: Yes = False,
) -> Answer:
    """Delete a share with everything in it, open or not, or one snapshot of it.

    stcc share delete team --snapshots include --yes
    """
    runtime = runtime_of(ctx)
    target, conditions = share_target(share, snapshot=snapshot), runtime.conditions(operations.DELETE_SHARE)
    if target.snapshot is not None and snapshots is not None:
        raise Usage("a snapshot has no snapshots: --snapshots deletes those of a share")
    what = "with all its files" + (" and snapshots" if snapshots else "")
    runtime.confirm(f"delete share {target} {'' if target.snapshot else what}".rstrip(), yes=yes)
    from stcc.storage import shares

    return shares.delete(runtime.account(target.at), target, conditions=conditions, snapshots=snapshots)


@app.command(cls=on(operations.SNAPSHOT_SHARE))
def snapshot(ctx: typer.Context, share: Share, metadata: Metadata = None) -> Answer:
    """Take a snapshot of a share and print the time that names it; without metadata, with the share's own.

    stcc share snapshot team
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.SNAPSHOT_SHARE)
    target, values = _live(share), parse_metadata(metadata or [])
    account = runtime.account(target.at)
    from stcc.storage import shares

    return shares.snapshot(account, target, metadata=values)


@app.command("set-metadata", cls=on(operations.SET_SHARE_METADATA))
def set_metadata(
    ctx: typer.Context, share: Share, given: Pairs = None, clear: Clear = False, no_marker: NoMarker = False
) -> Answer:
    """Replace all metadata of a share and print its new ETag; what is not given is gone.

    stcc share set-metadata team owner=anna
    """
    runtime = runtime_of(ctx)
    target, conditions = _live(share), runtime.conditions(operations.SET_SHARE_METADATA)
    values = parse_metadata(some_pairs(given, clear=clear), option="metadata")
    account = runtime.account(target.at)
    from stcc.storage import shares

    return shares.set_metadata(account, target, metadata=values, conditions=conditions, marker=not no_marker)


def _live(text: str) -> ShareTarget:
    """Return the share that is to be changed; a snapshot never is."""
    target = share_target(text)
    if target.snapshot is not None:
        raise Usage("a snapshot cannot be changed")
    return target

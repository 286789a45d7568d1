"""stcc file: list, mkdir, rename."""

from typing import Annotated

import typer

from stcc.commands.file import File, Place, Snapshot, changeable
from stcc.commands.file.insisting import insisting, on
from stcc.commands.options import Limit, Metadata, NoMarker, group, runtime_of
from stcc.errors import Usage
from stcc.knowledge import operations
from stcc.outcomes import Answer
from stcc.values import paths
from stcc.values.conditions import lease_id as parse_id
from stcc.values.metadata import metadata as parse_metadata
from stcc.values.targets import directory_target

app = group("The tree of directories and files.")


@app.command("list", cls=on(operations.LIST_FILES))
def list_(
    ctx: typer.Context,
    target: Place,
    recursive: Annotated[bool, typer.Option("-r", "--recursive", help="All that is below, too.")] = False,
    snapshot: Snapshot = None,
    limit: Limit = None,
) -> Answer:
    """List files and directories, with their ETags; names are paths in the share.

    What an SMB client has marked for deletion is not in the listing of the service: it comes last, with a note.

    stcc file list team/reports --recursive
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.LIST_FILES)
    place = directory_target(target, snapshot=snapshot)
    asked, account = insisting(runtime, place), runtime.account(place.at)
    from stcc.storage import directories

    return asked.insist(account, lambda: directories.listing(account, place, recursive=recursive, limit=limit))


@app.command(cls=on(operations.CREATE_DIRECTORY))
def mkdir(
    ctx: typer.Context,
    target: File,
    parents: Annotated[
        bool, typer.Option("-p", "--parents", help="Those above it, too; it is no matter if it is there.")
    ] = False,
    metadata: Metadata = None,
    no_marker: NoMarker = False,
) -> Answer:
    """Make a directory and print its ETag; 9 if there is something of that name.

    stcc file mkdir -p team/reports/2026
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.CREATE_DIRECTORY)
    place, values = changeable(target), parse_metadata(metadata or [])
    asked, account = insisting(runtime, place), runtime.account(place.at)
    from stcc.storage import directories

    return asked.insist(
        account, lambda: directories.make(account, place, metadata=values, parents=parents, marker=not no_marker)
    )


@app.command(cls=on(operations.RENAME_FILE))
def rename(
    ctx: typer.Context,
    target: File,
    to: Annotated[str, typer.Argument(metavar="NEW", help="SHARE/PATH or its URL, in the same share.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="If there is a file of that name, take its place.")
    ] = False,
    source_lease_id: Annotated[
        str | None, typer.Option("--source-lease-id", metavar="ID", help="The lease of what is renamed.")
    ] = None,
    target_lease_id: Annotated[
        str | None, typer.Option("--target-lease-id", metavar="ID", help="The lease of what is replaced.")
    ] = None,
) -> Answer:
    """Rename a file or a directory within its share, in one step, and print its ETag.

    It counts as a deletion of both: 9 while an SMB client has the one or the other open.

    stcc file rename team/report.new team/report.csv --replace
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.RENAME_FILE)
    old, new = changeable(target), changeable(to)
    if (new.share, new.at) != (old.share, old.at) and (new.at is not None or new.share != old.share):
        raise Usage("a rename stays in its share", hint=f"{old.share}/PATH, or a URL with the same account and SAS")
    if old.path == new.path:
        raise Usage(f"both names are the same: {old}")
    if paths.is_below(new.path, old.path):
        raise Usage(f"a directory cannot be moved below itself: {new} is below {old}")
    leases = {"--source-lease-id": source_lease_id, "--target-lease-id": target_lease_id}
    ids = {option: None if text is None else parse_id(text, option=option) for option, text in leases.items()}
    if old.is_directory and any(ids.values()):
        raise Usage("a directory has no lease", hint="without the slash at its end, it is taken for a file")
    if target_lease_id is not None and not replace:
        raise Usage("--target-lease-id needs --replace", hint="without it, a file that is there is never touched")
    asked, account = insisting(runtime, old), runtime.account(old.at)
    from stcc.storage import renames

    return asked.insist(
        account,
        lambda: renames.rename(
            account,
            old,
            new,
            replace=replace,
            source_lease=ids["--source-lease-id"],
            target_lease=ids["--target-lease-id"],
        ),
        beside=new,
        recursive=True,
    )

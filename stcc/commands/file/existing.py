"""stcc file: show, delete, set-metadata."""

import typer

from stcc.commands.file import File, Snapshot, changeable, check_lease
from stcc.commands.file.insisting import insisting, on
from stcc.commands.options import Clear, NoMarker, Pairs, group, runtime_of, some_pairs
from stcc.knowledge import operations
from stcc.outcomes import Answer
from stcc.values.metadata import metadata as parse_metadata
from stcc.values.targets import file_target

app = group("Files and directories that are there.")


@app.command(cls=on(operations.SHOW_FILE))
def show(ctx: typer.Context, target: File, snapshot: Snapshot = None) -> Answer:
    """Show a file or a directory: ETag, lease, size, attributes, metadata.

    What an SMB client has marked for deletion is neither there nor gone until the last one has closed it: 9, not 4.

    stcc file show team/report.csv --query etag
    """
    runtime = runtime_of(ctx)
    file, conditions = file_target(target, snapshot=snapshot), runtime.conditions(operations.SHOW_FILE)
    check_lease(file, conditions)
    asked, account = insisting(runtime, file), runtime.account(file.at)
    from stcc.storage import files

    return asked.insist(account, lambda: files.show(account, file, conditions=conditions))


@app.command(cls=on(operations.DELETE_FILE))
def delete(ctx: typer.Context, target: File) -> Answer:
    """Delete a file, or an empty directory, whoever wrote it last; 9 while an SMB client has it open.

    stcc file delete team/report.csv --wait 1m
    """
    runtime = runtime_of(ctx)
    file, conditions = changeable(target), runtime.conditions(operations.DELETE_FILE)
    check_lease(file, conditions)
    asked, account = insisting(runtime, file), runtime.account(file.at)
    from stcc.storage import files

    return asked.insist(account, lambda: files.delete(account, file, conditions=conditions))


@app.command("set-metadata", cls=on(operations.SET_FILE_METADATA))
def set_metadata(
    ctx: typer.Context, target: File, given: Pairs = None, clear: Clear = False, no_marker: NoMarker = False
) -> Answer:
    """Replace all metadata of a file or a directory and print its new ETag; what is not given is gone.

    stcc file set-metadata team/report.csv owner=anna
    """
    runtime = runtime_of(ctx)
    file, conditions = changeable(target), runtime.conditions(operations.SET_FILE_METADATA)
    check_lease(file, conditions)
    values = parse_metadata(some_pairs(given, clear=clear), option="metadata")
    asked, account = insisting(runtime, file), runtime.account(file.at)
    from stcc.storage import files

    return asked.insist(
        account,
        lambda: files.set_metadata(account, file, metadata=values, conditions=conditions, marker=not no_marker),
    )

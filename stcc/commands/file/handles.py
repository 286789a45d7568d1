"""stcc file: handles and close-handles."""

import re
from typing import Annotated

import typer

from stcc.commands.file import Place
from stcc.commands.options import Limit, Yes, group, on, runtime_of
from stcc.errors import Usage
from stcc.knowledge import operations
from stcc.outcomes import Answer
from stcc.values.targets import directory_target

app = group("What SMB clients have open.")
Recursive = Annotated[bool, typer.Option("-r", "--recursive", help="Of everything below the directory, too.")]
Snapshot = Annotated[str | None, typer.Option("--snapshot", metavar="TIME", help="In this snapshot of the share.")]


@app.command(cls=on(operations.LIST_HANDLES))
def handles(
    ctx: typer.Context, target: Place, recursive: Recursive = False, snapshot: Snapshot = None, limit: Limit = None
) -> Answer:
    """List what SMB clients have open: who, with what access, since when; also of what is marked for deletion.

    stcc file handles team --recursive
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.LIST_HANDLES)
    place = directory_target(target, snapshot=snapshot)
    account = runtime.account(place.at)
    from stcc.storage import handles as stored

    return stored.listing(account, place, recursive=recursive, limit=limit)


@app.command("close-handles", cls=on(operations.CLOSE_HANDLES))
def close_handles(
    ctx: typer.Context,
    target: Place,
    handle_id: Annotated[
        str | None, typer.Option("--handle-id", metavar="ID", help="Only this one, as `file handles` lists it.")
    ] = None,
    recursive: Recursive = False,
    snapshot: Snapshot = None,
    yes: Yes = False,
) -> Answer:
    """Close what SMB clients have open, by force, and print how many handles that were.

    The client is not asked: what it has not written yet is lost to it, and what it does next with the file fails.
    Many open it again at once. With the last handle goes what was marked for deletion.

    stcc file close-handles team/report.csv --yes
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.CLOSE_HANDLES)
    place = directory_target(target, snapshot=snapshot)
    if handle_id is not None:
        if recursive:
            raise Usage("--handle-id and --recursive exclude each other", hint="name the very file that is open")
        _check_id(handle_id)
    which = "all open handles" if handle_id is None else f"handle {handle_id}"
    runtime.confirm(f"close {which} of {place}{' and all below it' if recursive else ''}", yes=yes)
    account = runtime.account(place.at)
    from stcc.storage import handles as stored

    if handle_id is not None:
        return stored.close(account, place, handle_id)
    return stored.close_all(account, place, recursive=recursive)


def _check_id(text: str) -> None:
    if not text.strip():
        raise Usage("--handle-id is empty", hint="is the variable set? without the option, all handles are closed")
    if re.fullmatch(r"(?a)[0-9]{1,20}", text) is None:
        raise Usage(f"--handle-id is not the id of a handle: {text!r}", hint="a number, as `file handles` lists it")

"""stcc blob append."""

from typing import Annotated, Final

import typer

from stcc.commands import sources
from stcc.commands.blob import Blob, writable
from stcc.commands.options import Metadata, NoMarker, group, on, runtime_of
from stcc.errors import Usage
from stcc.knowledge import operations
from stcc.outcomes import Answer
from stcc.values import metadata as pairs
from stcc.values.attributes import Attributes

app = group("Append blobs.")
_MOST: Final = 4 * 1024 * 1024
# What a blob that is only just created can never meet.
_NEVER_MET: Final = ("--if-match", "--if-modified-since", "--if-tags", "--lease-id")


@app.command(cls=on(operations.APPEND))
def append(
    ctx: typer.Context,
    target: Blob,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A file, or - for stdin; at most 4 MiB.")],
    create: Annotated[bool, typer.Option("--create", help="Create the append blob if there is none.")] = False,
    content_type: Annotated[str | None, typer.Option("--content-type", help="Of a created blob; else guessed.")] = None,
    metadata: Metadata = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="NAME=VALUE", help="Index tag; repeatable.")] = None,
    no_marker: NoMarker = False,
) -> Answer:
    """Append bytes to a blob in one request, all of them or none, and print its new ETag.

    Appending is never tried twice by itself: after a lost answer it is 70, unless --append-position or --if-match
    lets the service tell. --create says out loud that there was no blob.

    stcc blob append logs/today.txt - --append-position "$size" < lines.txt
    """
    runtime = runtime_of(ctx)
    blob, conditions = writable(target), runtime.conditions(operations.APPEND)
    given = {"--content-type": content_type, "--metadata": metadata, "--tag": tag, "--no-marker": no_marker}
    if not create and any(given.values()):
        raise Usage(f"{next(name for name, value in given.items() if value)} is for a blob that is created: --create")
    never = next((flag for flag in _NEVER_MET if flag in conditions.values), None)
    if create and never is not None:
        raise Usage(f"--create and {never} exclude each other", hint="a blob that is only just created never meets it")
    attributes = Attributes(
        content_type=sources.content_type(content_type, blob.blob),
        metadata=pairs.metadata(metadata or []),
        tags=pairs.tags(tag or []),
        marker=not no_marker,
    )
    data = sources.whole(source, runtime, most=_MOST, what="the source")
    account = runtime.account(blob.at)
    from stcc.storage import appending

    return appending.append(account, blob, data, create=attributes if create else None, conditions=conditions)

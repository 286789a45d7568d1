"""stcc blob update and edit."""

from typing import Annotated

import typer

from stcc.commands import rewriting, sources
from stcc.commands.blob import Blob, writable
from stcc.commands.blob.fence import Fence
from stcc.commands.options import NoMarker, group, on, runtime_of
from stcc.commands.rewriting import AllowEmpty, Attempts, Command, NoLocalLock
from stcc.errors import Usage
from stcc.knowledge import operations
from stcc.operations.updating import ATTEMPTS
from stcc.outcomes import Answer
from stcc.values.attributes import Attributes

app = group("Blobs, read and written back.")
OfMetadata = Annotated[bool, typer.Option("--metadata", help="Its metadata instead, as a JSON object.")]


@app.command(cls=on(operations.REWRITE_BLOB))
def update(
    ctx: typer.Context,
    target: Blob,
    command: Command,
    of_metadata: OfMetadata = False,
    create: Annotated[bool, typer.Option("--create", help="Begin with nothing if there is no such blob.")] = False,
    attempts: Attempts = ATTEMPTS,
    allow_empty: AllowEmpty = False,
    no_local_lock: NoLocalLock = False,
    no_marker: NoMarker = False,
    fence: Fence = None,
) -> Answer:
    """Change a blob by a command, without losing what others write, and print its ETag.

    CMD gets the content on stdin, and what it writes to stdout is put, only if nobody wrote in between; if
    somebody did, CMD runs again on what is there then. 12 when --attempts are used up. If CMD fails, nothing is
    changed, and its exit code is that of stcc.

    stcc blob update data/counter -- awk '{ print $1 + 1 }'
    """
    runtime = runtime_of(ctx)
    blob, conditions = writable(target), runtime.conditions(operations.REWRITE_BLOB)
    if fence is not None and of_metadata:
        raise Usage("--fence and --metadata exclude each other: the fence goes with the content")
    if create and (of_metadata or conditions):
        raise Usage(f"--create and {'--metadata' if of_metadata else '--lease-id'} exclude each other")
    account, marker = runtime.account(blob.at), not no_marker
    made = Attributes(content_type=sources.content_type(None, blob.blob), metadata={}, tags={}, marker=marker)
    from stcc.storage.documents import BlobDocument, MetadataDocument

    return rewriting.updated(
        runtime,
        MetadataDocument(account, blob, conditions=conditions, marker=marker)
        if of_metadata
        else BlobDocument(
            account, blob, conditions=conditions, create=made if create else None, marker=marker, fence=fence
        ),
        command,
        place=account.connection.endpoint("blob"),
        attempts=attempts,
        allow_empty=allow_empty,
        takes_turns=not no_local_lock,
    )


@app.command(cls=on(operations.REWRITE_BLOB))
def edit(ctx: typer.Context, target: Blob, of_metadata: OfMetadata = False, no_marker: NoMarker = False) -> Answer:
    """Edit a blob in $VISUAL or $EDITOR, and print its new ETag.

    If somebody writes meanwhile, both changes are merged; where they touch the same lines, the editor opens
    again. What cannot be written is kept in a file, which is named.

    stcc blob edit config/app.toml
    """
    runtime = runtime_of(ctx)
    blob, conditions = writable(target), runtime.conditions(operations.REWRITE_BLOB)
    editor = rewriting.editor_of(runtime)
    account, marker = runtime.account(blob.at), not no_marker
    name = blob.blob.rsplit("/", 1)[-1]
    from stcc.storage.documents import BlobDocument, MetadataDocument

    if of_metadata:
        metadata = MetadataDocument(account, blob, conditions=conditions, marker=marker)
        return rewriting.edited(runtime, metadata, editor, name=f"{name}.json")
    content = BlobDocument(account, blob, conditions=conditions, create=None, marker=marker)
    return rewriting.edited(runtime, content, editor, name=name)

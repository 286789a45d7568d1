"""stcc blob: its verbs, and the modules that have them; none is imported before it is asked for."""

from typing import Annotated, Final

import typer

from stcc.commands.options import group
from stcc.errors import Usage
from stcc.values.targets import BlobTarget, blob_target

app = group("Blobs: content, attributes, blocks, pages, copies, with conditions.")
VERBS: Final = {
    "put": "transfer",
    "get": "transfer",
    "show": "existing",
    "list": "existing",
    "delete": "delete",
    "set-metadata": "attributes",
    "set-headers": "attributes",
    "set-tags": "attributes",
    "get-tags": "attributes",
    "set-tier": "attributes",
    "snapshot": "attributes",
    "copy": "copies",
    "copy-abort": "copies",
    "append": "append",
    "update": "rewrite",
    "edit": "rewrite",
    "block": "block",
    "page": "page",
}
Blob = Annotated[str, typer.Argument(metavar="TARGET", help="CONTAINER/BLOB or its URL.")]
Snapshot = Annotated[str | None, typer.Option("--snapshot", metavar="TIME", help="A snapshot instead of the blob.")]


def writable(text: str) -> BlobTarget:
    """Return the blob that is to be written; a snapshot never is."""
    target = blob_target(text)
    if target.snapshot is not None:
        raise Usage("a snapshot cannot be written")
    return target

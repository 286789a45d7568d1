"""stcc blob: its verbs, and the modules that have them; none is imported before it is asked for."""

from typing import Annotated, Final

import typer

from stcc.commands.options import group

app = group("Blobs: content, attributes, blocks, pages, copies, with conditions.")
VERBS: Final = {
    "put": "transfer",
    "get": "transfer",
    "show": "existing",
    "list": "existing",
    "delete": "existing",
}
Blob = Annotated[str, typer.Argument(metavar="TARGET", help="CONTAINER/BLOB or its URL.")]
Snapshot = Annotated[str | None, typer.Option("--snapshot", metavar="TIME", help="A snapshot instead of the blob.")]

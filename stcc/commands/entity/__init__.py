"""stcc entity: its verbs, and the modules that have them; none is imported before it is asked for."""

from typing import Annotated, Final

import typer

from stcc.commands.options import group

app = group("Entities of tables, with If-Match.")
VERBS: Final = {
    **dict.fromkeys(("get", "query", "insert", "replace", "merge", "upsert", "delete"), "rows"),
    **dict.fromkeys(("update", "edit"), "rewrite"),
}
Table = Annotated[str, typer.Argument(metavar="TABLE", help="Name or URL of the table.")]
PartitionKey = Annotated[str, typer.Argument(metavar="PK", help="The PartitionKey.")]
RowKey = Annotated[str, typer.Argument(metavar="RK", help="The RowKey.")]
Marker = Annotated[
    str | None,
    typer.Option("--marker", metavar="PROPERTY", help="Store an operation id there, so that a lost answer is settled."),
]

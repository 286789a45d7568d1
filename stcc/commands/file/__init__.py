"""stcc file: its verbs, and the modules that have them; none is imported before it is asked for."""

from typing import Annotated, Final

import typer

from stcc.commands.options import group
from stcc.errors import Usage
from stcc.values.conditions import Conditions
from stcc.values.targets import FileTarget, file_target

app = group("Files and directories of Azure Files: no conditions there, but leases, and handles of SMB clients.")
VERBS: Final = {
    "mkdir": "tree",
    "get": "get",
    "put": "put",
    "show": "existing",
    "list": "tree",
    "delete": "existing",
    "set-metadata": "existing",
    "rename": "tree",
    "handles": "handles",
    "close-handles": "handles",
}
File = Annotated[
    str, typer.Argument(metavar="TARGET", help="SHARE/PATH or its URL; a slash at the end says that it is a directory.")
]
Place = Annotated[str, typer.Argument(metavar="SHARE[/PATH]", help="A file, a directory, a share, or its URL.")]
Snapshot = Annotated[
    str | None, typer.Option("--snapshot", metavar="TIME", help="As it is in this snapshot of the share.")
]


def changeable(text: str) -> FileTarget:
    """Return the file or directory that is to be changed; in a snapshot nothing can be."""
    target = file_target(text)
    if target.snapshot is not None:
        raise Usage("nothing in a snapshot can be changed")
    return target


def check_lease(target: FileTarget, conditions: Conditions) -> None:
    """Refuse the id of a lease for what is said to be a directory."""
    if target.is_directory and conditions.lease_id is not None:
        raise Usage("a directory has no lease", hint="without the slash at its end, it is taken for a file")

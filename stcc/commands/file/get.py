"""stcc file get."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stcc import files
from stcc.commands.file import File, Snapshot
from stcc.commands.file.insisting import insisting, on
from stcc.commands.options import group, runtime_of
from stcc.commands.sources import span_of
from stcc.errors import Usage
from stcc.knowledge import operations
from stcc.outcomes import Answer, Refused
from stcc.outcomes.file import FileGot
from stcc.values.targets import file_target

if TYPE_CHECKING:
    from stcc.storage.download import Download
    from stcc.storage.file_download import FoundFile

app = group("Files as local files.")


@app.command(cls=on(operations.GET_FILE))
def get(
    ctx: typer.Context,
    target: File,
    dest: Annotated[str | None, typer.Argument(metavar="[DEST]", help="File, directory, or - for stdout.")] = None,
    span: Annotated[str | None, typer.Option("--range", metavar="FIRST-[LAST]", help="Only these bytes.")] = None,
    snapshot: Snapshot = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the local file.")] = False,
) -> Answer:
    """Write a file of a share to a local file and print its ETag; 12 if it changed on the way.

    The local file is there whole, or as it was before.

    stcc file get team/report.csv
    """
    runtime = runtime_of(ctx)
    conditions = runtime.conditions(operations.GET_FILE)
    file = file_target(target, snapshot=snapshot)
    if file.is_directory:
        raise Usage(f"{file} is a directory: it has no content", hint="stcc file list")
    first, last = span_of(span)
    if dest == "-":
        runtime.check_content()
    path = None if dest == "-" else files.destination(dest, file.path, force=force)
    asked, account = insisting(runtime, file), runtime.account(file.at)
    from stcc.storage import download, file_download

    wanted = None if span is None else download.Range(offset=first, length=None if last is None else last - first + 1)
    with runtime.progress(f"get {file}", None) as advance:
        found = asked.insist(
            account,
            lambda: file_download.get(account, file, conditions=conditions, span=wanted, progress=advance.to),
        )
        if isinstance(found, Refused):
            return found
        return found.content() if path is None else _written(found, path)


def _written(found: "Download[FoundFile, FileGot]", path: Path) -> FileGot | Refused:
    if not files.has_places(path):
        with files.pouring(path) as write:
            return found.poured(write, path=str(path))
    with files.replacing(path) as draft:
        answer = found.into(draft, path=str(path))
        if not isinstance(answer, Refused):
            draft.keep(answer.size)
        return answer

"""stcc blob: put and get."""

import re
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stcc import files
from stcc.commands import sources
from stcc.commands.blob import Blob, Snapshot
from stcc.commands.options import Metadata, NoMarker, group, on, runtime_of
from stcc.errors import Usage
from stcc.knowledge import operations
from stcc.outcomes import Answer, Refused
from stcc.runtime import Runtime
from stcc.values import metadata as pairs
from stcc.values.attributes import Attributes
from stcc.values.targets import blob_target

if TYPE_CHECKING:
    from stcc.storage.download import Download

app = group("Blobs as files.")
_RANGE = re.compile(r"(\d{1,18})-(\d{1,18})?", re.ASCII)


@app.command(cls=on(operations.PUT_BLOB))
def put(
    ctx: typer.Context,
    target: Blob,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A file, or - for stdin.")],
    content_type: Annotated[str | None, typer.Option("--content-type", help="Else guessed from the name.")] = None,
    metadata: Metadata = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="NAME=VALUE", help="Index tag; repeatable.")] = None,
    no_marker: NoMarker = False,
) -> Answer:
    """Store a file as a blob and print its new ETag; without a condition, only if there is none yet.

    stcc blob put data/report.csv report.csv --if-match "$etag"
    """
    runtime = runtime_of(ctx)
    blob, conditions = blob_target(target), runtime.conditions(operations.PUT_BLOB)
    if blob.snapshot is not None:
        raise Usage("a snapshot cannot be written")
    kind = sources.content_type(content_type, blob.blob if source == "-" else source)
    values, tags = pairs.metadata(metadata or []), pairs.tags(tag or [])
    with sources.source(source, runtime) as opened:
        account = runtime.account(blob.at)
        from stcc.storage import upload

        attributes = Attributes(content_type=kind, metadata=values, tags=tags, marker=not no_marker)
        with runtime.progress(f"put {blob}", opened.size) as advance:
            return upload.put(account, blob, opened, attributes=attributes, conditions=conditions, progress=advance)


@app.command(cls=on(operations.GET_BLOB))
def get(
    ctx: typer.Context,
    target: Blob,
    dest: Annotated[str | None, typer.Argument(metavar="[DEST]", help="File, directory, or - for stdout.")] = None,
    span: Annotated[str | None, typer.Option("--range", metavar="FIRST-[LAST]", help="Only these bytes.")] = None,
    snapshot: Snapshot = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the local file.")] = False,
) -> Answer:
    """Write a blob to a file and print its ETag; 30 if it was not modified.

    stcc blob get data/report.csv --if-none-match "$etag"
    """
    runtime = runtime_of(ctx)
    blob, conditions = blob_target(target, snapshot=snapshot), runtime.conditions(operations.GET_BLOB)
    first, last = _range(span)
    if dest == "-":
        runtime.check_content()
    path = None if dest == "-" else files.destination(dest, blob.blob, force=force)
    account = runtime.account(blob.at)
    from stcc.storage import download

    wanted = None if span is None else download.Range(offset=first, length=None if last is None else last - first + 1)
    with runtime.progress(f"get {blob}", None) as advance:
        found = download.get(account, blob, conditions=conditions, span=wanted, progress=advance.to)
        if isinstance(found, Refused):
            return found
        return found.content() if path is None else _written(runtime, found, path, whole=span is None)


def _written(runtime: Runtime, found: "Download", path: Path, *, whole: bool) -> Answer:
    """Write a blob to a file; a large one so that it can go on where it was interrupted."""
    if not files.has_places(path):
        with files.pouring(path) as write:
            return found.poured(write, path=str(path))
    with _draft(runtime, found, path, resumable=whole and found.found.is_large) as draft:
        answer = found.into(draft, path=str(path))
        if not isinstance(answer, Refused):
            draft.keep(answer.size)
        return answer


def _draft(runtime: Runtime, found: "Download", path: Path, *, resumable: bool) -> AbstractContextManager[files.Draft]:
    if not resumable:
        return files.replacing(path)
    from stcc import partial

    blob = found.found
    return partial.resuming(path, identity=blob.identity, ranges=blob.ranges, tell=runtime.story)


def _range(text: str | None) -> tuple[int, int | None]:
    if text is None:
        return 0, None
    match = _RANGE.fullmatch(text)
    first, last = (int(match[1]), None if match[2] is None else int(match[2])) if match else (0, None)
    if match is None or (last is not None and last < first):
        raise Usage(f"--range is not FIRST-LAST: {text!r}", hint="bytes counted from 0, both included: 0-99, or 100-")
    return first, last

"""stcc blob: put and get."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stcc import files
from stcc.commands import etagfile, sources
from stcc.commands.blob import Blob, Snapshot, writable
from stcc.commands.blob import fence as fences
from stcc.commands.blob.fence import Fence
from stcc.commands.options import Metadata, NoMarker, group, on, runtime_of
from stcc.errors import Usage
from stcc.knowledge import operations
from stcc.outcomes import Answer, Content, Refused
from stcc.outcomes.blob import BlobGot, BlobPut
from stcc.runtime import Runtime
from stcc.values import metadata as pairs
from stcc.values.attributes import Attributes
from stcc.values.targets import blob_target

if TYPE_CHECKING:
    from stcc.storage.download import Download, Found
    from stcc.values.conditions import Conditions

    Got = Download[Found, BlobGot]

app = group("Blobs as files.")
Recursive = Annotated[bool, typer.Option("-r", "--recursive", help="All files of a folder.")]


@app.command(cls=on(operations.PUT_BLOB))
def put(
    ctx: typer.Context,
    target: Blob,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A file, or - for stdin.")],
    content_type: Annotated[str | None, typer.Option("--content-type", help="Else guessed from the name.")] = None,
    metadata: Metadata = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="NAME=VALUE", help="Index tag; repeatable.")] = None,
    no_marker: NoMarker = False,
    recursive: Recursive = False,
    etag_compare: Annotated[
        str | None, typer.Option("--etag-compare", metavar="FILE", help="--if-match with the ETag in this file.")
    ] = None,
    etag_save: etagfile.Save = None,
    fence: Fence = None,
) -> Answer:
    """Store a file as a blob and print its new ETag; without a condition, only if there is none yet.

    With -r, TARGET is CONTAINER[/PREFIX] and SOURCE a folder: a line for each file (exit code, outcome, blob, file,
    ETag, ...), and the exit code that all failures share, else 70 if an outcome is unknown, else 1.

    stcc blob put data/report.csv report.csv --if-match "$etag"
    """
    runtime = runtime_of(ctx)
    etagfile.check(etag_save, content=None if source == "-" else Path(source))
    etagfile.compare(runtime, etag_compare, flag="--if-match", first=False)
    conditions = fences.conditions(runtime, operations.PUT_BLOB, fence)
    if recursive:
        _check_alone(etag_compare, etag_save)
        if fence is not None:
            raise Usage("--fence is for one blob, not for -r")
        kind = None if content_type is None else sources.content_type(content_type)
        stored = Attributes(
            content_type="",
            metadata=pairs.metadata(metadata or []),
            tags=pairs.tags(tag or []),
            marker=not no_marker,
        )
        from stcc.commands.blob import many

        return many.put(runtime, target, source, kind=kind, stored=stored, conditions=conditions)
    blob = writable(target)
    kind = sources.content_type(content_type, blob.blob if source == "-" else source)
    values, tags = pairs.metadata(metadata or []), pairs.tags(tag or [])
    if fence is not None:
        values |= fences.stored(fence)
    attributes = Attributes(content_type=kind, metadata=values, tags=tags, marker=not no_marker)

    def sent(opened: files.Source, under: "Conditions") -> BlobPut | Refused:
        account = runtime.account(blob.at)
        from stcc.storage import upload

        with runtime.progress(f"put {blob}", opened.size) as advance:
            return upload.put(account, blob, opened, attributes=attributes, conditions=under, progress=advance)

    def sent_again(under: "Conditions") -> BlobPut | Refused:
        with sources.source(source, runtime) as again:
            return sent(again, under)

    with sources.source(source, runtime) as opened:
        if fence is None:
            answer = sent(opened, conditions)
        else:
            again = source != "-"  # what came through a pipe cannot be read again
            answer = fences.fenced(runtime.account(blob.at), blob, fence, sent_again, given=conditions, again=again)
    if not isinstance(answer, Refused):
        etagfile.save(etag_save, answer.etag)
    return answer


@app.command(cls=on(operations.GET_BLOB))
def get(
    ctx: typer.Context,
    target: Blob,
    dest: Annotated[str | None, typer.Argument(metavar="[DEST]", help="File, directory, or - for stdout.")] = None,
    span: Annotated[str | None, typer.Option("--range", metavar="FIRST-[LAST]", help="Only these bytes.")] = None,
    snapshot: Snapshot = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the local file.")] = False,
    recursive: Recursive = False,
    etag_compare: Annotated[
        str | None, typer.Option("--etag-compare", metavar="FILE", help="--if-none-match with the ETag in this file.")
    ] = None,
    etag_save: etagfile.Save = None,
) -> Answer:
    """Write a blob to a file and print its ETag; 30 if it was not modified.

    With --etag-compare, fetch again with --force, as DEST is there already. A large download that is interrupted
    goes on when the same command is given again. With -r, TARGET is
    CONTAINER[/FOLDER] and DEST a folder, and there is a line for each blob, as with put -r; each comes in the
    state in which it was listed, and nothing is ever written outside of DEST.

    stcc blob get data/report.csv --if-none-match "$etag"
    """
    runtime = runtime_of(ctx)
    etagfile.compare(runtime, etag_compare, flag="--if-none-match", first=True)
    conditions = runtime.conditions(operations.GET_BLOB)
    if recursive:
        _check_alone(etag_compare, etag_save, span, snapshot, "-" if dest == "-" else None)
        from stcc.commands.blob import many

        return many.get(runtime, target, dest, conditions=conditions, force=force)
    blob = blob_target(target, snapshot=snapshot)
    first, last = sources.span_of(span)
    if dest == "-":
        runtime.check_content()
    path = None if dest == "-" else files.destination(dest, blob.blob, force=force)
    etagfile.check(etag_save, content=path)
    account = runtime.account(blob.at)
    from stcc.storage import download

    wanted = None if span is None else download.Range(offset=first, length=None if last is None else last - first + 1)
    with runtime.progress(f"get {blob}", None) as advance:
        found = download.get(account, blob, conditions=conditions, span=wanted, progress=advance.to)
        if isinstance(found, Refused):
            return found
        if path is None:
            return _saving(found.content(), etag_save)
        answer = _written(runtime, found, path, whole=span is None)
    if not isinstance(answer, Refused):
        etagfile.save(etag_save, answer.etag)
    return answer


def _check_alone(*given: str | None) -> None:
    """Refuse with --recursive what is about one blob."""
    if any(one is not None for one in given):
        names = "--etag-compare, --etag-save, --range, --snapshot and stdout"
        raise Usage(f"{names} are for one blob: they cannot go with --recursive")


def _saving(content: Content, name: str | None) -> Content:
    """Return content that leaves its ETag in a file, once it is all written."""

    def write(out: Callable[[bytes], object]) -> Refused | None:
        refused = content.write(out)
        if refused is None:
            etagfile.save(name, content.etag or "")
        return refused

    return content._replace(write=write)


def _written(runtime: Runtime, found: "Got", path: Path, *, whole: bool) -> BlobGot | Refused:
    """Write a blob to a file; a large one so that it can go on where it was interrupted."""
    if not files.has_places(path):
        with files.pouring(path) as write:
            return found.poured(write, path=str(path))
    with _draft(runtime, found, path, resumable=whole and found.found.is_large) as draft:
        answer = found.into(draft, path=str(path))
        if not isinstance(answer, Refused):
            draft.keep(answer.size)
        return answer


def _draft(runtime: Runtime, found: "Got", path: Path, *, resumable: bool) -> AbstractContextManager[files.Draft]:
    if not resumable:
        return files.replacing(path)
    from stcc import partial

    blob = found.found
    return partial.resuming(path, identity=blob.identity, ranges=blob.ranges, tell=runtime.story)

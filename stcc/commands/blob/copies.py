"""stcc blob copy and copy-abort."""

from typing import Annotated, Final

import typer

from stcc.commands.blob import Blob, writable
from stcc.commands.options import Metadata, NoMarker, group, on, runtime_of
from stcc.errors import Interrupted, Usage
from stcc.knowledge import operations
from stcc.operations import copying
from stcc.operations.waiting import SystemClock
from stcc.outcomes import Answer, Refused
from stcc.outcomes.copies import BlobCopied
from stcc.runtime import Runtime
from stcc.values import metadata as pairs
from stcc.values import times
from stcc.values.targets import BlobTarget, blob_target

app = group("Copies that the service makes.")
_TIERS: Final = ("Hot", "Cool", "Cold", "Archive")


@app.command(cls=on(operations.COPY_BLOB))
def copy(
    ctx: typer.Context,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="CONTAINER/BLOB or its URL, with its SAS.")],
    target: Blob,
    source_snapshot: Annotated[
        str | None, typer.Option("--source-snapshot", metavar="TIME", help="A snapshot of the source.")
    ] = None,
    source_lease_id: Annotated[str | None, typer.Option("--source-lease-id", hidden=True)] = None,
    sync: Annotated[bool, typer.Option("--sync", help="Done when the service answers; up to 256 MiB.")] = False,
    wait: Annotated[
        str | None, typer.Option("--wait", metavar="DURATION|forever", help="How long to wait for it (forever).")
    ] = None,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Only begin it.")] = False,
    tier: Annotated[str | None, typer.Option("--tier", metavar="hot|cool|cold|archive", help="Of the copy.")] = None,
    metadata: Metadata = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="NAME=VALUE", help="Index tag; repeatable.")] = None,
    no_marker: NoMarker = False,
) -> Answer:
    """Copy a blob to another and print the ETag of the copy; without a condition, only if there is none yet.

    The service copies; stcc waits until it is done. --metadata replaces that of the source, else it is copied.

    stcc blob copy data/report.csv archive/report.csv --source-if-match "$etag"
    """
    runtime = runtime_of(ctx)
    if source_lease_id is not None:
        raise Usage("the service takes no lease id of a source", hint="reading a leased source needs none")
    read_from = blob_target(source, snapshot=source_snapshot)
    blob, conditions = writable(target), runtime.conditions(operations.COPY_BLOB)
    if sync and "--source-if-tags" in conditions.values:
        raise Usage("--sync takes no --source-if-tags", hint="the service ignores it in Copy Blob From URL")
    if no_wait and wait is not None:
        raise Usage("--wait and --no-wait exclude each other")
    patience = times.waiting(wait or "forever", option="--wait") if not no_wait else None
    values, tags = pairs.metadata(metadata or []), pairs.tags(tag or [])
    chosen_tier = None if tier is None else _tier(tier)
    account = runtime.account(blob.at)
    from stcc.storage.copies import Copies, url_of

    copies = Copies(account, blob)
    started = copies.start(
        url_of(runtime.account(read_from.at), read_from),
        shown=str(read_from),
        at_once=sync,
        metadata=values,
        tags=tags,
        tier=chosen_tier,
        marker=not no_marker,
        conditions=conditions,
    )
    if isinstance(started, Refused) or patience is None:
        return started
    return _done(runtime, copies, started, blob, wait=patience)


@app.command("copy-abort", cls=on(operations.ABORT_COPY))
def copy_abort(
    ctx: typer.Context,
    target: Blob,
    copy_id: Annotated[str, typer.Argument(metavar="COPY_ID", help="As told by blob copy --no-wait.")],
) -> Answer:
    """End a copy that is under way, which leaves an empty blob; 9 if there is none.

    stcc blob copy-abort archive/report.csv "$copy_id"
    """
    runtime = runtime_of(ctx)
    blob, conditions = writable(target), runtime.conditions(operations.ABORT_COPY)
    if not copy_id.strip() or not copy_id.isascii() or not copy_id.isprintable():
        raise Usage(f"not the id of a copy: {copy_id!r}", hint="is the variable set?")
    account = runtime.account(blob.at)
    from stcc.storage.copies import Copies

    return Copies(account, blob).abort(copy_id.strip(), conditions=conditions)


def _done(
    runtime: Runtime, copies: copying.Target, started: BlobCopied, blob: BlobTarget, *, wait: float
) -> BlobCopied | Refused:
    try:
        with runtime.progress(f"copy to {blob}", None) as advance:
            return copying.until_done(copies, started, wait=wait, clock=SystemClock(), progress=advance.to)
    except KeyboardInterrupt as stop:
        what = f"the copy goes on; to end it: stcc blob copy-abort {blob} {started.copy_id}"
        raise Interrupted(stop, what, target=str(blob)) from None


def _tier(text: str) -> str:
    found = next((tier for tier in _TIERS if tier.lower() == text.lower()), None)
    if found is None:
        raise Usage(f"--tier is not hot, cool, cold or archive: {text!r}")
    return found

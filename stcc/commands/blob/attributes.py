"""stcc blob: set-metadata, set-headers, set-tags, get-tags, set-tier, snapshot."""

from enum import StrEnum
from typing import Annotated, Final, Literal

import typer

from stcc.commands.blob import Blob, Snapshot, writable
from stcc.commands.options import Clear, Metadata, NoMarker, Pairs, group, on, runtime_of, some_pairs
from stcc.errors import Usage
from stcc.knowledge import operations
from stcc.outcomes import Answer
from stcc.values import metadata as pairs
from stcc.values.headers import header_edit
from stcc.values.targets import blob_target

app = group("What is kept beside a blob's bytes.")
_ONLINE: Final = ("Hot", "Cool", "Cold")
# Archive for block blobs, P4 to P80 for the page blobs of premium accounts.
_TIERS: Final = (*_ONLINE, "Archive", *(f"P{size}" for size in (4, 6, 10, 15, 20, 30, 40, 50, 60, 70, 80)))


class Clearable(StrEnum):
    """The headers that a blob can be without."""

    ENCODING = "content-encoding"
    LANGUAGE = "content-language"
    DISPOSITION = "content-disposition"
    CACHE_CONTROL = "cache-control"
    MD5 = "content-md5"


@app.command("set-metadata", cls=on(operations.SET_METADATA))
def set_metadata(
    ctx: typer.Context, target: Blob, given: Pairs = None, clear: Clear = False, no_marker: NoMarker = False
) -> Answer:
    """Replace all metadata of a blob and print its new ETag; what is not given is gone.

    stcc blob set-metadata data/report.csv owner=anna stage=done --if-match "$etag"
    """
    runtime = runtime_of(ctx)
    blob, conditions = writable(target), runtime.conditions(operations.SET_METADATA)
    values = pairs.metadata(some_pairs(given, clear=clear), option="metadata")
    account = runtime.account(blob.at)
    from stcc.storage import attributes

    return attributes.set_metadata(account, blob, metadata=values, conditions=conditions, marker=not no_marker)


@app.command("set-headers", cls=on(operations.SET_HEADERS))
def set_headers(
    ctx: typer.Context,
    target: Blob,
    content_type: Annotated[str | None, typer.Option("--content-type", help="Media type.")] = None,
    content_encoding: Annotated[str | None, typer.Option("--content-encoding", help="Such as gzip.")] = None,
    content_language: Annotated[str | None, typer.Option("--content-language", help="Such as de.")] = None,
    content_disposition: Annotated[str | None, typer.Option("--content-disposition", help="As in HTTP.")] = None,
    cache_control: Annotated[str | None, typer.Option("--cache-control", help="As in HTTP.")] = None,
    content_md5: Annotated[str | None, typer.Option("--content-md5", metavar="BASE64", help="16 bytes.")] = None,
    clear: Annotated[list[Clearable] | None, typer.Option("--clear", help="Leave it out; repeatable.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="One request; headers not given are cleared.")] = False,
) -> Answer:
    """Set some HTTP headers of a blob, keep the others, and print its new ETag.

    The service only knows how to set all of them: the others are read, and written back if nobody wrote in between.

    stcc blob set-headers data/report.csv --content-type text/csv --clear content-encoding
    """
    runtime = runtime_of(ctx)
    blob, conditions = writable(target), runtime.conditions(operations.SET_HEADERS)
    given = {
        "--content-type": content_type,
        "--content-encoding": content_encoding,
        "--content-language": content_language,
        "--content-disposition": content_disposition,
        "--cache-control": cache_control,
        "--content-md5": content_md5,
    }
    edit = header_edit(given, clear=[one.value for one in clear or []], replace=replace)
    account = runtime.account(blob.at)
    from stcc.operations import updating
    from stcc.operations.waiting import SystemClock
    from stcc.storage import attributes

    if replace:
        return attributes.replace_headers(account, blob, edit=edit, conditions=conditions)
    return updating.rounds(
        lambda _: attributes.edit_headers(account, blob, edit=edit, conditions=conditions),
        attempts=1 if conditions else updating.ATTEMPTS,
        clock=SystemClock(),
    )


@app.command("set-tags", cls=on(operations.SET_TAGS))
def set_tags(ctx: typer.Context, target: Blob, given: Pairs = None, clear: Clear = False) -> Answer:
    """Replace all index tags of a blob, ten at most; its ETag stays as it is.

    stcc blob set-tags data/report.csv stage=done --if-tags "stage = 'draft'"
    """
    runtime = runtime_of(ctx)
    blob, conditions = writable(target), runtime.conditions(operations.SET_TAGS)
    values = pairs.tags(some_pairs(given, clear=clear), option="tag")
    account = runtime.account(blob.at)
    from stcc.storage import tags

    return tags.set_tags(account, blob, tags=values, conditions=conditions)


@app.command("get-tags", cls=on(operations.GET_TAGS))
def get_tags(ctx: typer.Context, target: Blob, snapshot: Snapshot = None) -> Answer:
    """Print the index tags of a blob, name=value, one a line.

    stcc blob get-tags data/report.csv
    """
    runtime = runtime_of(ctx)
    blob, conditions = blob_target(target, snapshot=snapshot), runtime.conditions(operations.GET_TAGS)
    account = runtime.account(blob.at)
    from stcc.storage import tags

    return tags.get_tags(account, blob, conditions=conditions)


@app.command("set-tier", cls=on(operations.SET_TIER))
def set_tier(
    ctx: typer.Context,
    target: Blob,
    tier: Annotated[str, typer.Argument(metavar="TIER", help="hot, cool, cold, archive; P4 to P80 for page blobs.")],
    rehydrate_priority: Annotated[
        Literal["standard", "high"] | None, typer.Option("--rehydrate-priority", help="How fast out of the archive.")
    ] = None,
) -> Answer:
    """Move a blob to another tier; what leaves the archive is there hours later.

    stcc blob set-tier data/report.csv cool
    """
    runtime = runtime_of(ctx)
    blob, conditions = writable(target), runtime.conditions(operations.SET_TIER)
    spelled = _tier(tier)
    if rehydrate_priority is not None and spelled not in _ONLINE:
        raise Usage("--rehydrate-priority goes with hot, cool and cold: it is the way out of the archive")
    account = runtime.account(blob.at)
    from stcc.storage import attributes

    priority = None if rehydrate_priority is None else rehydrate_priority.capitalize()
    return attributes.set_tier(account, blob, tier=spelled, priority=priority, conditions=conditions)


@app.command(cls=on(operations.SNAPSHOT))
def snapshot(ctx: typer.Context, target: Blob, metadata: Metadata = None) -> Answer:
    """Take a snapshot of a blob and print its time, which is what --snapshot takes.

    The snapshot has the blob's metadata, unless it is given some of its own.

    stcc blob snapshot data/report.csv --if-match "$etag"
    """
    runtime = runtime_of(ctx)
    blob, conditions = writable(target), runtime.conditions(operations.SNAPSHOT)
    values = pairs.metadata(metadata or [])
    account = runtime.account(blob.at)
    from stcc.storage import attributes

    return attributes.snapshot(account, blob, metadata=values, conditions=conditions)


def _tier(text: str) -> str:
    """Return a tier as the service spells it."""
    spelled = {tier.lower(): tier for tier in _TIERS}.get(text.lower())
    if spelled is None:
        raise Usage(f"not a tier: {text!r}", hint="hot, cool, cold, archive; for page blobs P4 to P80")
    return spelled

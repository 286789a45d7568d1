"""stcc blob page: create, put, clear, ranges."""

import re
from typing import Annotated, Final

import typer

from stcc.commands import sources
from stcc.commands.blob import Blob, Snapshot, writable
from stcc.commands.options import Metadata, NoMarker, group, on, runtime_of
from stcc.errors import Usage
from stcc.knowledge import operations
from stcc.outcomes import Answer
from stcc.values import metadata as pairs
from stcc.values.attributes import Attributes
from stcc.values.targets import blob_target, snapshot_time

app = group("Page blobs: written in place, in pages of 512 bytes.")
PAGE: Final = 512
_MOST_AT_ONCE: Final = 4 * 1024 * 1024
_LARGEST: Final = 8 * 1024**4
_UNITS: Final = {"": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3, "TiB": 1024**4}
Offset = Annotated[str, typer.Option("--offset", metavar="BYTES", help="Where it begins, a multiple of 512.")]


@app.command(cls=on(operations.CREATE_PAGES))
def create(
    ctx: typer.Context,
    target: Blob,
    size: Annotated[str, typer.Argument(metavar="SIZE", help="Bytes, a multiple of 512; or 64KiB, 1MiB, 2GiB.")],
    sequence_number: Annotated[int | None, typer.Option("--sequence-number", min=0, max=2**63 - 1, metavar="N")] = None,
    content_type: Annotated[str | None, typer.Option("--content-type", help="Else guessed from the name.")] = None,
    metadata: Metadata = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="NAME=VALUE", help="Index tag; repeatable.")] = None,
    no_marker: NoMarker = False,
) -> Answer:
    """Create a page blob of zeros and print its ETag; without a condition, only if there is none yet.

    stcc blob page create disks/one.vhd 1GiB
    """
    runtime = runtime_of(ctx)
    blob, conditions = writable(target), runtime.conditions(operations.CREATE_PAGES)
    bytes_in_all = _pages(size, option="SIZE", most=_LARGEST)
    attributes = Attributes(
        content_type=sources.content_type(content_type, blob.blob),
        metadata=pairs.metadata(metadata or []),
        tags=pairs.tags(tag or []),
        marker=not no_marker,
    )
    account = runtime.account(blob.at)
    from stcc.storage import pages

    return pages.create(
        account, blob, size=bytes_in_all, sequence_number=sequence_number, attributes=attributes, conditions=conditions
    )


@app.command(cls=on(operations.PUT_PAGE))
def put(
    ctx: typer.Context,
    target: Blob,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A file, or - for stdin; at most 4 MiB.")],
    offset: Offset,
) -> Answer:
    """Write pages in one request and print the blob's new ETag: all of them or none.

    stcc blob page put disks/one.vhd block.bin --offset 4096 --if-sequence-number-le 7
    """
    runtime = runtime_of(ctx)
    blob, conditions = writable(target), runtime.conditions(operations.PUT_PAGE)
    start = _pages(offset, option="--offset", most=_LARGEST)
    data = sources.whole(source, runtime, most=_MOST_AT_ONCE, what="the source")
    if len(data) % PAGE:
        raise Usage(f"the source is no multiple of {PAGE} bytes: {len(data)}")
    account = runtime.account(blob.at)
    from stcc.storage import pages

    return pages.put(account, blob, data, offset=start, conditions=conditions)


@app.command(cls=on(operations.CLEAR_PAGES))
def clear(
    ctx: typer.Context,
    target: Blob,
    offset: Offset,
    length: Annotated[str, typer.Option("--length", metavar="BYTES", help="How much, a multiple of 512.")],
) -> Answer:
    """Make pages zero, and print the blob's new ETag.

    stcc blob page clear disks/one.vhd --offset 4096 --length 512
    """
    runtime = runtime_of(ctx)
    blob, conditions = writable(target), runtime.conditions(operations.CLEAR_PAGES)
    start, size = _pages(offset, option="--offset", most=_LARGEST), _pages(length, option="--length", most=_LARGEST)
    if size == 0:
        raise Usage("--length is 0: there is nothing to clear")
    account = runtime.account(blob.at)
    from stcc.storage import pages

    return pages.clear(account, blob, offset=start, length=size, conditions=conditions)


@app.command(cls=on(operations.PAGE_RANGES))
def ranges(
    ctx: typer.Context,
    target: Blob,
    offset: Annotated[str | None, typer.Option("--offset", metavar="BYTES", help="Only from here on.")] = None,
    length: Annotated[str | None, typer.Option("--length", metavar="BYTES", help="Only so much.")] = None,
    since: Annotated[str | None, typer.Option("--since", metavar="TIME", help="What changed since a snapshot.")] = None,
    snapshot: Snapshot = None,
) -> Answer:
    """List the ranges that are written; END is the last byte. With --since, those written and cleared after it.

    stcc blob page ranges disks/one.vhd --since 2026-11-20T08:00:00.0000000Z
    """
    runtime = runtime_of(ctx)
    blob, conditions = blob_target(target, snapshot=snapshot), runtime.conditions(operations.PAGE_RANGES)
    start = None if offset is None else _pages(offset, option="--offset", most=_LARGEST)
    size = None if length is None else _pages(length, option="--length", most=_LARGEST)
    if size is not None and start is None:
        start = 0
    if size == 0:
        raise Usage("--length is 0: there is nothing to list")
    earlier = None if since is None else snapshot_time(since)
    account = runtime.account(blob.at)
    from stcc.storage import pages

    return pages.ranges(account, blob, offset=start, length=size, since=earlier, conditions=conditions)


def _pages(text: str, *, option: str, most: int) -> int:
    """Return a number of bytes that is whole pages."""
    match = re.fullmatch(r"([0-9]{1,15})(|[KMGT]iB)", text.strip(), re.ASCII)
    if match is None:
        hint = "bytes; or 64KiB, 1MiB, 2GiB" if text.strip() else "is the variable set?"
        raise Usage(f"{option} is not a number of bytes: {text!r}", hint=hint)
    number = int(match[1]) * _UNITS[match[2]]
    if number % PAGE or number > most:
        raise Usage(f"{option} is not a multiple of {PAGE} up to 8 TiB: {text!r}")
    return number

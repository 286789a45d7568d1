"""stcc blob block: stage, list, commit."""

import re
import uuid
from pathlib import Path
from typing import Annotated, Final

import typer

from stcc.commands import sources
from stcc.commands.blob import Blob, Snapshot, writable
from stcc.commands.options import Metadata, NoMarker, group, on, runtime_of
from stcc.errors import Usage
from stcc.knowledge import operations
from stcc.outcomes import Answer
from stcc.runtime import Runtime
from stcc.values import metadata as pairs
from stcc.values.attributes import Attributes
from stcc.values.targets import blob_target

app = group("Blocks: sent one by one, made a blob by one commit.")
# The service takes 4000 MiB; a block is kept in memory, to be sent again if need be.
LARGEST: Final = 100 * 1024 * 1024
_MOST: Final = 50_000
_LONGEST_ID: Final = 64


@app.command(cls=on(operations.PUT_BLOCK))
def stage(
    ctx: typer.Context,
    target: Blob,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A file, or - for stdin; at most 100 MiB.")],
    block: Annotated[str | None, typer.Option("--id", metavar="ID", help="Else one that nobody else has.")] = None,
) -> Answer:
    """Send one block of a blob and print its id; readers see nothing of it before the commit.

    Uncommitted blocks belong to nobody: a commit or a put by anybody drops all of them, and so does a week.

    stcc blob block stage data/report.csv part-1.csv
    """
    runtime = runtime_of(ctx)
    blob, conditions = writable(target), runtime.conditions(operations.PUT_BLOCK)
    chosen = f"{uuid.uuid4().hex}-00000" if block is None else _block_id(block)
    data = sources.whole(source, runtime, most=LARGEST, what="the block")
    account = runtime.account(blob.at)
    from stcc.storage import blocks

    return blocks.stage(account, blob, data, block=chosen, conditions=conditions)


@app.command("list", cls=on(operations.GET_BLOCK_LIST))
def list_(
    ctx: typer.Context,
    target: Blob,
    committed: Annotated[bool, typer.Option("--committed", help="Only what the blob is made of.")] = False,
    uncommitted: Annotated[bool, typer.Option("--uncommitted", help="Only what was staged since.")] = False,
    snapshot: Snapshot = None,
) -> Answer:
    """List the blocks of a blob, committed ones in their order.

    stcc blob block list data/report.csv
    """
    runtime = runtime_of(ctx)
    blob, conditions = blob_target(target, snapshot=snapshot), runtime.conditions(operations.GET_BLOCK_LIST)
    which = "all" if committed == uncommitted else "committed" if committed else "uncommitted"
    account = runtime.account(blob.at)
    from stcc.storage import blocks

    return blocks.listing(account, blob, which=which, conditions=conditions)


@app.command(cls=on(operations.PUT_BLOCK_LIST))
def commit(
    ctx: typer.Context,
    target: Blob,
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="In the order of the blob.")] = None,
    source: Annotated[str | None, typer.Option("--from", metavar="FILE|-", help="Ids, one per line.")] = None,
    empty: Annotated[bool, typer.Option("--empty", help="No blocks at all: an empty blob.")] = False,
    content_type: Annotated[str | None, typer.Option("--content-type", help="Else guessed from the name.")] = None,
    metadata: Metadata = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="NAME=VALUE", help="Index tag; repeatable.")] = None,
    no_marker: NoMarker = False,
) -> Answer:
    """Make a blob of staged or committed blocks and print its ETag; without a condition, only if there is none yet.

    12 if a block is not there: it was never staged, or somebody else has written the blob since (9 if it was to
    be created).

    stcc blob block commit data/report.csv "$first" "$second" --if-match "$etag"
    """
    runtime = runtime_of(ctx)
    blob, conditions = writable(target), runtime.conditions(operations.PUT_BLOCK_LIST)
    chosen = _listed(ids or [], source, runtime, empty=empty)
    kind = sources.content_type(content_type, blob.blob)
    values, tags = pairs.metadata(metadata or []), pairs.tags(tag or [])
    account = runtime.account(blob.at)
    from stcc.storage import blocks

    attributes = Attributes(content_type=kind, metadata=values, tags=tags, marker=not no_marker)
    return blocks.commit(account, blob, chosen, attributes=attributes, conditions=conditions)


def _listed(given: list[str], source: str | None, runtime: Runtime, *, empty: bool) -> list[str]:
    if (bool(given), source is not None, empty).count(True) != 1:
        raise Usage("name the blocks to commit, in one way", hint="ID..., or --from FILE, or --empty")
    listed = given if source is None else _lines(source, runtime)
    if source is not None and not listed:
        raise Usage("--from names no block", hint="--empty makes an empty blob")
    if len(listed) > _MOST:
        raise Usage(f"{len(listed)} blocks: a blob has at most {_MOST}")
    return [_block_id(one) for one in listed]


def _lines(source: str, runtime: Runtime) -> list[str]:
    try:
        data = runtime.bytes_in.read() if source == "-" else Path(source).read_bytes()
        return [line for line in data.decode().splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise Usage(f"--from cannot be read: {source!r}", hint=getattr(error, "strerror", None) or "") from error


def _block_id(text: str) -> str:
    if not text.strip():
        raise Usage("the block's id is empty", hint="is the variable set?")
    if re.fullmatch(r"[\x20-\x7e]+", text) is None or len(text) > _LONGEST_ID:
        raise Usage(
            f"not a block's id: {text!r}", hint="up to 64 printable ASCII characters, all ids of a blob equally long"
        )
    return text

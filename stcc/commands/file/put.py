"""stcc file put."""

import dataclasses
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from stcc.commands import sources
from stcc.commands.file import File, changeable
from stcc.commands.options import Metadata, group, on, runtime_of
from stcc.errors import StccError, Usage
from stcc.exits import Exit
from stcc.knowledge import operations
from stcc.outcomes import Refused
from stcc.outcomes.file_put import FilePut
from stcc.runtime import Runtime
from stcc.values import metadata as pairs
from stcc.values.conditions import Conditions
from stcc.values.etags import blob_etag
from stcc.values.targets import FileTarget

if TYPE_CHECKING:
    from stcc.storage.leases import Leases
    from stcc.storage.putting import Wanted

app = group("Files that are put.")


@app.command(cls=on(operations.PUT_FILE))
def put(
    ctx: typer.Context,
    target: File,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A file, or - for stdin.")],
    content_type: Annotated[str | None, typer.Option("--content-type", help="Else guessed from the name.")] = None,
    metadata: Metadata = None,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Write into the file that is there; readers may see a part of it.")
    ] = False,
    exclusive: Annotated[
        bool, typer.Option("--exclusive", help="In place, under the file's lease, which keeps all other writers out.")
    ] = False,
    if_unchanged: Annotated[
        str | None,
        typer.Option("--if-unchanged", metavar="ETAG", help="Look first, and write only if this is still its ETag."),
    ] = None,
) -> FilePut | Refused:
    """Store a file in a share and print its new ETag. The last writer wins: the service knows no condition for files.

    It is put under another name first (.stcc-...~, in the same directory), with the permission, the attributes and
    the metadata of the file that is there, and then renamed: readers never see half a file, and what goes wrong
    leaves the old one. A file that an SMB client has open, or that is leased, cannot be replaced so; --in-place
    writes into it, and so does a put with --lease-id.

    --if-unchanged is checked before the write, not with it: somebody may write in between. With --exclusive nobody
    can, from the check to the end of the write; after a crash, that lease has to be broken (stcc lease break).

    stcc file put team/report.csv report.csv
    """
    runtime = runtime_of(ctx)
    conditions = runtime.conditions(operations.PUT_FILE)
    file = _file(target)
    lease_id = conditions.lease_id
    if exclusive and lease_id is not None:
        raise Usage("--exclusive takes the lease itself: --lease-id says that you have it")
    kind = sources.content_type(content_type, file.path if source == "-" else source)
    kept = None if metadata is None else pairs.metadata(metadata)
    unchanged = None if if_unchanged is None else _etag(if_unchanged)
    with sources.source(source, runtime) as opened:
        account = runtime.account(file.at)
        from stcc.storage import file_upload
        from stcc.storage.putting import Wanted

        def sent(wanted: Wanted, *, in_place: bool) -> FilePut | Refused:
            way = file_upload.put_in_place if in_place else file_upload.put_by_rename
            with runtime.progress(f"put {file}", opened.size) as advance:
                return way(account, file, opened, wanted=wanted, progress=advance, persist=lambda attempt: attempt())

        wanted = Wanted(content_type=kind, metadata=kept, unchanged=unchanged, lease_id=lease_id)
        if exclusive:
            return _exclusively(runtime, file, wanted, sent)
        return sent(wanted, in_place=in_place or lease_id is not None)


def _exclusively(
    runtime: Runtime, file: FileTarget, wanted: "Wanted", sent: Callable[..., FilePut | Refused]
) -> FilePut | Refused:
    """Put a file under its lease, which is taken first and given back after it, whatever happens."""
    from stcc.storage.leasable import make_empty
    from stcc.storage.leases import Leases

    account, lease_id = runtime.account(file.at), str(uuid.uuid4())
    lease = Leases(account, file)
    held = lease.acquire(lease_id, seconds=None, conditions=Conditions())
    if isinstance(held, Refused) and held.exit_code == Exit.ABSENT:
        if wanted.unchanged is not None:  # refused, without a lease on what is not there
            return sent(wanted, in_place=True)
        held = make_empty(account, file) or lease.acquire(lease_id, seconds=None, conditions=Conditions())
    if isinstance(held, Refused):
        return held
    try:
        return sent(dataclasses.replace(wanted, lease_id=lease_id), in_place=True)
    finally:
        _give_back(runtime, lease, lease_id)


def _give_back(runtime: Runtime, lease: "Leases", lease_id: str) -> None:
    """Release the lease; when that does not work, say so, for it has no end."""
    try:
        answer = lease.release(lease_id, conditions=Conditions())
        problem = answer.summary if isinstance(answer, Refused) else None
    except StccError as error:
        problem = error.message
    if problem is not None:
        runtime.say(f"stcc: the lease may still be held, under the id {lease_id}: {problem}")


def _file(text: str) -> FileTarget:
    target = changeable(text)
    if target.is_directory:
        raise Usage(f"a directory cannot be put: {str(target)!r}", hint="stcc file mkdir makes one")
    return target


def _etag(text: str) -> str:
    if text == "*":
        raise Usage("--if-unchanged is the ETag of the file as you saw it, not '*'")
    return blob_etag(text, option="--if-unchanged")

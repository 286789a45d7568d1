"""stcc file put."""

import dataclasses
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from stcc.commands import sources
from stcc.commands.file import File, changeable
from stcc.commands.file.insisting import Insisting, insisting, on
from stcc.commands.options import Metadata, group, runtime_of
from stcc.errors import StccError, Usage
from stcc.exits import Exit
from stcc.knowledge import operations
from stcc.operations import leasing
from stcc.operations.waiting import SystemClock
from stcc.outcomes import Refused
from stcc.outcomes.file_put import FilePut
from stcc.outcomes.lease import LeaseAcquired
from stcc.values import metadata as pairs
from stcc.values.conditions import Conditions
from stcc.values.etags import blob_etag
from stcc.values.targets import FileTarget

if TYPE_CHECKING:
    from stcc.storage.account import Account
    from stcc.storage.leases import Leases
    from stcc.storage.putting import Wanted

app = group("Files that are put.")
T = TypeVar("T")


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
    asked = insisting(runtime, file)
    with sources.source(source, runtime) as opened:
        account = runtime.account(file.at)
        from stcc.storage import file_upload
        from stcc.storage.putting import Wanted

        def persist(attempt: Callable[[], T | Refused]) -> T | Refused:
            return asked.insist(account, attempt)

        def sent(wanted: Wanted, *, in_place: bool) -> FilePut | Refused:
            way = file_upload.put_in_place if in_place else file_upload.put_by_rename
            with runtime.progress(f"put {file}", opened.size) as advance:
                return way(account, file, opened, wanted=wanted, progress=advance, persist=persist)

        wanted = Wanted(content_type=kind, metadata=kept, unchanged=unchanged, lease_id=lease_id)
        if exclusive:
            return _exclusively(asked, wanted, sent)
        return sent(wanted, in_place=in_place or lease_id is not None)


def _exclusively(asked: Insisting, wanted: "Wanted", sent: Callable[..., FilePut | Refused]) -> FilePut | Refused:
    """Put a file under its lease, which is taken first and given back after it, whatever happens."""
    from stcc.storage.leasable import make_empty
    from stcc.storage.leases import Leases

    runtime, file, lease_id = asked.runtime, asked.target, str(uuid.uuid4())
    account = runtime.account(file.at)
    lease = Leases(account, file)
    held = _acquired(asked, account, lease, lease_id)
    if isinstance(held, Refused) and held.exit_code == Exit.ABSENT:
        if wanted.unchanged is not None:  # refused, without a lease on what is not there
            return sent(wanted, in_place=True)
        held = make_empty(account, file) or _acquired(asked, account, lease, lease_id)
    if isinstance(held, Refused):
        return held
    done = False
    try:
        answer = sent(dataclasses.replace(wanted, lease_id=lease_id, exclusive=True), in_place=True)
        done = isinstance(answer, FilePut)
    finally:
        problem = _give_back(lease, lease_id)
        if problem is not None and not done:
            runtime.say(f"stcc: the lease may still be held, under the id {lease_id}: {problem}")
    if problem is not None and isinstance(answer, FilePut):
        return dataclasses.replace(answer, still_leased=lease_id)
    return answer


def _acquired(asked: Insisting, account: "Account", lease: "Leases", lease_id: str) -> LeaseAcquired | Refused:
    """Take the lease; --wait waits for SMB clients, and for who holds the lease, too."""

    def once() -> LeaseAcquired | Refused:
        return lease.acquire(lease_id, seconds=None, conditions=Conditions())

    held, wait = asked.insist(account, once), asked.how.wait
    if wait is None or not isinstance(held, Refused) or held.error_code != "LeaseAlreadyPresent":
        return held
    return leasing.acquire(
        lease, lease_id, seconds=None, conditions=Conditions(), wait=wait, clock=SystemClock(), look=asked.how.look
    )


def _give_back(lease: "Leases", lease_id: str) -> str | None:
    """Release the lease; return why it may still be held, None if it is not: it has no end."""
    try:
        answer = lease.release(lease_id, conditions=Conditions())
        return answer.summary if isinstance(answer, Refused) and _is_held(lease, lease_id) else None
    except StccError as error:
        return error.message if _is_held(lease, lease_id) else None


def _is_held(lease: "Leases", lease_id: str) -> bool:
    """Tell whether the lease may be held under this id."""
    try:
        answer = lease.held(lease_id)
    except StccError:
        return True
    return not isinstance(answer, Refused) and answer.state == "leased"


def _file(text: str) -> FileTarget:
    target = changeable(text)
    if target.is_directory:
        raise Usage(f"a directory cannot be put: {str(target)!r}", hint="stcc file mkdir makes one")
    return target


def _etag(text: str) -> str:
    if text == "*":
        raise Usage("--if-unchanged is the ETag of the file as you saw it, not '*'")
    return blob_etag(text, option="--if-unchanged")

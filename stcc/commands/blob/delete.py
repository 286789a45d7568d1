"""stcc blob delete."""

from typing import Annotated, Literal

import typer

from stcc.commands.blob import Blob, Snapshot
from stcc.commands.blob import fence as fences
from stcc.commands.blob.fence import Fence
from stcc.commands.options import group, on, runtime_of
from stcc.errors import Usage
from stcc.knowledge import operations
from stcc.outcomes import Answer, Refused
from stcc.outcomes.blob import BlobDeleted
from stcc.values.conditions import Conditions
from stcc.values.targets import blob_target

app = group("Blobs that go.")


@app.command(cls=on(operations.DELETE_BLOB))
def delete(
    ctx: typer.Context,
    target: Blob,
    snapshot: Snapshot = None,
    snapshots: Annotated[
        Literal["include", "only"] | None, typer.Option("--snapshots", help="Delete the snapshots too, or only them.")
    ] = None,
    fence: Fence = None,
) -> Answer:
    """Delete a blob, if nobody changed it.

    stcc blob delete data/report.csv --if-match "$etag"
    """
    runtime = runtime_of(ctx)
    blob = blob_target(target, snapshot=snapshot)
    conditions = fences.conditions(runtime, operations.DELETE_BLOB, fence)
    if fence is not None and (blob.snapshot is not None or snapshots == "only"):
        raise Usage("--fence guards a blob, not its snapshots")
    if blob.snapshot is not None and snapshots is not None:
        raise Usage("--snapshot and --snapshots exclude each other")
    account = runtime.account(blob.at)
    from stcc.storage import blobs

    def deleted(under: Conditions) -> BlobDeleted | Refused:
        return blobs.delete(account, blob, conditions=under, snapshots=snapshots)

    if fence is None:
        return deleted(conditions)
    return fences.fenced(account, blob, fence, deleted, given=conditions)

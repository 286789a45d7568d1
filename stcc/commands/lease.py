"""stcc lease: acquire, renew, change, release, break, show, run."""

import uuid
from typing import Annotated

import typer

from stcc.commands import holding, running
from stcc.commands import leased as under_lease
from stcc.commands.holding import NoWait, Wait
from stcc.commands.options import Yes, group, on, runtime_of
from stcc.commands.running import Command, RunCommand
from stcc.errors import Usage
from stcc.knowledge import operations
from stcc.operations import leasing
from stcc.operations.waiting import SystemClock
from stcc.outcomes import Answer, Refused
from stcc.runtime import Runtime
from stcc.values import times
from stcc.values.conditions import Conditions
from stcc.values.conditions import lease_id as parse_id
from stcc.values.leasable import Leasable, leasable, spelled
from stcc.values.targets import BlobTarget, FileTarget, ShareTarget

app = group("Leases on blobs, containers, files and shares.")
Target = Annotated[
    str,
    typer.Argument(metavar="TARGET", help="CONTAINER, CONTAINER/BLOB, share:SHARE, file:SHARE/PATH, also with a URL."),
]
LeaseId = Annotated[str, typer.Option("--lease-id", metavar="ID", help="The id that acquire printed.")]
Duration = Annotated[
    str | None,
    typer.Option("--duration", metavar="15..60|infinite", help="Seconds (60); that of a file has no end."),
]
_ENDLESS = "the lease of a file has no end: the service knows no other"


@app.command(cls=on(operations.LEASE_BLOB))
def acquire(
    ctx: typer.Context,
    target: Target,
    duration: Duration = None,
    proposed_id: Annotated[str | None, typer.Option("--proposed-id", metavar="GUID", help="Else a new one.")] = None,
    wait: Wait = None,
    no_wait: NoWait = False,
) -> Answer:
    """Acquire a lease and print its id; 9 if somebody else holds it, 75 after --wait.

    id=$(stcc lease acquire data/report.csv --duration 30)
    """
    runtime = runtime_of(ctx)
    leased, conditions = _leased(runtime, target)
    seconds = _seconds(leased, duration, default=60)
    if proposed_id is None and runtime.settings.output == "none":
        raise Usage("--output none would leave nobody with the id of the lease", hint="choose it with --proposed-id")
    chosen = str(uuid.uuid4()) if proposed_id is None else parse_id(proposed_id, option="--proposed-id")
    patience = holding.seconds_to_wait(wait, no_wait=no_wait)
    account = runtime.account(leased.at)
    from stcc.storage.leases import Leases

    lease = Leases(account, leased)
    if patience is None:
        return lease.acquire(chosen, seconds=seconds, conditions=conditions)
    return leasing.acquire(
        lease,
        chosen,
        seconds=seconds,
        conditions=conditions,
        wait=patience,
        clock=SystemClock(),
        look=runtime.settings.diagnose,
    )


@app.command(cls=on(operations.LEASE_BLOB))
def renew(ctx: typer.Context, target: Target, lease_id: LeaseId) -> Answer:
    """Start the time of your lease anew; the lease of a file has no end, so it has no renewal.

    stcc lease renew data/report.csv --lease-id "$id"
    """
    runtime = runtime_of(ctx)
    leased, conditions = _leased(runtime, target)
    if isinstance(leased, FileTarget):
        raise Usage(_ENDLESS, hint=f"whether it is still held: stcc lease show {spelled(leased)}")
    held = parse_id(lease_id, option="--lease-id")
    account = runtime.account(leased.at)
    from stcc.storage.leases import Leases

    return Leases(account, leased).renew(held, conditions=conditions)


@app.command(cls=on(operations.LEASE_BLOB))
def change(
    ctx: typer.Context,
    target: Target,
    lease_id: LeaseId,
    proposed_id: Annotated[str, typer.Option("--proposed-id", metavar="GUID", help="The new id.")],
) -> Answer:
    """Give your lease another id and print it.

    stcc lease change data/report.csv --lease-id "$id" --proposed-id "$new"
    """
    runtime = runtime_of(ctx)
    leased, conditions = _leased(runtime, target)
    held, proposed = parse_id(lease_id, option="--lease-id"), parse_id(proposed_id, option="--proposed-id")
    account = runtime.account(leased.at)
    from stcc.storage.leases import Leases

    return Leases(account, leased).change(held, proposed, conditions=conditions)


@app.command(cls=on(operations.LEASE_BLOB))
def release(ctx: typer.Context, target: Target, lease_id: LeaseId) -> Answer:
    """End your lease now.

    stcc lease release data/report.csv --lease-id "$id"
    """
    runtime = runtime_of(ctx)
    leased, conditions = _leased(runtime, target)
    held = parse_id(lease_id, option="--lease-id")
    account = runtime.account(leased.at)
    from stcc.storage.leases import Leases

    return Leases(account, leased).release(held, conditions=conditions)


@app.command("break", cls=on(operations.LEASE_BLOB))
def break_(
    ctx: typer.Context,
    target: Target,
    period: Annotated[
        str | None, typer.Option("--period", metavar="0..60", help="Seconds until it ends; can only shorten it.")
    ] = None,
    wait: Wait = None,
    yes: Yes = False,
) -> Answer:
    """End somebody's lease and print the seconds until it is free; the holder is not asked.

    stcc lease break data/report.csv --period 0 --yes
    """
    runtime = runtime_of(ctx)
    leased, conditions = _leased(runtime, target)
    if period is not None and isinstance(leased, FileTarget):
        raise Usage("the lease of a file is broken at once: --period is for blobs, containers and shares")
    seconds = None if period is None else times.whole_seconds(period, option="--period", low=0, high=60)
    patience = None if wait is None else times.waiting(wait, option="--wait")
    name = spelled(leased)
    runtime.check_can_ask(f"break the lease of {name}", yes=yes)
    account = runtime.account(leased.at)
    from stcc.storage.leases import Leases

    lease = Leases(account, leased)
    state = lease.show()
    if isinstance(state, Refused):
        return state
    runtime.story(f"{name} is {state.state}" + (f" ({state.duration})" if state.duration else ""))
    runtime.confirm(f"break the lease of {name}", yes=yes)
    answer = lease.break_(period=seconds, conditions=conditions)
    if isinstance(answer, Refused) or patience is None:
        return answer
    return leasing.until_free(lease, answer, wait=patience, clock=SystemClock())


@app.command(cls=on(operations.SHOW_LEASE))
def show(ctx: typer.Context, target: Target) -> Answer:
    """Show whether something is leased; nobody can read the id or the time that is left.

    stcc lease show data/report.csv
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.SHOW_LEASE)
    leased = leasable(target)
    account = runtime.account(leased.at)
    from stcc.storage.leases import Leases

    return Leases(account, leased).show()


@app.command(cls=RunCommand)
def run(
    ctx: typer.Context,
    target: Target,
    command: Command = None,
    duration: Annotated[
        str | None, typer.Option("--duration", metavar="15..60", help="Seconds (30); it is renewed.")
    ] = None,
    create: Annotated[
        bool, typer.Option("--create", help="Make an empty blob or file, or the container or share, to lease.")
    ] = False,
    wait: Wait = None,
    no_wait: NoWait = False,
) -> Answer:
    """Run a command while holding a lease; its exit code is that of stcc. 75 if it is leased, 76 if it was lost.

    The lease is renewed as long as the command runs, and the command is ended before the lease can be somebody
    else's. It is told STCC_LEASE_ID (for --lease-id of what it writes there) and STCC_LEASE_TARGET.
    The lease of a file has no end: it is looked at every 10 seconds, and it outlives a crash of stcc or of its
    machine, until `stcc lease break` ends it.

    stcc lease run data/report.csv --wait 5m -- ./rebuild.sh
    """
    runtime = runtime_of(ctx)
    what = running.task(runtime, command)
    leased, _ = _leased(runtime, target)
    seconds = _seconds(leased, duration, default=30, or_ever=False)
    patience = holding.seconds_to_wait(wait, no_wait=no_wait)
    return under_lease.run(runtime, what, leased, seconds=seconds, wait=patience, create=b"" if create else None)


def _leased(runtime: Runtime, text: str) -> tuple[Leasable, Conditions]:
    """Return the target, and the conditions that its kind honours."""
    target = leasable(text)
    if isinstance(target, BlobTarget) and target.snapshot is not None:
        raise Usage("a snapshot cannot be leased")
    match target:
        case BlobTarget():
            operation = operations.LEASE_BLOB
        case FileTarget():
            operation = operations.LEASE_FILE
        case ShareTarget():
            operation = operations.LEASE_SHARE
        case _:
            operation = operations.LEASE_CONTAINER
    return target, runtime.conditions(operation)


def _seconds(target: Leasable, given: str | None, *, default: int, or_ever: bool = True) -> int | None:
    """Return for how long to lease it; None: without an end, as always with files."""
    if isinstance(target, FileTarget):
        if given not in {None, "infinite"}:
            raise Usage(_ENDLESS, hint="leave --duration out; `lease release` ends it, or `lease break`")
        return None
    if given is None:
        return default
    if given == "infinite" and or_ever:
        return None
    return times.whole_seconds(given, option="--duration", low=15, high=60, note="or infinite" if or_ever else "")

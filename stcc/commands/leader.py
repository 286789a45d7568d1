"""stcc leader: run, show, watch, resign."""

from itertools import islice
from typing import Annotated

import typer

from stcc.commands import holding, running
from stcc.commands.holding import Container, Identity, Name, Note, PollMax, Wait
from stcc.commands.options import Limit, StccCommand, group, runtime_of
from stcc.commands.running import Command, Grant, RunCommand, Task
from stcc.errors import Usage
from stcc.operations import leading, locking
from stcc.operations.holding import LockHold
from stcc.operations.locking import Lock, Patience
from stcc.operations.waiting import SystemClock
from stcc.outcomes import Answer, Listing, Refused
from stcc.outcomes.leader import COLUMNS
from stcc.outcomes.run import CommandRan
from stcc.runtime import Runtime
from stcc.values import claims, places, times
from stcc.values.claims import Claim
from stcc.values.places import Place

app = group("One leader among many candidates, on Azure and on Redis.")
Ttl = Annotated[str, typer.Option("--ttl", metavar="DURATION", help="How long a term lasts if nobody renews it.")]


@app.command(cls=RunCommand)
def run(
    ctx: typer.Context,
    name: Name,
    command: Command = None,
    who: Identity = None,
    ttl: Ttl = "15s",
    note: Note = None,
    wait: Wait = "forever",
    container: Container = None,
    poll_max: PollMax = "1s",
) -> Answer:
    """Stand for election, and run a command while leading; when the lead is lost, stand again.

    When the command ends by itself, its exit code is that of stcc. It is told STCC_LOCK_NAME, STCC_LOCK_IDENTITY
    and STCC_FENCE, the number of the term. Who was asked to resign stands again after one ttl.

    stcc leader run scheduler -- ./scheduler.sh
    """
    runtime = runtime_of(ctx)
    what = running.task(runtime, command)
    place = places.place(name, "leader", container=container)
    claim, patience = holding.claim(place, who, ttl, note), holding.patience(runtime, wait, no_wait=False)
    if claim.ttl is None:
        raise Usage("a term needs an end: a leader that dies would never be followed", hint="--ttl 15s")
    lock = holding.lock_at(runtime, place, poll_max=holding.poll(poll_max))
    return _led(runtime, what, place, lock, claim, patience)


@app.command(cls=StccCommand)
def show(ctx: typer.Context, name: Name, container: Container = None) -> Answer:
    """Show who leads, since when and until when; 4 if nobody does.

    stcc leader show scheduler
    """
    place = places.place(name, "leader", container=container)
    return leading.show(holding.lock_at(runtime_of(ctx), place))


@app.command(cls=StccCommand)
def watch(
    ctx: typer.Context, name: Name, container: Container = None, poll_max: PollMax = "1s", limit: Limit = None
) -> Answer:
    """Print a line now and at every change: when it was seen, who leads, the number of the term; until Ctrl-C.

    Where the service cannot be reached, that is said, and it goes on as soon as it can.

    stcc leader watch scheduler -o ndjson
    """
    runtime = runtime_of(ctx)
    place, most = places.place(name, "leader", container=container), holding.poll(poll_max)
    lock = holding.lock_at(runtime, place)
    first = lock.read()
    if isinstance(first, Refused):
        return first
    items = leading.changes(lock, first, clock=SystemClock(), poll_max=most, tell=runtime.story)
    kind = "leader-watched"
    return Listing(kind=kind, target=lock.target, columns=COLUMNS[kind], items=islice(items, limit), noun="leader")


@app.command(cls=StccCommand)
def resign(
    ctx: typer.Context,
    name: Name,
    who: Annotated[str | None, typer.Option("--identity", metavar="ID", help="Only if this one leads.")] = None,
    container: Container = None,
    wait: Wait = None,
) -> Answer:
    """Ask the leader to end its term; it stops its command first, and then lets others lead for one ttl.

    stcc leader resign scheduler --wait 1m
    """
    runtime = runtime_of(ctx)
    place = places.place(name, "leader", container=container)
    mine = None if who is None else claims.parse_identity(who)
    seconds = 0.0 if wait is None else times.waiting(wait, option="--wait")
    return leading.resign(holding.lock_at(runtime, place), identity=mine, wait=seconds, clock=SystemClock())


def _led(
    runtime: Runtime, what: Task, place: Place, lock: Lock, claim: Claim, patience: Patience
) -> CommandRan | Refused:
    """Campaign, lead, and campaign again, until the command ends by itself or the time for a campaign is up."""
    key = holding.key(runtime, place)
    terms: list[LockHold] = []

    def elected() -> Grant | Refused:
        answer = locking.acquire(lock, claim, patience=patience)
        if isinstance(answer, Refused):
            return answer
        granted, hold = holding.grant(runtime, place, answer)
        terms.append(hold)
        return granted

    while True:
        answer = running.run(runtime, what, place=key, target=lock.target, acquire=elected)
        if isinstance(answer, Refused) or answer.lost is None or not answer.stopped:
            return answer
        if terms.pop().resigned:
            runtime.story(f"resigned as the leader of {lock.target}; standing again in {claim.ttl:g} seconds")
            patience.clock.sleep(claim.ttl or 0)

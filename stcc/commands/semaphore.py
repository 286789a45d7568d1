"""stcc semaphore: create, resize, acquire, renew, release, show, run."""

from typing import Annotated

import typer

from stcc.commands import holding, running
from stcc.commands.holding import Container, Identity, Mine, Name, Note, NoWait, PollMax, Ttl, Wait
from stcc.commands.options import StccCommand, group, runtime_of
from stcc.commands.running import Command, Grant, RunCommand
from stcc.operations import permits
from stcc.operations.waiting import SystemClock
from stcc.outcomes import Answer, Refused
from stcc.outcomes.semaphore import PermitAcquired, PermitRenewed
from stcc.values import claims, places
from stcc.values.claims import DEFAULT_TTL

app = group("Counting semaphores, on Azure and on Redis: never more holders than the maximum.")
Most = Annotated[int, typer.Option("--max", min=1, max=1000, metavar="N", help="How many may hold a permit at once.")]


@app.command(cls=StccCommand)
def create(ctx: typer.Context, name: Name, most: Most, container: Container = None) -> Answer:
    """Create a semaphore; 9 if it is there with another maximum.

    stcc semaphore create workers --max 3
    """
    place = places.place(name, "semaphore", container=container)
    return permits.create(holding.semaphore_at(runtime_of(ctx), place), most, clock=SystemClock())


@app.command(cls=StccCommand)
def resize(ctx: typer.Context, name: Name, most: Most, container: Container = None) -> Answer:
    """Change the maximum; whoever holds a permit keeps it, and no new one is given while there are too many.

    stcc semaphore resize workers --max 5
    """
    place = places.place(name, "semaphore", container=container)
    return permits.resize(holding.semaphore_at(runtime_of(ctx), place), most, clock=SystemClock())


@app.command(cls=StccCommand)
def acquire(
    ctx: typer.Context,
    name: Name,
    who: Identity = None,
    ttl: Ttl = DEFAULT_TTL,
    note: Note = None,
    wait: Wait = None,
    no_wait: NoWait = False,
    container: Container = None,
    poll_max: PollMax = "1s",
) -> Answer:
    """Acquire a permit and print the identity of its holder; 75 if all are held, or the identity holds one.

    me=$(stcc semaphore acquire workers --wait 1m)
    """
    runtime = runtime_of(ctx)
    holding.check_identity_is_seen(runtime, who)
    place, claim = places.place(name, "semaphore", container=container), claims.claim(who, ttl, note)
    patience = holding.patience(runtime, wait, no_wait=no_wait)
    semaphore = holding.semaphore_at(runtime, place, poll_max=holding.poll(poll_max))
    answer = permits.acquire(semaphore, claim, patience=patience)
    if isinstance(answer, Refused):
        return answer
    return PermitAcquired(
        reply=answer.reply,
        target=semaphore.target,
        identity=claim.identity,
        fence=answer.tenure.fence,
        ttl=claim.ttl,
        expires=answer.expires,
        max=answer.permits.max or 0,
        current=len(answer.permits.holders),
        give_back=lambda: permits.release(semaphore, claim.identity, clock=SystemClock()),
    )


@app.command(cls=StccCommand)
def renew(ctx: typer.Context, name: Name, who: Mine = None, container: Container = None) -> Answer:
    """Start the time of your permit anew; 9 if you hold none any more.

    stcc semaphore renew workers --identity "$me"
    """
    runtime = runtime_of(ctx)
    place, mine = places.place(name, "semaphore", container=container), holding.identity(runtime, who)
    semaphore = holding.semaphore_at(runtime, place)
    answer = permits.renew(semaphore, mine, clock=SystemClock())
    if isinstance(answer, Refused):
        return answer
    tenure = answer.tenure
    return PermitRenewed(
        reply=answer.reply, target=semaphore.target, identity=mine, ttl=tenure.ttl, expires=answer.expires
    )


@app.command(cls=StccCommand)
def release(ctx: typer.Context, name: Name, who: Mine = None, container: Container = None) -> Answer:
    """Give your permit back; 9 if you hold none.

    stcc semaphore release workers --identity "$me"
    """
    runtime = runtime_of(ctx)
    place, mine = places.place(name, "semaphore", container=container), holding.identity(runtime, who)
    return permits.release(holding.semaphore_at(runtime, place), mine, clock=SystemClock())


@app.command(cls=StccCommand)
def show(ctx: typer.Context, name: Name, container: Container = None) -> Answer:
    """Show how many permits there are, and who holds them; 4 if there is no such semaphore.

    stcc semaphore show workers
    """
    place = places.place(name, "semaphore", container=container)
    return permits.show(holding.semaphore_at(runtime_of(ctx), place))


@app.command(cls=RunCommand)
def run(
    ctx: typer.Context,
    name: Name,
    command: Command = None,
    who: Identity = None,
    ttl: Ttl = DEFAULT_TTL,
    note: Note = None,
    wait: Wait = None,
    no_wait: NoWait = False,
    container: Container = None,
    poll_max: PollMax = "1s",
) -> Answer:
    """Run a command while holding a permit; its exit code is that of stcc. 75 if all are held, 76 if it was lost.

    stcc semaphore run workers --wait 10m -- ./work.sh
    """
    runtime = runtime_of(ctx)
    what = running.task(runtime, command)
    place, claim = places.place(name, "semaphore", container=container), claims.claim(who, ttl, note)
    patience = holding.patience(runtime, wait, no_wait=no_wait)
    semaphore = holding.semaphore_at(runtime, place, poll_max=holding.poll(poll_max))

    def acquire() -> Grant | Refused:
        answer = permits.acquire(semaphore, claim, patience=patience)
        return answer if isinstance(answer, Refused) else holding.permit(runtime, place, answer)

    return running.run(runtime, what, place=holding.key(runtime, place), target=semaphore.target, acquire=acquire)

"""stcc lock: acquire, renew, release, show, list, break, run."""

from typing import Annotated

import typer

from stcc import grants
from stcc.commands import holding, running
from stcc.commands.holding import Container, Fair, Identity, Mine, Name, Note, NoWait, PollMax, Ttl, Wait
from stcc.commands.options import Limit, StccCommand, Yes, group, runtime_of
from stcc.commands.running import Command, Grant, RunCommand
from stcc.operations import locking
from stcc.operations.locking import Granted, Lock, State
from stcc.operations.waiting import SystemClock
from stcc.outcomes import Answer, Refused
from stcc.outcomes.lock import LockAcquired, LockRenewed
from stcc.runtime import Runtime
from stcc.values import places
from stcc.values.claims import DEFAULT_TTL
from stcc.values.places import AzurePlace, Place
from stcc.values.targets import container_target

app = group("Locks with an owner, on Azure and on Redis: only who holds it can release it.")


@app.command(cls=StccCommand)
def acquire(
    ctx: typer.Context,
    name: Name,
    who: Identity = None,
    ttl: Ttl = DEFAULT_TTL,
    note: Note = None,
    wait: Wait = None,
    no_wait: NoWait = False,
    reentrant: Annotated[bool, typer.Option("--reentrant", help="Fine if this identity holds it already.")] = False,
    container: Container = None,
    poll_max: PollMax = "1s",
    fair: Fair = False,
) -> Answer:
    """Acquire a lock and print the identity of its holder; 75 if somebody else holds it.

    me=$(stcc lock acquire deploy --ttl 5m --wait 1m)
    """
    runtime = runtime_of(ctx)
    place = places.place(name, "lock", container=container)
    holding.check_identity_is_seen(runtime, who)
    claim = holding.claim(place, who, ttl, note)
    patience = holding.patience(runtime, wait, no_wait=no_wait)
    lock = holding.lock_at(runtime, place, poll_max=holding.poll(poll_max), fair=fair)
    answer = locking.acquire(lock, claim, patience=patience, reentrant=reentrant)
    if isinstance(answer, Refused):
        return answer
    _remember(runtime, place, answer)
    return LockAcquired(
        reply=answer.reply,
        target=lock.target,
        identity=claim.identity,
        fence=answer.tenure.fence,
        ttl=claim.ttl,
        since=answer.tenure.since,
        expires=answer.expires,
        give_back=None if answer.again else lambda: locking.release(lock, claim.identity, known=answer.state),
    )


@app.command(cls=StccCommand)
def renew(ctx: typer.Context, name: Name, who: Mine = None, container: Container = None) -> Answer:
    """Start the time of your lock anew; 9 if it is not yours any more.

    stcc lock renew deploy --identity "$me"
    """
    runtime = runtime_of(ctx)
    place, mine = places.place(name, "lock", container=container), holding.identity(runtime, who)
    lock = holding.lock_at(runtime, place)
    answer = locking.renew(lock, mine, known=_known(runtime, place, mine))
    if isinstance(answer, Refused):
        return answer
    _remember(runtime, place, answer)
    return LockRenewed(
        reply=answer.reply,
        target=lock.target,
        identity=mine,
        fence=answer.tenure.fence,
        ttl=answer.tenure.ttl,
        expires=answer.expires,
    )


@app.command(cls=StccCommand)
def release(ctx: typer.Context, name: Name, who: Mine = None, container: Container = None) -> Answer:
    """Release your lock; 9 if somebody else holds it, who keeps it.

    stcc lock release deploy --identity "$me"
    """
    runtime = runtime_of(ctx)
    place, mine = places.place(name, "lock", container=container), holding.identity(runtime, who)
    lock = holding.lock_at(runtime, place)
    answer = locking.release(lock, mine, known=_known(runtime, place, mine))
    if isinstance(place, AzurePlace):
        grants.forget(holding.key(runtime, place), mine)
    return answer


@app.command(cls=StccCommand)
def show(ctx: typer.Context, name: Name, container: Container = None) -> Answer:
    """Show who holds a lock, since when and until when; 4 if nobody does.

    stcc lock show deploy
    """
    place = places.place(name, "lock", container=container)
    return locking.show(holding.lock_at(runtime_of(ctx), place))


@app.command("list", cls=StccCommand)
def list_(
    ctx: typer.Context,
    server: Annotated[str | None, typer.Argument(metavar="[redis://HOST/DB]", help="Else those on Azure.")] = None,
    container: Container = None,
    limit: Limit = None,
) -> Answer:
    """List locks and who holds them.

    stcc lock list
    """
    runtime = runtime_of(ctx)
    if server is not None:
        at = places.redis_server(server)
        from stcc.redis_engine.listing import locks

        return locks(holding.redis(runtime, at), limit=limit)
    kept = container_target(container or places.CONTAINER)
    account = runtime.account()
    from stcc.storage.locks import listing

    return listing(account, kept, "lock", limit=limit)


@app.command("break", cls=StccCommand)
def break_(ctx: typer.Context, name: Name, container: Container = None, yes: Yes = False) -> Answer:
    """Take a lock from its holder, who is not asked; 4 if nobody holds it.

    stcc lock break deploy --yes
    """
    runtime = runtime_of(ctx)
    place = places.place(name, "lock", container=container)
    runtime.check_can_ask(f"break the lock {place}", yes=yes)
    lock = holding.lock_at(runtime, place)
    return broken(runtime, lock, yes=yes)


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
    fair: Fair = False,
) -> Answer:
    """Run a command while holding a lock; its exit code is that of stcc. 75 if it is held, 76 if it was lost.

    The lock is renewed as long as the command runs, and the command is ended before somebody else can have the
    lock. It is told STCC_LOCK_NAME, STCC_LOCK_IDENTITY and STCC_FENCE (for --fence of blob put, update, delete).

    stcc lock run deploy --wait 10m -- ./deploy.sh
    """
    runtime = runtime_of(ctx)
    what = running.task(runtime, command)
    place = places.place(name, "lock", container=container)
    claim, patience = holding.claim(place, who, ttl, note), holding.patience(runtime, wait, no_wait=no_wait)
    longest, key = holding.poll(poll_max), holding.key(runtime, place)
    with holding.queued(runtime, key) as queue:
        lock = holding.lock_at(runtime, place, poll_max=longest, fair=fair, nap=queue.nap)

        def acquire() -> Grant | Refused:
            answer = locking.acquire(lock, claim, patience=patience)
            if isinstance(answer, Refused):
                return answer
            queue.take()
            return holding.grant(runtime, place, answer)[0]

        return running.run(runtime, what, place=key, target=lock.target, acquire=acquire)


def broken(runtime: Runtime, lock: Lock, *, yes: bool) -> Answer:
    """Say who holds it, ask, and take it from that one."""
    state = lock.read()
    if isinstance(state, Refused):
        return state
    if state.holder is None:
        return locking.nobody(lock.target, state)
    runtime.story(f"{lock.target} is held by {locking.holder(state)}")
    runtime.confirm(f"break the lock {lock.target}", yes=yes)
    return locking.break_(lock, state)


def _known(runtime: Runtime, place: Place, mine: str) -> State | None:
    """Return what an earlier grant on this machine left, where that saves a request."""
    if not isinstance(place, AzurePlace):
        return None
    kept = grants.remembered(holding.key(runtime, place), mine, now=SystemClock().monotonic())
    if kept is None:
        return None
    from stcc.storage.locks import known

    return known(kept.tenure, kept.fence, kept.etag)


def _remember(runtime: Runtime, place: Place, granted: Granted) -> None:
    if not isinstance(place, AzurePlace):
        return
    from stcc.storage.locks import etag_of

    etag = etag_of(granted.state) or ""
    key = holding.key(runtime, place)
    grants.remember(key, granted.tenure, fence=granted.state.fence, etag=etag, deadline=granted.deadline)

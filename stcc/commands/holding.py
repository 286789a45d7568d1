"""What the commands that hold something have in common: their options, and the engine that a name lives on."""

import math
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from platformdirs import user_state_dir

from stcc.commands.running import Grant
from stcc.errors import Usage
from stcc.operations.holding import Holding, LockHold, PermitHold
from stcc.operations.keeping import Kept
from stcc.operations.locking import Granted, Lock, Patience
from stcc.operations.neighbours import Neighbours
from stcc.operations.permits import PermitGranted, Semaphore
from stcc.operations.waiting import SystemClock
from stcc.runtime import Runtime
from stcc.values import claims, times
from stcc.values.claims import Claim, Tenure, parse_identity
from stcc.values.places import AzurePlace, Place, RedisServer
from stcc.values.targets import is_loopback

if TYPE_CHECKING:
    from stcc.redis_engine.server import Line

VARIABLE: Final = "STCC_LOCK_IDENTITY"
PASSWORD: Final = "STCC_REDIS_PASSWORD"  # noqa: S105  # the name of a variable
Name = Annotated[str, typer.Argument(metavar="NAME", help="A name on Azure, or redis://HOST/DB/NAME.")]
Identity = Annotated[str | None, typer.Option("--identity", metavar="ID", help="Who holds it; else a random one.")]
Mine = Annotated[str | None, typer.Option("--identity", metavar="ID", help=f"Who holds it (or {VARIABLE}).")]
Ttl = Annotated[str, typer.Option("--ttl", metavar="DURATION|none", help="How long it is held if nobody renews it.")]
Note = Annotated[str | None, typer.Option("--note", metavar="TEXT", help="A few words for those who wait.")]
Wait = Annotated[str | None, typer.Option("--wait", metavar="DURATION|forever", help="Keep trying for so long.")]
NoWait = Annotated[bool, typer.Option("--no-wait", help="One try (the default).")]
Container = Annotated[
    str | None, typer.Option("--container", metavar="CONTAINER", help="Where names are kept on Azure (stcc-locks).")
]
PollMax = Annotated[str, typer.Option("--poll-max", metavar="DURATION", help="The longest pause between two looks.")]
Fair = Annotated[bool, typer.Option("--fair", help="On Redis: one after the other, as they came.")]


def patience(runtime: Runtime, wait: str | None, *, no_wait: bool) -> Patience:
    """Return how long to wait, and how to tell for whom."""
    seconds = seconds_to_wait(wait, no_wait=no_wait) or 0.0
    told = runtime.settings.verbose or runtime.watched
    return Patience(wait=seconds, clock=SystemClock(), tell=runtime.story if told else _to_nobody)


def seconds_to_wait(wait: str | None, *, no_wait: bool) -> float | None:
    """Return how long to wait; None where nobody wants to."""
    if wait is not None and no_wait:
        raise Usage("--wait and --no-wait exclude each other")
    return None if wait is None else times.waiting(wait, option="--wait")


def _to_nobody(_: str) -> None:
    """Say nothing: a script that waits wants no story."""


def identity(runtime: Runtime, given: str | None) -> str:
    """Return who the caller says to be, by the option or else the environment; never by anything else."""
    named = given if given is not None else runtime.environment.get(VARIABLE)
    if named is None:
        raise Usage("no identity is given", hint=f"--identity, with what acquire printed, or {VARIABLE}")
    return parse_identity(named)


def claim(place: Place, who: str | None, ttl: str, note: str | None) -> Claim:
    """Return the claim to a lock or the lead, which on Azure must fit into a line of a listing."""
    wanted = claims.claim(who, ttl, note)
    if isinstance(place, AzurePlace):
        claims.check_size(place.kind, wanted)
    return wanted


def check_identity_is_seen(runtime: Runtime, given: str | None) -> None:
    """Refuse to make up an identity that nobody would ever see."""
    if given is None and runtime.settings.output == "none":
        raise Usage("--output none would leave nobody with the identity", hint="choose it with --identity")


def poll(text: str) -> float:
    """Return the longest pause between two looks, in seconds."""
    seconds = times.duration(text, option="--poll-max")
    if not 0.01 <= seconds <= 60:
        raise Usage(f"--poll-max is out of range: {text!r}", hint="10ms to 60s")
    return seconds


def key(runtime: Runtime, place: Place) -> str:
    """Name a place so that no other has the same name, without secrets."""
    if isinstance(place, AzurePlace):
        return f"{runtime.account(place.blob.at).connection.endpoint('blob')}/{place.blob}"
    server = place.server
    here = server._replace(host="localhost") if is_loopback(server.host) else server
    return f"{place.kind} {place._replace(server=here)}"


@contextmanager
def queued(runtime: Runtime, name: str) -> Generator[Neighbours]:
    """Let this user's runs on this host wait for one another."""
    runtime_directory = runtime.environment.get("XDG_RUNTIME_DIR")
    directory = Path(runtime_directory or user_state_dir("stcc", appauthor=False)) / "stcc-runs"
    queue = Neighbours(directory, name, clock=SystemClock())
    try:
        yield queue
    finally:
        queue.close()


def grant(runtime: Runtime, place: Place, granted: Granted) -> tuple[Grant, LockHold]:
    """Return what a command runs under that was granted a lock or the lead."""
    tenure = granted.tenure
    keeper, releasing = (lock_at(runtime, place, hurried=hurry(runtime, tenure.ttl)) for _ in range(2))
    hold = LockHold(keeper, granted, releasing=releasing, remembers=isinstance(place, AzurePlace))
    return _named(hold, tenure, granted.deadline), hold


def permit(runtime: Runtime, place: Place, granted: PermitGranted) -> Grant:
    """Return what a command runs under that was granted a permit."""
    tenure = granted.tenure
    keeper, releasing = (semaphore_at(runtime, place, hurried=hurry(runtime, tenure.ttl)) for _ in range(2))
    hold = PermitHold(keeper, granted, releasing=releasing, clock=SystemClock())
    return _named(hold, tenure, granted.deadline)


def _named(hold: Holding, tenure: Tenure, deadline: float | None) -> Grant:
    """Return a grant that the command is told the name of, and under which identity and number it runs."""
    variables = {
        "STCC_LOCK_NAME": hold.target,
        "STCC_LOCK_IDENTITY": tenure.identity,
        "STCC_FENCE": str(tenure.fence),
    }
    return Grant(hold, Kept(deadline), variables, tenure.identity, tenure.fence)


def hurry(runtime: Runtime, ttl: float | None) -> float:
    """Return how long one answer may take to whoever has a hold to keep."""
    return min(runtime.settings.timeout, 5.0, (ttl or math.inf) / 6)


def redis(runtime: Runtime, server: RedisServer, *, timeout: float | None = None) -> "Line":
    """Return a way to a Redis server; the environment may name the password, which a command line would show."""
    from stcc.redis_engine.server import connect

    password = runtime.environment.get(PASSWORD)
    if server.password is None and password:
        server = server._replace(password=password)
    trace = runtime.say if runtime.settings.verbose else None
    return connect(server, timeout=timeout or runtime.settings.timeout, trace=trace)


def lock_at(
    runtime: Runtime,
    place: Place,
    *,
    poll_max: float = 1.0,
    fair: bool = False,
    hurried: float | None = None,
    nap: Callable[[float], None] | None = None,
) -> Lock:
    """Return the lock of a name, on its engine; `hurried`: how many seconds one answer may take.

    `nap` lets time pass between two looks, where those who wait are not woken.
    """
    if isinstance(place, AzurePlace):
        if fair:
            raise Usage("--fair needs Redis: on Azure, nobody keeps the order of those who wait")
        account = runtime.account(place.blob.at, timeout=hurried)
        from stcc.storage.locks import AzureLock

        return AzureLock(account, place, clock=SystemClock(), poll_max=poll_max, nap=nap)
    from stcc.redis_engine.lock import RedisLock

    return RedisLock(redis(runtime, place.server, timeout=hurried), place, clock=SystemClock(), fair=fair)


def semaphore_at(runtime: Runtime, place: Place, *, poll_max: float = 1.0, hurried: float | None = None) -> Semaphore:
    """Return the semaphore of a name, on its engine; `hurried` as for a lock."""
    if isinstance(place, AzurePlace):
        account = runtime.account(place.blob.at, timeout=hurried)
        from stcc.storage.semaphores import AzureSemaphore

        return AzureSemaphore(account, place, clock=SystemClock(), poll_max=poll_max)
    from stcc.redis_engine.semaphore import RedisSemaphore

    return RedisSemaphore(redis(runtime, place.server, timeout=hurried), place, clock=SystemClock())

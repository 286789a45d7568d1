"""stcc demo: the guided tour."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from stcc.commands.options import StccCommand, runtime_of
from stcc.demo import COLUMNS, STRATEGIES, Strategy
from stcc.outcomes import Listing
from stcc.runtime import Runtime
from stcc.values.places import redis_server

if TYPE_CHECKING:
    from stcc.storage.account import Account

app = typer.Typer(add_completion=False, rich_markup_mode=None)
_NAMING: Final = frozenset(
    [
        *("emulator", "profile", "connection-string", "account-name", "account-key", "account-key-file", "sas-token"),
        *("blob-endpoint", "queue-endpoint", "table-endpoint", "file-endpoint"),
    ]
)


@app.command(cls=StccCommand)
def demo(
    ctx: typer.Context,
    strategy: Annotated[
        Strategy | None, typer.Argument(metavar="[STRATEGY]", help=f"{', '.join(STRATEGIES)}; all without it.")
    ] = None,
    redis: Annotated[
        str | None, typer.Option("--redis", metavar="redis://HOST/DB", help="lock and semaphore on this server.")
    ] = None,
) -> Listing:
    """Walk through the strategies, live: every request, its answer, and whether it was the expected one.

    It runs on what `stcc emulator start` left running, else on an emulator of its own, in memory. It leaves
    other accounts alone, also the one that the environment names, unless flags ask for one (--profile,
    --connection-string, ...). What it creates has a new name and is deleted at the end. 0 only if every
    outcome was as expected, else 1.

    The walk-throughs lock and semaphore are also shown on Redis, with --redis.

    stcc demo optimistic
    """
    runtime = runtime_of(ctx)
    server = None if redis is None else redis_server(redis)
    account = _account(runtime)
    from stcc.demo.place import Place
    from stcc.demo.tour import Tour

    tour = Tour(Place(account, ending=runtime.opened, tell=runtime.say, redis=server))
    return Listing(
        kind="demo",
        target=strategy or "all strategies",
        columns=COLUMNS,
        items=tour.steps(STRATEGIES if strategy is None else [strategy]),
        noun="demo" if runtime.settings.output == "human" else None,
        ending=tour.ending,
    )


def _account(runtime: Runtime) -> "Account":
    if runtime.flags.keys() & _NAMING:
        return runtime.account()
    from stcc import connection
    from stcc.emulator import instance, launch

    found = instance.running()
    if found is None:
        runtime.story("no emulator is running: starting one for this demo, in memory")
        launched = launch.launch(launch.Setup(), progress=runtime.story)
        runtime.opened.callback(launch.end, launched)
        found = launched.instance
    return runtime.account_of(connection.from_connection_string(found.connection_string))

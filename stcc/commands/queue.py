"""stcc queue: create, list, show, delete, clear; the verbs of messages are in `messages`."""

from typing import Annotated

import typer

from stcc.commands import messages
from stcc.commands.messages import Queue, asked
from stcc.commands.options import Limit, Metadata, Yes, group, on, runtime_of
from stcc.knowledge import operations
from stcc.outcomes import Answer
from stcc.values.metadata import metadata as parse_metadata
from stcc.values.targets import name_prefix

app = group("Queues and their messages.")


@app.command(cls=on(operations.QUEUE))
def create(ctx: typer.Context, queue: Queue, metadata: Metadata = None) -> Answer:
    """Create a queue; 9 if there is one of that name with other metadata.

    stcc queue create jobs
    """
    runtime, target = asked(ctx, queue)
    values = parse_metadata(metadata or [])
    account = runtime.account(target.at)
    from stcc.storage import queues

    return queues.create(account, target, metadata=values)


@app.command("list", cls=on(operations.QUEUE))
def list_(
    ctx: typer.Context,
    prefix: Annotated[str, typer.Option("--prefix", help="Only names that start so.")] = "",
    limit: Limit = None,
) -> Answer:
    """List queues with their metadata.

    stcc queue list --prefix job
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.QUEUE)
    account = runtime.account()
    from stcc.storage import queues

    return queues.listing(account, prefix=name_prefix(prefix), limit=limit)


@app.command(cls=on(operations.QUEUE))
def show(ctx: typer.Context, queue: Queue) -> Answer:
    """Show a queue: its approximate number of messages (hidden ones count), its metadata.

    stcc queue show jobs
    """
    runtime, target = asked(ctx, queue)
    account = runtime.account(target.at)
    from stcc.storage import queues

    return queues.show(account, target)


@app.command(cls=on(operations.QUEUE))
def delete(ctx: typer.Context, queue: Queue, yes: Yes = False) -> Answer:
    """Delete a queue and every message in it.

    stcc queue delete jobs --yes
    """
    runtime, target = asked(ctx, queue)
    runtime.confirm(f"delete queue {target} with all its messages", yes=yes)
    account = runtime.account(target.at)
    from stcc.storage import queues

    return queues.delete(account, target)


@app.command(cls=on(operations.QUEUE))
def clear(ctx: typer.Context, queue: Queue, yes: Yes = False) -> Answer:
    """Delete every message of a queue, also those that somebody is working on.

    stcc queue clear jobs --yes
    """
    runtime, target = asked(ctx, queue)
    runtime.confirm(f"delete all messages of queue {target}", yes=yes)
    account = runtime.account(target.at)
    from stcc.storage import queues

    return queues.clear(account, target)


app.add_typer(messages.app)

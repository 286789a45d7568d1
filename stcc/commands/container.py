"""stcc container: create, show, list, delete, set-metadata, get-acl, set-acl."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Annotated, Literal

import typer

from stcc.commands.documents import document
from stcc.commands.options import Clear, Limit, Metadata, NoMarker, Pairs, Yes, group, on, runtime_of, some_pairs
from stcc.errors import Usage
from stcc.knowledge import operations
from stcc.outcomes import Answer
from stcc.runtime import Runtime
from stcc.values.metadata import metadata as parse_metadata
from stcc.values.policies import Acl, AclChange, acl_change, whole_acl
from stcc.values.targets import container_target, name_prefix

app = group("Containers of blobs.")
Container = Annotated[str, typer.Argument(metavar="CONTAINER", help="Name or URL of the container.")]


@app.command(cls=on(operations.CREATE_CONTAINER))
def create(ctx: typer.Context, container: Container, metadata: Metadata = None, no_marker: NoMarker = False) -> Answer:
    """Create a container and print its ETag; 9 if there is one of that name.

    stcc container create data
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.CREATE_CONTAINER)
    target, values = container_target(container), parse_metadata(metadata or [])
    account = runtime.account(target.at)
    from stcc.storage import containers

    return containers.create(account, target, metadata=values, marker=not no_marker)


@app.command(cls=on(operations.SHOW_CONTAINER))
def show(ctx: typer.Context, container: Container) -> Answer:
    """Show a container: ETag, lease, metadata.

    stcc container show data
    """
    runtime = runtime_of(ctx)
    target, conditions = container_target(container), runtime.conditions(operations.SHOW_CONTAINER)
    account = runtime.account(target.at)
    from stcc.storage import containers

    return containers.show(account, target, conditions=conditions)


@app.command("list", cls=on(operations.LIST_CONTAINERS))
def list_(
    ctx: typer.Context,
    prefix: Annotated[str, typer.Option("--prefix", help="Only names that start so.")] = "",
    limit: Limit = None,
) -> Answer:
    """List containers with their leases.

    stcc container list --prefix log
    """
    runtime = runtime_of(ctx)
    runtime.conditions(operations.LIST_CONTAINERS)
    start, account = name_prefix(prefix), runtime.account()
    from stcc.storage import containers

    return containers.listing(account, prefix=start, limit=limit)


@app.command(cls=on(operations.DELETE_CONTAINER))
def delete(ctx: typer.Context, container: Container, yes: Yes = False) -> Answer:
    """Delete a container and every blob in it, leased ones too.

    stcc container delete data --yes
    """
    runtime = runtime_of(ctx)
    target, conditions = container_target(container), runtime.conditions(operations.DELETE_CONTAINER)
    runtime.confirm(f"delete container {target} with all its blobs", yes=yes)
    from stcc.storage import containers

    return containers.delete(runtime.account(target.at), target, conditions=conditions)


@app.command("set-metadata", cls=on(operations.SET_CONTAINER_METADATA))
def set_metadata(
    ctx: typer.Context, container: Container, given: Pairs = None, clear: Clear = False, no_marker: NoMarker = False
) -> Answer:
    """Replace all metadata of a container and print its new ETag; what is not given is gone.

    stcc container set-metadata data owner=anna
    """
    runtime = runtime_of(ctx)
    target, conditions = container_target(container), runtime.conditions(operations.SET_CONTAINER_METADATA)
    values = parse_metadata(some_pairs(given, clear=clear), option="metadata")
    account = runtime.account(target.at)
    from stcc.storage import attributes

    return attributes.set_container_metadata(
        account, target, metadata=values, conditions=conditions, marker=not no_marker
    )


@app.command("get-acl", cls=on(operations.GET_ACL))
def get_acl(ctx: typer.Context, container: Container) -> Answer:
    """Show public access and stored access policies; with -o json, as set-acl --from takes them.

    stcc container get-acl data -o json
    """
    runtime = runtime_of(ctx)
    target, conditions = container_target(container), runtime.conditions(operations.GET_ACL)
    account = runtime.account(target.at)
    from stcc.storage.acl import Acls

    return Acls(account, target, conditions=conditions).show()


@app.command("set-acl", cls=on(operations.SET_ACL))
def set_acl(
    ctx: typer.Context,
    container: Container,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy", metavar="ID:permissions=rl,start=TIME,expiry=TIME", help="Add or replace it; repeatable."
        ),
    ] = None,
    remove: Annotated[list[str] | None, typer.Option("--remove", metavar="ID", help="Remove it; repeatable.")] = None,
    public_access: Annotated[
        Literal["none", "container", "blob"] | None,
        typer.Option("--public-access", help="What everybody may read: nothing, all with lists, blobs by name."),
    ] = None,
    source: Annotated[
        str | None, typer.Option("--from", metavar="FILE|-", help="All policies, in JSON as get-acl prints it.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="One request, nothing is read; with --public-access.")
    ] = False,
    attempts: Annotated[
        int | None, typer.Option("--attempts", min=1, max=1000, metavar="N", help="While others are faster (10).")
    ] = None,
) -> Answer:
    """Change public access and stored access policies, five at most, and print the ETag; the others stay.

    It is read, changed, and written back if nobody wrote in between, which takes up to two seconds after a change.

    stcc container set-acl data --policy readers:permissions=rl,expiry=now+7d --remove old
    """
    runtime = runtime_of(ctx)
    target, conditions = container_target(container), runtime.conditions(operations.SET_ACL)
    wanted = _acl_change(runtime, policy or [], remove or [], public_access, source)
    whole = _whole(wanted, remove or []) if replace else None
    if replace and attempts is not None:
        raise Usage("--replace is one request; it excludes --attempts")
    if not replace and "--if-modified-since" in conditions.values:
        raise Usage("--if-modified-since needs --replace", hint="what was read is guarded by --if-unmodified-since")
    account = runtime.account(target.at)
    from stcc.operations import acl, updating
    from stcc.operations.waiting import SystemClock
    from stcc.storage.acl import Acls

    store = Acls(account, target, conditions=conditions)
    if whole is not None:
        return store.replace(whole)
    limit = conditions.values.get("--if-unmodified-since")
    return acl.change(
        store,
        wanted,
        unmodified_since=None if limit is None else parsedate_to_datetime(limit),
        attempts=attempts or updating.ATTEMPTS,
        clock=SystemClock(),
        tell=runtime.story,
    )


def _acl_change(
    runtime: Runtime, policies: list[str], removed: list[str], public_access: str | None, source: str | None
) -> AclChange:
    now = datetime.now(UTC)
    if source is None:
        return acl_change(policies, removed=removed, public_access=public_access, now=now)
    if policies or removed:
        raise Usage("--from is all of it; it excludes --policy and --remove")
    return whole_acl(document(runtime, source, of="an ACL"), public_access=public_access, now=now)


def _whole(wanted: AclChange, removed: list[str]) -> Acl:
    """Return the ACL that needs nothing of what is there."""
    if removed:
        raise Usage("--replace and --remove exclude each other", hint="what is not given is removed")
    if wanted.public_access is None:
        raise Usage("--replace needs --public-access", hint="nothing is read, so it would become none")
    return Acl(public_access=wanted.public_access, policies=wanted.policies)

"""The option --fence of the writes that carry the number of a grant."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from stcc.errors import Usage
from stcc.knowledge.operations import LEASE, Operation
from stcc.outcomes import Refused
from stcc.runtime import Runtime

if TYPE_CHECKING:
    from stcc.storage.account import Account
    from stcc.values.conditions import Conditions
    from stcc.values.targets import BlobTarget

T = TypeVar("T")
_MOST = 2**63 - 1
Fence = Annotated[
    int | None,
    typer.Option(
        "--fence", min=0, max=_MOST, metavar="N", help="Only if nobody wrote under a later grant (STCC_FENCE)."
    ),
]


def conditions(runtime: Runtime, operation: Operation, fence: int | None) -> "Conditions":
    """Return the conditions on the command line; a fence counts as one, and only a lease id may go with it."""
    if fence is None:
        return runtime.conditions(operation)
    others = [flag for flag in runtime.given if flag not in LEASE] + ["--force"] * ("force" in runtime.flags)
    if others:
        raise Usage(f"--fence counts as the condition: it excludes {', '.join(others)}")
    from stcc.values.conditions import Conditions, lease_id

    lease = runtime.given.get("--lease-id")
    return Conditions({} if lease is None else {"--lease-id": lease_id(lease, option="--lease-id")})


def stored(fence: int) -> dict[str, str]:
    """Return the metadata that keeps the fence."""
    from stcc.operations.fencing import FENCE

    return {FENCE: str(fence)}


def fenced(
    account: "Account",
    blob: "BlobTarget",
    fence: int,
    write: "Callable[[Conditions], T | Refused]",
    *,
    given: "Conditions",
    again: bool = True,
) -> T | Refused:
    """Write under a fence: look, then one write that depends on what was seen."""
    from stcc.operations import fencing
    from stcc.operations.updating import ATTEMPTS
    from stcc.operations.waiting import SystemClock
    from stcc.storage.fences import mark

    rounds = ATTEMPTS if again else 1

    return fencing.fenced(
        fence, lambda: mark(account, blob), write, target=blob, given=given, clock=SystemClock(), attempts=rounds
    )

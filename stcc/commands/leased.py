"""A command under a lease of the service itself: on the very thing that is protected, or on a table's lock blob."""

import uuid

from stcc.commands import holding, running
from stcc.commands.running import Grant, Task
from stcc.connection import Service
from stcc.exits import Exit
from stcc.operations import leasing
from stcc.operations.holding import LeaseHold
from stcc.operations.keeping import Kept
from stcc.operations.waiting import SystemClock
from stcc.outcomes import Answer, Refused
from stcc.outcomes.lease import LeaseAcquired
from stcc.runtime import Runtime
from stcc.values.conditions import Conditions
from stcc.values.leasable import Leasable, spelled
from stcc.values.targets import FileTarget, ShareTarget


def run(
    runtime: Runtime,
    what: Task,
    target: Leasable,
    *,
    seconds: int | None,
    wait: float | None,
    create: bytes | None,
) -> Answer:
    """Run a command while the target is leased; `create` is what a blob or file holds that is made if there is none.

    Without `seconds` the lease has no end, and outlives a crash; without `wait` it is asked for once.
    """
    account, clock = runtime.account(target.at), SystemClock()
    name, ttl = spelled(target), None if seconds is None else float(seconds)
    service: Service = "file" if isinstance(target, (FileTarget, ShareTarget)) else "blob"
    place = f"{account.connection.endpoint(service)}/{name}"
    lease_id = str(uuid.uuid4())
    with holding.queued(runtime, place) as queue:

        def waited_for(lease: leasing.Lease) -> LeaseAcquired | Refused:
            return leasing.acquire(
                lease,
                lease_id,
                seconds=seconds,
                conditions=Conditions(),
                wait=wait,
                clock=clock,
                look=runtime.settings.diagnose,
                pause=queue.nap,
            )

        def acquire() -> Grant | Refused:
            from stcc.storage.leasable import made
            from stcc.storage.leases import Leases

            timed = leasing.Timed(Leases(account, target), clock)
            found = waited_for(timed)
            if isinstance(found, Refused) and found.exit_code == Exit.ABSENT and create is not None:
                found = made(account, target, create) or waited_for(timed)
            if isinstance(found, Refused):
                return found
            queue.take()
            if ttl is None:
                runtime.story(f"{name} is leased without an end: after a crash it takes `stcc lease break {name}`")
            keeper = Leases(runtime.account(target.at, timeout=holding.hurry(runtime, ttl)), target)
            hold = LeaseHold(keeper, name, lease_id, ttl, clock)
            variables = {"STCC_LEASE_ID": lease_id, "STCC_LEASE_TARGET": name}
            return Grant(hold, Kept(None if ttl is None else timed.asked + ttl), variables)

        return running.run(runtime, what, place=place, target=name, acquire=acquire)

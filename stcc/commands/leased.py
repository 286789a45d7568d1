"""A command under a lease of the service itself: on the very blob or container that is protected, or a table's lock."""

import uuid

from stcc.commands import holding, running
from stcc.commands.running import Grant, Task
from stcc.exits import Exit
from stcc.operations import leasing
from stcc.operations.holding import LeaseHold
from stcc.operations.keeping import Kept
from stcc.operations.locking import Patience
from stcc.operations.neighbours import Neighbours
from stcc.operations.waiting import SystemClock
from stcc.outcomes import Answer, Refused
from stcc.outcomes.lease import LeaseAcquired
from stcc.runtime import Runtime
from stcc.values.conditions import Conditions
from stcc.values.targets import BlobTarget, ContainerTarget


def run(
    runtime: Runtime,
    what: Task,
    target: BlobTarget | ContainerTarget,
    *,
    seconds: int,
    patience: Patience,
    create: bytes | None,
) -> Answer:
    """Run a command while the target is leased; `create` is what a blob holds that is made where there is none."""
    account, clock = runtime.account(target.at), SystemClock()
    place = f"{account.connection.endpoint('blob')}/{target}"
    queue: Neighbours[None] = holding.neighbours(
        runtime, place, left=lambda _: float(seconds), wait=lambda _, pause: clock.sleep(pause)
    )
    lease_id = str(uuid.uuid4())

    def waited_for(lease: leasing.Lease) -> LeaseAcquired | Refused:
        return leasing.acquire(
            lease,
            lease_id,
            seconds=seconds,
            conditions=Conditions(),
            wait=patience.wait,
            clock=clock,
            look=runtime.settings.diagnose,
            pause=lambda limit: queue.pause(None, limit),
        )

    def acquire() -> Grant | Refused:
        from stcc.storage.leasable import made
        from stcc.storage.leases import Leases

        timed = leasing.Timed(Leases(account, target), clock)
        found = waited_for(timed)
        if isinstance(found, Refused) and found.exit_code == Exit.ABSENT and create is not None:
            found = made(account.without_looking(), target, create) or waited_for(timed)
        if isinstance(found, Refused):
            return found
        queue.take()
        keeper = Leases(runtime.account(target.at, timeout=holding.hurry(runtime, seconds)), target)
        hold = LeaseHold(keeper, str(target), lease_id, float(seconds), clock)
        variables = {"STCC_LEASE_ID": lease_id, "STCC_LEASE_TARGET": str(target)}
        return Grant(hold, Kept(timed.asked + seconds), variables)

    try:
        return running.run(runtime, what, place=place, target=str(target), acquire=acquire)
    finally:
        queue.close()

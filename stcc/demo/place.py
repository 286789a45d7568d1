"""Where a walk-through happens: an account, fresh names in it, and what is deleted at the end."""

import uuid
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import TypeVar

from stcc.errors import Interrupted, StccError, Unknown
from stcc.operations.locking import Lock
from stcc.operations.permits import Semaphore
from stcc.operations.waiting import Clock, SystemClock
from stcc.outcomes import Refused
from stcc.redis_engine.lock import RedisLock
from stcc.redis_engine.removal import remove
from stcc.redis_engine.semaphore import RedisSemaphore
from stcc.redis_engine.server import Line, connect, patiently
from stcc.storage import containers, queues, shares, tables
from stcc.storage.account import Account
from stcc.storage.leases import Leases
from stcc.storage.locks import AzureLock
from stcc.storage.semaphores import AzureSemaphore
from stcc.values.conditions import Conditions
from stcc.values.places import Kind, RedisPlace, RedisServer, azure_place
from stcc.values.targets import ContainerTarget, QueueTarget, ShareTarget, TableTarget

T = TypeVar("T")


class BrokenOff(StccError):
    """An answer on which the rest of a walk-through depends was another one."""


class Place:
    """Makes what a walk-through needs; `ending` deletes it, and `tell` hears of what could not be deleted."""

    def __init__(
        self,
        account: Account,
        *,
        ending: ExitStack,
        tell: Callable[[str], None],
        redis: RedisServer | None = None,
    ) -> None:
        self.account = account
        self._redis = redis
        self._ending = ending
        self.tell = tell

    def container(self) -> ContainerTarget:
        """Create a container."""
        target = ContainerTarget(container=f"stcc-demo-{_fresh()}")
        create = partial(containers.create, self.account, target, metadata={}, marker=True)
        return self._made(target, create, partial(_delete_container, self.account, target))

    def table(self) -> TableTarget:
        """Create a table."""
        target = TableTarget(table=f"stccdemo{_fresh()}")
        create = partial(tables.create, self.account, target)
        return self._made(target, create, partial(tables.delete, self.account, target))

    def queue(self) -> QueueTarget:
        """Create a queue."""
        target = QueueTarget(queue=f"stcc-demo-{_fresh()}")
        create = partial(queues.create, self.account, target, metadata={})
        return self._made(target, create, partial(queues.delete, self.account, target))

    def share(self) -> ShareTarget:
        """Create a share."""
        target = ShareTarget(share=f"stcc-demo-{_fresh()}")
        create = partial(shares.create, self.account, target, metadata={}, quota=None, marker=True)
        delete = partial(shares.delete, self.account, target, conditions=Conditions(), snapshots=None)
        return self._made(target, create, delete)

    def lock(self, clock: Clock) -> Lock:
        """Return a lock that nobody has."""
        if self._redis is not None:
            line, on_redis = self._on_redis("lock", self._redis)
            return RedisLock(line, on_redis, clock=clock)
        place = azure_place(_fresh(), "lock", container=self.container().container)
        return AzureLock(self.account, place, clock=clock, poll_max=1.0)

    def semaphore(self, clock: Clock) -> Semaphore:
        """Return a semaphore that nobody has created."""
        if self._redis is not None:
            line, on_redis = self._on_redis("semaphore", self._redis)
            return RedisSemaphore(line, on_redis, clock=clock)
        place = azure_place(_fresh(), "semaphore", container=self.container().container)
        return AzureSemaphore(self.account, place, clock=clock, poll_max=1.0)

    def _on_redis(self, kind: Kind, server: RedisServer) -> tuple[Line, RedisPlace]:
        line, place = connect(server, timeout=10), RedisPlace(kind, f"stcc-demo-{_fresh()}", server)
        # Where this is refused, nothing is there yet that could be left over.
        patiently(lambda: line.ask(("PING",)), target=str(server), clock=SystemClock())
        self._ending.callback(self._delete, place, partial(remove, line, place))
        return line, place

    def _made(self, target: T, create: Callable[[], object], delete: Callable[[], object]) -> T:
        try:
            granted(create())
        except (Interrupted, Unknown):
            self._ending.callback(self._delete, target, delete)
            raise
        self._ending.callback(self._delete, target, delete)
        return target

    def _delete(self, target: object, delete: Callable[[], object]) -> None:
        try:
            answer = delete()
        except StccError as error:
            self.tell(f"{target} may be left over: {error.message}")
            if isinstance(error, Interrupted):
                raise
        else:
            if isinstance(answer, Refused) and answer.http_status != 404:
                self.tell(f"{target} is left over: {answer.summary}")


def granted(answer: T | Refused) -> T:
    """Return an answer that has to be a yes, for the rest depends on it; raise BrokenOff."""
    if isinstance(answer, Refused):
        raise BrokenOff(answer.summary)
    return answer


def _delete_container(account: Account, target: ContainerTarget) -> object:
    answer = containers.delete(account, target, conditions=Conditions())
    if not isinstance(answer, Refused) or answer.http_status != 412:
        return answer
    # It is still leased: its walk-through was broken off.
    Leases(account, target).break_(period=0, conditions=Conditions())
    return containers.delete(account, target, conditions=Conditions())


def _fresh() -> str:
    return uuid.uuid4().hex[:12]

"""The engines side by side: how to get a lock or a semaphore of a name on each, and how its time passes."""

import time
from typing import Protocol
from uuid import uuid4

from stcc import connection
from stcc.emulator.instance import Instance
from stcc.operations.locking import Lock, Patience
from stcc.operations.permits import Semaphore
from stcc.operations.waiting import Clock, SystemClock
from stcc.redis_engine.lock import RedisLock
from stcc.redis_engine.semaphore import RedisSemaphore
from stcc.redis_engine.server import Line, connect
from stcc.storage.account import Account
from stcc.storage.locks import AzureLock
from stcc.storage.semaphores import AzureSemaphore
from stcc.values.places import azure_place, redis_place
from tests.azurite import HASTE
from tests.engines.fake import FakeLock, FakeSemaphore, FakeStore
from tests.fakes import FakeClock
from tests.redis_server import RedisServerForTests


class World(Protocol):
    """One engine with one name for a lock and a semaphore; every call of these makes another client.

    `short` is a ttl in seconds that `expire` waits for, until everybody agrees that it is over; `lasting` is one
    of which a third is more than a busy machine may need to renew it.
    """

    clock: Clock
    short: float
    lasting: float

    def lock(self) -> Lock: ...
    def semaphore(self) -> Semaphore: ...
    def expire(self) -> None: ...
    def forget(self) -> None:
        """Delete everything that was ever written about the name."""
        ...

    def spoil(self) -> None:
        """Use the name for something else."""
        ...


class FakeWorld:
    short = 10.0
    lasting = 45.0

    def __init__(self) -> None:
        self.clock: Clock = FakeClock()
        self._store = FakeStore(self.clock)

    def lock(self) -> Lock:
        return FakeLock(self._store, "lock")

    def semaphore(self) -> Semaphore:
        return FakeSemaphore(self._store, "semaphore")

    def expire(self) -> None:
        self.clock.sleep(self.short)

    def forget(self) -> None:
        for name in tuple(self._store.names):
            self._store.forget(name)

    def spoil(self) -> None:
        self._store.spoiled = {"lock", "semaphore"}


class HurriedClock:
    """A clock as fast as that of a hurried Azurite."""

    def monotonic(self) -> float:
        return time.monotonic() * HASTE

    def sleep(self, seconds: float, /) -> None:
        time.sleep(seconds / HASTE)


class AzureWorld:
    """The engine on Azure, on a clock that goes as fast as that of the service."""

    short = 1.0
    lasting = 45.0

    def __init__(self, azurite: Instance, clock: Clock) -> None:
        self.clock = clock
        chosen = connection.from_connection_string(azurite.connection_string)
        self._account = Account(chosen, timeout=10, diagnose=False, trace=None)
        self._lock = azure_place(uuid4().hex, "lock")
        self._semaphore = azure_place(uuid4().hex, "semaphore")

    def lock(self) -> Lock:
        return AzureLock(self._account, self._lock, clock=self.clock, poll_max=1)

    def semaphore(self) -> Semaphore:
        return AzureSemaphore(self._account, self._semaphore, clock=self.clock, poll_max=1)

    def expire(self) -> None:
        self.clock.sleep(self.short + 3)

    def forget(self) -> None:
        for place in (self._lock, self._semaphore):
            blob = self._account.blob(place.blob)
            if blob.exists():
                blob.delete_blob()

    def spoil(self) -> None:
        container = self._account.container(self._lock.blob.container)
        if not container.exists():
            container.create_container()
        for place in (self._lock, self._semaphore):
            self._account.blob(place.blob).upload_blob(b"something else")


class RedisWorld:
    short = 0.12
    lasting = 4.5

    def __init__(self, server: RedisServerForTests, *, timeout: float = 5.0) -> None:
        self.clock: Clock = SystemClock()
        self.server = server
        self.name = uuid4().hex
        self._timeout = timeout

    def line(self, *, port: int | None = None) -> Line:
        return connect(redis_place(self.server.url("x", port=port), "lock").server, timeout=self._timeout)

    def sleepy(self) -> Line:
        """Return a way to the server on which who is not woken sleeps for 20 seconds."""
        return Line(redis_place(self.server.url("x"), "lock").server, timeout=40, longest_block=20)

    def lock(self, line: Line | None = None, *, fair: bool = False, dead_after: float = 4.0) -> RedisLock:
        place = redis_place(self.server.url(self.name), "lock")
        return RedisLock(line or self.line(), place, clock=self.clock, fair=fair, dead_after=dead_after)

    def semaphore(self, line: Line | None = None) -> RedisSemaphore:
        place = redis_place(self.server.url(self.name), "semaphore")
        return RedisSemaphore(line or self.line(), place, clock=self.clock)

    def expire(self) -> None:
        time.sleep(self.short + 0.02)

    def forget(self) -> None:
        self.server.client().flushall()

    def spoil(self) -> None:
        client = self.server.client()
        client.rpush(self.name, "something else")
        client.rpush(f"semaphore::{self.name}::holders", "something else")


def patience(world: World, wait: float = 0.0) -> Patience:
    return Patience(wait=wait, clock=world.clock, tell=lambda _: None)

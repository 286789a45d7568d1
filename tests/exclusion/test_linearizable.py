"""Recorded histories of real locks are linearizable; the checker finds those that are not."""

import random
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from stcc import connection
from stcc.operations import locking
from stcc.operations.locking import Granted, Lock, Patience
from stcc.operations.waiting import SystemClock
from stcc.outcomes.lock import LockReleased
from stcc.redis_engine.lock import RedisLock
from stcc.redis_engine.server import connect
from stcc.storage.account import Account
from stcc.storage.locks import AzureLock
from stcc.values.claims import Claim
from stcc.values.places import azure_place, redis_place
from tests.exclusion.linearizable import Call, is_linearizable

if TYPE_CHECKING:
    from stcc.emulator.instance import Instance
    from tests.redis_server import RedisServerForTests

TTL = 1.0
CLIENTS, CALLS = 4, 16


def lock_of(engine: str, name: str, request: pytest.FixtureRequest) -> Lock:
    if engine == "redis":
        server: RedisServerForTests = request.getfixturevalue("redis_server")
        place = redis_place(server.url(name), "lock")
        return RedisLock(connect(place.server, timeout=10), place, clock=SystemClock())
    azurite: Instance = request.getfixturevalue("azurite")
    account = Account(
        connection.from_connection_string(azurite.connection_string), timeout=10, diagnose=False, trace=None
    )
    return AzureLock(account, azure_place(name, "lock"), clock=SystemClock(), poll_max=1.0)


def calls_of(lock: Lock, who: str, seed: int) -> list[Call]:
    chance, calls = random.Random(seed), list[Call]()
    patience = Patience(wait=0, clock=SystemClock(), tell=lambda _: None)
    for _ in range(CALLS):
        kind = chance.choice(["acquire", "acquire", "renew", "release"])
        begin = time.monotonic()
        if kind == "acquire":
            answer = locking.acquire(lock, Claim(who, TTL), patience=patience)
            result = answer.tenure.fence if isinstance(answer, Granted) else None
            calls.append(Call("acquire", who, begin, time.monotonic(), result))
        elif kind == "renew":
            renewed = isinstance(locking.renew(lock, who), Granted)
            calls.append(Call("renew", who, begin, time.monotonic(), "yes" if renewed else "no"))
        else:
            released = locking.release(lock, who)
            done = isinstance(released, LockReleased) and released.was == "held"
            calls.append(Call("release", who, begin, time.monotonic(), "yes" if done else "no"))
        time.sleep(chance.choice([0, 0.01, 0.1, 0.3]))
    return calls


@pytest.mark.parametrize("engine", ["azure", "redis"])
@pytest.mark.parametrize("seed", [1, 2])
def test_what_clients_see_can_have_happened_one_after_the_other(
    engine: str, seed: int, request: pytest.FixtureRequest
) -> None:
    name = f"history-{engine}-{seed}-{time.time_ns()}"
    locks = [lock_of(engine, name, request) for _ in range(CLIENTS)]
    with ThreadPoolExecutor(CLIENTS) as pool:
        runs = [pool.submit(calls_of, lock, f"client{n}", 100 * seed + n) for n, lock in enumerate(locks)]
        history = [call for run in runs for call in run.result()]

    assert sum(call.kind == "acquire" and call.result is not None for call in history) > 2
    assert is_linearizable(history, ttl=TTL, slack=4.0 if engine == "azure" else 0.5)


@pytest.mark.parametrize(
    "history",
    [
        pytest.param([Call("acquire", "a", 0, 1, 7), Call("acquire", "b", 2, 3, 8)], id="two holders"),
        pytest.param([Call("acquire", "a", 0, 1, 7), Call("release", "b", 2, 3, "yes")], id="released by another"),
        pytest.param(
            [Call("acquire", "a", 0, 1, 7), Call("release", "a", 2, 3, "yes"), Call("acquire", "b", 4, 5, 7)],
            id="the same fence twice",
        ),
        pytest.param([Call("acquire", "a", 0, 1, None)], id="busy, and nobody has it"),
        pytest.param([Call("acquire", "a", 0, 1, 7), Call("renew", "a", 2, 3, "no")], id="lost without a reason"),
        pytest.param([Call("acquire", "a", 0, 1, 7), Call("acquire", "b", 40, 41, None)], id="held for too long"),
    ],
)
def test_the_checker_sees_what_cannot_have_been(history: list[Call]) -> None:
    assert not is_linearizable(history, ttl=30, slack=2)


def test_the_checker_accepts_an_order_that_only_overlapping_calls_allow() -> None:
    history = [
        Call("acquire", "a", 0, 10, 7),
        Call("release", "a", 11, 20, "yes"),
        Call("acquire", "b", 12, 19, 8),
        Call("acquire", "c", 51, 52, 9),
    ]

    assert is_linearizable(history, ttl=30, slack=2)
    assert not is_linearizable([*history[:3], history[3]._replace(begin=41, end=41.5)], ttl=30, slack=2)

"""Waiting on Redis: woken, not polling, and in order for those who asked for it."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise

import pytest

from stcc.operations import locking, permits
from stcc.operations.locking import Granted, Overtaken, State
from stcc.operations.permits import PermitGranted, Permits
from stcc.outcomes import Refused
from stcc.redis_engine.lock import RedisLock
from stcc.values.claims import Claim
from tests.book import BookLock
from tests.engines.worlds import RedisWorld, patience

# Much less than who is sleepy sleeps, with room for a busy machine.
SOON = 10


def state(one: RedisLock) -> State:
    found = one.read()
    assert isinstance(found, State)
    return found


def take(world: RedisWorld, who: str = "peter", ttl: float | None = 60.0) -> None:
    granted = locking.acquire(world.lock(), Claim(who, ttl), patience=patience(world))
    assert isinstance(granted, Granted)


def queued(world: RedisWorld) -> int:
    return int(world.server.client().hlen(f"stcc::queue::{world.name}"))


def blocked(world: RedisWorld, count: int) -> None:
    """Wait until so many clients of the server are blocked."""
    client = world.server.client()
    for _ in range(6000):
        if int(client.info("clients")["blocked_clients"]) >= count:
            return
        time.sleep(0.01)
    raise TimeoutError("nobody blocks")


def waited(work: Callable[[], object]) -> float:
    begun = time.monotonic()
    work()
    return time.monotonic() - begun


def test_a_release_wakes_who_waits(redis_world: RedisWorld) -> None:
    take(redis_world)
    with ThreadPoolExecutor() as pool:
        waiting: Future[Granted | Refused] = pool.submit(
            locking.acquire,
            redis_world.lock(redis_world.sleepy()),
            Claim("tom", 60.0),
            patience=patience(redis_world, wait=60),
        )
        blocked(redis_world, 1)

        locking.release(redis_world.lock(), "peter")
        late = waited(waiting.result)

    assert isinstance(waiting.result(), Granted)
    assert late < SOON


def test_who_waits_blocks_and_does_not_poll(redis_world: RedisWorld) -> None:
    take(redis_world)
    client = redis_world.server.client()
    before = int(client.info("commandstats").get("cmdstat_blpop", {"calls": 0})["calls"])

    answer = locking.acquire(redis_world.lock(), Claim("tom", 60.0), patience=patience(redis_world, wait=1.5))

    assert isinstance(answer, Refused)
    assert answer.exit_code == 75
    assert 1 <= int(client.info("commandstats")["cmdstat_blpop"]["calls"]) - before <= 2


def test_who_waits_wakes_when_the_hold_is_over(redis_world: RedisWorld) -> None:
    take(redis_world, ttl=0.2)

    lock = redis_world.lock(redis_world.sleepy())
    late = waited(lambda: locking.acquire(lock, Claim("tom", 60.0), patience=patience(redis_world, wait=60)))

    assert 0.1 < late < 0.2 + SOON


def test_a_release_without_stcc_is_noticed_within_a_second(redis_world: RedisWorld) -> None:
    book = BookLock(redis_world.server.client(), redis_world.name)
    book.acquire("peter", 60)
    threading.Timer(0.1, book.release, ["peter"]).start()

    late = waited(lambda: take_waiting(redis_world))

    assert 0.1 <= late < 1 + SOON


def take_waiting(world: RedisWorld) -> None:
    granted = locking.acquire(world.lock(), Claim("tom", 60.0), patience=patience(world, wait=60))
    assert isinstance(granted, Granted)


def test_many_releases_leave_one_token(redis_world: RedisWorld) -> None:
    for _ in range(3):
        take(redis_world)
        locking.release(redis_world.lock(), "peter")

    assert redis_world.server.client().llen(f"stcc::wake::{redis_world.name}") == 1


def test_a_token_that_is_no_list_delays_and_does_not_fail(redis_world: RedisWorld) -> None:
    take(redis_world, ttl=0.3)
    redis_world.server.client().set(f"stcc::wake::{redis_world.name}", "something else")

    take_waiting(redis_world)


@pytest.mark.parametrize("grow", [False, True], ids=["released", "more allowed"])
def test_all_who_wait_for_permits_get_those_that_come_back(redis_world: RedisWorld, grow: bool) -> None:
    one = redis_world.semaphore()
    permits.create(one, 4, clock=redis_world.clock)
    for who in "abcd":
        permits.acquire(one, Claim(who, 60.0), patience=patience(redis_world))
    with ThreadPoolExecutor() as pool:
        waiting = [
            pool.submit(
                permits.acquire,
                redis_world.semaphore(redis_world.sleepy()),
                Claim(f"waiter {number}", 60.0),
                patience=patience(redis_world, wait=60),
            )
            for number in range(4)
        ]
        blocked(redis_world, 4)
        found = one.read()
        assert isinstance(found, Permits)
        begun = time.monotonic()
        if grow:
            permits.resize(one, 8, clock=redis_world.clock)
        else:
            for who in "abcd":
                permits.release(one, who, clock=redis_world.clock)
        answers = [each.result() for each in waiting]
        late = time.monotonic() - begun

    assert [type(answer) for answer in answers] == [PermitGranted] * 4
    assert late < SOON


def one_after_the_other(world: RedisWorld, fair: int, hold: float = 0.01) -> list[str]:
    """Let waiters come one after the other while it is held, then release it; return who got it, in order."""
    take(world)
    order: list[str] = []

    def wait(who: str) -> None:
        lock = world.lock(world.sleepy(), fair=True, dead_after=60)
        granted = locking.acquire(lock, Claim(who, 60.0), patience=patience(world, wait=60))
        assert isinstance(granted, Granted)
        order.append(who)
        time.sleep(hold)
        locking.release(lock, who, known=granted.state)

    with ThreadPoolExecutor(fair) as pool:
        done: list[Future[None]] = []
        for number in range(fair):
            done.append(pool.submit(wait, str(number)))
            while queued(world) <= number:
                time.sleep(0.005)
        blocked(world, fair)
        locking.release(world.lock(), "peter")
        for each in done:
            each.result()
    return order


def test_eight_who_wait_in_order_get_it_in_order(redis_world: RedisWorld) -> None:
    begun = time.monotonic()

    assert one_after_the_other(redis_world, 8) == list("01234567")
    # None of them slept through its turn.
    assert time.monotonic() - begun < SOON
    assert queued(redis_world) == 0


def test_who_is_not_first_leaves_the_token_to_who_is(redis_world: RedisWorld) -> None:
    take(redis_world)
    first, second = redis_world.lock(fair=True), redis_world.lock(fair=True)
    first.wait(state(first), 10)  # takes a ticket
    second.wait(state(second), 10)
    locking.release(redis_world.lock(), "peter")

    second.wait(state(second), 0.1)
    left = [redis_world.server.client().llen(f"stcc::wake::{redis_world.name}")]
    first.wait(state(first), 0.1)
    left.append(redis_world.server.client().llen(f"stcc::wake::{redis_world.name}"))

    assert left == [1, 0]


def test_who_leaves_the_queue_knows_of_all_who_have_joined(redis_world: RedisWorld) -> None:
    """Else the newcomer would sleep on its own list, and nobody would wake it there."""
    take(redis_world)
    first, second = redis_world.lock(fair=True), redis_world.lock(redis_world.sleepy(), fair=True, dead_after=60)
    first.wait(state(first), 10)
    locking.release(redis_world.lock(), "peter")
    seen = state(first)
    second.wait(state(second), 10)

    assert first.take(seen, Claim("first", 60.0)) == Overtaken()
    assert isinstance(first.take(state(first), Claim("first", 60.0)), Granted)
    assert waited(lambda: second.wait(state(second), 60)) < SOON


def test_a_newcomer_does_not_overtake_the_queue(redis_world: RedisWorld) -> None:
    take(redis_world)
    first = redis_world.lock(fair=True)
    first.wait(state(first), 10)  # takes a ticket
    locking.release(redis_world.lock(), "peter")

    answer = locking.acquire(redis_world.lock(fair=True), Claim("tom", 60.0), patience=patience(redis_world))

    assert isinstance(answer, Refused)
    assert (answer.exit_code, answer.observed) == (75, {"holder": None})
    assert answer.summary == f"{first.target} is kept for 1 who came before"
    assert isinstance(locking.acquire(first, Claim("first", 60.0), patience=patience(redis_world)), Granted)


def test_the_dead_at_the_head_of_the_queue_drop_out(redis_world: RedisWorld) -> None:
    take(redis_world)
    dead = redis_world.lock(fair=True, dead_after=0.6)
    dead.wait(state(dead), 10)
    alive = redis_world.lock(redis_world.sleepy(), fair=True, dead_after=0.6)
    locking.release(redis_world.lock(), "peter")

    late = waited(lambda: locking.acquire(alive, Claim("tom", 60.0), patience=patience(redis_world, wait=60)))

    assert 0.3 < late < 0.6 + SOON
    assert (state(alive).held or Claim("", None)).identity == "tom"
    assert queued(redis_world) == 0


def test_who_gives_up_does_not_hold_up_the_others(redis_world: RedisWorld) -> None:
    take(redis_world)
    answer = locking.acquire(redis_world.lock(fair=True), Claim("tom", 60.0), patience=patience(redis_world, wait=0.1))
    locking.release(redis_world.lock(), "peter")

    mary = redis_world.lock(redis_world.sleepy(), fair=True, dead_after=60)
    late = waited(lambda: locking.acquire(mary, Claim("mary", 60.0), patience=patience(redis_world, wait=60)))

    assert isinstance(answer, Refused)
    assert late < 0.5 + SOON


def test_who_did_not_ask_for_an_order_may_overtake(redis_world: RedisWorld) -> None:
    take(redis_world)
    first = redis_world.lock(fair=True)
    first.wait(state(first), 10)
    locking.release(redis_world.lock(), "peter")

    take(redis_world, "tom")

    assert (state(first).held or Claim("", None)).identity == "tom"


def test_nobody_sleeps_through_a_handover(redis_world: RedisWorld) -> None:
    stamps: list[float] = []

    def turns(who: str) -> None:
        lock = redis_world.lock(redis_world.sleepy())
        for _ in range(15):
            granted = locking.acquire(lock, Claim(who, 60.0), patience=patience(redis_world, wait=60))
            assert isinstance(granted, Granted)
            stamps.append(time.monotonic())
            time.sleep(0.005)
            locking.release(lock, who, known=granted.state)
            time.sleep(0.002)

    with ThreadPoolExecutor() as pool:
        for each in [pool.submit(turns, who) for who in ("peter", "tom")]:
            each.result()

    assert max(later - earlier for earlier, later in pairwise(stamps)) < SOON

"""What stcc leaves on a Redis server, and what it counts from."""

import time
from typing import Any

from stcc.operations.locking import Granted, State
from stcc.operations.permits import PermitGranted, Permits
from stcc.redis_engine.lock import Kept, state_of
from stcc.redis_engine.server import Command, Line
from stcc.redis_engine.watched import Seen
from stcc.values.claims import Claim
from stcc.values.places import redis_place
from tests.engines.worlds import RedisWorld

PAUSE = 0.1


class Slow(Line):
    """A connection on which every answer takes its time."""

    def ask(self, *commands: Command) -> list[Any]:
        replies = super().ask(*commands)
        time.sleep(PAUSE)
        return replies


def slow(world: RedisWorld) -> Line:
    return Slow(redis_place(world.server.url("x"), "lock").server, timeout=5)


def keys(world: RedisWorld) -> list[str]:
    return sorted(key.decode().replace(world.name, "NAME") for key in world.server.client().keys(f"*{world.name}*"))


def test_a_lock_leaves_its_last_fence_and_a_token_that_expires(redis_world: RedisWorld) -> None:
    one = redis_world.lock()
    before = one.read()
    assert isinstance(before, State)
    granted = one.take(before, Claim("me", 60.0))
    assert isinstance(granted, Granted)
    held = keys(redis_world)
    one.free(granted.state)

    assert held == ["NAME", "stcc::fence::NAME", "stcc::lock::NAME"]
    assert keys(redis_world) == ["stcc::fence::NAME", "stcc::wake::NAME"]
    assert 0 < redis_world.server.client().pttl(f"stcc::wake::{redis_world.name}") <= 2000


def test_a_semaphore_leaves_its_maximum_and_its_last_fence(redis_world: RedisWorld) -> None:
    one = redis_world.semaphore()
    for change in ("limit", "take", "free"):
        seen = one.read()
        assert isinstance(seen, Permits)
        if change == "limit":
            one.limit(seen, 1)
        elif change == "take":
            one.take(seen, Claim("me", 60.0))
        else:
            one.free(seen, "me")

    left = ["semaphore::NAME::max_size", "stcc::fence::semaphore::NAME", "stcc::wake::semaphore::NAME"]
    assert keys(redis_world) == left


def test_what_belongs_to_a_hold_expires_with_it(redis_world: RedisWorld) -> None:
    one = redis_world.lock()
    before = one.read()
    assert isinstance(before, State)
    one.take(before, Claim("me", 0.05))
    time.sleep(0.07)

    assert keys(redis_world) == ["stcc::fence::NAME"]


def test_what_is_there_is_held_be_it_for_less_than_a_millisecond() -> None:
    found = state_of(Seen(Kept(b"me", None, None), [b"me", [None, None], 0], now=0, asked=0.0))

    assert (found.left, found.is_free) == (0.001, False)


def test_fences_go_on_from_the_last_one_also_when_the_clock_goes_back(redis_world: RedisWorld) -> None:
    client, future = redis_world.server.client(), 10**17
    client.set(f"stcc::fence::{redis_world.name}", future)
    client.set(f"stcc::fence::semaphore::{redis_world.name}", future)
    lock, semaphore = redis_world.lock(), redis_world.semaphore()
    fences: list[int | None] = []
    for who in ("peter", "tom"):
        state, permits = lock.read(), semaphore.read()
        assert isinstance(state, State)
        assert isinstance(permits, Permits)
        granted, permit = lock.take(state, Claim(who, 60.0)), semaphore.take(permits, Claim(who, 60.0))
        assert isinstance(granted, Granted)
        assert isinstance(permit, PermitGranted)
        fences += [granted.tenure.fence, permit.tenure.fence]
        lock.free(granted.state)

    assert fences == [future + 1, future + 1, future + 2, future + 2]


def test_a_hold_counts_from_before_it_was_asked_for(redis_world: RedisWorld) -> None:
    one = redis_world.lock(slow(redis_world))
    before = one.read()
    assert isinstance(before, State)
    now = redis_world.clock.monotonic()
    granted = one.take(before, Claim("me", 60.0))

    assert isinstance(granted, Granted)
    assert granted.deadline is not None
    assert 60 <= granted.deadline - now < 60 + PAUSE


def test_a_permit_counts_from_before_the_look_whose_time_it_has(redis_world: RedisWorld) -> None:
    one = redis_world.semaphore(slow(redis_world))
    now = redis_world.clock.monotonic()
    seen = one.read()
    assert isinstance(seen, Permits)
    granted = one.take(seen, Claim("me", 60.0))

    assert isinstance(granted, PermitGranted)
    assert granted.deadline is not None
    assert 60 <= granted.deadline - now < 60 + PAUSE

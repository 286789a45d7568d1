"""Answers that get lost on the way from Redis: what was done is found out, and nothing is done twice."""

import time
from collections.abc import Generator
from typing import Literal

import pytest

from stcc.errors import Unavailable, Unknown
from stcc.operations.locking import Granted, Overtaken, State
from stcc.operations.permits import PermitGranted, Permits
from stcc.outcomes import Reply
from stcc.redis_engine.lock import RedisLock
from stcc.redis_engine.semaphore import RedisSemaphore
from stcc.values.claims import Claim
from tests.engines.cutting import Cutting
from tests.engines.worlds import RedisWorld

ME = Claim("me", 60.0, "why")
Where = Literal["request", "reply"]


@pytest.fixture
def proxy(redis_world: RedisWorld) -> Generator[Cutting]:
    with Cutting(redis_world.server.port) as proxy:
        yield proxy


def lock(world: RedisWorld, proxy: Cutting) -> RedisLock:
    return world.lock(world.line(port=proxy.port))


def semaphore(world: RedisWorld, proxy: Cutting) -> RedisSemaphore:
    return world.semaphore(world.line(port=proxy.port))


def state(one: RedisLock) -> State:
    found = one.read()
    assert isinstance(found, State)
    return found


def permits(one: RedisSemaphore) -> Permits:
    found = one.read()
    assert isinstance(found, Permits)
    return found


def held(world: RedisWorld) -> str | None:
    tenure = state(world.lock()).held
    return None if tenure is None else tenure.identity


def taken(world: RedisWorld, who: str = "me") -> Granted:
    granted = (one := world.lock()).take(state(one), Claim(who, 60.0))
    assert isinstance(granted, Granted)
    return granted


def taken_from(world: RedisWorld) -> None:
    one = world.lock()
    one.free(state(one))
    taken(world, "another")


def entered(world: RedisWorld, *, ttl: float = 60.0) -> None:
    one = world.semaphore()
    one.limit(permits(one), 2)
    one.take(permits(one), ME._replace(ttl=ttl))


@pytest.mark.parametrize(("where", "settled"), [("reply", "evidence"), ("request", "repeat")])
def test_a_grant_whose_answer_was_lost_is_a_grant(
    redis_world: RedisWorld, proxy: Cutting, where: Where, settled: str
) -> None:
    one = lock(redis_world, proxy)
    proxy.cut(b"EXEC", where)

    granted = one.take(state(one), ME)

    assert isinstance(granted, Granted)
    assert (granted.reply.settled, state(redis_world.lock()).held) == (settled, granted.tenure)


@pytest.mark.parametrize(("where", "settled"), [("reply", "evidence"), ("request", "repeat")])
def test_a_renewal_whose_answer_was_lost_is_a_renewal(
    redis_world: RedisWorld, proxy: Cutting, where: Where, settled: str
) -> None:
    granted = taken(redis_world)
    one = lock(redis_world, proxy)
    proxy.cut(b"EXEC", where)

    kept = one.keep(state(one), granted.tenure._replace(ttl=600.0))

    assert isinstance(kept, Granted)
    left = state(redis_world.lock()).left
    assert left is not None
    assert (kept.reply.settled, left > 590) == (settled, True)


@pytest.mark.parametrize(("where", "settled"), [("reply", "state"), ("request", "repeat")])
def test_a_release_whose_answer_was_lost_is_a_release(
    redis_world: RedisWorld, proxy: Cutting, where: Where, settled: str
) -> None:
    taken(redis_world)
    one = lock(redis_world, proxy)
    proxy.cut(b"EXEC", where)

    reply = one.free(state(one))

    assert isinstance(reply, Reply)
    assert (reply.settled, held(redis_world)) == (settled, None)


def test_several_lost_answers_in_a_row_are_settled_too(redis_world: RedisWorld, proxy: Cutting) -> None:
    one = lock(redis_world, proxy)
    proxy.cut(b"EXEC", "request", times=2)
    proxy.cut(b"WATCH", "reply")

    granted = one.take(state(one), ME)

    assert isinstance(granted, Granted)
    assert (granted.reply.settled, held(redis_world)) == ("repeat", "me")


def test_a_grant_that_was_lost_and_then_taken_away_is_none(redis_world: RedisWorld, proxy: Cutting) -> None:
    one = lock(redis_world, proxy)
    proxy.cut(b"EXEC", "reply", meanwhile=lambda: taken_from(redis_world))

    answer = one.take(state(one), ME)

    assert (answer, held(redis_world)) == (Overtaken(perhaps=True), "another")


def test_a_grant_that_never_arrived_and_came_too_late_is_none(redis_world: RedisWorld, proxy: Cutting) -> None:
    one = lock(redis_world, proxy)
    proxy.cut(b"EXEC", "request", meanwhile=lambda: taken(redis_world, "another"))

    answer = one.take(state(one), ME)

    assert (answer, held(redis_world)) == (Overtaken(perhaps=True), "another")


def test_a_lost_release_frees_nothing_of_who_came_next(redis_world: RedisWorld, proxy: Cutting) -> None:
    taken(redis_world)
    one = lock(redis_world, proxy)
    proxy.cut(b"EXEC", "reply", meanwhile=lambda: taken(redis_world, "another"))

    reply = one.free(state(one))

    assert isinstance(reply, Reply)
    assert (reply.settled, held(redis_world)) == ("state", "another")


def test_a_lost_release_is_not_taken_for_one_of_the_next_hold_of_the_same_identity(
    redis_world: RedisWorld, proxy: Cutting
) -> None:
    taken(redis_world)
    one = lock(redis_world, proxy)
    proxy.cut(b"EXEC", "reply", meanwhile=lambda: taken(redis_world))

    reply = one.free(state(one))

    assert isinstance(reply, Reply)
    assert (reply.settled, held(redis_world)) == ("state", "me")


def test_a_lost_release_of_who_came_without_stcc_is_settled_too(redis_world: RedisWorld, proxy: Cutting) -> None:
    redis_world.server.client().set(redis_world.name, "tom")
    one = lock(redis_world, proxy)
    proxy.cut(b"EXEC", "reply")

    reply = one.free(state(one))

    assert isinstance(reply, Reply)
    assert (reply.settled, held(redis_world)) == ("state", None)


@pytest.mark.parametrize("where", ["reply", "request"])
def test_what_cannot_be_found_out_is_unknown(redis_world: RedisWorld, proxy: Cutting, where: Where) -> None:
    one = lock(redis_world, proxy)
    before = state(one)
    proxy.cut(b"EXEC", where, down=True)

    with pytest.raises(Unknown) as caught:
        one.take(before, ME)

    assert caught.value.message.startswith(f"{one.target}: the answer was lost (")


def test_a_look_whose_answer_was_lost_is_repeated_a_few_times(redis_world: RedisWorld, proxy: Cutting) -> None:
    one = lock(redis_world, proxy)
    proxy.cut(b"WATCH", "reply", times=3)

    assert state(one).held is None
    proxy.cut(b"WATCH", "reply", times=4)
    with pytest.raises(Unavailable):
        one.read()


def test_a_change_after_the_connection_broke_looks_again_first(redis_world: RedisWorld, proxy: Cutting) -> None:
    line = redis_world.line(port=proxy.port)
    one = redis_world.lock(line)
    taken(redis_world)
    before = state(one)
    line.close()
    taken_from(redis_world)

    assert (one.free(before), held(redis_world)) == (Overtaken(), "another")


def test_two_locks_on_one_connection_do_not_undo_each_others_watch(redis_world: RedisWorld) -> None:
    line = redis_world.line()
    one, other = redis_world.lock(line), redis_world.semaphore(line)
    before = state(one)
    permits(other)
    taken(redis_world, "another")

    assert (one.take(before, ME), held(redis_world)) == (Overtaken(), "another")


def test_tidying_up_that_cannot_be_found_out_is_a_look_without_an_answer(
    redis_world: RedisWorld, proxy: Cutting
) -> None:
    entered(redis_world, ttl=0.05)
    time.sleep(0.06)
    one = semaphore(redis_world, proxy)
    proxy.cut(b"EXEC", "reply", down=True)

    with pytest.raises(Unavailable):
        one.read()
    assert redis_world.server.client().scard(f"semaphore::{redis_world.name}::holders") == 0


@pytest.mark.parametrize(("where", "settled"), [("reply", "evidence"), ("request", "repeat")])
def test_a_permit_whose_answer_was_lost_is_granted_once(
    redis_world: RedisWorld, proxy: Cutting, where: Where, settled: str
) -> None:
    redis_world.semaphore().limit(permits(redis_world.semaphore()), 2)
    one = semaphore(redis_world, proxy)
    proxy.cut(b"EXEC", where)

    granted = one.take(permits(one), ME)

    assert isinstance(granted, PermitGranted)
    found = permits(redis_world.semaphore())
    assert (granted.reply.settled, [permit.tenure for permit in found.holders]) == (settled, [granted.tenure])


@pytest.mark.parametrize(("where", "settled"), [("reply", "state"), ("request", "repeat")])
@pytest.mark.parametrize("verb", ["free", "limit"])
def test_other_changes_of_a_semaphore_whose_answer_was_lost_are_done(
    redis_world: RedisWorld, proxy: Cutting, where: Where, settled: str, verb: str
) -> None:
    entered(redis_world)
    one = semaphore(redis_world, proxy)
    seen = permits(one)
    proxy.cut(b"EXEC", where)

    reply = one.free(seen, "me") if verb == "free" else one.limit(seen, 1)

    assert isinstance(reply, Reply)
    found = permits(redis_world.semaphore())
    after = (2, 0) if verb == "free" else (1, 1)
    assert (reply.settled, (found.max, len(found.holders))) == (settled, after)


@pytest.mark.parametrize(("where", "settled"), [("reply", "evidence"), ("request", "repeat")])
def test_a_renewed_permit_whose_answer_was_lost_is_renewed(
    redis_world: RedisWorld, proxy: Cutting, where: Where, settled: str
) -> None:
    entered(redis_world)
    one = semaphore(redis_world, proxy)
    seen = permits(one)
    proxy.cut(b"EXEC", where)

    kept = one.keep(seen, seen.holders[0].tenure._replace(ttl=600.0))

    assert isinstance(kept, PermitGranted)
    left = permits(redis_world.semaphore()).left
    assert left is not None
    assert (kept.reply.settled, left > 590) == (settled, True)

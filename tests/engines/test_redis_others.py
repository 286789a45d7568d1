"""Clients that know only identities, on the same server: they exclude stcc and are excluded by it."""

import time

from stcc.operations import locking, permits
from stcc.operations.locking import Granted, Overtaken, State
from stcc.operations.permits import PermitGranted, Permits
from stcc.outcomes import Refused
from stcc.outcomes.lock import LockReleased, LockShown
from stcc.redis_engine.lock import RedisLock
from stcc.redis_engine.server import Line
from stcc.values.claims import Claim
from stcc.values.places import redis_place
from tests.book import BookLock, BookSemaphore
from tests.engines.unwatched import Unwatched
from tests.engines.worlds import RedisWorld, patience


def unwatched(world: RedisWorld) -> Line:
    return Unwatched(redis_place(world.server.url("x"), "lock").server, timeout=5)


def book_lock(world: RedisWorld) -> BookLock:
    return BookLock(world.server.client(), world.name)


def book_semaphore(world: RedisWorld) -> BookSemaphore:
    return BookSemaphore(world.server.client(), world.name)


def acquire(world: RedisWorld, who: str = "peter", *, ttl: float | None = 60.0) -> Granted | Refused:
    return locking.acquire(world.lock(), Claim(who, ttl), patience=patience(world))


def enter(world: RedisWorld, who: str = "peter", *, ttl: float | None = 60.0) -> PermitGranted | Refused:
    return permits.acquire(world.semaphore(), Claim(who, ttl), patience=patience(world))


def code(answer: object) -> int:
    return int(answer.exit_code) if isinstance(answer, Refused) else 0


def stale_release(world: RedisWorld, line: Line) -> tuple[object, bytes]:
    """Release what has expired and been taken between the look and the change; return the answer and the holder."""
    one = world.lock(line)
    acquire(world, ttl=0.05)
    seen = one.read()
    assert isinstance(seen, State)
    time.sleep(0.06)
    assert book_lock(world).acquire("tom", 60)
    answer = one.free(seen)
    return answer, world.server.client().get(world.name)


def test_a_lock_of_stcc_excludes_others(redis_world: RedisWorld) -> None:
    book = book_lock(redis_world)
    acquire(redis_world)

    assert [book.acquire("tom", 60), book.release("tom")] == [False, False]
    assert isinstance(locking.release(redis_world.lock(), "peter"), LockReleased)
    assert book.acquire("tom", 60)


def test_a_lock_of_others_excludes_stcc_and_is_not_broken(redis_world: RedisWorld) -> None:
    book = book_lock(redis_world)
    assert book.acquire("tom", 60)
    lock = redis_world.lock()
    seen = lock.read()
    assert isinstance(seen, State)

    answers = [acquire(redis_world), locking.release(lock, "peter"), locking.break_(lock, seen)]

    assert [code(answer) for answer in answers] == [75, 9, 9]
    assert redis_world.server.client().get(redis_world.name) == b"tom"
    assert book.release("tom")
    assert code(acquire(redis_world)) == 0


def test_a_holder_without_stcc_is_shown_without_what_only_stcc_knows(redis_world: RedisWorld) -> None:
    book_lock(redis_world).acquire("tom", 60)

    shown = locking.show(redis_world.lock())

    assert isinstance(shown, LockShown)
    assert (shown.identity, shown.since, shown.fence, shown.note, shown.ttl) == ("tom", None, None, None, None)
    assert shown.expires is not None


def test_a_note_about_a_former_holder_is_ignored(redis_world: RedisWorld) -> None:
    acquire(redis_world)
    redis_world.server.client().set(redis_world.name, "tom")

    shown = locking.show(redis_world.lock())

    assert isinstance(shown, LockShown)
    assert (shown.identity, shown.since, shown.fence) == ("tom", None, None)


def test_who_came_without_stcc_may_release_with_it_but_not_renew(redis_world: RedisWorld) -> None:
    book_lock(redis_world).acquire("tom", 60)

    answers = [locking.renew(redis_world.lock(), "tom"), locking.release(redis_world.lock(), "tom")]

    assert [code(answer) for answer in answers] == [9, 0]
    assert redis_world.server.client().get(redis_world.name) is None


def test_others_may_release_what_stcc_granted(redis_world: RedisWorld) -> None:
    acquire(redis_world)

    assert book_lock(redis_world).release("peter")
    assert code(locking.renew(redis_world.lock(), "peter")) == 9


def test_a_release_that_comes_too_late_leaves_the_next_holder_alone(redis_world: RedisWorld) -> None:
    assert stale_release(redis_world, redis_world.line()) == (Overtaken(), b"tom")


def test_without_a_watch_a_release_that_comes_too_late_takes_anothers_lock(redis_world: RedisWorld) -> None:
    _, holder = stale_release(redis_world, unwatched(redis_world))

    assert holder is None


def test_a_lock_and_the_lead_of_one_name_are_two_things(redis_world: RedisWorld) -> None:
    acquire(redis_world)
    lead = RedisLock(
        redis_world.line(), redis_place(redis_world.server.url(redis_world.name), "leader"), clock=redis_world.clock
    )
    taken = locking.acquire(lead, Claim("tom", 60.0), patience=patience(redis_world))

    client = redis_world.server.client()
    assert isinstance(taken, Granted)
    assert client.get(redis_world.name) == b"peter"
    assert client.get(f"stcc::leader::{redis_world.name}") == b"tom"


def test_permits_of_stcc_and_of_others_count_together(redis_world: RedisWorld) -> None:
    book = book_semaphore(redis_world)
    book.set_max_size(3)

    answers = [enter(redis_world), enter(redis_world, "jack"), book.acquire("tom")]

    assert [code(answer) for answer in answers] == [0, 0, 0]
    assert (book.acquire("mary"), code(enter(redis_world, "mary"))) == (False, 75)
    assert book.release("tom")
    assert code(enter(redis_world, "mary")) == 0
    assert (book.acquire("tom"), book.size()) == (False, 3)


def test_the_release_of_a_permit_is_seen_by_the_other_side(redis_world: RedisWorld) -> None:
    book = book_semaphore(redis_world)
    book.set_max_size(1)
    enter(redis_world)

    assert book.release("peter")
    assert book.acquire("tom")
    assert code(permits.release(redis_world.semaphore(), "peter", clock=redis_world.clock)) == 9
    assert code(permits.release(redis_world.semaphore(), "tom", clock=redis_world.clock)) == 0
    assert book.size() == 0


def test_others_see_an_expiry_after_any_operation_of_stcc(redis_world: RedisWorld) -> None:
    book = book_semaphore(redis_world)
    book.set_max_size(1)
    enter(redis_world, ttl=0.05)
    time.sleep(0.06)

    assert not book.acquire("tom")
    permits.show(redis_world.semaphore())
    assert book.acquire("tom")


def test_a_permit_of_others_never_expires_also_under_a_former_identity(redis_world: RedisWorld) -> None:
    book = book_semaphore(redis_world)
    book.set_max_size(1)
    enter(redis_world, ttl=0.05)
    book.release("peter")
    permits.show(redis_world.semaphore())
    assert book.acquire("peter")
    time.sleep(0.06)

    found = redis_world.semaphore().read()

    assert isinstance(found, Permits)
    assert [(one.tenure, one.expires) for one in found.holders] == [(("peter", None, None, None, None, False), None)]


def test_a_permit_of_others_is_not_renewed(redis_world: RedisWorld) -> None:
    book = book_semaphore(redis_world)
    book.set_max_size(1)
    book.acquire("tom")

    assert code(permits.renew(redis_world.semaphore(), "tom", clock=redis_world.clock)) == 9


def test_a_maximum_that_is_no_number_is_refused(redis_world: RedisWorld) -> None:
    redis_world.server.client().set(f"semaphore::{redis_world.name}::max_size", "many")

    assert code(enter(redis_world)) == 9

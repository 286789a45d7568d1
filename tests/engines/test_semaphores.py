"""What every engine promises of a semaphore: the exit codes, never more than the maximum, permits that come back."""

from collections.abc import Callable

import pytest

from stcc.exits import Exit
from stcc.operations import permits
from stcc.operations.locking import Overtaken
from stcc.operations.permits import PermitGranted, Permits
from stcc.outcomes import Refused
from stcc.outcomes.semaphore import PermitReleased, SemaphoreCreated, SemaphoreResized, SemaphoreShown
from stcc.values.claims import Claim
from tests.engines.worlds import World, patience

ME, YOU = "me", "you"


def create(world: World, most: int = 1) -> SemaphoreCreated | Refused:
    return permits.create(world.semaphore(), most, clock=world.clock)


def resize(world: World, most: int) -> SemaphoreResized | Refused:
    return permits.resize(world.semaphore(), most, clock=world.clock)


def acquire(world: World, who: str = ME, *, ttl: float | None = 60.0, wait: float = 0.0) -> PermitGranted | Refused:
    return permits.acquire(world.semaphore(), Claim(who, ttl, "why"), patience=patience(world, wait))


def acquired(world: World, who: str = ME, *, ttl: float | None = 60.0) -> PermitGranted:
    granted = acquire(world, who, ttl=ttl)
    assert isinstance(granted, PermitGranted), granted
    return granted


def read(world: World) -> Permits:
    found = world.semaphore().read()
    assert isinstance(found, Permits)
    return found


def holders(world: World) -> list[str]:
    return [one.tenure.identity for one in read(world).holders]


def missing(world: World) -> None:
    """Leave it as it is: nobody has created it."""


def free(world: World) -> None:
    create(world)


def mine(world: World) -> None:
    create(world)
    acquired(world)


def mine_of_two(world: World) -> None:
    create(world, 2)
    acquired(world)


def expired(world: World) -> None:
    create(world)
    acquired(world, ttl=world.short)
    world.expire()


def full(world: World) -> None:
    create(world)
    acquired(world, YOU)


Act = Callable[[World], object]
VERBS: dict[str, Act] = {
    "create --max 1": create,
    "create --max 3": lambda world: create(world, 3),
    "resize --max 3": lambda world: resize(world, 3),
    "acquire": acquire,
    "renew": lambda world: permits.renew(world.semaphore(), ME, clock=world.clock),
    "release": lambda world: permits.release(world.semaphore(), ME, clock=world.clock),
    "show": lambda world: permits.show(world.semaphore()),
}
BEFORE: tuple[Act, ...] = (missing, free, mine, expired, full)
TABLE: dict[str, tuple[int, int, int, int, int]] = {
    "create --max 1": (0, 0, 0, 0, 0),
    "create --max 3": (0, 9, 9, 9, 9),
    "resize --max 3": (4, 0, 0, 0, 0),
    "acquire": (4, 0, 75, 0, 75),
    "renew": (4, 9, 0, 9, 9),
    "release": (4, 9, 0, 9, 9),
    "show": (4, 0, 0, 0, 0),
}
CASES = [
    pytest.param(verb, before, code, id=f"{verb}, {before.__name__}: {code}")
    for verb, codes in TABLE.items()
    for before, code in zip(BEFORE, codes, strict=True)
]


@pytest.mark.parametrize(("verb", "before", "code"), CASES)
def test_what_may_be_done_depends_on_who_holds_permits(world: World, verb: str, before: Act, code: int) -> None:
    before(world)

    answer = VERBS[verb](world)

    assert (answer.exit_code if isinstance(answer, Refused) else Exit.DONE) == code


def test_an_identity_never_gets_a_second_permit(world: World) -> None:
    mine_of_two(world)

    answer = acquire(world)

    assert isinstance(answer, Refused)
    assert (answer.exit_code, holders(world)) == (75, [ME])


def test_a_semaphore_is_created_once(world: World) -> None:
    answers = [create(world, 3), create(world, 3)]

    assert [answer.created for answer in answers if isinstance(answer, SemaphoreCreated)] == [True, False]


def test_holders_are_shown_in_the_order_of_their_grants(world: World) -> None:
    create(world, 3)
    granted = [acquired(world, who) for who in ("peter", "tom", "mary")]

    shown = permits.show(world.semaphore())

    assert isinstance(shown, SemaphoreShown)
    assert (shown.max, shown.current) == (3, 3)
    seen = [(one["identity"], one["fence"], one["since"], one["note"]) for one in shown.holders]
    assert seen == [(one.tenure.identity, one.tenure.fence, one.tenure.since, "why") for one in granted]
    assert None not in [one["expires"] for one in shown.holders]


def test_a_grant_counts_itself_and_the_others(world: World) -> None:
    create(world, 3)
    acquired(world, YOU)

    granted = acquired(world)

    assert [one.tenure.identity for one in granted.permits.holders] == [YOU, ME]
    assert granted.expires is not None


def test_renewing_keeps_fence_and_begin(world: World) -> None:
    mine(world)
    before = read(world).holders[0].tenure

    renewed = permits.renew(world.semaphore(), ME, clock=world.clock)

    assert isinstance(renewed, PermitGranted)
    assert (renewed.tenure, read(world).holders[0].tenure) == (before, before)


def test_a_renewed_permit_outlives_its_first_time(world: World) -> None:
    create(world)
    acquired(world, ttl=world.lasting)
    for _ in range(4):
        world.clock.sleep(world.lasting / 3)
        permits.renew(world.semaphore(), ME, clock=world.clock)

    assert holders(world) == [ME]


def test_fences_only_grow(world: World) -> None:
    create(world, 2)
    fences = [acquired(world, who).tenure.fence or 0 for who in (ME, YOU)]
    permits.release(world.semaphore(), ME, clock=world.clock)
    fences.append(acquired(world).tenure.fence or 0)

    assert fences == sorted(set(fences))


def test_fences_grow_also_after_everything_was_deleted(timely_world: World) -> None:
    fences: list[int] = []
    for _ in range(2):
        create(timely_world)
        fences.append(acquired(timely_world).tenure.fence or 0)
        timely_world.forget()

    assert fences == sorted(set(fences))


def test_nothing_is_done_to_what_changed_since_it_was_read(world: World) -> None:
    mine_of_two(world)
    one = world.semaphore()
    seen = one.read()
    assert isinstance(seen, Permits)
    acquired(world, YOU)

    answers = [
        one.take(seen, Claim("another", 60.0)),
        one.keep(seen, seen.holders[0].tenure),
        one.free(seen, ME),
        one.limit(seen, 5),
    ]

    assert answers == [Overtaken()] * 4
    assert (read(world).max, holders(world)) == (2, [ME, YOU])


def test_a_change_of_the_maximum_overtakes_a_grant(world: World) -> None:
    mine_of_two(world)
    one = world.semaphore()
    seen = one.read()
    assert isinstance(seen, Permits)
    resize(world, 1)

    assert one.take(seen, Claim(YOU, 60.0)) == Overtaken()


def test_below_what_is_held_nobody_loses_a_permit_and_nobody_gets_one(world: World) -> None:
    create(world, 3)
    for who in (ME, YOU, "another"):
        acquired(world, who)

    answer = resize(world, 1)
    permits.release(world.semaphore(), ME, clock=world.clock)
    permits.release(world.semaphore(), YOU, clock=world.clock)

    assert isinstance(answer, SemaphoreResized)
    assert (answer.max, answer.was, answer.current) == (1, 3, 3)
    again = acquire(world)
    assert isinstance(again, Refused)
    assert (again.exit_code, holders(world)) == (75, ["another"])


def test_a_release_says_how_many_are_left(world: World) -> None:
    mine_of_two(world)
    acquired(world, YOU)

    answer = permits.release(world.semaphore(), ME, clock=world.clock)

    assert isinstance(answer, PermitReleased)
    assert (answer.max, answer.current, holders(world)) == (2, 1, [YOU])


def test_without_a_ttl_a_permit_is_kept_until_it_is_released(world: World) -> None:
    create(world)
    granted = acquired(world, ttl=None)
    world.expire()

    assert (granted.deadline, granted.expires, holders(world)) == (None, None, [ME])


def test_the_holder_counts_from_before_it_asked(world: World) -> None:
    create(world)
    before = world.clock.monotonic()
    granted = acquired(world)
    after = world.clock.monotonic()

    assert granted.deadline is not None
    assert before + 60 <= granted.deadline <= after + 60


def test_a_name_that_is_used_for_something_else_is_left_alone(world: World) -> None:
    world.spoil()

    answers = [act(world) for act in VERBS.values()]

    assert [one.exit_code for one in answers if isinstance(one, Refused)] == [9] * len(VERBS)


def test_who_waits_gets_the_permit_of_a_holder_that_died(world: World) -> None:
    create(world)
    acquired(world, YOU, ttl=world.short)

    assert isinstance(acquire(world, wait=30), PermitGranted)
    assert holders(world) == [ME]

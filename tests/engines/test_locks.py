"""What every engine promises of a lock: the table of exit codes, fences that only grow, no change unseen."""

from collections.abc import Callable

import pytest

from stcc.exits import Exit
from stcc.operations import locking
from stcc.operations.locking import Granted, Overtaken, State
from stcc.outcomes import Refused
from stcc.outcomes.lock import LockReleased, LockShown
from stcc.values.claims import Claim
from tests.engines.worlds import World, patience

ME, YOU = "me", "you"


def acquire(world: World, who: str = ME, *, ttl: float | None = 60.0, reentrant: bool = False) -> Granted | Refused:
    return locking.acquire(world.lock(), Claim(who, ttl, "why"), patience=patience(world), reentrant=reentrant)


def acquired(world: World, who: str = ME, *, ttl: float | None = 60.0) -> Granted:
    granted = acquire(world, who, ttl=ttl)
    assert isinstance(granted, Granted), granted
    return granted


def read(world: World) -> State:
    state = world.lock().read()
    assert isinstance(state, State)
    return state


def break_(world: World) -> object:
    return locking.break_(world.lock(), read(world))


def free(world: World) -> None:
    """Leave it as it is: nobody has ever held it."""


def mine(world: World) -> None:
    acquired(world)


def expired(world: World) -> None:
    acquired(world, ttl=world.short)
    world.expire()


def somebody_elses(world: World) -> None:
    acquired(world, YOU)


Act = Callable[[World], object]
VERBS: dict[str, Act] = {
    "acquire": acquire,
    "acquire --reentrant": lambda world: acquire(world, reentrant=True),
    "renew": lambda world: locking.renew(world.lock(), ME),
    "release": lambda world: locking.release(world.lock(), ME),
    "show": lambda world: locking.show(world.lock()),
    "break": break_,
}
TABLE: dict[str, tuple[int, int, int, int]] = {
    "acquire": (0, 75, 0, 75),
    "acquire --reentrant": (0, 0, 0, 75),
    "renew": (9, 0, 9, 9),
    "release": (0, 0, 0, 9),
    "show": (4, 0, 4, 0),
    "break": (4, 0, 4, 0),
}
CASES = [
    pytest.param(verb, before, code, id=f"{verb}, {before.__name__}: {code}")
    for verb, codes in TABLE.items()
    for before, code in zip((free, mine, expired, somebody_elses), codes, strict=True)
]


@pytest.mark.parametrize(("verb", "before", "code"), CASES)
def test_what_may_be_done_depends_on_who_holds_it(world: World, verb: str, before: Act, code: int) -> None:
    before(world)

    answer = VERBS[verb](world)

    assert (answer.exit_code if isinstance(answer, Refused) else Exit.DONE) == code


def test_a_holder_is_shown_with_all_that_is_known(world: World) -> None:
    granted = acquired(world)

    shown = locking.show(world.lock())

    assert isinstance(shown, LockShown)
    assert (shown.identity, shown.ttl, shown.note, shown.fence) == (ME, 60.0, "why", granted.tenure.fence)
    assert shown.since == granted.tenure.since
    assert shown.expires is not None


def test_a_release_says_whether_there_was_something_to_release(world: World) -> None:
    granted = acquired(world)

    answers = [locking.release(world.lock(), ME) for _ in range(2)]

    seen = [(answer.was, answer.fence) for answer in answers if isinstance(answer, LockReleased)]
    assert seen == [("held", granted.tenure.fence), ("free", None)]


def test_the_wrong_identity_releases_nothing(world: World) -> None:
    granted = acquired(world)

    locking.release(world.lock(), YOU)

    assert read(world).held == granted.tenure


def test_fences_only_grow_and_renewing_does_not_change_them(world: World) -> None:
    fences: list[int | None] = []
    endings: tuple[Act, ...] = (VERBS["release"], VERBS["break"])
    for end in endings:
        granted = acquired(world)
        renewed = locking.renew(world.lock(), ME)
        again = acquire(world, reentrant=True)
        assert isinstance(renewed, Granted)
        assert isinstance(again, Granted)
        assert renewed.tenure.fence == again.tenure.fence == granted.tenure.fence
        fences.append(granted.tenure.fence)
        end(world)
    fences.append(acquired(world, YOU).tenure.fence)

    assert fences == sorted({fence for fence in fences if fence is not None})


def test_fences_grow_also_after_everything_was_deleted(timely_world: World) -> None:
    fences: list[int] = []
    for _ in range(2):
        fences.append(acquired(timely_world).tenure.fence or 0)
        timely_world.forget()

    assert fences == sorted(set(fences))


def test_nothing_is_done_to_what_changed_since_it_was_read(world: World) -> None:
    one = world.lock()
    empty = one.read()
    assert isinstance(empty, State)
    acquired(world, YOU)

    assert one.take(empty, Claim(ME, 60.0)) == Overtaken()
    held = one.read()
    assert isinstance(held, State)
    assert held.held is not None
    break_(world)
    taken = acquired(world, "another")
    assert (one.keep(held, held.held), one.free(held)) == (Overtaken(), Overtaken())
    assert read(world).held == taken.tenure


def test_what_was_granted_needs_no_look_and_is_still_checked(world: World) -> None:
    one = world.lock()
    granted = locking.acquire(one, Claim(ME, 60.0), patience=patience(world))
    assert isinstance(granted, Granted)
    renewed = locking.renew(one, ME, known=granted.state)
    assert isinstance(renewed, Granted)
    break_(world)
    acquired(world, YOU)

    answer = locking.renew(one, ME, known=renewed.state)

    assert isinstance(answer, Refused)
    assert (answer.exit_code, answer.summary) == (9, f"cannot renew {one.target}: somebody else holds it")


def test_a_break_takes_nothing_from_who_came_later(world: World) -> None:
    acquired(world)
    seen = read(world)
    locking.release(world.lock(), ME)
    later = acquired(world, YOU)

    answer = locking.break_(world.lock(), seen)

    assert isinstance(answer, Refused)
    assert (answer.exit_code, read(world).held) == (9, later.tenure)


def test_without_a_ttl_it_is_kept_until_it_is_released(world: World) -> None:
    granted = acquired(world, ttl=None)
    renewed = locking.renew(world.lock(), ME)
    world.expire()

    assert isinstance(renewed, Granted)
    state = read(world)
    assert (granted.deadline, renewed.deadline, state.left, state.expires, state.over) == (
        None,
        None,
        None,
        None,
        False,
    )
    assert state.held == granted.tenure


def test_a_renewed_lock_outlives_its_first_time(world: World) -> None:
    granted = acquired(world, ttl=world.lasting)
    for _ in range(4):
        world.clock.sleep(world.lasting / 3)
        locking.renew(world.lock(), ME)

    assert read(world).held == granted.tenure


def test_the_holder_counts_from_before_it_asked(world: World) -> None:
    before = world.clock.monotonic()
    granted = acquired(world)
    after = world.clock.monotonic()

    assert granted.deadline is not None
    assert before + 60 <= granted.deadline <= after + 60


def test_a_name_that_is_used_for_something_else_is_left_alone(world: World) -> None:
    world.spoil()

    codes = [act(world) for verb, act in VERBS.items() if verb != "break"]

    assert [code.exit_code for code in codes if isinstance(code, Refused)] == [9, 9, 9, 9, 9]


def test_who_waits_gets_it_when_its_time_is_over(world: World) -> None:
    first = acquired(world, YOU, ttl=world.short)

    second = locking.acquire(world.lock(), Claim(ME, 60.0), patience=patience(world, wait=30))

    assert isinstance(second, Granted)
    assert (second.tenure.fence or 0) > (first.tenure.fence or 0)


def test_who_waits_in_vain_is_told_who_holds_it(world: World) -> None:
    acquired(world, YOU)

    answer = locking.acquire(world.lock(), Claim(ME, 60.0), patience=patience(world, wait=0.2))

    assert isinstance(answer, Refused)
    assert answer.observed is not None
    assert (answer.exit_code, answer.observed["holder"], answer.observed["note"]) == (75, YOU, "why")

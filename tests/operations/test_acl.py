"""Changing an ACL, on a container and a clock that are fakes; both containers keep the same promises."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcc import connection
from stcc.errors import Unavailable, Unknown
from stcc.exits import Exit
from stcc.operations import acl
from stcc.outcomes import Refused, Reply
from stcc.outcomes.acl import AclSet, AclShown
from stcc.storage.account import Account
from stcc.storage.acl import Acls
from stcc.values.conditions import Conditions
from stcc.values.policies import Acl, AclChange, Policy
from stcc.values.targets import container_target
from tests.fake_acl import REQUEST, FakeAcl, moment
from tests.fakes import FakeClock, refused
from tests.situations import Situation

if TYPE_CHECKING:
    from stcc.emulator.instance import Instance

MINE = Policy(id="mine", permissions="rl")
ADD = AclChange(policies=(MINE,))
CHANGED = AclSet(
    reply=Reply(http_status=200),
    target="c",
    public_access="none",
    policies=[{"id": "mine", "start": None, "expiry": None, "permissions": "rl"}],
    etag="",
    last_modified="",
    written=True,
)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def store(clock: FakeClock) -> FakeAcl:
    """Return the ACL of a container that nobody has changed for a while."""
    container = FakeAcl(clock)
    clock.now += 60
    return container


def change(
    store: FakeAcl, clock: FakeClock, wanted: AclChange = ADD, *, attempts: int = 10, settle: float = acl.SETTLED
) -> AclSet | Refused:
    return acl.change(store, wanted, attempts=attempts, clock=clock, tell=lambda _: None, settle=settle)


def without_version(answer: AclSet | Refused) -> AclSet | Refused:
    return answer if isinstance(answer, Refused) else replace(answer, etag="", last_modified="")


def test_what_is_old_is_read_and_written_at_once(store: FakeAcl, clock: FakeClock) -> None:
    assert without_version(change(store, clock)) == CHANGED
    assert (store.asked, clock.sleeps, store.ids) == (["show", "write"], [], {"mine"})


def test_what_is_young_is_left_to_settle(clock: FakeClock) -> None:
    store = FakeAcl(clock)
    stories: list[str] = []

    answer = acl.change(store, ADD, clock=clock, tell=stories.append)

    assert without_version(answer) == CHANGED
    assert (store.asked, clock.sleeps) == (["show", "show", "write"], [2.0])
    assert stories == ["container c was changed just now: waiting 2.0 s, to see who else changes it"]


def test_only_what_is_missing_is_waited_for(clock: FakeClock) -> None:
    store = FakeAcl(clock)
    clock.now += 1.2
    change(store, clock)

    assert clock.sleeps == [1.0]


def test_a_service_that_does_not_tell_the_time_is_watched(clock: FakeClock) -> None:
    store = FakeAcl(clock, dated=False)
    clock.now += 60

    assert without_version(change(store, clock)) == CHANGED
    assert (store.asked, clock.sleeps) == (["show", "show", "write"], [2.0])


def race(*, settle: float) -> FakeAcl:
    """Let somebody else write between our read and our write, in the second of the state that we read."""
    clock = FakeClock()
    store = FakeAcl(clock)
    store.meanwhile(clock.now + REQUEST, "theirs")
    assert isinstance(change(store, clock, settle=settle), AclSet)
    return store


def test_a_change_of_the_same_second_is_not_lost() -> None:
    assert race(settle=acl.SETTLED).ids == {"theirs", "mine"}


def test_without_the_wait_a_change_of_the_same_second_would_be_lost() -> None:
    assert race(settle=0).ids == {"mine"}


@given(st.lists(st.integers(0, 80), max_size=4, unique=True), st.booleans())
def test_whenever_others_write_nothing_is_lost(tenths: list[int], dated: bool) -> None:
    clock = FakeClock()
    store = FakeAcl(clock, dated=dated)
    others = {f"theirs{number}" for number in range(len(tenths))}
    for number, tenth in enumerate(tenths):
        store.meanwhile(clock.now + tenth / 10, f"theirs{number}")

    assert isinstance(change(store, clock), AclSet)
    clock.now += 10
    store.show()
    assert store.ids == {"mine"} | others


def test_whoever_was_overtaken_reads_again(store: FakeAcl, clock: FakeClock) -> None:
    store.meanwhile(clock.now + REQUEST, "theirs")

    assert isinstance(change(store, clock), AclSet)
    assert (store.asked, store.ids) == (["show", "write", "show", "show", "write"], {"theirs", "mine"})


def test_being_overtaken_each_time_ends_in_the_last_refusal(store: FakeAcl, clock: FakeClock) -> None:
    store.meanwhile(clock.now + REQUEST, "theirs")

    assert change(store, clock, attempts=1) == refused(412, "ConditionNotMet", Exit.PRECONDITION)
    assert store.ids == {"theirs"}


def test_a_container_that_never_settles_is_given_up(clock: FakeClock) -> None:
    store = FakeAcl(clock)
    for second in range(1, 30):
        store.meanwhile(clock.now + second, "theirs")
    store.acl = Acl(public_access="none", policies=())

    answer = acl.change(store, AclChange(policies=(MINE,), complete=True), attempts=3, clock=clock, tell=lambda _: None)

    assert answer == Refused(
        outcome="precondition-failed",
        exit_code=Exit.PRECONDITION,
        target="c",
        summary="cannot set the ACL of container c: somebody else changed it each time it was read",
        hint="try again, or allow more --attempts",
    )
    assert store.asked == ["show"] * 4


def test_what_is_so_already_is_not_written(clock: FakeClock) -> None:
    store = FakeAcl(clock)
    store.acl = Acl(public_access="none", policies=(replace(MINE, permissions="lr"),))

    answer = change(store, clock)

    assert isinstance(answer, AclSet)
    assert (answer.written, answer.reply.settled, store.asked, clock.sleeps) == (False, None, ["show"], [])


def test_a_sixth_policy_is_refused_before_it_is_sent(store: FakeAcl, clock: FakeClock) -> None:
    store.acl = Acl(public_access="none", policies=tuple(Policy(id=f"p{number}") for number in range(5)))

    assert change(store, clock) == Refused(
        outcome="conflict",
        exit_code=Exit.CONFLICT,
        target="c",
        summary="cannot set the ACL of container c: it would have 6 policies, 5 are the most",
        hint="--remove ID makes room; container get-acl lists them",
    )
    assert store.asked == ["show"]


def test_a_container_that_is_not_there_is_absent(clock: FakeClock) -> None:
    assert change(FakeAcl(clock, exists=False), clock) == refused(404, "ContainerNotFound", Exit.ABSENT)


def test_a_state_younger_than_asked_for_is_refused_by_the_service(store: FakeAcl, clock: FakeClock) -> None:
    answer = acl.change(store, ADD, unmodified_since=moment(99), clock=clock, tell=lambda _: None)

    assert answer == refused(412, "ConditionNotMet", Exit.PRECONDITION)
    assert (store.asked, store.ids) == (["show", "write"], set())


def test_a_state_as_old_as_asked_for_is_written(store: FakeAcl, clock: FakeClock) -> None:
    answer = acl.change(store, ADD, unmodified_since=moment(100), clock=clock, tell=lambda _: None)

    assert without_version(answer) == CHANGED


@pytest.mark.parametrize(
    ("faults", "settled", "asked"),
    [
        pytest.param(["lost"], "state", ["show", "write", "show"], id="applied"),
        pytest.param(["refused"], "repeat", ["show", "write", "show", "write"], id="never arrived"),
        pytest.param(["refused", "lost"], "state", ["show", "write"] * 2 + ["show"], id="both"),
    ],
)
def test_a_lost_answer_is_settled_by_what_is_there(
    faults: list[str], settled: str, asked: list[str], store: FakeAcl, clock: FakeClock
) -> None:
    store.faults = faults
    answer = change(store, clock)

    assert without_version(answer) == replace(CHANGED, reply=Reply(http_status=200, settled=settled))
    assert (store.asked, store.ids) == (asked, {"mine"})


@pytest.mark.parametrize("then", ["gone", "silent"])
def test_a_lost_answer_is_never_taken_for_a_refusal(then: str, store: FakeAcl, clock: FakeClock) -> None:
    store.faults = [then]

    with pytest.raises(Unknown):
        change(store, clock)
    assert store.asked == ["show", "write", "show"]


def test_answers_that_are_always_lost_are_unknown(store: FakeAcl, clock: FakeClock) -> None:
    store.faults = ["refused"] * 3

    with pytest.raises(Unknown):
        change(store, clock, attempts=3)
    assert store.asked.count("write") == 3


def test_without_a_lost_answer_silence_is_unavailable(store: FakeAcl, clock: FakeClock) -> None:
    store.unreachable = True

    with pytest.raises(Unavailable):
        change(store, clock)


Kind = tuple[acl.Store, Callable[[float], None]]


@pytest.fixture(params=["fake", "real"])
def kind(request: pytest.FixtureRequest) -> Kind:
    """Return an ACL of either kind, created at the beginning of a second, and how its time passes."""
    if request.param == "fake":
        clock = FakeClock()
        return FakeAcl(clock), clock.sleep
    azurite: Instance = request.getfixturevalue("azurite")
    there = Situation(azurite)
    assert there.blobs
    time.sleep(1.02 - time.time() % 1)
    target = container_target(there.existing_container)
    chosen = connection.from_connection_string(azurite.connection_string)
    account = Account(chosen, timeout=10, diagnose=False, trace=None)
    return Acls(account, target, conditions=Conditions()), time.sleep


def seen(store: acl.Store) -> AclShown:
    answer = store.show()
    assert isinstance(answer, AclShown)
    return answer


def written(store: acl.Store, wanted: Acl, shown: AclShown) -> int:
    answer = store.write(wanted, unmodified_since=shown.modified)
    return 0 if isinstance(answer, AclSet) else int(answer.exit_code)


def test_both_containers_set_all_of_it(kind: Kind) -> None:
    store, _ = kind
    first = Acl(public_access="blob", policies=(MINE, Policy(id="other", expiry="2026-01-31T12:00:00.1234567Z")))

    assert seen(store).acl == Acl(public_access="none", policies=())
    assert (written(store, first, seen(store)), seen(store).acl) == (0, first)
    assert seen(store).modified.microsecond == 0


def test_both_containers_do_not_notice_a_change_of_the_same_second(kind: Kind) -> None:
    store, _ = kind
    shown = seen(store)

    for name in "ab":
        assert written(store, Acl(public_access="none", policies=(Policy(id=name, permissions="r"),)), shown) == 0
    assert [policy.id for policy in seen(store).acl.policies] == ["b"]


def test_both_containers_refuse_what_is_based_on_an_earlier_second(kind: Kind) -> None:
    store, passes = kind
    shown = seen(store)
    passes(1)

    assert written(store, Acl(public_access="none", policies=(MINE,)), shown) == 0
    assert written(store, Acl(public_access="none", policies=()), shown) == Exit.PRECONDITION
    assert seen(store).acl.policies == (MINE,)

"""Semaphores: bad input, foreign blobs, the requests they take, and answers that never come."""

from pathlib import Path

import pytest

from tests.azurite import ProxiedAccount
from tests.commands.conftest import Make
from tests.commands.records import ME, YOU, Record
from tests.running import Result, Stcc
from tests.situations import Situation
from tests.wire import Answer, Drop, Fault, Recorded, Refuse, Reset, Truncate, writes

pytestmark = pytest.mark.usefixtures("own_state")
LOST = "the answer was lost on the way; what is there now carries the mark of this very request\n"
WHO = ("--identity", ME)
CHANGES = {
    "resize": (("--max", "3"), "", "{0} has 3 permits now, 2 before\n"),
    "acquire": (WHO, "me\n", "acquired permit 1 of 2 of {0} for 30 seconds\n"),
    "renew": (WHO, "", "renewed the permit of {0} for 60 seconds\n"),
    "release": (WHO, "", "released a permit of {0}; 0 of 2 are held\n"),
}
EVERY = {"create": ("--max", "2"), "show": ()} | {verb: words for verb, (words, _, _) in CHANGES.items()}


@pytest.fixture
def semaphore(records: Make) -> Record:
    return records("semaphore")


def prepare(semaphore: Record, verb: str) -> None:
    if verb in {"renew", "release"}:
        semaphore.permits(2, me=60)
    else:
        semaphore.permits(2)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["create", "", "--max", "1"], "stcc: the name of the semaphore is empty\n  is the variable set?\n"),
        (
            ["create", "..", "--max", "1"],
            "stcc: a segment '.' or '..' cannot be part of a blob's name: 'semaphore/..'\n",
        ),
        (["create", "a\nb", "--max", "1"], "stcc: the name of the semaphore contains a control character\n"),
        (["create", "a", "--max", "0"], "stcc: invalid value for '--max': 0 is not in the range 1<=x<=1000.\n"),
        (["create", "a", "--max", "1001"], "stcc: invalid value for '--max': 1001 is not in the range 1<=x<=1000.\n"),
        (["resize", "a", "--max", "x"], "stcc: invalid value for '--max': 'x' is not a valid int range.\n"),
        (["create", "a"], "stcc: missing option '--max'.\n"),
        (["resize", "a"], "stcc: missing option '--max'.\n"),
        (
            ["acquire", "a", "--ttl", "0"],
            "stcc: --ttl is out of range: '0'\n  1s to 366d, or none: kept until it is released\n",
        ),
        (["acquire", "a", "--wait", "1s", "--no-wait"], "stcc: --wait and --no-wait exclude each other\n"),
        (["acquire", "a", "--identity", ""], "stcc: the identity is empty\n  is the variable set?\n"),
        (
            ["acquire", "a", "-o", "none"],
            "stcc: --output none would leave nobody with the identity\n  choose it with --identity\n",
        ),
        (
            ["renew", "a"],
            "stcc: no identity is given\n  --identity, with what acquire printed, or STCC_LOCK_IDENTITY\n",
        ),
        (
            ["release", "a"],
            "stcc: no identity is given\n  --identity, with what acquire printed, or STCC_LOCK_IDENTITY\n",
        ),
        (["acquire", "a", "--reentrant"], "stcc: no such option: --reentrant\n"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    words: list[str], problem: str, proxied: ProxiedAccount, proxied_stcc: Stcc
) -> None:
    assert (proxied_stcc("semaphore", *words), proxied.requests) == (Result(2, "", problem), [])


@pytest.mark.parametrize("verb", EVERY)
@pytest.mark.parametrize(
    ("content", "what"),
    [
        pytest.param(b"", "no record of stcc", id="empty"),
        pytest.param(b'{"kind": "lock", "fence": 1}', "a record of kind 'lock'", id="a-lock"),
        pytest.param(b'{"kind": "semaphore", "fence": 1}', "a record that stcc has not written", id="no-max"),
        pytest.param(
            b'{"kind": "semaphore", "max": 2, "fence": 1, "holders": {"me": {"ttl": 5}}}',
            "a record that stcc has not written",
            id="no-date",
        ),
        pytest.param(
            b'{"kind": "semaphore", "max": 2, "fence": 1, "holders": ["me"]}',
            "a record that stcc has not written",
            id="a-list",
        ),
    ],
)
def test_a_blob_that_keeps_something_else_is_refused_and_stays(
    verb: str, content: bytes, what: str, stcc: Stcc, semaphore: Record
) -> None:
    semaphore.put_bytes(content)
    name = semaphore.name

    assert stcc("semaphore", verb, name, *EVERY[verb]) == Result(
        9, "", f"stcc: cannot use {name}: conflict (blob stcc-locks/semaphore/{name} holds {what})\n"
    )
    assert semaphore.content == content


def test_the_container_is_made_with_the_first_semaphore(stcc: Stcc, there: Situation) -> None:
    words = ("s", "--container", there.new_container)
    assert stcc("semaphore", "acquire", *words).code == 4
    assert not there.client(there.new_container).exists()

    assert stcc("semaphore", "create", *words, "--max", "1") == Result(0, "", "created s with 1 permit\n")
    assert stcc("semaphore", "acquire", *words, "-q").code == 0


def test_a_cycle_takes_a_look_and_a_write_each(proxied: ProxiedAccount, proxied_stcc: Stcc, semaphore: Record) -> None:
    semaphore.permits(2)
    for verb in ("acquire", "renew", "release"):
        assert proxied_stcc("semaphore", verb, semaphore.name, *WHO, "-q").code == 0

    assert [request.method for request in proxied.requests] == ["GET", "PUT"] * 3


@pytest.mark.parametrize("fault", [Drop(), Reset(), Truncate(20)], ids=["dropped", "reset", "cut off"])
@pytest.mark.parametrize("verb", CHANGES)
def test_a_lost_answer_is_settled_by_the_mark_of_the_write(
    verb: str, fault: Fault, proxied: ProxiedAccount, proxied_stcc: Stcc, semaphore: Record
) -> None:
    prepare(semaphore, verb)
    proxied.fail(fault, when=writes)
    words, out, story = CHANGES[verb]

    answer = proxied_stcc("semaphore", verb, semaphore.name, *words)
    assert answer == Result(0, out, LOST + story.format(semaphore.name))
    assert semaphore.holders == ([ME] if verb in {"acquire", "renew"} else [])


def test_a_lost_answer_to_create_is_settled(proxied: ProxiedAccount, proxied_stcc: Stcc, semaphore: Record) -> None:
    proxied.fail(Drop(), when=writes)

    assert proxied_stcc("semaphore", "create", semaphore.name, "--max", "2") == Result(
        0, "", f"{LOST}created {semaphore.name} with 2 permits\n"
    )


@pytest.mark.parametrize("verb", CHANGES)
def test_a_lost_answer_that_cannot_be_settled_is_unknown(
    verb: str, proxied: ProxiedAccount, proxied_stcc: Stcc, semaphore: Record
) -> None:
    prepare(semaphore, verb)

    def after_a_write(request: Recorded) -> bool:
        return request.method == "GET" and any(writes(one) for one in proxied.requests)

    proxied.fail(Drop(), when=writes)
    proxied.fail(Refuse(), when=after_a_write, times=10)

    held = "if it was granted, me holds it: release it with --identity me"
    hint = held if verb == "acquire" else "look before you repeat it"
    assert proxied_stcc("semaphore", verb, semaphore.name, *CHANGES[verb][0]) == Result(
        70,
        "",
        f"stcc: {semaphore.name}: the answer was lost (the connection was closed before the whole answer came); "
        f"the change may or may not have been applied\n  {hint}\n",
    )


@pytest.mark.parametrize("verb", CHANGES)
def test_a_change_by_another_in_between_is_kept(
    verb: str, proxied: ProxiedAccount, proxied_stcc: Stcc, semaphore: Record
) -> None:
    prepare(semaphore, verb)
    mine = {"me": 60.0} if verb in {"renew", "release"} else {}
    others = iter([lambda: semaphore.permits(2, you=60, **mine)])

    def somebody_comes(request: Recorded) -> bool:
        if writes(request):
            next(others, lambda: None)()
        return False

    proxied.fail(Drop(), when=somebody_comes)

    assert proxied_stcc("semaphore", verb, semaphore.name, *CHANGES[verb][0], "-q").code == 0
    assert sorted(semaphore.holders) == sorted([YOU] + [ME] * (verb in {"acquire", "renew"}))


def test_who_is_not_allowed_is_denied(proxied: ProxiedAccount, proxied_stcc: Stcc, semaphore: Record) -> None:
    semaphore.permits(1)
    proxied.fail(Answer(403), when=writes)

    assert proxied_stcc("semaphore", "acquire", semaphore.name, "--wait", "1m") == Result(
        3, "", f"stcc: cannot change {semaphore.name}: not allowed (403)\n"
    )


def test_a_service_that_is_busy_has_changed_nothing(
    proxied: ProxiedAccount, proxied_stcc: Stcc, semaphore: Record
) -> None:
    semaphore.permits(1)
    busy = Answer(503, {"x-ms-error-code": "ServerBusy"})
    proxied.fail(busy, times=4)

    assert proxied_stcc("semaphore", "acquire", semaphore.name) == Result(
        69,
        "",
        f"stcc: {semaphore.name}: the service answered 503 ServerBusy\n  nothing was changed; try again later\n",
    )
    proxied.clear()
    proxied.fail(busy, times=4)
    assert proxied_stcc("semaphore", "acquire", semaphore.name, *WHO, "--wait", "20s", "-q") == Result(0, "me\n", "")


def test_a_permit_whose_identity_cannot_be_printed_is_given_back(stcc: Stcc, semaphore: Record) -> None:
    semaphore.permits(1)
    with Path("/dev/full").open("wb") as full:
        process = stcc.process("semaphore", "acquire", semaphore.name, stdout=full)
        _, err = process.communicate(timeout=60)

    assert (process.returncode, err.decode(), semaphore.holders) == (
        74,
        "stcc: stdout cannot be written: no space left on device\n  what was acquired was given back\n",
        [],
    )

"""Locks: how many requests they take, and what becomes of answers that never come."""

import json
import os
import signal
import time
from pathlib import Path

import pytest

from tests.azurite import ProxiedAccount
from tests.commands.conftest import Make
from tests.commands.records import FENCE, ME, YOU, Record
from tests.running import Result, Stcc
from tests.wire import Answer, Drop, Fault, Predicate, Recorded, Refuse, Reset, Stall, Truncate, writes

pytestmark = pytest.mark.usefixtures("own_state")
LOST = "the answer was lost on the way; what is there now carries the mark of this very request\n"
UNKNOWN = (
    "the answer was lost (the connection was closed before the whole answer came); "
    "the change may or may not have been applied\n"
)
CHANGES = {
    "acquire": ("me\n", "locked {name} for 30 seconds, fence {fence}\n"),
    "renew": ("", "renewed {name} for 60 seconds, fence 7\n"),
    "release": ("", "released {name}\n"),
}


@pytest.fixture
def lock(records: Make) -> Record:
    return records("lock")


def methods(proxied: ProxiedAccount) -> list[str]:
    return [request.method for request in proxied.requests]


def prepare(lock: Record, verb: str) -> None:
    if verb == "acquire":
        lock.free()
    else:
        lock.hold()


def after_a_write(proxied: ProxiedAccount) -> Predicate:
    """Match the reads that come after a write."""

    def matches(request: Recorded) -> bool:
        return request.method == "GET" and "PUT" in methods(proxied)

    return matches


def test_an_uncontended_cycle_takes_three_requests(proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record) -> None:
    lock.free()
    assert proxied_stcc("lock", "acquire", lock.name, "--identity", ME, "-q").code == 0
    assert proxied_stcc("lock", "release", lock.name, "--identity", ME, "-q").code == 0

    assert [(request.method, request.status) for request in proxied.requests] == [
        ("GET", 206),
        ("PUT", 201),
        ("PUT", 201),
    ]
    read, taken, freed = proxied.requests
    assert ("if-match" in read.headers, taken.headers["if-match"] == freed.headers["if-match"]) == (False, False)


def test_each_renewal_by_who_was_granted_it_here_takes_one_request(
    proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record
) -> None:
    lock.free()
    assert proxied_stcc("lock", "acquire", lock.name, "--identity", ME, "-q").code == 0
    proxied.clear()
    for _ in range(3):
        assert proxied_stcc("lock", "renew", lock.name, "--identity", ME, "-q").code == 0

    assert methods(proxied) == ["PUT"] * 3


@pytest.mark.parametrize("verb", ["renew", "release"])
def test_a_holder_that_was_granted_it_elsewhere_takes_two_requests(
    verb: str, proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record
) -> None:
    lock.hold()
    assert proxied_stcc("lock", verb, lock.name, "--identity", ME, "-q").code == 0

    assert methods(proxied) == ["GET", "PUT"]


@pytest.mark.parametrize("fault", [Drop(), Reset(), Truncate(20)], ids=["dropped", "reset", "cut off"])
@pytest.mark.parametrize("verb", CHANGES)
def test_a_lost_answer_is_settled_by_the_mark_of_the_write(
    verb: str, fault: Fault, proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record
) -> None:
    prepare(lock, verb)
    proxied.fail(fault, when=writes)
    answer = proxied_stcc("lock", verb, lock.name, "--identity", ME)
    out, story = CHANGES[verb]

    assert answer == Result(0, out, LOST + story.format(name=lock.name, fence=lock.fence))
    assert methods(proxied) == ["GET", "PUT", "PUT", "GET"]
    assert proxied.requests[1].body == proxied.requests[2].body
    assert lock.holder == (None if verb == "release" else ME)


@pytest.mark.parametrize("verb", CHANGES)
def test_a_write_that_never_arrived_is_settled_by_its_repetition(
    verb: str, proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record
) -> None:
    prepare(lock, verb)
    proxied.fail(Refuse(), when=writes)
    answer = proxied_stcc("lock", verb, lock.name, "--identity", ME)
    out, story = CHANGES[verb]

    repeated = "the answer was lost on the way; the identical request was accepted when sent again\n"
    assert answer == Result(0, out, repeated + story.format(name=lock.name, fence=lock.fence))


@pytest.mark.parametrize("verb", CHANGES)
def test_a_lost_answer_that_cannot_be_settled_is_unknown(
    verb: str, proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record
) -> None:
    prepare(lock, verb)
    proxied.fail(Drop(), when=writes)
    proxied.fail(Refuse(), when=after_a_write(proxied), times=10)

    held = "if it was granted, me holds it: release it with --identity me"
    hint = held if verb == "acquire" else "look before you repeat it"
    assert proxied_stcc("lock", verb, lock.name, "--identity", ME) == Result(
        70, "", f"stcc: {lock.name}: {UNKNOWN}  {hint}\n"
    )


@pytest.mark.parametrize(
    ("verb", "code", "err"),
    [
        ("acquire", 75, "stcc: {} is held by you since 2026-01-31T12:00:00Z\n"),
        ("renew", 9, "stcc: cannot renew {}: somebody else holds it\n"),
        ("release", 0, ""),
    ],
)
def test_after_a_lost_answer_what_somebody_else_holds_by_now_is_not_ours(
    verb: str, code: int, err: str, proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record
) -> None:
    prepare(lock, verb)

    def taken(request: Recorded) -> bool:
        if after_a_write(proxied)(request):
            lock.hold(YOU, fence=FENCE + 1)
        return False

    proxied.fail(Drop(), when=writes)
    proxied.fail(Refuse(), when=taken)

    assert proxied_stcc("lock", verb, lock.name, "--identity", ME, "-q") == Result(code, "", err.format(lock.name))
    assert lock.holder == YOU


def test_the_time_of_a_repeated_write_counts_from_the_first_one(
    proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record, own_state: Path
) -> None:
    lock.free()
    proxied.fail(Stall(), when=writes)
    began = time.clock_gettime(time.CLOCK_BOOTTIME)
    assert proxied_stcc("lock", "acquire", lock.name, "--timeout", "4s", "-q").code == 0

    deadline = json.loads(next(own_state.iterdir()).read_text())["deadline"]
    assert began + 30 < deadline < began + 34


@pytest.mark.parametrize(("status", "words"), [(401, "the credential is not accepted"), (403, "not allowed")])
@pytest.mark.parametrize(("method", "doing"), [("GET", "read"), ("PUT", "change")])
def test_who_is_not_allowed_is_denied(
    method: str, doing: str, status: int, words: str, proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record
) -> None:
    lock.free()
    proxied.fail(Answer(status), when=lambda request: request.method == method)

    assert proxied_stcc("lock", "acquire", lock.name, "--wait", "1m") == Result(
        3, "", f"stcc: cannot {doing} {lock.name}: {words} ({status})\n"
    )
    assert lock.holder is None


def test_a_service_that_is_busy_has_changed_nothing(proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record) -> None:
    lock.free()
    proxied.fail(Answer(503, {"x-ms-error-code": "ServerBusy"}), times=10)
    answer = Result(
        69,
        "",
        f"stcc: {lock.name}: the service answered 503 ServerBusy\n  nothing was changed; try again later\n",
    )

    assert proxied_stcc("lock", "acquire", lock.name) == answer
    assert lock.holder is None


@pytest.mark.parametrize("verb", ["show", "acquire", "release", "list"])
def test_a_service_that_is_not_there_is_unavailable(verb: str) -> None:
    nowhere = "http://127.0.0.1:9/devstoreaccount1"
    stcc = Stcc(
        connection_string=f"DefaultEndpointsProtocol=http;AccountName=locks;AccountKey=a2V5;BlobEndpoint={nowhere};"
    )
    words = () if verb == "list" else ("a",)
    who = ("--identity", ME) if verb in {"acquire", "release"} else ()
    target = "stcc-locks/lock" if verb == "list" else "a"

    assert stcc("lock", verb, *words, *who) == Result(
        69, "", f"stcc: {target}: connection refused\n  nothing was changed; try again later\n"
    )


def test_whoever_waits_outlives_a_service_that_is_away(
    proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record
) -> None:
    lock.free()
    proxied.fail(Answer(503, {"x-ms-error-code": "ServerBusy"}), times=4)
    code, out, err = proxied_stcc("lock", "acquire", lock.name, "--identity", ME, "--wait", "20s")

    assert (code, out, err) == (
        0,
        "me\n",
        f"locked {lock.name} for 30 seconds, fence {lock.fence}\n",
    )


@pytest.mark.parametrize("words", [(), ("--identity", ME)])
def test_a_lock_whose_identity_cannot_be_printed_is_given_back(
    words: tuple[str, ...], stcc: Stcc, lock: Record
) -> None:
    lock.free()
    with Path("/dev/full").open("wb") as full:
        process = stcc.process("lock", "acquire", lock.name, *words, stdout=full)
        _, err = process.communicate(timeout=60)

    assert (process.returncode, err.decode(), lock.holder) == (
        74,
        "stcc: stdout cannot be written: no space left on device\n  what was acquired was given back\n",
        None,
    )


def test_a_lock_whose_identity_nobody_reads_is_given_back(stcc: Stcc, lock: Record) -> None:
    lock.free()
    read, write = os.pipe()
    os.close(read)
    process = stcc.process("lock", "acquire", lock.name, stdout=write)
    os.close(write)

    assert (process.communicate(timeout=60)[1], process.returncode, lock.holder) == (b"", 141, None)


def test_what_was_held_before_is_not_given_back(stcc: Stcc, lock: Record) -> None:
    lock.hold()
    with Path("/dev/full").open("wb") as full:
        process = stcc.process("lock", "acquire", lock.name, "--identity", ME, "--reentrant", stdout=full)
        _, err = process.communicate(timeout=60)

    assert (process.returncode, lock.holder) == (74, ME)
    assert err.decode() == (
        "me\nstcc: stdout cannot be written: no space left on device; what was asked has been done, "
        "and this was the answer\n"
    )


def test_a_query_that_prints_nothing_of_the_lock_gives_it_back(stcc: Stcc, lock: Record) -> None:
    lock.free()

    assert stcc("lock", "acquire", lock.name, "--query", "nothing", "-o", "tsv", "-q") == Result(
        1, "", "stcc: nothing of the answer was printed, so what was acquired was given back\n"
    )
    assert lock.holder is None


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["TERM", "INT"])
def test_a_signal_while_waiting_ends_it(number: signal.Signals, code: int, stcc: Stcc, lock: Record) -> None:
    lock.hold(YOU)
    process = stcc.process("lock", "acquire", lock.name, "--wait", "forever", "-v")
    assert process.stderr is not None
    while not process.stderr.readline().startswith(b"waiting for you"):
        pass
    process.send_signal(number)
    out, err = process.communicate(timeout=60)

    last = err.decode().splitlines()[-1]
    assert (process.returncode, out, last) == (code, b"", f"stcc: interrupted by {number.name}")


def test_a_signal_while_the_answer_is_awaited_says_that_it_may_be_held(
    proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record
) -> None:
    lock.free()

    def stop(request: Recorded) -> bool:
        if writes(request):
            process.send_signal(signal.SIGTERM)
        return writes(request)

    proxied.fail(Stall(), when=stop)
    process = proxied_stcc.process("lock", "acquire", lock.name, "--identity", ME)
    out, err = process.communicate(timeout=60)

    problem = f"stcc: {lock.name}: the change may or may not have been applied; interrupted by SIGTERM\n"
    assert (process.returncode, out, err.decode().startswith(problem)) == (143, b"", True)

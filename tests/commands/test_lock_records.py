"""Locks: what else may lie where the record of a lock is to be."""

import json
import os
import pty
import threading
import time

import pytest

from tests.azurite import ProxiedAccount
from tests.commands.conftest import Make
from tests.commands.records import FENCE, ME, SINCE, YOU, Record
from tests.conftest import Names
from tests.running import Result, Stcc
from tests.situations import Situation
from tests.wire import Recorded, Status

pytestmark = pytest.mark.usefixtures("own_state")
EVERY = {
    "acquire": ("--identity", ME),
    "renew": ("--identity", ME),
    "release": ("--identity", ME),
    "show": (),
    "break": ("--yes",),
}
HELD = {"fence": FENCE, "identity": ME, "ttl": 60, "since": SINCE, "note": None}


@pytest.fixture
def lock(records: Make) -> Record:
    return records("lock")


@pytest.mark.parametrize("verb", EVERY)
@pytest.mark.parametrize(
    ("content", "what"),
    [
        pytest.param(b"", "no record of stcc", id="empty"),
        pytest.param(b"name,size\n", "no record of stcc", id="text"),
        pytest.param(b" " * (2**20 + 1), "no record of stcc", id="large"),
        pytest.param(b"[" * 100_000, "no record of stcc", id="deep"),
        pytest.param(b'["lock"]', "no record of stcc", id="list"),
        pytest.param(b"{}", "a record of kind None", id="no-kind"),
        pytest.param(
            b'{"kind": "semaphore", "max": 1, "fence": 0, "holders": {}}',
            "a record of kind 'semaphore'",
            id="another-kind",
        ),
        pytest.param(b'{"kind": "lock", "fence": "many"}', "a record that stcc has not written", id="fence"),
        pytest.param(
            b'{"kind": "lock", "fence": 1, "identity": "me", "ttl": "soon"}',
            "a record that stcc has not written",
            id="ttl",
        ),
        pytest.param(
            b'{"kind": "lock", "fence": 1, "identity": "me", "ttl": 1e300}',
            "a record that stcc has not written",
            id="huge",
        ),
    ],
)
def test_a_blob_that_keeps_something_else_is_refused_and_stays(
    verb: str, content: bytes, what: str, stcc: Stcc, lock: Record
) -> None:
    lock.put_bytes(content)

    assert stcc("lock", verb, lock.name, *EVERY[verb]) == Result(
        9, "", f"stcc: cannot use {lock.name}: conflict (blob stcc-locks/lock/{lock.name} holds {what})\n"
    )
    assert lock.content == content


def test_fields_that_are_not_known_do_not_matter(stcc: Stcc, lock: Record) -> None:
    lock.hold(YOU, colour="red")

    assert stcc("lock", "show", lock.name, "--query", "identity") == Result(0, "you\n", "")


def test_a_container_that_is_missing_is_made(stcc: Stcc, there: Situation) -> None:
    words = ("--container", there.new_container)
    for verb, code in {"show": 4, "renew": 9, "break": 4, "release": 0}.items():
        assert stcc("lock", verb, "a", *EVERY[verb], *words).code == code
    assert not there.client(there.new_container).exists()

    assert stcc("lock", "acquire", "a", "--identity", ME, *words, "-q") == Result(0, "me\n", "")
    assert Record(there, "lock", "a", container=there.new_container).holder == ME


def test_a_record_that_was_deleted_still_gives_a_higher_fence(stcc: Stcc, lock: Record) -> None:
    fences: list[int] = []
    for _ in range(3):
        assert stcc("lock", "acquire", lock.name, "-q").code == 0
        fences.append(lock.fence)
        lock.blob.delete_blob()

    assert sorted(set(fences)) == fences


def test_a_fence_that_is_ahead_of_the_clock_still_grows(stcc: Stcc, lock: Record) -> None:
    lock.put(fence=10**15)

    assert stcc("lock", "acquire", lock.name, "--identity", ME) == Result(
        0, "me\n", f"locked {lock.name} for 30 seconds, fence {10**15 + 1}\n"
    )


def gets(request: Recorded) -> bool:
    return request.method == "GET"


def test_break_takes_nothing_from_a_holder_that_came_since(
    proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record
) -> None:
    lock.hold(YOU)

    def somebody_comes(request: Recorded) -> bool:
        if request.method == "PUT":
            lock.hold("third", fence=FENCE + 1)
        return False

    proxied.fail(Status(500), when=somebody_comes)
    code, out, err = proxied_stcc("lock", "break", lock.name, "--yes")

    assert (code, out, err) == (
        9,
        "",
        (
            f"{lock.name} is held by you since {SINCE}\n"
            f"stcc: {lock.name} has another holder by now: nothing was broken\n"
            f"  seen afterwards: holder third, since {SINCE}, expires {lock.expires}, fence {FENCE + 1}\n"
        ),
    )
    assert lock.holder == "third"


def test_break_takes_it_from_a_holder_that_has_renewed_since(
    proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record
) -> None:
    lock.hold(YOU)
    renewals = iter([lambda: lock.hold(YOU)])

    def renewed(request: Recorded) -> bool:
        if request.method == "PUT":
            next(renewals, lambda: None)()
        return False

    proxied.fail(Status(500), when=renewed)

    assert proxied_stcc("lock", "break", lock.name, "--yes", "-q") == Result(0, "", "")
    assert lock.facts == {"fence": FENCE}


def test_release_leaves_it_to_whom_took_it_between_the_look_and_the_release(
    proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record
) -> None:
    lock.hold(ME)

    def taken(request: Recorded) -> bool:
        if request.method == "PUT":
            lock.hold(YOU, fence=FENCE + 1)
        return False

    proxied.fail(Status(500), when=taken)
    for verb in ("release", "renew"):
        lock.hold(ME)
        assert proxied_stcc("lock", verb, lock.name, "--identity", ME, "-q") == Result(
            9, "", f"stcc: cannot {verb} {lock.name}: somebody else holds it\n"
        )
        assert lock.holder == YOU


@pytest.mark.parametrize(("answer", "code", "broken"), [("y\n", 0, True), ("n\n", 1, False), ("\n", 1, False)])
def test_break_asks_on_a_terminal(answer: str, code: int, broken: bool, stcc: Stcc, lock: Record) -> None:
    lock.hold(YOU)
    ours, theirs = pty.openpty()
    process = stcc.process("lock", "break", lock.name, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    said = b""
    while b"[y/N]" not in said:
        said += os.read(ours, 1000)
    os.write(ours, answer.encode())
    assert process.wait(10) == code
    os.close(ours)

    asked = f"{lock.name} is held by you since {SINCE}\r\nbreak the lock {lock.name}? [y/N]"
    assert (asked in said.decode(), lock.holder) == (True, None if broken else YOU)


def test_whoever_looks_is_told_for_whom_it_waits(stcc: Stcc, lock: Record) -> None:
    lock.hold(YOU, note="nightly")
    ours, theirs = pty.openpty()
    process = stcc.process("lock", "acquire", lock.name, "--identity", ME, "--wait", "1m", stderr=theirs)
    os.close(theirs)
    said = os.read(ours, 1000).decode()
    lock.free()

    assert (said, process.communicate(timeout=60)[0]) == (f"waiting for you since {SINCE} (nightly)\r\n", b"me\n")
    os.close(ours)


def test_of_many_at_once_one_gets_it(stcc: Stcc, names: Names, there: Situation) -> None:
    lock = Record(there, "lock", names())
    lock.free()
    codes: list[int] = []
    started = threading.Barrier(6)

    def claimant() -> None:
        started.wait()
        codes.append(stcc("lock", "acquire", lock.name, "-q").code)

    threads = [threading.Thread(target=claimant) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(codes) == [0, *[75] * 5]


def test_the_record_is_one_line_of_ascii(stcc: Stcc, lock: Record) -> None:
    lock.free()
    assert stcc("lock", "acquire", lock.name, "--identity", "müller", "--note", "grün", "-q") == Result(
        0, "müller\n", ""
    )
    text = lock.content.decode("ascii")

    assert (text.splitlines(), list(json.loads(text))) == (
        [text],
        ["kind", "fence", "identity", "ttl", "since", "note", "op"],
    )
    assert stcc("lock", "show", lock.name).out.splitlines()[1] == "holder   müller"


def test_what_a_holder_has_written_cannot_paint_the_terminal(stcc: Stcc, lock: Record) -> None:
    lock.hold("\x1b[31mred", note="\x07")
    shown, refused = stcc("lock", "show", lock.name), stcc("lock", "acquire", lock.name)

    assert (shown.code, refused.code) == (0, 75)
    assert all(mark not in text for mark in "\x1b\x07" for text in (*shown[1:], *refused[1:]))


def test_waiting_goes_on_as_soon_as_the_holder_is_broken(stcc: Stcc, lock: Record) -> None:
    lock.hold(YOU, ttl=None)
    waiting = stcc.process("lock", "acquire", lock.name, "--identity", ME, "--wait", "1m", "-q")
    time.sleep(0.8)
    assert stcc("lock", "break", lock.name, "--yes", "-q").code == 0

    assert (waiting.communicate(timeout=60), waiting.returncode, lock.holder) == ((b"me\n", b""), 0, ME)

"""Locks: what each command prints and returns, whoever holds the lock."""

import json
import re
import time

import pytest

from stcc.emulator.instance import Instance
from tests.commands.answers import document
from tests.commands.conftest import Make
from tests.commands.records import FENCE, ME, SINCE, YOU, Record
from tests.conftest import Names
from tests.running import Result, Stcc
from tests.situations import Situation

pytestmark = pytest.mark.usefixtures("own_state")


def seen(lock: Record, who: str) -> str:
    """Return the line that tells who holds it."""
    return f"  seen afterwards: holder {who}, since {SINCE}, expires {lock.expires}, fence {FENCE}\n"


@pytest.fixture
def lock(records: Make) -> Record:
    return records("lock")


def test_a_free_lock_is_acquired_with_a_higher_fence(stcc: Stcc, lock: Record) -> None:
    lock.free()
    before = int(lock.written.timestamp() * 1000)
    answer = stcc("lock", "acquire", lock.name, "--identity", ME, "--ttl", "90s", "--note", "at night")

    assert answer == Result(0, "me\n", f"locked {lock.name} for 90 seconds, fence {lock.fence}\n")
    since = lock.facts["since"]
    assert lock.facts == {"fence": lock.fence, "identity": ME, "ttl": 90, "since": since, "note": "at night"}
    assert lock.fence >= before
    assert lock.blob.get_blob_properties().metadata["stcc"].encode() == lock.content


def test_a_lock_that_was_never_used_is_acquired_and_released(stcc: Stcc, lock: Record) -> None:
    answer = stcc("lock", "acquire", lock.name, "--identity", ME)

    assert answer == Result(0, "me\n", f"locked {lock.name} for 30 seconds, fence {lock.fence}\n")
    assert stcc("lock", "release", lock.name, "--identity", ME) == Result(0, "", f"released {lock.name}\n")
    assert lock.facts == {"fence": lock.fence}


def test_without_an_identity_a_random_one_is_made(stcc: Stcc, records: Make) -> None:
    made: set[str] = set()
    for one in (records("lock"), records("lock")):
        one.free()
        code, out, _ = stcc("lock", "acquire", one.name, "-q")
        assert (code, out, re.fullmatch(r"[0-9a-f]{32}\n", out) is not None) == (0, f"{one.holder}\n", True)
        made.add(out)
    assert len(made) == 2


def test_acquire_of_what_i_hold_is_busy_but_not_when_reentrant(stcc: Stcc, lock: Record) -> None:
    lock.hold(note="earlier")
    words = ("lock", "acquire", lock.name, "--identity", ME, "--ttl", "2m")

    assert stcc(*words) == Result(
        75,
        "",
        f"stcc: {lock.name} is held by me since {SINCE} (earlier)\n"
        f"{seen(lock, ME)[:-1]}, note earlier\n"
        "  that is the identity that was given: lock acquire --reentrant would be fine with it\n",
    )
    assert stcc(*words, "--reentrant") == Result(0, "me\n", f"locked {lock.name} for 120 seconds, fence {FENCE}\n")
    assert lock.facts == {"fence": FENCE, "identity": ME, "ttl": 120, "since": SINCE, "note": "earlier"}


@pytest.mark.parametrize("words", [(), ("--no-wait",), ("--reentrant",)])
def test_acquire_of_what_another_holds_is_busy(words: tuple[str, ...], stcc: Stcc, lock: Record) -> None:
    lock.hold(YOU)

    assert stcc("lock", "acquire", lock.name, "--identity", ME, *words) == Result(
        75,
        "",
        f"stcc: {lock.name} is held by you since {SINCE}\n{seen(lock, YOU)}  --wait 60s waits for it\n",
    )
    assert lock.holder == YOU


def test_acquire_waits_as_long_as_it_was_told(stcc: Stcc, lock: Record) -> None:
    lock.hold(YOU)
    started = time.monotonic()

    assert stcc("lock", "acquire", lock.name, "--identity", ME, "--wait", "300ms", "--poll-max", "100ms") == Result(
        75,
        "",
        f"stcc: {lock.name} is still held by you since {SINCE} after 0.3 seconds\n{seen(lock, YOU)}",
    )
    assert 0.3 <= time.monotonic() - started < 30


def test_acquire_waits_until_it_is_released(stcc: Stcc, lock: Record) -> None:
    lock.hold(YOU, ttl=None)
    process = stcc.process("lock", "acquire", lock.name, "--identity", ME, "--wait", "20s", "-q")
    time.sleep(0.8)
    assert process.poll() is None
    lock.free()

    assert (process.communicate(timeout=60), process.returncode) == ((b"me\n", b""), 0)


@pytest.mark.parametrize("words", [(), ("--reentrant",)])
def test_a_lock_of_which_the_time_is_over_is_anybodys(words: tuple[str, ...], fast_azurite: Instance) -> None:
    stcc, there = Stcc(connection_string=fast_azurite.connection_string), Situation(fast_azurite)
    for who in (ME, YOU):
        lock = Record(there, "lock", f"of-{who}{len(words)}")
        lock.hold(who, ttl=1)
        time.sleep(0.5)
        code, out, err = stcc("lock", "acquire", lock.name, "--identity", ME, "--ttl", "1h", *words)

        assert (code, out, err) == (0, "me\n", f"locked {lock.name} for 3600 seconds, fence {lock.fence}\n")
        assert (lock.holder, lock.fence > FENCE) == (ME, True)


def test_a_lock_without_an_end_is_nobody_elses_however_long_it_takes(fast_azurite: Instance) -> None:
    lock = Record(Situation(fast_azurite), "lock", "for-ever")
    lock.hold(YOU, ttl=None)
    time.sleep(0.5)

    stcc = Stcc(connection_string=fast_azurite.connection_string)
    assert stcc("lock", "acquire", lock.name, "-q").code == 75
    assert stcc("lock", "show", lock.name).out == (
        f"name     {lock.name}\nholder   you\nsince    {SINCE}\nexpires  never\nfence    {FENCE}\n"
    )


def test_renew_keeps_the_fence_and_starts_the_time_anew(stcc: Stcc, lock: Record) -> None:
    lock.hold(note="mine")
    etag = lock.blob.get_blob_properties().etag

    assert stcc("lock", "renew", lock.name, "--identity", ME) == Result(
        0, "", f"renewed {lock.name} for 60 seconds, fence {FENCE}\n"
    )
    assert lock.facts == {"fence": FENCE, "identity": ME, "ttl": 60, "since": SINCE, "note": "mine"}
    assert lock.blob.get_blob_properties().etag != etag


def test_what_i_do_not_hold_can_be_neither_renewed_nor_released(stcc: Stcc, lock: Record) -> None:
    lock.hold(YOU)
    before = lock.content

    for verb in ("renew", "release"):
        assert stcc("lock", verb, lock.name, "--identity", ME) == Result(
            9, "", f"stcc: cannot {verb} {lock.name}: somebody else holds it\n{seen(lock, YOU)}"
        )
    assert lock.content == before


def test_what_nobody_holds_cannot_be_renewed_and_need_not_be_released(stcc: Stcc, lock: Record) -> None:
    for _ in ("there is no record", "there is one"):
        assert stcc("lock", "renew", lock.name, "--identity", ME) == Result(
            9, "", f"stcc: cannot renew {lock.name}: nobody holds it\n"
        )
        assert stcc("lock", "release", lock.name, "--identity", ME) == Result(
            0, "", f"nobody held {lock.name} any more: there was nothing to release\n"
        )
        assert stcc("lock", "show", lock.name) == Result(4, "", f"stcc: nobody holds {lock.name}\n")
        assert stcc("lock", "break", lock.name, "--yes") == Result(4, "", f"stcc: nobody holds {lock.name}\n")
        lock.free()


def test_what_was_mine_is_over(fast_azurite: Instance) -> None:
    stcc, lock = Stcc(connection_string=fast_azurite.connection_string), Record(Situation(fast_azurite), "lock", "over")
    lock.hold(ttl=1)
    time.sleep(0.5)
    expired = seen(lock, ME)

    assert stcc("lock", "renew", lock.name, "--identity", ME) == Result(
        9, "", f"stcc: cannot renew {lock.name}: the time it was held for is over\n{expired}"
    )
    assert stcc("lock", "show", lock.name) == Result(4, "", f"stcc: nobody holds {lock.name}\n")
    assert stcc("lock", "break", lock.name, "--yes") == Result(4, "", f"stcc: nobody holds {lock.name}\n")
    assert stcc("lock", "release", lock.name, "--identity", YOU) == Result(
        0, "", f"nobody held {lock.name} any more: there was nothing to release\n"
    )
    assert (lock.holder, stcc("lock", "release", lock.name, "--identity", ME)) == (
        ME,
        Result(0, "", f"released {lock.name}, whose time was over already\n"),
    )
    assert lock.facts == {"fence": FENCE}


def test_release_makes_it_nobodys(stcc: Stcc, lock: Record) -> None:
    lock.hold(note="mine")

    assert stcc("lock", "release", lock.name, "--identity", ME) == Result(0, "", f"released {lock.name}\n")
    assert lock.facts == {"fence": FENCE}


def test_show_tells_who_holds_it(stcc: Stcc, lock: Record) -> None:
    lock.hold(YOU, note="nightly")
    expires = lock.expires

    assert stcc("lock", "show", lock.name) == Result(
        0,
        f"name     {lock.name}\nholder   you\nsince    {SINCE}\n"
        f"expires  {expires}\nfence    {FENCE}\nnote     nightly\n",
        "",
    )
    assert stcc("lock", "show", lock.name, "-o", "tsv") == Result(
        0, f"you\t{SINCE}\t{expires}\t60\t{FENCE}\tnightly\n", ""
    )
    assert stcc("lock", "show", lock.name, "--query", "identity").out == "you\n"


def test_break_takes_it_from_whoever_holds_it(stcc: Stcc, lock: Record) -> None:
    lock.hold(YOU)

    assert stcc("lock", "break", lock.name, "--yes") == Result(
        0, "", f"{lock.name} is held by you since {SINCE}\nbroke {lock.name}, which you held\n"
    )
    assert lock.facts == {"fence": FENCE}


def test_every_answer_is_one_document(stcc: Stcc, lock: Record) -> None:
    lock.free()
    rest = {"exit_code": 0, "error_code": None, "target": lock.name, "observed": None}
    acquired = document(stcc("lock", "acquire", lock.name, "--identity", ME, "-o", "json"))
    grant = {"identity": ME, "fence": lock.fence, "ttl": 30, "since": lock.facts["since"], "expires": lock.expires}
    renewed = document(stcc("lock", "renew", lock.name, "--identity", ME, "-o", "json"))
    shown = document(stcc("lock", "show", lock.name, "-o", "json"))
    held = {"identity": ME, "fence": lock.fence, "ttl": 30, "expires": lock.expires}
    since = {"since": grant["since"], "note": None}
    released = document(stcc("lock", "release", lock.name, "--identity", ME, "-o", "json"))
    lock.hold(YOU)
    broken = document(stcc("lock", "break", lock.name, "--yes", "-o", "ndjson"))

    assert acquired == {"outcome": "lock-acquired", "http_status": 201, "result": grant} | rest
    assert renewed == {"outcome": "lock-renewed", "http_status": 201, "result": held} | rest
    assert shown == {"outcome": "lock-shown", "http_status": 206, "result": held | since} | rest
    given = {"identity": ME, "fence": grant["fence"], "was": "held"}
    assert released == {"outcome": "lock-released", "http_status": 201, "result": given} | rest
    assert broken == {"outcome": "lock-broken", "http_status": 201, "result": {"identity": YOU, "fence": FENCE}} | rest


def test_a_refusal_is_one_document_too(stcc: Stcc, lock: Record) -> None:
    lock.hold(YOU)
    code, out, err = stcc("lock", "acquire", lock.name, "-o", "json")

    assert (code, json.loads(out), err) == (
        75,
        {
            "outcome": "busy",
            "exit_code": 75,
            "http_status": None,
            "error_code": None,
            "request_id": None,
            "target": lock.name,
            "result": None,
            "observed": {"holder": "you", "since": SINCE, "expires": lock.expires, "fence": FENCE, "note": None},
            "message": f"{lock.name} is held by you since {SINCE}",
            "hint": "--wait 60s waits for it",
        },
        "",
    )


def test_tsv_of_a_grant_has_every_field(stcc: Stcc, lock: Record) -> None:
    lock.free()
    code, out, err = stcc("lock", "acquire", lock.name, "--identity", ME, "--ttl", "none", "-o", "tsv")

    assert (code, out, err) == (
        0,
        f"me\t{lock.fence}\t\t{lock.facts['since']}\t\n",
        f"locked {lock.name} until it is released or broken, fence {lock.fence}\n",
    )


def test_list_shows_every_state(stcc: Stcc, there: Situation, names: Names) -> None:
    kept = names()
    held, free, damaged = (Record(there, "lock", name, container=kept) for name in ("a/held", "b-free", "c-damaged"))
    held.hold(YOU, note="x")
    free.free()
    damaged.put_bytes(b"no record", shown='{"kind":"lock","identity":"x","ttl":"soon"}')
    Record(there, "lock", "d-foreign", container=kept).put_bytes(b"", shown="none")
    Record(there, "leader", "e-elsewhere", container=kept).free()
    until = held.expires

    assert stcc("lock", "list", "--container", kept, "-o", "tsv") == Result(
        0,
        f"a/held\theld\tyou\t{SINCE}\t{until}\t{FENCE}\tx\n"
        f"b-free\tfree\t\t\t\t{FENCE}\t\nc-damaged\tdamaged\t\t\t\t\t\nd-foreign\tforeign\t\t\t\t\t\n",
        "",
    )
    assert stcc("lock", "list", "--container", kept, "-o", "ndjson", "--limit", "1") == Result(
        0,
        f'{{"name": "a/held", "state": "held", "holder": "you", "since": "{SINCE}", "expires": "{until}", '
        f'"fence": {FENCE}, "note": "x"}}\n{{"outcome": "locks-listed", "exit_code": 0}}\n',
        "",
    )
    assert stcc("lock", "list", "--container", kept, "--query", "[].name").out == (
        "a/held\nb-free\nc-damaged\nd-foreign\n"
    )


def test_list_of_nothing(stcc: Stcc, there: Situation) -> None:
    for container in (there.new_container, there.existing_container):
        assert stcc("lock", "list", "--container", container) == Result(0, "", f"{container}/lock: none\n")


def test_list_in_hurried_time_shows_what_is_over(fast_azurite: Instance) -> None:
    lock = Record(Situation(fast_azurite), "lock", "old", container="hurried")
    lock.hold(YOU, ttl=1)
    until = lock.expires
    time.sleep(0.5)

    assert Stcc(connection_string=fast_azurite.connection_string)("lock", "list", "--container", "hurried") == Result(
        0,
        f"name  state    holder  since                 expires               fence  note\n"
        f"old   expired  you     {SINCE}  {until}  {FENCE}\n",
        "",
    )

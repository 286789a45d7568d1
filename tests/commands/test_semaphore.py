"""Semaphores: what each command prints and returns, whoever holds the permits."""

import json
import threading
import time

import pytest

from stcc.emulator.instance import Instance
from tests.commands.answers import document
from tests.commands.conftest import Make
from tests.commands.records import FENCE, ME, SINCE, YOU, Record
from tests.running import Result, Stcc
from tests.situations import Situation

pytestmark = pytest.mark.usefixtures("own_state")
NEEDS = {
    "resize": ("--max", "2"),
    "acquire": ("--identity", ME),
    "renew": ("--identity", ME),
    "release": ("--identity", ME),
    "show": (),
}


@pytest.fixture
def semaphore(records: Make) -> Record:
    return records("semaphore")


def test_create_makes_it_once(stcc: Stcc, semaphore: Record) -> None:
    words = ("semaphore", "create", semaphore.name, "--max")

    assert stcc(*words, "3") == Result(0, "", f"created {semaphore.name} with 3 permits\n")
    assert stcc(*words, "3") == Result(0, "", f"{semaphore.name} is there already, with 3 permits\n")
    assert stcc(*words, "1") == Result(
        9,
        "",
        f"stcc: {semaphore.name} is there already, with a maximum of 3\n"
        "  seen afterwards: max 3, current 0\n  semaphore resize changes it\n",
    )
    assert semaphore.facts == {"max": 3, "fence": 0, "holders": {}}
    shown = json.loads(semaphore.blob.get_blob_properties().metadata["stcc"])
    assert shown == {"kind": "semaphore", "max": 3, "count": 0}


def test_create_of_what_is_in_use_leaves_its_holders_alone(stcc: Stcc, semaphore: Record) -> None:
    semaphore.permits(2, me=60)

    assert stcc("semaphore", "create", semaphore.name, "--max", "2", "-q") == Result(0, "", "")
    assert semaphore.holders == [ME]


@pytest.mark.parametrize("verb", NEEDS)
def test_what_was_not_created_cannot_be_used(verb: str, stcc: Stcc, semaphore: Record) -> None:
    assert stcc("semaphore", verb, semaphore.name, *NEEDS[verb]) == Result(
        4, "", f"stcc: there is no semaphore {semaphore.name}\n  stcc semaphore create NAME --max N\n"
    )
    assert not semaphore.blob.exists()


def test_a_permit_is_acquired_renewed_and_released(stcc: Stcc, semaphore: Record) -> None:
    semaphore.permits(2, you=60)
    words = ("--identity", ME)

    assert stcc("semaphore", "acquire", semaphore.name, *words, "--ttl", "45s", "--note", "n") == Result(
        0, "me\n", f"acquired permit 2 of 2 of {semaphore.name} for 45 seconds\n"
    )
    mine = semaphore.facts["holders"][ME]
    assert (mine["ttl"], mine["note"], mine["fence"]) == (45, "n", semaphore.fence)
    time.sleep(1.1)
    assert stcc("semaphore", "renew", semaphore.name, *words) == Result(
        0, "", f"renewed the permit of {semaphore.name} for 45 seconds\n"
    )
    renewed = semaphore.facts["holders"][ME]
    assert (renewed["date"] > mine["date"], renewed) == (True, mine | {"date": renewed["date"]})
    assert stcc("semaphore", "release", semaphore.name, *words) == Result(
        0, "", f"released a permit of {semaphore.name}; 1 of 2 are held\n"
    )
    assert semaphore.holders == [YOU]


def test_each_grant_has_a_higher_fence(stcc: Stcc, semaphore: Record) -> None:
    semaphore.permits(3)
    fences: list[int] = []
    for who in ("a", "b", "a"):
        assert stcc("semaphore", "acquire", semaphore.name, "--identity", who, "-q").code == 0
        fences.append(semaphore.facts["holders"][who]["fence"])
        if who == "a":
            assert stcc("semaphore", "release", semaphore.name, "--identity", who, "-q").code == 0

    assert sorted(set(fences)) == fences


def test_there_are_never_more_holders_than_permits(stcc: Stcc, semaphore: Record) -> None:
    semaphore.permits(2, you=60, third=None)

    assert stcc("semaphore", "acquire", semaphore.name, "--identity", ME) == Result(
        75,
        "",
        f"stcc: all permits of {semaphore.name} are held\n"
        "  seen afterwards: max 2, current 2\n  --wait 60s waits for one\n",
    )
    assert stcc("semaphore", "acquire", semaphore.name, "--wait", "200ms") == Result(
        75,
        "",
        f"stcc: all permits of {semaphore.name} are held after 0.2 seconds\n  seen afterwards: max 2, current 2\n",
    )
    assert semaphore.holders == [YOU, "third"]


def test_an_identity_never_gets_a_second_permit(stcc: Stcc, semaphore: Record) -> None:
    semaphore.permits(2, me=60)

    assert stcc("semaphore", "acquire", semaphore.name, "--identity", ME, "--no-wait") == Result(
        75,
        "",
        f"stcc: me holds a permit of {semaphore.name} already\n"
        "  seen afterwards: max 2, current 1\n  --wait 60s waits for one\n",
    )
    assert semaphore.facts["holders"][ME]["fence"] == FENCE


@pytest.mark.parametrize("verb", ["renew", "release"])
def test_whoever_holds_none_can_neither_renew_nor_release(verb: str, stcc: Stcc, semaphore: Record) -> None:
    semaphore.permits(2, you=60)
    before = semaphore.content

    assert stcc("semaphore", verb, semaphore.name, "--identity", ME) == Result(
        9,
        "",
        f"stcc: cannot {verb} a permit of {semaphore.name}: the identity holds none\n"
        "  seen afterwards: max 2, current 1\n",
    )
    assert semaphore.content == before


def test_resize_takes_no_permit_away_and_gives_none_until_they_are_fewer(stcc: Stcc, semaphore: Record) -> None:
    semaphore.permits(3, a=60, b=60)

    assert stcc("semaphore", "resize", semaphore.name, "--max", "1") == Result(
        0, "", f"{semaphore.name} has 1 permit now, 3 before; 2 are held: no new one before they are fewer\n"
    )
    assert stcc("semaphore", "renew", semaphore.name, "--identity", "a", "-q").code == 0
    for who, code in (("a", 75), ("b", 0)):
        assert stcc("semaphore", "release", semaphore.name, "--identity", who, "-q").code == 0
        assert stcc("semaphore", "acquire", semaphore.name, "--identity", ME, "-q").code == code
    assert semaphore.holders == [ME]
    assert stcc("semaphore", "resize", semaphore.name, "--max", "4") == Result(
        0, "", f"{semaphore.name} has 4 permits now, 1 before\n"
    )
    assert stcc("semaphore", "acquire", semaphore.name, "--identity", YOU).err.startswith("acquired permit 2 of 4 of ")


def test_resize_to_what_it_is_writes_nothing(stcc: Stcc, semaphore: Record) -> None:
    semaphore.permits(2)
    before = semaphore.content

    assert stcc("semaphore", "resize", semaphore.name, "--max", "2").code == 0
    assert semaphore.content == before


def test_show_tells_who_holds_the_permits(stcc: Stcc, semaphore: Record) -> None:
    semaphore.permits(2, you=60, me=None)
    until = semaphore.until(YOU)

    assert stcc("semaphore", "show", semaphore.name) == Result(
        0,
        f"name     {semaphore.name}\nmax      2\ncurrent  2\n\n"
        "identity  since                 expires               fence  note\n"
        f"you       {SINCE}  {until}  {FENCE}\nme        {SINCE}                        {FENCE + 1}\n",
        "",
    )
    assert stcc("semaphore", "show", semaphore.name, "-o", "tsv") == Result(
        0, f"you\t{SINCE}\t{until}\t{FENCE}\t\nme\t{SINCE}\t\t{FENCE + 1}\t\n", ""
    )
    assert stcc("semaphore", "show", semaphore.name, "--query", "holders[].identity") == Result(0, "you\nme\n", "")


def test_show_of_one_that_nobody_uses(stcc: Stcc, semaphore: Record) -> None:
    semaphore.permits(1)

    assert stcc("semaphore", "show", semaphore.name) == Result(
        0, f"name     {semaphore.name}\nmax      1\ncurrent  0\n", ""
    )
    assert stcc("semaphore", "show", semaphore.name, "-o", "tsv") == Result(0, "", "")


def test_every_answer_is_one_document(stcc: Stcc, semaphore: Record) -> None:
    def asked(*words: str) -> dict[str, object]:
        return document(stcc("semaphore", words[0], semaphore.name, *words[1:], "-o", "json"))

    rest = {"exit_code": 0, "error_code": None, "target": semaphore.name, "observed": None}
    made = asked("create", "--max", "2")
    acquired = asked("acquire", "--identity", ME)
    fence, until = semaphore.fence, semaphore.until(ME)
    shown = asked("show")
    since = semaphore.facts["holders"][ME]["since"]
    renewed = asked("renew", "--identity", ME)
    again = semaphore.until(ME)
    resized = asked("resize", "--max", "1")
    released = asked("release", "--identity", ME)

    assert made == {"outcome": "semaphore-created", "http_status": 201, "result": {"max": 2, "created": True}} | rest
    grant = {"identity": ME, "fence": fence, "ttl": 30, "expires": until, "max": 2, "current": 1}
    assert acquired == {"outcome": "permit-acquired", "http_status": 201, "result": grant} | rest
    holder = {"identity": ME, "since": since, "expires": until, "fence": fence, "note": None}
    seen = {"max": 2, "current": 1, "holders": [holder]}
    assert shown == {"outcome": "semaphore-shown", "http_status": 206, "result": seen} | rest
    kept = {"identity": ME, "ttl": 30, "expires": again}
    assert renewed == {"outcome": "permit-renewed", "http_status": 201, "result": kept} | rest
    sized = {"max": 1, "was": 2, "current": 1}
    assert resized == {"outcome": "semaphore-resized", "http_status": 201, "result": sized} | rest
    gone = {"identity": ME, "max": 1, "current": 0}
    assert released == {"outcome": "permit-released", "http_status": 201, "result": gone} | rest


def test_tsv_of_a_grant_has_every_field(stcc: Stcc, semaphore: Record) -> None:
    semaphore.permits(1)

    code, out, _ = stcc("semaphore", "acquire", semaphore.name, "--identity", ME, "--ttl", "none", "-o", "tsv")
    assert (code, out) == (0, f"me\t{semaphore.fence}\t\t\t1\t1\n")


def test_a_permit_of_which_the_time_is_over_comes_back(fast_azurite: Instance) -> None:
    stcc = Stcc(connection_string=fast_azurite.connection_string)
    semaphore = Record(Situation(fast_azurite), "semaphore", "crashed")
    assert stcc("semaphore", "create", "crashed", "--max", "2", "-q").code == 0
    assert stcc("semaphore", "acquire", "crashed", "--identity", YOU, "--ttl", "none", "-q").code == 0
    assert stcc("semaphore", "acquire", "crashed", "--identity", ME, "--ttl", "1s", "-q").code == 0
    assert (
        stcc("semaphore", "acquire", "crashed", "--identity", "third", "--wait", "60s", "--ttl", "1h", "-q").code == 0
    )

    assert semaphore.holders == [YOU, "third"]
    for verb in ("renew", "release"):
        assert stcc("semaphore", verb, "crashed", "--identity", ME, "-q") == Result(
            9, "", f"stcc: cannot {verb} a permit of crashed: the identity holds none\n"
        )


def test_waiting_ends_as_soon_as_a_permit_is_released(stcc: Stcc, semaphore: Record) -> None:
    semaphore.permits(1, you=None)
    process = stcc.process("semaphore", "acquire", semaphore.name, "--identity", ME, "--wait", "20s", "-q")
    time.sleep(0.8)
    assert process.poll() is None
    assert stcc("semaphore", "release", semaphore.name, "--identity", YOU, "-q").code == 0

    assert (process.communicate(timeout=60), process.returncode) == ((b"me\n", b""), 0)


def test_of_many_at_once_as_many_get_one_as_there_are(stcc: Stcc, semaphore: Record) -> None:
    semaphore.permits(3)
    codes: list[int] = []
    started = threading.Barrier(6)

    def claimant() -> None:
        started.wait()
        codes.append(stcc("semaphore", "acquire", semaphore.name, "-q").code)

    threads = [threading.Thread(target=claimant) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (sorted(codes), len(semaphore.holders)) == ([0, 0, 0, 75, 75, 75], 3)

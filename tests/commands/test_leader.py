"""Leaders: who leads, how it is watched, and how a term ends."""

import json
import sys
import time
from pathlib import Path

import pytest

from tests.azurite import ProxiedAccount
from tests.commands.answers import document
from tests.commands.conftest import Make
from tests.commands.records import FENCE, ME, SINCE, YOU, Record
from tests.running import Result, Stcc
from tests.wire import Answer, Refuse

pytestmark = pytest.mark.usefixtures("own_state")
STCC = f"{sys.executable} -m stcc"


@pytest.fixture
def lead(records: Make) -> Record:
    """Return the lead of a name, which nobody has."""
    lead = records("leader")
    lead.free()
    return lead


def test_show_tells_who_leads(stcc: Stcc, lead: Record) -> None:
    assert stcc("leader", "show", lead.name) == Result(4, "", f"stcc: nobody holds {lead.name}\n")
    lead.hold(YOU, note="host-7")
    until = lead.expires

    assert stcc("leader", "show", lead.name) == Result(
        0,
        f"name     {lead.name}\nleader   you\nsince    {SINCE}\nexpires  {until}\nfence    {FENCE}\nnote     host-7\n",
        "",
    )
    assert stcc("leader", "show", lead.name, "-o", "tsv").out == f"you\t{SINCE}\t{until}\t{FENCE}\thost-7\tfalse\n"
    assert document(stcc("leader", "show", lead.name, "-o", "json")) == {
        "outcome": "leader-shown",
        "exit_code": 0,
        "http_status": 206,
        "error_code": None,
        "target": lead.name,
        "result": {
            "identity": YOU,
            "since": SINCE,
            "expires": until,
            "fence": FENCE,
            "note": "host-7",
            "resigning": False,
        },
        "observed": None,
    }


def test_a_lock_is_no_lead(stcc: Stcc, lead: Record) -> None:
    lead.put_bytes(b'{"kind": "lock", "fence": 1}')

    assert stcc("leader", "show", lead.name) == Result(
        9,
        "",
        f"stcc: cannot use {lead.name}: conflict (blob stcc-locks/leader/{lead.name} holds a record of kind 'lock')\n",
    )


def test_watch_prints_a_line_now_and_at_every_change(stcc: Stcc, lead: Record) -> None:
    process = stcc.process("leader", "watch", lead.name, "--limit", "4", "--poll-max", "50ms")
    assert process.stdout is not None
    first = process.stdout.readline()
    lead.hold(YOU, note="a\tb")
    second = process.stdout.readline()
    lead.hold(YOU, note="a\tb")  # a renewal is no change
    lead.hold(YOU, fence=FENCE + 1)
    third = process.stdout.readline()
    lead.free()
    out, err = process.communicate(timeout=60)
    lines = [line.decode().rstrip("\n").split("\t") for line in (first, second, third, out)]

    assert (process.returncode, err, [line[1:] for line in lines]) == (
        0,
        b"",
        [
            ["", "", "", ""],
            ["you", str(FENCE), SINCE, "a\\tb"],
            ["you", str(FENCE + 1), SINCE, ""],
            ["", "", "", ""],
        ],
    )
    assert all(len(line[0]) == 20 and line[0].endswith("Z") for line in lines)


def test_watch_for_programs(stcc: Stcc, lead: Record) -> None:
    lead.hold(YOU)
    answer = stcc("leader", "watch", lead.name, "--limit", "1", "-o", "ndjson")
    line, last = (json.loads(text) for text in answer.out.splitlines())
    del line["at"]

    assert (answer.code, answer.err, line) == (
        0,
        "",
        {"leader": YOU, "fence": FENCE, "since": SINCE, "note": None},
    )
    assert last == {"outcome": "leader-watched", "exit_code": 0}
    assert stcc("leader", "watch", lead.name, "--limit", "1", "--query", "[].leader") == Result(0, "you\n", "")


def test_watch_outlives_no_refusal(proxied: ProxiedAccount, proxied_stcc: Stcc, lead: Record) -> None:
    proxied.fail(Answer(403), when=lambda _: len(proxied.requests) == 2)
    words = ("leader", "watch", lead.name, "-o", "ndjson", "--poll-max", "50ms", "--query", "leader")
    code, out, err = proxied_stcc(*words)
    line, failure = out.splitlines()

    assert (code, line, err, json.loads(failure)["message"]) == (
        3,
        "null",
        "",
        f"cannot read {lead.name}: not allowed (403)",
    )


def test_watch_outlives_an_outage(proxied: ProxiedAccount, proxied_stcc: Stcc, lead: Record) -> None:
    process = proxied_stcc.process("leader", "watch", lead.name, "--limit", "2", "--poll-max", "50ms", "-o", "tsv")
    assert process.stdout is not None
    assert process.stderr is not None
    first = process.stdout.readline().split(b"\t")[1]
    proxied.fail(Refuse(), times=1000)
    told = process.stderr.readline().decode()
    lead.hold(YOU)
    proxied.clear()
    out, err = process.communicate(timeout=60)

    assert told.startswith(f"{lead.name}: ")
    assert told.endswith("; still watching\n")
    assert (first, out.split(b"\t")[1], err, process.returncode) == (b"", b"you", b"", 0)


def test_resign_asks_the_leader(stcc: Stcc, lead: Record) -> None:
    assert stcc("leader", "resign", lead.name) == Result(4, "", f"stcc: nobody holds {lead.name}\n")
    lead.hold(YOU)
    assert stcc("leader", "resign", lead.name, "--identity", ME) == Result(
        9,
        "",
        f"stcc: cannot resign as the leader of {lead.name}: somebody else holds it\n"
        f"  seen afterwards: holder you, since {SINCE}, expires {lead.expires}, fence {FENCE}\n",
    )
    assert "leave" not in lead.facts

    for words in ((), ("--identity", YOU)):  # asking again is fine
        assert stcc("leader", "resign", lead.name, *words) == Result(
            0, "", f"asked you to resign as the leader of {lead.name}\n"
        )
    assert lead.facts == {
        "fence": FENCE,
        "identity": YOU,
        "ttl": 60,
        "since": SINCE,
        "note": None,
        "leave": True,
    }
    assert stcc("leader", "show", lead.name, "--query", "resigning").out == "true\n"


def test_resign_waits_for_the_end_of_the_term(stcc: Stcc, lead: Record) -> None:
    lead.hold(YOU)
    assert stcc("leader", "resign", lead.name, "--wait", "300ms", "-q") == Result(
        75, "", f"stcc: {lead.name} is still held by you since {SINCE} after 0.3 seconds\n"
    )
    lead.hold(YOU)
    process = stcc.process("leader", "resign", lead.name, "--wait", "20s")
    while "leave" not in lead.facts:
        time.sleep(0.05)
    time.sleep(0.2)
    assert process.poll() is None
    lead.hold(ME, fence=FENCE + 1)

    assert (process.communicate(timeout=60), process.returncode) == (
        (b"", f"you leads {lead.name} no more\n".encode()),
        0,
    )


def test_resign_waits_through_an_outage(proxied: ProxiedAccount, proxied_stcc: Stcc, lead: Record) -> None:
    lead.hold(YOU)
    process = proxied_stcc.process("leader", "resign", lead.name, "--wait", "60s")
    while "leave" not in lead.facts:
        time.sleep(0.05)
    proxied.fail(Refuse(), times=1000)
    begun = len(proxied.requests)
    while len(proxied.requests) < begun + 8:  # a read is not tried so often
        time.sleep(0.05)
    lead.hold(ME, fence=FENCE + 1)
    proxied.clear()

    assert (process.communicate(timeout=60), process.returncode) == (
        (b"", f"you leads {lead.name} no more\n".encode()),
        0,
    )


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["show", ""], "stcc: the name of the leader is empty\n  is the variable set?\n"),
        (["show", ".."], "stcc: a segment '.' or '..' cannot be part of a blob's name: 'leader/..'\n"),
        (["resign", "a", "--identity", ""], "stcc: the identity is empty\n  is the variable set?\n"),
        (
            ["resign", "a", "--wait", "x"],
            "stcc: --wait is not a duration: 'x'\n  a number with a unit: 250ms, 90s, 5m, 2h, 7d\n",
        ),
        (["watch", "a", "--poll-max", "0"], "stcc: --poll-max is out of range: '0'\n  10ms to 60s\n"),
        (["run", "a"], "stcc: one command is needed: after --, or with -c\n"),
        (
            ["run", "a", "--ttl", "none", "--", "true"],
            "stcc: a term needs an end: a leader that dies would never be followed\n  --ttl 15s\n",
        ),
        (
            ["run", "a", "--ttl", "0", "--", "true"],
            "stcc: --ttl is out of range: '0'\n  1s to 366d, or none: kept until it is released\n",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(
    words: list[str], problem: str, proxied: ProxiedAccount, proxied_stcc: Stcc
) -> None:
    assert (proxied_stcc("leader", *words), proxied.requests) == (Result(2, "", problem), [])


def test_the_leaders_command_is_told_its_term_and_its_end_is_the_end(stcc: Stcc, lead: Record) -> None:
    words = ("--identity", ME, "--note", "here", "-c", 'echo "$STCC_LOCK_NAME $STCC_LOCK_IDENTITY $STCC_FENCE"; exit 5')

    answer = stcc.run("leader", "run", lead.name, *words)
    assert answer == Result(5, f"{lead.name} me {lead.fence}\n", "")
    assert lead.facts == {"fence": lead.fence}


def test_a_candidate_waits_only_as_long_as_it_was_told(stcc: Stcc, lead: Record) -> None:
    lead.hold(YOU)

    assert stcc("leader", "run", lead.name, "--wait", "200ms", "-E", "42", "-q", "--", "true") == Result(
        42, "", f"stcc: {lead.name} is still held by you since {SINCE} after 0.2 seconds\n"
    )


def test_who_loses_the_lead_stands_again(stcc: Stcc, lead: Record, tmp_path: Path) -> None:
    terms = tmp_path / "terms"
    script = f'echo "$STCC_FENCE" >>{terms}; [ $(wc -l <{terms}) = 2 ] && exit 6; echo; sleep 20'
    process = stcc.process("leader", "run", lead.name, "--ttl", "15s", "--", "sh", "-c", script)
    assert process.stdout is not None
    process.stdout.readline()
    lead.put(fence=lead.fence)  # somebody breaks it
    _, err = process.communicate(timeout=60)
    first, second = (int(line) for line in terms.read_text().splitlines())

    assert (process.returncode, err.decode(), first < second) == (
        6,
        f"stcc: {lead.name} is lost: nobody holds it\n",
        True,
    )
    assert lead.holder is None


def test_one_leads_and_after_it_was_asked_to_resign_the_other(stcc: Stcc, lead: Record, tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = f'echo "$STCC_LOCK_IDENTITY" >>{log}; [ $(wc -l <{log}) = 3 ] && exit 0; exec sleep 60'
    words = ("--ttl", "9s", "--poll-max", "100ms", "--", "sh", "-c", script)

    def led(count: int) -> list[str]:
        while (text := log.read_text() if log.exists() else "").count("\n") < count:
            time.sleep(0.02)
        return text.split()

    first = stcc.process("leader", "run", lead.name, "--identity", "one", *words)
    assert led(1) == ["one"]
    second = stcc.process("leader", "run", lead.name, "--identity", "two", *words)
    assert stcc("leader", "resign", lead.name, "--wait", "60s") == Result(0, "", f"one leads {lead.name} no more\n")
    assert led(2) == ["one", "two"]
    time.sleep(9.5)  # the first one stands again by now
    assert stcc("leader", "resign", lead.name, "--identity", "two", "-q").code == 0
    assert led(3) == ["one", "two", "one"]
    resigned = f"stcc: {lead.name} is lost: it was asked to resign\n"
    told = f"resigned as the leader of {lead.name}; standing again in 9 seconds\n"

    assert (first.communicate(timeout=60), first.returncode) == ((b"", (resigned + told).encode()), 0)
    second.terminate()
    assert (second.communicate(timeout=60)[0], second.returncode) == (b"", 143)


def test_the_resigned_lets_others_first_for_one_ttl(stcc: Stcc, lead: Record, tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = f"date +%s.%N >>{log}; [ $(wc -l <{log}) = 2 ] && exit 0; exec sleep 60"
    process = stcc.process("leader", "run", lead.name, "--ttl", "9s", "--", "sh", "-c", script)
    while not log.exists():
        time.sleep(0.02)
    assert stcc("leader", "resign", lead.name, "--wait", "60s", "-q").code == 0
    began = time.time()

    assert process.wait(60) == 0
    process.communicate()
    assert 5 < float(log.read_text().splitlines()[1]) - began < 60

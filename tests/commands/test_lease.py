"""Leases: what each command prints and returns."""

import os
import signal
import time
import uuid
from pathlib import Path

import pytest

from stcc.emulator.instance import Instance
from stcc.values.times import iso
from tests.azurite import ProxiedAccount
from tests.commands.answers import document, seen
from tests.running import Result, Stcc
from tests.situations import HELD, OTHER, Situation
from tests.wire import Answer, Drop, Recorded, Stall, writes

HELD_BY_ANOTHER = "  wait for it (--wait 60s), or, only if the holder is known to be dead: stcc lease break\n"
KINDS = ("blob", "existing_container")
LEASED_KINDS = ("leased_blob", "leased_container")


def state(there: Situation, target: str) -> tuple[str, str | None]:
    lease = there.properties(target).lease
    return lease.state, lease.duration


@pytest.mark.parametrize("kind", KINDS)
def test_acquire_prints_the_id(kind: str, stcc: Stcc, there: Situation) -> None:
    target = there.argv(f"{{{kind}}}")[0]
    code, out, err = stcc("lease", "acquire", target, "--duration", "15")

    assert (code, out, err) == (0, f"{uuid.UUID(out.strip())}\n", f"leased {target} for 15 seconds\n")
    assert state(there, target) == ("leased", "fixed")
    there.lease(target, out.strip()).renew()


@pytest.mark.parametrize("kind", KINDS)
def test_acquire_for_ever_under_a_chosen_id(kind: str, stcc: Stcc, there: Situation) -> None:
    target = there.argv(f"{{{kind}}}")[0]
    words = ("lease", "acquire", target, "--duration", "infinite", "--proposed-id", OTHER.upper())
    for _ in range(2):  # again under the same id is the same lease
        assert stcc(*words) == Result(0, f"{OTHER}\n", f"leased {target} until it is released or broken\n")
    assert state(there, target) == ("leased", "infinite")


def test_acquire_in_json_and_tsv(stcc: Stcc, there: Situation) -> None:
    target = there.blob
    facts = {"etag": there.etag, "last_modified": iso(there.properties(target).last_modified)}

    assert document(stcc("lease", "acquire", target, "--proposed-id", HELD, "-o", "json")) == {
        "outcome": "lease-acquired",
        "exit_code": 0,
        "http_status": 201,
        "error_code": None,
        "target": target,
        "result": {"lease_id": HELD, "duration": 60, **facts},
        "observed": None,
    }
    assert stcc("lease", "acquire", target, "--proposed-id", HELD, "-o", "tsv", "-q") == Result(
        0, f"{HELD}\t60\t{facts['etag']}\t{facts['last_modified']}\n", ""
    )


@pytest.mark.parametrize("kind", LEASED_KINDS)
def test_acquire_of_what_somebody_else_holds_is_a_conflict(kind: str, stcc: Stcc, there: Situation) -> None:
    target = there.argv(f"{{{kind}}}")[0]
    refusal = Result(
        9,
        "",
        f"stcc: cannot acquire the lease of {target}: somebody else holds the lease (409 LeaseAlreadyPresent)\n"
        f"{seen(there, target, sized=False)}{HELD_BY_ANOTHER}",
    )

    assert stcc("lease", "acquire", target) == refusal
    assert stcc("lease", "acquire", target, "--no-wait") == refusal


@pytest.mark.parametrize("wait", ["0s", "150ms"])
def test_acquire_that_waited_in_vain_is_busy(wait: str, stcc: Stcc, there: Situation) -> None:
    target = there.leased_blob
    still, after = {"0s": ("", ""), "150ms": ("still ", " after 0.15 seconds")}[wait]

    assert stcc("lease", "acquire", target, "--wait", wait) == Result(
        75,
        "",
        f"stcc: {target} is {still}leased by somebody else{after}\n"
        f"  seen afterwards: lease state leased, lease status locked, lease duration infinite\n{HELD_BY_ANOTHER}",
    )


def test_acquire_waits_until_it_is_free(stcc: Stcc, there: Situation) -> None:
    process = stcc.process("lease", "acquire", there.leased_blob, "--proposed-id", OTHER, "--wait", "20s", "-q")
    time.sleep(0.6)
    assert process.poll() is None
    there.lease(there.leased_blob).release()

    assert (process.communicate(timeout=60), process.returncode) == ((f"{OTHER}\n".encode(), b""), 0)


def test_who_waits_outlasts_an_outage(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    proxied.fail(Answer(503), times=1000)
    acquire = ("lease", "acquire", there.blob, "--proposed-id", OTHER, "-q")
    given_up = [proxied_stcc(*acquire, *words).code for words in ((), ("--no-wait",), ("--wait", "200ms"))]
    process = proxied_stcc.process(*acquire, "--wait", "60s")
    begun = len(proxied.requests)
    while len(proxied.requests) < begun + 8:  # one try is not repeated so often
        time.sleep(0.05)
    proxied.clear()

    assert given_up == [69, 69, 69]
    assert (process.communicate(timeout=60), process.returncode) == ((f"{OTHER}\n".encode(), b""), 0)


def test_acquire_waits_until_the_lease_expires(fast_azurite: Instance) -> None:
    there = Situation(fast_azurite)
    there.lease(there.blob).acquire(15)
    stcc = Stcc(connection_string=fast_azurite.connection_string)

    assert stcc("lease", "acquire", there.blob, "--proposed-id", OTHER, "--wait", "20s", "-q") == (0, f"{OTHER}\n", "")


def test_what_cannot_be_waited_for_is_said_at_once(stcc: Stcc, there: Situation) -> None:
    started = time.monotonic()

    assert stcc("lease", "acquire", there.new_blob, "--wait", "20s", "-q") == Result(
        4, "", f"stcc: cannot acquire the lease of {there.new_blob}: there is no such blob (404 BlobNotFound)\n"
    )
    assert stcc("lease", "acquire", there.blob, "--wait", "20s", "--if-match", "0x8D1", "-q").code == 12
    assert time.monotonic() - started < 20


@pytest.mark.parametrize("kind", LEASED_KINDS)
def test_renew_change_and_release(kind: str, stcc: Stcc, there: Situation) -> None:
    target = there.argv(f"{{{kind}}}")[0]

    assert stcc("lease", "renew", target, "--lease-id", HELD) == Result(
        0, f"{HELD}\n", f"renewed the lease of {target}\n"
    )
    assert stcc("lease", "change", target, "--lease-id", HELD, "--proposed-id", OTHER) == Result(
        0, f"{OTHER}\n", f"changed the id of the lease of {target}\n"
    )
    assert stcc("lease", "release", target, "--lease-id", OTHER) == Result(0, "", f"released {target}\n")
    assert state(there, target) == ("available", None)


@pytest.mark.parametrize(
    ("verb", "words"),
    [("renew", ()), ("release", ()), ("change", ("--proposed-id", HELD[:-1] + "f"))],
)
def test_a_stranger_cannot_act_on_a_lease(verb: str, words: tuple[str, ...], stcc: Stcc, there: Situation) -> None:
    target = there.leased_blob

    assert stcc("lease", verb, target, "--lease-id", OTHER, *words) == Result(
        9,
        "",
        f"stcc: cannot {verb} the lease of {target}: the lease has another id, or there is none "
        f"(409 LeaseIdMismatchWithLeaseOperation)\n{seen(there, target, sized=False)}"
        "  it was released, or somebody else has acquired it since\n",
    )
    assert state(there, target) == ("leased", "infinite")


def test_a_condition_on_a_lease_is_checked(stcc: Stcc, there: Situation) -> None:
    assert stcc("lease", "acquire", there.blob, "--if-match", "0x8D1", "--no-diagnose", "-q") == Result(
        12,
        "",
        f"stcc: cannot acquire the lease of {there.blob}: it changed since you looked (412 ConditionNotMet)\n",
    )
    assert stcc("lease", "acquire", there.blob, "--if-match", there.etag, "-q").code == 0


@pytest.mark.parametrize("kind", LEASED_KINDS)
def test_show_tells_the_state(kind: str, stcc: Stcc, there: Situation) -> None:
    target = there.argv(f"{{{kind}}}")[0]
    found = there.properties(target)
    when = iso(found.last_modified)

    assert stcc("lease", "show", target) == Result(
        0,
        f"target         {target}\nlease          leased infinite\nstatus         locked\n"
        f"etag           {found.etag}\nlast modified  {when}\n",
        "",
    )
    assert stcc("lease", "show", target, "-o", "tsv") == Result(
        0, f"leased\tlocked\tinfinite\t{found.etag}\t{when}\n", ""
    )


def test_an_id_that_cannot_be_printed_is_given_back(stcc: Stcc, there: Situation) -> None:
    with Path("/dev/full").open("wb") as full:
        process = stcc.process("lease", "acquire", there.blob, stdout=full)
        _, err = process.communicate(timeout=60)

    assert (process.returncode, err.decode()) == (
        74,
        "stcc: stdout cannot be written: no space left on device\n  what was acquired was given back\n",
    )
    assert state(there, there.blob) == ("available", None)


def test_an_id_that_nobody_reads_is_given_back(stcc: Stcc, there: Situation) -> None:
    read, write = os.pipe()
    os.close(read)
    process = stcc.process("lease", "acquire", there.blob, stdout=write)
    os.close(write)

    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (141, b"")
    assert state(there, there.blob) == ("available", None)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["TERM", "INT"])
def test_a_signal_while_waiting_ends_it(
    number: signal.Signals, code: int, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    process = proxied_stcc.process("lease", "acquire", there.leased_blob, "--wait", "forever")
    while len(proxied.requests) < 3:
        time.sleep(0.02)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)

    # In a pause, or in the middle of a try: then it also says that it gave back what it may have got.
    assert (out, f"interrupted by {number.name}\n" in err.decode()) == (b"", True)
    assert (process.returncode, state(there, there.leased_blob)) == (code, ("leased", "infinite"))


def test_a_signal_between_a_lost_answer_and_its_repeat_gives_the_lease_back(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    target = there.blob

    def stop(request: Recorded) -> bool:
        if writes(request):
            process.send_signal(signal.SIGTERM)
        return writes(request)

    proxied.fail(Drop(), when=writes)
    proxied.fail(Stall(), when=stop)
    process = proxied_stcc.process("lease", "acquire", target)
    out, err = process.communicate(timeout=60)

    problem = f"stcc: {target}: the change may or may not have been applied; interrupted by SIGTERM\n"
    lease_id = proxied.requests[0].headers["x-ms-proposed-lease-id"]
    told = f"  it was given back; its id was {lease_id}\n"
    assert (process.returncode, out, err.decode()) == (143, b"", problem + told)
    assert [request.headers["x-ms-lease-action"] for request in proxied.requests] == ["acquire", "acquire", "release"]
    assert state(there, target) == ("available", None)


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        pytest.param("leaseid", "nothing of the answer was printed, so what was acquired was given back", id="null"),
        pytest.param("length(duration)", "it was done, but --query cannot be applied", id="not applicable"),
    ],
)
def test_a_query_that_prints_nothing_of_the_lease_gives_it_back(
    query: str, problem: str, stcc: Stcc, there: Situation
) -> None:
    code, out, err = stcc("lease", "acquire", there.blob, "--duration", "infinite", "--query", query)

    assert (code, out, problem in err, state(there, there.blob)) == (1, "", True, ("available", None))


def test_a_lease_whose_id_nobody_would_see_is_refused(proxied: ProxiedAccount, proxied_stcc: Stcc) -> None:
    answer = proxied_stcc("lease", "acquire", "data/report", "-o", "none")
    problem = "stcc: --output none would leave nobody with the id of the lease\n  choose it with --proposed-id\n"

    assert (answer, proxied.requests) == (Result(2, "", problem), [])

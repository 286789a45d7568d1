"""`stcc demo`: the transcript as a whole, and that a deviation is seen."""

import json
import re
import signal
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest

from stcc.demo import COLUMNS, STRATEGIES
from stcc.emulator import background, process
from tests.azurite import ProxiedAccount
from tests.redis_server import RedisServerForTests
from tests.running import Result, Stcc, own_environment
from tests.wire import Answer, Recorded

REPLACED = (
    (re.compile(r'"0x[0-9A-F]+"'), '"ETAG"'),
    (re.compile(r"\d{7}Z'"), "TAIL'"),
    (re.compile(r"[0-9a-f]{8}\.\.\."), "ID"),
    (re.compile(r"\w{3}, \d\d \w{3} \d{4} [0-9:]{8} GMT"), "DATE"),
    (re.compile(r" +"), " "),
)
STORY = "no emulator is running: starting one for this demo, in memory\n"


@pytest.fixture
def stcc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Generator[Stcc]:
    """Call stcc without an account, and with no emulator running."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    yield Stcc()
    background.stop()


def normalised(text: str) -> str:
    for pattern, replacement in REPLACED:
        text = pattern.sub(replacement, text)
    return text


OPTIMISTIC = """
Optimistic: write only if nobody has written since you read
 asked condition HTTP exit meaning
 ok put it, if there is none yet If-None-Match: * 201 0 created; we keep its ETag
 ok somebody else overwrites it none (--force) 201 0 every write makes a new ETag
 ok put ours, with the ETag we kept If-Match: "ETAG" 412 12 ConditionNotMet: it changed since; its ETag is "ETAG" now
 ok read it again 206 0 what they wrote, and the ETag of it
 ok put both, with the current ETag If-Match: "ETAG" 201 0 nothing of theirs is lost
 ok read it, unless we have it If-None-Match: "ETAG" 304 30 ConditionNotMet: nothing new, nothing sent
"""
REST = """
Pessimistic: lock it first; while the lease lasts, only its holder can write
 asked condition HTTP exit meaning
 ok acquire a lease for 15 seconds x-ms-proposed-lease-id: ID 201 0 it is ours
 ok acquire it a second time x-ms-proposed-lease-id: ID 409 9 LeaseAlreadyPresent: one holder at a time
 ok put without the id none (--force) 412 12 LeaseIdMissing: others cannot write
 ok put with the id x-ms-lease-id: ID 201 0 the holder can
 ok read without the id 206 0 everybody can read
 ok read with another id x-ms-lease-id: ID 412 12 LeaseIdMismatchWithBlobOperation: an id that is sent is checked
 ok renew it x-ms-lease-id: ID 200 0 15 seconds from now
 ok change its id x-ms-proposed-lease-id: ID 200 0 handed over to whoever has the new id
 ok break it, as an operator would 202 0 no id is needed, and it ends at once
 ok put with the id nevertheless x-ms-lease-id: ID 412 12 LeaseNotPresentWithBlobOperation: \
the holder is told (the service says LeaseLost)
 ok release it x-ms-lease-id: ID 200 0 also a broken one can be released
 ok put without an id none (--force) 201 0 free for everybody again

Last writer wins: no condition, no refusal
 asked condition HTTP exit meaning
 ok one writer puts it none (--force) 201 0 whatever was there
 ok another writer puts it none (--force) 201 0 nobody is told
 ok read it 206 0 the first write is gone without a trace

Container: its lease guards its deletion, its conditions are dates
 asked condition HTTP exit meaning
 ok acquire a lease for 15 seconds x-ms-proposed-lease-id: ID 201 0 it is ours
 ok put a blob into it If-None-Match: * 201 0 the lease does not guard the blobs
 ok show it 200 0 nor its properties
 ok delete it without the id 412 12 LeaseIdMissing: it guards the deletion
 ok delete it with its ETag If-Match: "ETAG" - 2 stcc sends nothing: the service would ignore the ETag
 ok delete it, if unchanged for a day x-ms-lease-id: ID 412 12 ConditionNotMet: a date is checked
 If-Unmodified-Since: DATE
 ok delete it with the id x-ms-lease-id: ID 202 0 gone, with all its blobs

Table: every update names the ETag it is based on, or says * to overwrite
 asked condition HTTP exit meaning
 ok insert it 204 0 inserted; we keep its ETag
 ok insert it again 409 9 EntityAlreadyExists: an insert never overwrites
 ok replace it, with the ETag we kept If-Match: W/"datetime'...TAIL'" 204 0 it was current
 ok replace it, with the same ETag If-Match: W/"datetime'...TAIL'" 412 12 UpdateConditionNotSatisfied: it changed since
 ok replace it, whatever it is If-Match: * 204 0 it only has to be there
 ok upsert it 204 0 no check at all: the last writer wins
 ok delete it, with the first ETag If-Match: W/"datetime'...TAIL'" 412 12 UpdateConditionNotSatisfied: it changed since
 ok read it 200 0 what the last writer wrote, and its ETag
 ok delete it, with the current ETag If-Match: W/"datetime'...TAIL'" 204 0 gone
 ok delete it again If-Match: W/"datetime'...TAIL'" 404 4 ResourceNotFound: nothing to delete is no success

Queue: who dequeues a message gets a receipt, and only the newest is good
 asked condition HTTP exit meaning
 ok send a message 201 0 there for whoever comes first
 ok dequeue it, hidden for 30 seconds 200 0 ours for now, with a receipt
 ok somebody else dequeues 200 75 others do not see it
 ok ask for more time 204 0 a new receipt; the old one is void
 ok delete it with the old receipt 400 12 PopReceiptMismatch: stale (the service says 404)
 ok delete it with the new receipt 204 0 done, and gone
 ok send another message 201 0 there for whoever comes first
 ok dequeue it, hidden for 1 second 200 0 and now we are slow
 ok later, somebody else dequeues 200 0 it is theirs, a second time
 ok we delete it with our receipt 400 12 PopReceiptMismatch: stale: work must be harmless to repeat
 ok they delete it with theirs 204 0 done, and gone
"""
FILES = """
File: the last writer wins, SMB clients can be in the way, a lease keeps other writers out
 asked condition HTTP exit meaning
 ok one writer puts it 200 0 under another name, then renamed: nobody sees half
 ok another writer puts it 200 0 nobody is told
 ok read it 206 0 the first write is gone without a trace
 ok put it, with the first ETag If-Match: "ETAG" - 2 stcc sends nothing: the service knows no conditions for files
 ok an SMB client opens it - 0 and shares it with nobody
 ok read it 409 9 SharingViolation: the client does not share reading
 ok delete it 409 9 SharingViolation: nor does it share deletion
 ok list what is open - 0 who has it, for what, since when
 ok the SMB client deletes it - 0 it goes when the client closes it
 ok show it 409 9 DeletePending: 409, not 404: it is still there
 ok put it 409 9 DeletePending: and its name is taken
 ok the SMB client closes it - 0 with the last handle the file goes
 ok show it 404 4 ResourceNotFound: now it is really gone
 ok put it 200 0 its name is free again
 ok acquire its lease x-ms-proposed-lease-id: ID 201 0 ours, without end: files know no other
 ok put without the id 412 12 LeaseIdMissing: others cannot write
 ok delete without the id 412 12 LeaseIdMissing: nor delete
 ok put with the id 200 0 the holder can
 ok read without the id 206 0 everybody can read
 ok release it x-ms-lease-id: ID 200 0 free for everybody again
"""
LOCKS = """
Lock: only its holder can release it, and every grant has a higher number
 asked condition HTTP exit meaning
 ok peter acquires it for an hour 201 0 it is his, with a fencing number
 ok tom acquires it - 75 one holder at a time; who it is, is told
 ok peter acquires it again - 75 not twice either, unless --reentrant
 ok tom releases it - 9 only its holder can
 ok show it 206 0 peter has it still
 ok peter releases it 201 0 free
 ok show it 206 4 nobody holds it
 ok tom acquires it 201 0 now it is his, with a higher number
 ok peter renews it - 9 he is told that he lost it
 ok tom releases it 201 0 free again

Semaphore: never more holders than its maximum
 asked condition HTTP exit meaning
 ok peter acquires a permit - 4 nobody has said how many there are
 ok create it, for three 201 0 three at a time from now on
 ok peter acquires a permit 201 0 permit 1 of 3
 ok jack acquires a permit 201 0 permit 2 of 3
 ok tom acquires a permit 201 0 permit 3 of 3
 ok mary acquires a permit - 75 all three are held
 ok jack releases his 201 0 two are held
 ok jack releases it again - 9 he holds none any more
 ok show it 206 0 2 of 3, and who holds them
 ok mary acquires a permit 201 0 now there is one
"""


def on(account: ProxiedAccount, *arguments: str) -> tuple[str, ...]:
    return ("demo", *arguments, "--connection-string", account.connection_string)


def test_the_whole_tour_on_an_emulator_of_its_own(stcc: Stcc) -> None:
    code, out, err = stcc("demo")

    assert (code, normalised(out), err) == (
        0,
        f"{OPTIMISTIC}{REST}{FILES}{LOCKS}\n89 of 89 outcomes as expected\n",
        STORY,
    )


@pytest.mark.parametrize("strategy", ["lock", "semaphore"])
def test_the_same_is_shown_on_redis_which_is_left_as_it_was(
    strategy: str, stcc: Stcc, proxied: ProxiedAccount, redis_server: RedisServerForTests
) -> None:
    before = redis_server.client().keys()
    code, out, err = stcc(*on(proxied, strategy, "--redis", redis_server.url("").removesuffix("/")))
    azure = next(part for part in LOCKS.split("\n\n") if part.strip().lower().startswith(strategy))
    told = [line.split(" ", 2)[2] for line in re.sub(r" (\d{3}|-) (?=\d)", " - ", azure.strip()).splitlines()[2:]]

    assert (code, err, normalised(out).splitlines()[-1]) == (0, "", "10 of 10 outcomes as expected")
    assert [line.split(" ", 2)[2] for line in normalised(out).strip().splitlines()[2:-2]] == told
    assert (redis_server.client().keys(), proxied.requests) == (before, [])


def test_without_simulated_clients_their_steps_are_left_out_and_that_is_said(
    stcc: Stcc, proxied: ProxiedAccount
) -> None:
    elsewhere = proxied.connection_string.replace("127.0.0.1", "localhost")
    code, out, err = stcc("demo", "file", "--connection-string", elsewhere)
    lines = FILES.splitlines(keepends=True)
    left = "".join(lines[:7] + lines[-7:])

    assert (code, normalised(out), err) == (
        0,
        f"{left}\n11 of 11 outcomes as expected\n",
        "file: without the steps that need an SMB client, for those are simulated by the emulator only\n",
    )


def test_the_columns_are_aligned(stcc: Stcc) -> None:
    assert stcc("demo", "last-writer-wins", "-q") == Result(
        0,
        """
Last writer wins: no condition, no refusal
      asked                              condition                            HTTP  exit  meaning
  ok  one writer puts it                 none (--force)                       201   0     whatever was there
  ok  another writer puts it             none (--force)                       201   0     nobody is told
  ok  read it                                                                 206   0     the first write is gone \
without a trace

3 of 3 outcomes as expected
""",
        "",
    )


def test_it_uses_the_emulator_that_is_running_and_leaves_nothing_in_it(stcc: Stcc) -> None:
    stcc("emulator", "start")
    told = stcc("demo", "-o", "none")
    left = [stcc("--emulator", noun, "list", "--query", "[].name") for noun in ("container", "table", "queue", "share")]

    assert (told, left) == (Result(0, "", ""), [Result(0, "", "")] * 4)


def test_the_account_of_the_environment_is_left_alone(stcc: Stcc, proxied: ProxiedAccount) -> None:
    other = Stcc(connection_string=proxied.connection_string)

    assert (other("demo", "container", "-o", "none"), proxied.requests) == (Result(0, "", ""), [])


def test_programs_get_the_steps_as_one_document(stcc: Stcc, proxied: ProxiedAccount) -> None:
    code, out, err = stcc(*on(proxied, "last-writer-wins", "-o", "json"))
    document = json.loads(out)
    steps = document.pop("result")

    assert (code, err, document) == (
        0,
        "",
        {
            "outcome": "demo-as-expected",
            "exit_code": 0,
            "http_status": None,
            "error_code": None,
            "request_id": None,
            "target": "last-writer-wins",
            "observed": None,
        },
    )
    assert [tuple(one) for one in steps] == [COLUMNS] * 3
    assert steps[2] == {
        "strategy": "last-writer-wins",
        "step": 3,
        "asked": "read it",
        "condition": "",
        "http_status": 206,
        "error_code": None,
        "exit_code": 0,
        "meaning": "the first write is gone without a trace",
        "expected": "200 or 206: the first write is gone without a trace",
        "as_expected": True,
    }


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_each_strategy_can_be_shown_alone_step_by_step(stcc: Stcc, proxied: ProxiedAccount, strategy: str) -> None:
    code, out, err = stcc(*on(proxied, strategy, "-o", "ndjson"))
    *steps, last = map(json.loads, out.splitlines())

    assert (code, err, last) == (0, "", {"outcome": "demo-as-expected", "exit_code": 0})
    assert [(one["strategy"], one["step"], one["as_expected"]) for one in steps] == [
        (strategy, number, True) for number in range(1, len(steps) + 1)
    ]


def conditional(request: Recorded) -> bool:
    return request.method == "PUT" and "if-match" in request.headers


def reads(request: Recorded) -> bool:
    return request.method == "GET"


def creates_page(request: Recorded) -> bool:
    return request.path.endswith("/page.txt") and request.headers.get("if-none-match") == "*"


def deletes(request: Recorded) -> bool:
    return request.method == "DELETE"


CONFLICT = Answer(409, {"x-ms-error-code": "BlobAlreadyExists"})
FORBIDDEN = Answer(403, {"x-ms-error-code": "AuthorizationFailure"})
OTHER_TEXT = Answer(
    206, {"etag": '"0xAB"', "content-range": "bytes 0-2/3", "last-modified": "Sat, 21 Nov 2026 00:00:00 GMT"}, b"one"
)


def test_another_answer_than_expected_stands_out_and_fails_the_demo(stcc: Stcc, proxied: ProxiedAccount) -> None:
    proxied.fail(CONFLICT, when=conditional)
    code, out, err = stcc(*on(proxied, "optimistic"))
    stale = OPTIMISTIC.splitlines(keepends=True)[5]
    name = proxied.requests[0].path.rpartition("/")[2]
    wrong = (
        f' !! put ours, with the ETag we kept If-Match: "ETAG" 409 9 BlobAlreadyExists: cannot put {name}/page.txt: '
        "there is a blob of that name (409 BlobAlreadyExists)\n"
        ' expected 412 ConditionNotMet: it changed since; its ETag is "ETAG" now\n'
    )

    assert (code, normalised(out), err) == (
        1,
        OPTIMISTIC.replace(stale, wrong) + "\n5 of 6 outcomes as expected\n",
        "",
    )


def test_the_right_answer_with_the_wrong_content_fails_the_demo(stcc: Stcc, proxied: ProxiedAccount) -> None:
    proxied.fail(OTHER_TEXT, when=reads)
    code, out, err = stcc(*on(proxied, "last-writer-wins", "-o", "ndjson"))
    *_, read, last = map(json.loads, out.splitlines())

    assert (code, err, read["as_expected"], read["meaning"], last) == (
        1,
        "",
        False,
        "the answer is the right one, what is stored is not",
        {"outcome": "demo-deviated", "exit_code": 1},
    )


def test_a_walk_through_that_cannot_go_on_is_broken_off_and_the_next_one_begins(
    stcc: Stcc, proxied: ProxiedAccount
) -> None:
    proxied.fail(CONFLICT, when=creates_page)
    code, out, err = stcc(*on(proxied))
    name = proxied.requests[0].path.rpartition("/")[2]
    why = f"cannot put {name}/page.txt: there is a blob of that name (409 BlobAlreadyExists)"
    wrong = (
        f" !! put it, if there is none yet If-None-Match: * 409 9 BlobAlreadyExists: {why}\n"
        " expected 201: created; we keep its ETag\n"
        f" !! the rest of this walk-through - 1 broken off: {why}\n"
        " expected an answer to go on with\n"
    )
    heading = "".join(OPTIMISTIC.splitlines(keepends=True)[:3])

    assert (code, normalised(out), err) == (
        1,
        f"{heading}{wrong}{REST}{FILES}{LOCKS}\n83 of 85 outcomes as expected\n",
        "",
    )


def test_what_cannot_be_deleted_is_named(stcc: Stcc, proxied: ProxiedAccount) -> None:
    proxied.fail(FORBIDDEN, when=deletes)
    code, _, err = stcc(*on(proxied, "optimistic"))
    name = proxied.requests[0].path.rpartition("/")[2]

    assert (code, err) == (
        0,
        f"{name} is left over: cannot delete container {name}: not allowed (403 AuthorizationFailure)\n",
    )


def test_a_broken_off_lease_does_not_keep_the_container(stcc: Stcc, proxied: ProxiedAccount) -> None:
    proxied.fail(FORBIDDEN, when=lambda request: request.method == "GET" and request.query == "restype=container")
    code, _, err = stcc(*on(proxied, "container", "-o", "none"))
    name = proxied.requests[0].path.rpartition("/")[2]
    stcc_here = Stcc(connection_string=proxied.connection_string)

    assert (code, err, stcc_here("container", "show", name).code) == (1, "", 4)


def test_nobody_there_ends_the_tour(stcc: Stcc) -> None:
    nobody = "AccountName=nobody;AccountKey=eA==;BlobEndpoint=http://127.0.0.1:1/nobody"
    code, out, err = stcc("demo", "--connection-string", nobody)

    assert (code, out, re.sub("[0-9a-f]{12}", "NAME", err)) == (
        69,
        "",
        "stcc: stcc-demo-NAME: connection refused\n  nothing was changed; try again later\n",
    )


def test_ctrl_c_ends_what_was_started(stcc: Stcc) -> None:
    # A signal that comes while coverage has its lock keeps the lock for ever.
    surroundings = {**own_environment(), **stcc.surroundings}
    unmeasured = {name: value for name, value in surroundings.items() if not name.startswith("COVERAGE_")}
    child = stcc.process("demo", start_new_session=True, env=unmeasured)
    assert child.stdout is not None
    begun = child.stdout.readline()
    emulators = children(child.pid)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate()

    assert (begun, child.returncode, [process.identity(pid) for pid in emulators]) == (b"\n", 130, [None, None])
    assert re.fullmatch(f"{STORY}stcc: (.*; )?interrupted by SIGINT\n", err.decode())


def children(pid: int) -> list[int]:
    listed = subprocess.run(["ps", "-axo", "pid=,ppid="], capture_output=True, text=True, check=True)
    pairs = [map(int, line.split()) for line in listed.stdout.splitlines()]
    return [own for own, parent in pairs if parent == pid]

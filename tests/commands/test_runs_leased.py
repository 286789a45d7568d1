"""Commands that run under a lease of the service: `lease run` and `table run`."""

import json
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from stcc.emulator.instance import Instance
from tests.azurite import ProxiedAccount
from tests.conftest import Names
from tests.running import Result, Stcc
from tests.situations import Situation
from tests.wire import Answer, Drop, Recorded, writes

pytestmark = pytest.mark.usefixtures("own_state")
STCC = f"{sys.executable} -m stcc"
SNAPSHOT = "2026-01-31T12:00:00.1234567Z"
HINT = "  wait for it (--wait 60s), or, only if the holder is known to be dead: stcc lease break\n"


def state(there: Situation, target: str) -> str:
    return str(there.properties(target).lease.state)


@pytest.mark.parametrize("kind", ["blob", "existing_container"])
def test_the_command_has_the_lease_and_its_id(kind: str, stcc: Stcc, azurite: Instance, there: Situation) -> None:
    target = there.argv(f"{{{kind}}}")[0]
    script = f'{STCC} lease show {target} --query state; {STCC} lease renew {target} --lease-id "$STCC_LEASE_ID" -q'
    told = 'echo "$STCC_LEASE_ID $STCC_LEASE_TARGET $STCC_HELD"'
    code, out, err = stcc.run("lease", "run", target, "--", "sh", "-c", f"{told}; {script}")
    (lease_id, *rest), *lines = (line.split() for line in out.splitlines())

    assert (code, err, rest) == (0, "", [target, f"http://127.0.0.1:{azurite.blob_port}/devstoreaccount1/{target}"])
    assert (str(uuid.UUID(lease_id)), lines) == (lease_id, [["leased"], [lease_id]])
    assert state(there, target) == "available"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param(["sh", "-c", "exit 7"], Result(7, "", ""), id="its-own-code"),
        pytest.param(["sh", "-c", "kill $$"], Result(143, "", ""), id="a-signal"),
        pytest.param(
            ["/nonexistent"], Result(127, "", "stcc: cannot run '/nonexistent': no such file or directory\n"), id="none"
        ),
    ],
)
def test_the_exit_code_is_the_commands_and_the_lease_is_released(
    command: list[str], expected: Result, stcc: Stcc, there: Situation
) -> None:
    assert stcc.run("lease", "run", there.blob, "--duration", "15", "--", *command) == expected
    assert state(there, there.blob) == "available"


@pytest.mark.parametrize(("words", "code"), [((), 75), (("-E", "42"), 42), (("--wait", "200ms"), 75)])
def test_what_another_has_leased_is_busy(words: tuple[str, ...], code: int, stcc: Stcc, there: Situation) -> None:
    target = there.leased_blob
    still, after = ("still ", " after 0.2 seconds") if "--wait" in words else ("", "")

    assert stcc("lease", "run", target, *words, "--", "true") == Result(
        code,
        "",
        f"stcc: {target} is {still}leased by somebody else{after}\n"
        f"  seen afterwards: lease state leased, lease status locked, lease duration infinite\n{HINT}",
    )
    there.lease(target).renew()


def test_what_is_not_there_is_absent_unless_it_is_to_be_created(stcc: Stcc, there: Situation) -> None:
    blob, container = there.new_blob, there.new_container
    for target, kind, hint in ((blob, "blob", ""), (container, "container", "  stcc container create NAME\n")):
        code, out, err = stcc("lease", "run", target, "--no-diagnose", "--", "true")
        problem = f"stcc: cannot acquire the lease of {target}: there is no such {kind} (404 "
        assert (code, out, err.startswith(problem), err.endswith(hint)) == (4, "", True, True)
        assert not there.client(target).exists()

        assert stcc("lease", "run", target, "--create", "--", "true") == Result(0, "", "")
        assert state(there, target) == "available"
    assert there.content(blob) == b""


def test_create_makes_the_container_too_and_leaves_what_is_there_alone(stcc: Stcc, there: Situation) -> None:
    assert stcc("lease", "run", f"{there.new_container}/a/b", "--create", "--", "true") == Result(0, "", "")
    before = there.etag

    assert stcc("lease", "run", there.blob, "--create", "--", "true") == Result(0, "", "")
    assert there.properties(there.blob).etag == before


def test_only_what_is_there_already_counts_as_made(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    target = there.new_blob
    proxied.fail(Answer(409, {"x-ms-error-code": "BlobImmutableDueToPolicy"}), when=uploads)

    assert proxied_stcc("lease", "run", target, "--create", "--", "true") == Result(
        9,
        "",
        f"stcc: cannot create {target}: an immutability policy or legal hold protects it "
        "(409 BlobImmutableDueToPolicy)\n",
    )


def uploads(request: Recorded) -> bool:
    return request.headers.get("x-ms-blob-type") == "BlockBlob"


@pytest.mark.parametrize("code", ["409 BlobAlreadyExists", "412 LeaseIdMissing"])
def test_what_somebody_has_made_meanwhile_is_as_good(
    code: str, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    status, name = code.split()
    proxied.fail(Answer(404, {"x-ms-error-code": "BlobNotFound"}), when=writes)
    proxied.fail(Answer(int(status), {"x-ms-error-code": name}), when=uploads)

    assert proxied_stcc("lease", "run", there.blob, "--create", "--", "true") == Result(0, "", "")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["cab/b"], "stcc: one command is needed: after --, or with -c\n"),
        (
            ["cab/b", "--duration", "14", "--", "true"],
            "stcc: --duration is out of range: '14'\n  the service accepts 15 to 60 whole seconds\n",
        ),
        (
            ["cab/b", "--duration", "infinite", "--", "true"],
            "stcc: --duration is not a duration: 'infinite'\n  a number with a unit: 250ms, 90s, 5m, 2h, 7d\n",
        ),
        (["cab/b", "--wait", "1s", "--no-wait", "--", "true"], "stcc: --wait and --no-wait exclude each other\n"),
        (
            ["C/b", "--", "true"],
            "stcc: not the name of a container: 'C'\n  3 to 63 lower-case letters, digits and single hyphens\n",
        ),
        (["cab/..", "--", "true"], "stcc: a segment '.' or '..' cannot be part of a blob's name: '..'\n"),
        (["cab/b", "--if-match", "0x8D1", "--", "true"], "stcc: no such option: --if-match\n"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    words: list[str], problem: str, proxied: ProxiedAccount, proxied_stcc: Stcc
) -> None:
    assert (proxied_stcc("lease", "run", *words), proxied.requests) == (Result(2, "", problem), [])


def test_a_run_inside_of_a_run_of_the_same_thing_is_refused(stcc: Stcc, there: Situation) -> None:
    inner = f"{STCC} lease run {there.blob} --wait 1m -- true"

    assert stcc.run("lease", "run", there.blob, "--", "sh", "-c", inner) == Result(
        2, "", f"stcc: {there.blob} is held by the command that this one runs under\n  it would wait for itself\n"
    )


def test_a_status_file_of_a_lease(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    file = tmp_path / "status"
    assert stcc("lease", "run", there.blob, "--status-file", str(file), "--", "true").code == 0
    found = json.loads(file.read_text())

    assert (found["target"], found["fence"], found["identity"], found["released"]) == (there.blob, None, None, True)


def test_a_lease_that_is_broken_before_the_end_is_lost(stcc: Stcc, there: Situation) -> None:
    target = there.blob
    script = f"{STCC} lease break {target} --period 0 --yes -q; {STCC} lease acquire {target} -q"
    code, out, err = stcc.run("lease", "run", target, "--", "sh", "-c", script)

    assert (code, len(out.splitlines()), err) == (
        76,
        2,
        (
            f"stcc: {target} had been lost when sh ended: "
            "the lease has another id, or there is none (409 LeaseIdMismatchWithLeaseOperation)\n"
        ),
    )
    assert state(there, target) == "leased"


def test_a_lost_answer_to_the_acquisition_is_settled(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    proxied.fail(Drop(), when=writes)

    assert proxied_stcc("lease", "run", there.blob, "--", "true") == Result(0, "", "")
    actions = [one.headers["x-ms-lease-action"] for one in proxied.requests if "x-ms-lease-action" in one.headers]
    assert (actions, state(there, there.blob)) == (["acquire", "acquire", "release"], "available")


def test_an_uncontended_run_takes_two_requests(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    assert proxied_stcc("lease", "run", there.blob, "--", "true").code == 0

    assert [one.headers["x-ms-lease-action"] for one in proxied.requests] == ["acquire", "release"]


def test_runs_that_wait_for_one_another_count(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    add = f"n=$(cat {counter}); sleep 0.2; echo $((n + 1)) >{counter}"
    runs = [stcc.process("lease", "run", there.blob, "--wait", "20s", "-c", add) for _ in range(4)]

    assert [(run.communicate(timeout=60), run.returncode) for run in runs] == [((b"", b""), 0)] * 4
    assert counter.read_text() == "4\n"


def test_the_lock_of_a_table_is_a_blob_that_is_made(stcc: Stcc, there: Situation, names: Names) -> None:
    table = names()
    target = f"stcc-locks/table/{table}"
    inner = f"{STCC} table run {table.upper()} --no-wait -- true; {STCC} lease show {target} --query state"
    code, out, err = stcc.run("table", "run", table, "--", "sh", "-c", f'echo "$STCC_LEASE_TARGET"; {inner}')

    assert (code, out, err) == (0, f"{target}\nleased\n", "")
    assert (json.loads(there.content(target)), state(there, target)) == (
        {"kind": "table", "table": table},
        "available",
    )


def test_a_table_that_is_locked_is_busy(stcc: Stcc, names: Names) -> None:
    table = names()
    first = stcc.process("table", "run", table, "--", "sh", "-c", "echo; read _", stdin=subprocess.PIPE)
    assert first.stdout is not None
    first.stdout.readline()
    code, out, err = stcc("table", "run", table, "-q", "--", "true")
    waiting = stcc.process("table", "run", table, "--wait", "20s", "--", "echo", "then")
    time.sleep(0.5)
    assert waiting.poll() is None
    first.communicate(b"\n", timeout=10)

    assert (code, out, f"stcc-locks/table/{table}" in err, first.returncode) == (75, "", True, 0)
    assert (waiting.communicate(timeout=60), waiting.returncode) == ((b"then\n", b""), 0)


def test_the_lock_of_a_table_may_be_any_blob(stcc: Stcc, there: Situation, names: Names) -> None:
    target, table = there.blob, names()
    before = there.etag
    answer = stcc.run("table", "run", table, "--lock-blob", target, "-c", 'echo "$STCC_LEASE_TARGET"')

    assert (answer, there.properties(target).etag) == (Result(0, f"{target}\n", ""), before)
    assert stcc("table", "run", table, "--lock-blob", there.leased_blob, "--", "true").code == 75


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["a", "--", "true"], "stcc: not the name of a table: 'a'\n"),
        (
            ["https://account.table.core.windows.net/jobs", "--", "true"],
            "stcc: table run takes the name of a table: its lock is a blob of the account that is configured\n",
        ),
        (["jobs", "--lock-blob", "data", "--", "true"], "stcc: no blob is named: 'data'\n"),
        (
            ["jobs", "--lock-blob", f"https://a.b.net/data/b?snapshot={SNAPSHOT}", "--", "true"],
            "stcc: a snapshot cannot be leased\n",
        ),
        (["jobs"], "stcc: one command is needed: after --, or with -c\n"),
    ],
)
def test_what_cannot_be_a_table_is_refused(
    words: list[str], problem: str, proxied: ProxiedAccount, proxied_stcc: Stcc
) -> None:
    code, out, err = proxied_stcc("table", "run", *words)

    assert (code, out, err.startswith(problem), proxied.requests) == (2, "", True, [])


def renewal(request: Recorded) -> bool:
    return request.headers.get("x-ms-lease-action") == "renew"


def test_a_lease_is_renewed_at_a_third_of_its_time(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    assert proxied_stcc.run("lease", "run", there.blob, "--duration", "15", "--", "sleep", "5.5").code == 0

    assert [renewal(request) for request in proxied.requests] == [False, True, False]

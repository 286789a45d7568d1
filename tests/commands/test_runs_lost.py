"""Commands that run under a lock or a permit which is lost meanwhile."""

import json
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.azurite import ProxiedAccount
from tests.commands.conftest import Make
from tests.commands.records import FENCE, ME, SINCE, YOU, Record
from tests.running import Result, Stcc
from tests.wire import Answer, Drop, Refuse, writes

pytestmark = pytest.mark.usefixtures("own_state")
STCC = f"{sys.executable} -m stcc"


def is_dead(pid: int) -> bool:
    """Tell whether a process is gone, or waits for nothing but its parent's look at it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize("by", ["nobody", "somebody else"])
def test_a_command_dies_with_its_lock(by: str, stcc: Stcc, lock: Record, tmp_path: Path) -> None:
    file = tmp_path / "status"
    script = "trap '' TERM; echo $$; sleep 60 & echo $!; wait; wait"
    words = ("--ttl", "15s", "--kill-grace", "200ms", "--status-file", str(file), "--identity", ME)
    process = stcc.process("lock", "run", lock.name, *words, "--", "sh", "-c", script)
    assert process.stdout is not None
    pids = [int(process.stdout.readline()) for _ in range(2)]
    if by == "nobody":
        lock.free()
    else:
        lock.hold(YOU, fence=FENCE + 1)
    _, err = process.communicate(timeout=60)
    found = json.loads(file.read_text())

    assert (process.returncode, err.decode()) == (76, f"stcc: {lock.name} is lost: {by} holds it\n")
    assert [is_dead(pid) for pid in pids] == [True, True]
    assert (found["exit_code"], found["child_signal"], found["lost"], found["stopped"], found["released"]) == (
        76,
        "SIGKILL",
        f"{by} holds it",
        True,
        False,
    )
    assert lock.holder == (None if by == "nobody" else YOU)


def test_a_command_that_ends_well_when_told_so_is_lost_all_the_same(stcc: Stcc, lock: Record) -> None:
    process = stcc.process("lock", "run", lock.name, "--ttl", "15s", "-c", "trap 'exit 0' TERM; echo; sleep 60 & wait")
    assert process.stdout is not None
    process.stdout.readline()
    lock.blob.delete_blob()

    assert (process.communicate(timeout=60)[1].decode(), process.returncode) == (
        f"stcc: {lock.name} is lost: nobody holds it\n",
        76,
    )


def test_a_permit_that_is_gone_ends_the_command(stcc: Stcc, records: Make) -> None:
    semaphore = records("semaphore")
    semaphore.permits(1)
    process = stcc.process("semaphore", "run", semaphore.name, "--ttl", "15s", "-c", "echo; sleep 60")
    assert process.stdout is not None
    process.stdout.readline()
    semaphore.permits(1, you=60)

    assert (process.communicate(timeout=60)[1].decode(), process.returncode, semaphore.holders) == (
        f"stcc: {semaphore.name} is lost: the identity holds none\n",
        76,
        [YOU],
    )


@pytest.mark.parametrize(("own", "code"), [(0, 76), (3, 3)])
def test_a_loss_that_is_noticed_only_at_the_end(own: int, code: int, stcc: Stcc, lock: Record, tmp_path: Path) -> None:
    file = tmp_path / "status"
    script = f"{STCC} lock break {lock.name} --yes -q; exit {own}"
    answer = stcc.run("lock", "run", lock.name, "--status-file", str(file), "--", "sh", "-c", script)
    found = json.loads(file.read_text())

    assert answer == Result(code, "", f"stcc: {lock.name} had been lost when sh ended: nobody held it any more\n")
    assert (found["exit_code"], found["child_exit"], found["lost"], found["stopped"], found["released"]) == (
        code,
        own,
        "nobody held it any more",
        False,
        False,
    )


def test_what_somebody_else_has_by_then_is_left_alone(stcc: Stcc, lock: Record) -> None:
    take = f"{STCC} lock break {lock.name} --yes -q; {STCC} lock acquire {lock.name} --identity you -q"

    assert stcc.run("lock", "run", lock.name, "--", "sh", "-c", take) == Result(
        76, "you\n", f"stcc: {lock.name} had been lost when sh ended: somebody else holds it\n"
    )
    assert lock.holder == YOU


def test_the_same_identity_elsewhere_is_another_holder(stcc: Stcc, lock: Record) -> None:
    process = stcc.process("lock", "run", lock.name, "--ttl", "15s", "--identity", ME, "-c", "echo; sleep 60")
    assert process.stdout is not None
    process.stdout.readline()
    lock.hold(ME, fence=lock.fence + 1)

    assert (process.communicate(timeout=60)[1].decode(), process.returncode) == (
        f"stcc: {lock.name} is lost: it was granted anew to the same identity, elsewhere\n",
        76,
    )
    assert lock.holder == ME


def test_a_permit_of_the_same_identity_elsewhere_is_another_one(stcc: Stcc, records: Make) -> None:
    semaphore = records("semaphore")
    semaphore.permits(1)
    words = ("--ttl", "15s", "--identity", ME, "-c", "echo; sleep 60")
    process = stcc.process("semaphore", "run", semaphore.name, *words)
    assert process.stdout is not None
    process.stdout.readline()
    semaphore.permits(1, me=60)

    assert (process.communicate(timeout=60)[1].decode(), process.returncode, semaphore.holders) == (
        f"stcc: {semaphore.name} is lost: the identity holds none\n",
        76,
        [ME],
    )


def test_a_command_ends_when_it_takes_longer_than_it_may(stcc: Stcc, lock: Record, tmp_path: Path) -> None:
    file = tmp_path / "status"
    words = ("--max-hold", "500ms", "--status-file", str(file))
    answer = stcc.run("lock", "run", lock.name, *words, "--", "sleep", "20")
    found = json.loads(file.read_text())

    assert answer == Result(76, "", f"stcc: {lock.name} is given up: it was held as long as was allowed\n")
    assert (found["child_signal"], found["released"], 0.4 < found["held"] < 20, lock.holder) == (
        "SIGTERM",
        True,
        True,
        None,
    )


def test_a_command_that_is_fast_enough_is_not_ended(stcc: Stcc, lock: Record) -> None:
    assert stcc.run("lock", "run", lock.name, "--max-hold", "10s", "-c", "echo done") == Result(0, "done\n", "")


def test_without_an_answer_the_command_is_dead_before_the_time_is_over(
    proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record
) -> None:
    process = proxied_stcc.process("lock", "run", lock.name, "--ttl", "12s", "-c", "echo $$; sleep 60")
    assert process.stdout is not None
    pid, began = int(process.stdout.readline()), time.monotonic()  # it was granted before
    proxied.fail(Refuse(), times=1000)
    seen = began
    while not is_dead(pid):
        assert seen - began < 12
        seen = time.monotonic()  # before it is looked at: it lived then
        time.sleep(0.02)
    proxied.clear()
    _, err = process.communicate(timeout=60)
    told = err.decode().splitlines()

    assert (process.returncode, "could not be renewed" in told[0], "is lost" in err.decode()) == (76, True, True)


def test_a_renewal_of_which_the_answer_is_lost_is_no_loss(
    proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record
) -> None:
    process = proxied_stcc.process("lock", "run", lock.name, "--ttl", "12s", "-c", "echo; sleep 9")
    assert process.stdout is not None
    process.stdout.readline()
    proxied.fail(Drop(), when=writes, times=2)

    process.communicate(timeout=60)
    assert (process.returncode, lock.holder) == (0, None)


def test_a_renewal_that_is_denied_for_a_moment_is_no_loss(
    proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record
) -> None:
    process = proxied_stcc.process("lock", "run", lock.name, "--ttl", "12s", "-c", "echo; sleep 6")
    assert process.stdout is not None
    process.stdout.readline()
    proxied.fail(Answer(403), when=writes)

    assert (process.communicate(timeout=60)[1].decode(), process.returncode, lock.holder) == (
        f"stcc: {lock.name} could not be renewed: cannot change {lock.name}: not allowed (403); trying again\n",
        0,
        None,
    )


def test_a_signal_is_the_commands_and_the_lock_is_released(stcc: Stcc, lock: Record) -> None:
    script = "trap 'echo told; exit 5' TERM; echo; while :; do :; done"
    process = stcc.process("lock", "run", lock.name, "--", "sh", "-c", script)
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)

    assert (process.communicate(timeout=60), process.returncode, lock.holder) == ((b"told\n", b""), 5, None)


def test_a_signal_while_it_waits_ends_it(stcc: Stcc, lock: Record, tmp_path: Path) -> None:
    lock.hold(YOU)
    process = stcc.process("lock", "run", lock.name, "--wait", "forever", "-v", "--", "touch", str(tmp_path / "ran"))
    assert process.stderr is not None
    while not process.stderr.readline().startswith(b"waiting for you"):
        pass
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)

    assert (process.returncode, err.decode().splitlines()[-1]) == (143, "stcc: interrupted by SIGTERM")
    assert (list(tmp_path.glob("ran")), lock.holder, lock.facts["since"]) == ([], YOU, SINCE)


def test_a_lock_that_cannot_be_released_is_said_to_be_held(
    proxied: ProxiedAccount, proxied_stcc: Stcc, lock: Record, tmp_path: Path
) -> None:
    file = tmp_path / "status"
    process = proxied_stcc.process("lock", "run", lock.name, "--status-file", str(file), "-c", "echo; sleep 0.5")
    assert process.stdout is not None
    process.stdout.readline()
    proxied.fail(Refuse(), times=1000)
    _, err = process.communicate(timeout=60)

    assert (process.returncode, json.loads(file.read_text())["released"]) == (0, False)
    assert err.decode().startswith(f"stcc: {lock.name} could not be released: {lock.name}: the answer was lost")

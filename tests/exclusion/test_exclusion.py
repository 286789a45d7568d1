"""Real processes, real engines: never two at once, whoever is killed, stopped or cut off."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from tests.exclusion.audit import Stay, most_at_once, stays
from tests.exclusion.conftest import Engine

WORK = (sys.executable, "-S", str(Path(__file__).with_name("working.py")))
Running = subprocess.Popen[bytes]


def begun(engine: Engine, *argv: str, count: int) -> list[Running]:
    return [engine.stcc.process(*argv) for _ in range(count)]


def codes(running: Sequence[Running]) -> list[int]:
    """Wait for all of them; what they say on stderr is shown when a test fails."""
    for process in running:
        _, err = process.communicate()
        sys.stderr.write(err.decode())
    return [process.returncode for process in running]


def until(condition: Callable[[], bool], *, seconds: float = 60) -> None:
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "it never happened"
        time.sleep(0.02)


def lock_run(name: str, log: Path, *, stay: float, ttl: str = "6s", more: Sequence[str] = ()) -> list[str]:
    return ["lock", "run", name, "--ttl", ttl, "--wait", "100s", *more, "--", *WORK, str(log), str(stay)]


@pytest.mark.parametrize("count", [8, 32])
def test_never_two_at_once_and_no_update_is_lost(count: int, engine: Engine, tmp_path: Path) -> None:
    log, counter = tmp_path / "log", tmp_path / "counter"
    counter.write_text("0")
    argv = [*lock_run(engine.name(), log, stay=0.03), str(counter)]

    assert codes(begun(engine, *argv, count=count)) == [0] * count
    found = stays(log)
    assert (len(found), most_at_once(found), counter.read_text()) == (count, 1, str(count))


def test_without_the_lock_they_overlap_and_lose_updates(tmp_path: Path) -> None:
    """The negative control: the same work, the same audit."""
    log, counter = tmp_path / "log", tmp_path / "counter"
    counter.write_text("0")
    running = [subprocess.Popen([*WORK, str(log), "0.3", str(counter)]) for _ in range(8)]

    assert [process.wait() for process in running] == [0] * 8
    assert most_at_once(stays(log)) > 1
    assert int(counter.read_text()) < 8


def held_by(log: Path) -> Callable[[], bool]:
    return lambda: bool(stays(log))


def test_the_next_one_waits_until_a_killed_holder_is_dead(engine: Engine, tmp_path: Path) -> None:
    log, name = tmp_path / "log", engine.name()
    first = engine.stcc.process(*lock_run(name, log, stay=60, ttl="2s"))
    until(held_by(log))
    others = begun(engine, *lock_run(name, log, stay=0.05), count=4)
    first.kill()
    killed = time.monotonic_ns()

    assert codes(others) == [0] * 4
    first.communicate()
    found = stays(log)
    assert (len(found), most_at_once(found)) == (5, 1)
    # Renewed at most a third of the ttl before it was killed; on Azure, others wait for two seconds more.
    assert found[1].begin - killed > (2 * 2 / 3 + engine.slack) * 1e9


def test_the_next_one_waits_until_the_command_of_a_stopped_holder_is_dead(engine: Engine, tmp_path: Path) -> None:
    log, name = tmp_path / "log", engine.name()
    first = engine.stcc.process(*lock_run(name, log, stay=60, ttl="2s"))
    until(held_by(log))
    first.send_signal(signal.SIGSTOP)
    others = begun(engine, *lock_run(name, log, stay=0.05), count=4)

    assert codes(others) == [0] * 4
    first.send_signal(signal.SIGCONT)
    assert codes([first]) == [76]
    found = stays(log)
    assert (len(found), most_at_once(found)) == (5, 1)


def test_a_holder_that_is_cut_off_has_ended_its_command_before_the_next_one_is_in(
    engine: Engine, tmp_path: Path
) -> None:
    """Somebody else's lock is what a broken record looks like; the command is gone before the next renewal."""
    log, name = tmp_path / "log", engine.name()
    first = engine.stcc.process(*lock_run(name, log, stay=60, ttl="2s"))
    until(held_by(log))
    assert engine.stcc("lock", "break", name, "--yes").code == 0

    assert codes([first]) == [76]


def test_the_frozen_writer_is_refused_by_the_fence(engine: Engine, tmp_path: Path) -> None:
    """Stcc, its guard and the command stand still past the ttl: nothing but the fence is left."""
    name, go = engine.name(), tmp_path / "go"
    script = 'echo "$STCC_FENCE" > "$0.fence"; while [ ! -e "$0" ]; do sleep 0.05; done'
    first = engine.stcc.process("lock", "run", name, "--ttl", "2s", "--", "sh", "-c", script, str(go))
    until(lambda: (tmp_path / "go.fence").exists() and bool((tmp_path / "go.fence").read_text()))
    family = [first.pid, *descendants(first.pid)]
    tell(family, signal.SIGSTOP)
    second = engine.stcc.run("lock", "run", name, "--wait", "20s", "-c", 'echo "$STCC_FENCE"')
    tell(family[::-1], signal.SIGCONT)

    assert codes([first]) == [76]
    assert int(second.out) > int((tmp_path / "go.fence").read_text())


def tell(processes: Sequence[int], number: signal.Signals) -> None:
    for pid in processes:
        with suppress(ProcessLookupError):  # the commands of a script come and go
            os.kill(pid, number)


def descendants(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    children = [int(one) for one in found.stdout.split()]
    return [*children, *(other for child in children for other in descendants(child))]


@pytest.mark.parametrize("most", [1, 3])
def test_never_more_than_the_maximum(most: int, engine: Engine, tmp_path: Path) -> None:
    log, name = tmp_path / "log", engine.name()
    assert engine.stcc("semaphore", "create", name, "--max", str(most)).code == 0
    argv = ["semaphore", "run", name, "--ttl", "6s", "--wait", "100s", "--", *WORK, str(log), "0.1"]

    assert codes(begun(engine, *argv, count=12)) == [0] * 12
    found = stays(log)
    assert len(found) == 12
    assert 1 <= most_at_once(found) <= most


def test_the_permit_of_a_killed_holder_comes_back(engine: Engine, tmp_path: Path) -> None:
    log, name = tmp_path / "log", engine.name()
    assert engine.stcc("semaphore", "create", name, "--max", "1").code == 0
    argv = ["semaphore", "run", name, "--ttl", "2s", "--wait", "100s", "--", *WORK, str(log)]
    first = engine.stcc.process(*argv, "60")
    until(held_by(log))
    first.kill()

    assert codes([engine.stcc.process(*argv, "0.05")]) == [0]
    first.communicate()
    found = stays(log)
    assert (len(found), most_at_once(found)) == (2, 1)


def test_the_work_of_these_tests_says_what_it_does(tmp_path: Path) -> None:
    assert subprocess.run([*WORK, str(tmp_path / "log"), "0.05"], check=True).returncode == 0
    (only,) = stays(tmp_path / "log")
    assert isinstance(only, Stay)
    assert only.end - only.begin >= 0.05e9

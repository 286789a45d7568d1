"""The guard and the gate alone: what they do with what comes through their pipes, and when nothing more comes."""

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

from stcc.emulator.process import identity
from stcc.leash import gate, guard
from stcc.leash.group import Group, processes_in_proc, processes_of_ps
from stcc.leash.starting import Guard, start_gate, start_guard
from tests.leash.commands import ROOT, below, wait_for


@pytest.fixture
def group() -> Generator["subprocess.Popen[bytes]"]:
    """Return a process that leads a group of its own."""
    with subprocess.Popen(["sleep", "60"], process_group=0) as process:
        yield process
        process.kill()


class Watching:
    """A guard that watches in a thread of this process."""

    def __init__(self) -> None:
        told, self._orders = os.pipe()
        self.ready, self.ack = os.pipe()
        self._thread = threading.Thread(target=guard.watch, args=(told, self.ack))
        self._thread.start()

    def tell(self, text: str) -> None:
        os.write(self._orders, text.encode())

    def end(self) -> None:
        os.close(self._orders)
        self._thread.join()


def has_ended(process: "subprocess.Popen[bytes]") -> bool:
    return select.select([os.pidfd_open(process.pid)], [], [], 0.2) != ([], [], [])


def test_a_guard_says_that_it_is_ready_when_it_knows_its_group(group: "subprocess.Popen[bytes]") -> None:
    watching = Watching()
    before = select.select([watching.ready], [], [], 0.05)[0]
    watching.tell(f"{group.pid} inf\n")

    assert (before, os.read(watching.ready, 10)) == ([], b"+")
    watching.tell("done\n")
    watching.end()


def test_a_guard_answers_every_order(group: "subprocess.Popen[bytes]") -> None:
    watching = Watching()
    watching.tell(f"{group.pid} inf\n")
    first = os.read(watching.ready, 10)
    watching.tell(f"{group.pid} inf\n{group.pid} inf\ndone\n")
    watching.end()

    assert (first, os.read(watching.ready, 10)) == (b"+", b"++")


def test_a_guard_whose_answers_nobody_can_read_any_more_kills(group: "subprocess.Popen[bytes]") -> None:
    watching = Watching()
    os.close(watching.ready)
    watching.tell(f"{group.pid} inf\n")
    watching.end()

    assert group.wait() == -signal.SIGKILL


def test_a_guard_whose_answers_nobody_reads_is_not_held_up(group: "subprocess.Popen[bytes]") -> None:
    watching = Watching()
    os.set_blocking(watching.ack, False)
    while watching.ack in select.select([], [watching.ack], [], 0)[1]:
        os.write(watching.ack, b"+" * select.PIPE_BUF)
    watching.tell(f"{group.pid} {guard.now()}\n")

    assert group.wait() == -signal.SIGKILL
    watching.tell("done\n")
    watching.end()


def test_a_guard_kills_when_the_last_moment_it_was_told_has_come(group: "subprocess.Popen[bytes]") -> None:
    watching = Watching()
    watching.tell(f"{group.pid} {guard.now() + 0.1}\n")
    watching.tell(f"{group.pid} {guard.now() + 3}\n{group.pid} ")  # and half a line
    alive = not has_ended(group)

    assert (alive, group.wait()) == (True, -signal.SIGKILL)
    watching.tell("inf\ndone\n")
    watching.end()


def test_a_guard_kills_when_nobody_can_tell_it_anything_any_more(group: "subprocess.Popen[bytes]") -> None:
    watching = Watching()
    watching.tell(f"{group.pid} inf\n")
    watching.end()

    assert group.wait() == -signal.SIGKILL


def test_a_guard_that_is_done_kills_nobody(group: "subprocess.Popen[bytes]") -> None:
    watching = Watching()
    watching.tell(f"{group.pid} inf\ndone\n")
    watching.end()

    assert not has_ended(group)


def test_a_guard_that_was_told_nothing_kills_nobody() -> None:
    Watching().end()


PATIENCE = 1.0


@pytest.fixture
def guarded(group: "subprocess.Popen[bytes]") -> Generator[tuple[Guard, int]]:
    """Return a guard as its supervisor has it, ready, and the number of its process."""
    started = start_guard(patience=PATIENCE)
    started.tell(Group(group), None)
    started.wait_until_ready()
    yield started, below(os.getpid(), "guard.py")
    started.dismiss()


def looks_until_given_up(watched: Guard, *, seconds: float) -> int | None:
    """Return how many looks it took, each when it was due, to see that it does not answer; None: it does."""
    until, looks = guard.now() + seconds, 0
    while guard.now() < until:
        looks += 1
        if not watched.check():
            return looks
        select.select([watched], [], [], watched.pause)
    return None


def test_a_guard_that_answers_is_kept_and_asked_for_it(guarded: tuple[Guard, int]) -> None:
    watched, _ = guarded
    begun = guard.now()

    assert looks_until_given_up(watched, seconds=2 * PATIENCE + 0.2) is None
    assert select.select([watched], [], [], 0)[0] == []
    assert 0 < watched.pause < 2 * PATIENCE
    assert guard.now() - begun > 2 * PATIENCE


def test_a_guard_that_does_not_answer_is_given_up_after_the_patience(guarded: tuple[Guard, int]) -> None:
    watched, number = guarded
    os.kill(number, signal.SIGSTOP)
    begun = guard.now()
    looks = looks_until_given_up(watched, seconds=30)

    assert looks is not None
    assert (looks >= 4, 2 * PATIENCE < guard.now() - begun < 30) == (True, True)


def test_a_time_in_which_nobody_looked_is_no_silence(guarded: tuple[Guard, int], group: Any) -> None:
    """So it is when both of us were stopped, or the machine was, with an order under way."""
    watched, number = guarded
    os.kill(number, signal.SIGSTOP)
    watched.tell(Group(group), None)
    time.sleep(2 * PATIENCE)
    first = watched.check()
    os.kill(number, signal.SIGCONT)

    assert (first, looks_until_given_up(watched, seconds=3 * PATIENCE)) == (True, None)


def test_a_late_answer_counts_before_its_lateness(guarded: tuple[Guard, int], group: Any) -> None:
    watched, number = guarded
    os.kill(number, signal.SIGSTOP)
    watched.tell(Group(group), None)
    for _ in range(3):
        time.sleep(PATIENCE / 4)
        assert watched.check()
    os.kill(number, signal.SIGCONT)
    time.sleep(2 * PATIENCE)

    assert watched.check()


def test_a_guard_that_is_stopped_and_told_too_much_holds_nobody_up_and_its_successor_knows_the_last_order(
    guarded: tuple[Guard, int], group: Any
) -> None:
    watched, number = guarded
    os.kill(number, signal.SIGSTOP)
    for _ in range(10_000):
        watched.tell(Group(group), 60)
    watched.tell(Group(group), 0.5)
    successor = watched.replace()
    successor.wait_until_ready()

    assert (identity(number), group.wait()) == (None, -signal.SIGKILL)
    successor.dismiss()


def test_a_guard_that_is_replaced_kills_nobody(guarded: tuple[Guard, int], group: Any) -> None:
    watched, number = guarded
    os.kill(number, signal.SIGSTOP)
    successor = watched.replace()

    assert (has_ended(group), identity(number), watched.check()) == (False, None, True)
    successor.dismiss()


def test_an_order_arrives_as_it_was_sent_or_not_at_all() -> None:
    sent = gate.order(["echo", "\udcff"], {"A": "1"}, [15])

    assert arrived(sent) == ([b"echo", b"\xff"], {b"A": b"1"}, [15])
    assert [arrived(sent[:length]) for length in range(len(sent))] == [None] * len(sent)


def arrived(data: bytes) -> tuple[list[bytes], dict[bytes, bytes], list[int]] | None:
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    return gate.received(reading)


def test_an_order_larger_than_a_pipe_arrives() -> None:
    with start_gate(os.environ) as started:
        environment = {"LARGE": "x" * 100_000}

        assert started.open(["sh", "-c", "[ ${#LARGE} = 100000 ]"], environment=environment, blocked=set()) is None
        wait_for(lambda: started.group.has_ended)
        assert started.group.close() == 0


GATE = "import sys; from stcc.leash import gate; gate.pass_through(int(sys.argv[1]), int(sys.argv[2]))"


def test_a_gate_tells_the_number_of_the_error() -> None:
    (told, order), (errors, failed) = os.pipe(), os.pipe()
    with subprocess.Popen([sys.executable, "-c", GATE, str(told), str(failed)], pass_fds=(told, failed), cwd=ROOT):
        os.close(failed)
        os.write(order, gate.order(["/nonexistent"], {}, []))
        os.close(order)

    assert os.read(errors, 10) == b"2"


def test_a_group_that_has_ended_takes_every_signal() -> None:
    with start_gate(os.environ) as started:
        group = started.group

    assert (group.close(), group.tell(signal.SIGTERM), group.lives) == (-signal.SIGKILL, True, False)


@pytest.mark.parametrize("processes", [processes_in_proc, processes_of_ps])
def test_processes_are_found_without_proc_as_well(
    processes: Callable[[], Iterable[tuple[int, str]]], group: "subprocess.Popen[bytes]"
) -> None:
    wait_for(lambda: (group.pid, "S") in set(processes()))  # it may run for a moment yet


DYING = """
import os, sys
from stcc.leash.gate import order
from stcc.leash.group import processes_in_proc, processes_of_ps
from stcc.leash.starting import start_gate
with start_gate(os.environ) as gate:
    print(gate.group.number, flush=True)
    {what}
    os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize(
    "what",
    [
        pytest.param("pass", id="nothing"),
        pytest.param("gate._order.write(order(['touch', sys.argv[1]], {}, [])[:-1]); gate._order.flush()", id="a-part"),
    ],
)
def test_a_gate_whose_opener_is_killed_before_runs_nothing(what: str, tmp_path: Path) -> None:
    died = subprocess.run(
        [sys.executable, "-c", DYING.format(what=what), str(tmp_path / "ran")],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": ROOT},
    )

    assert (died.returncode, died.stderr) == (-9, "")
    wait_for(lambda: identity(int(died.stdout)) is None)
    assert not (tmp_path / "ran").exists()

"""A command under a hold at a real terminal: what is typed is its own, and a shell sees one job."""

import json
import os
import pty
import select
import shlex
import sys
import termios
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.leash.commands import ROOT, SUPERVISED

COUNTING = """
import signal, sys, time
told = []
signal.signal(signal.SIGINT, lambda number, frame: told.append(number))
print("ready", flush=True)
while not told:
    time.sleep(0.01)
time.sleep(0.5)  # a second one would come now
sys.exit(len(told) + 5)
"""


class Screen:
    """A terminal with a process on the other side, which leads its session."""

    def __init__(self, *command: str) -> None:
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execve(command[0], command, os.environ | {"PYTHONPATH": ROOT, "PS1": "$ ", "TERM": "dumb"})
        self.shown = ""

    def type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def wait_for(self, text: str) -> str:
        """Return what is shown before a text, as soon as that is shown after all that was waited for before."""
        until = time.monotonic() + 60
        while text not in self.shown:
            assert time.monotonic() < until, self.shown
            if select.select([self.terminal], [], [], 0.1)[0]:
                self.shown += os.read(self.terminal, 4096).decode().replace("\r\n", "\n")
        before, _, self.shown = self.shown.partition(text)
        return before

    def foreground(self) -> int:
        return os.tcgetpgrp(self.terminal)

    def end(self) -> int:
        """Return the exit code, after the end."""
        while True:
            try:
                if not os.read(self.terminal, 4096):
                    break
            except OSError:  # how Linux says that the other side is closed
                break
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def run(*command: str, options: dict[str, Any] | None = None) -> tuple[str, ...]:
    return (sys.executable, SUPERVISED, json.dumps(options or {}), *command)


@pytest.fixture
def shell() -> Generator[Screen]:
    """Return an interactive shell with job control, which has shown its prompt."""
    screen = Screen("/bin/bash", "--norc", "--noprofile", "--noediting", "-i")
    screen.wait_for("$ ")
    yield screen
    os.close(screen.terminal)  # the shell hangs up on its jobs, and ends
    os.waitpid(screen.pid, 0)


def test_ctrl_c_reaches_the_command_once_and_what_it_makes_of_it_counts() -> None:
    screen = Screen(*run(sys.executable, "-c", COUNTING))
    screen.wait_for("ready")
    screen.type("\x03")

    assert screen.end() == 6


def test_ctrl_c_that_ends_the_command_is_its_end() -> None:
    screen = Screen(*run("sh", "-c", "echo ready; exec sleep 60"))
    screen.wait_for("ready")
    screen.type("\x03")

    assert screen.end() == 130


def test_the_command_has_the_terminal_to_read_from_and_its_end_of_file() -> None:
    screen = Screen(*run("sh", "-c", "echo ready; cat; exit 4"))
    screen.wait_for("ready\n")
    screen.type("typed\n")
    screen.wait_for("typed\ntyped\n")  # once by the terminal, once by cat
    screen.type("\x04")

    assert screen.end() == 4


def test_ctrl_z_where_nobody_could_continue_it_changes_nothing() -> None:
    screen = Screen(*run("sh", "-c", "echo ready; read x; echo got $x; exit 4"))
    screen.wait_for("ready\n")
    screen.type("\x1a")
    screen.wait_for("stopped; unless it goes on within")
    screen.type("line\n")
    screen.wait_for("got line\n")

    assert screen.end() == 4


def test_what_a_killed_command_made_of_the_terminal_is_undone() -> None:
    screen = Screen(
        *run(
            "sh",
            "-c",
            "stty raw -echo; echo ready; trap '' TERM; while :; do sleep 0.1; done",
            options={"ttl": 6, "answers": ["missed"]},
        )
    )
    before = termios.tcgetattr(screen.terminal)
    screen.wait_for("ready")
    during = termios.tcgetattr(screen.terminal)
    screen.wait_for("the lock is lost")
    code = os.waitstatus_to_exitcode(os.waitpid(screen.pid, 0)[1])
    after = termios.tcgetattr(screen.terminal)
    os.close(screen.terminal)

    assert (code, during != before, after) == (76, True, before)


def test_ctrl_z_stops_the_job_and_fg_continues_it_with_the_terminal(shell: Screen) -> None:
    shell.type(shlex.join(run("sh", "-c", "echo begun; read x; echo got $x; exit 4")) + "\n")
    shell.wait_for("begun\n")
    shell.type("\x1a")
    shell.wait_for("stopped; unless it goes on within 30 s, the command is killed\n")
    shell.wait_for("Stopped")
    shell.wait_for("$ ")
    stopped = shell.foreground()
    shell.type("fg\n")
    shell.wait_for(SUPERVISED)
    shell.type("line\n")
    shell.wait_for("\ngot line\n")
    shell.wait_for("$ ")
    shell.type("echo code=$?\n")
    shell.wait_for("\ncode=4\n")

    assert (stopped, shell.foreground()) == (shell.pid, shell.pid)


def test_a_job_that_stays_stopped_past_the_deadline_is_killed_and_says_so(shell: Screen) -> None:
    shell.type(shlex.join(run("sh", "-c", "echo begun; exec sleep 60", options={"ttl": 4})) + "\n")
    shell.wait_for("begun\n")
    shell.type("\x1a")
    shell.wait_for("Stopped")
    time.sleep(4)
    shell.type("fg\n")
    shell.wait_for("the lock is lost: it could not be renewed in time: no answer\n")
    shell.wait_for("$ ")
    shell.type("echo code=$?\n")
    shell.wait_for("\ncode=76\n")


def test_a_job_in_the_background_stops_when_it_reads_and_gets_the_terminal_with_fg(shell: Screen) -> None:
    shell.type(shlex.join(run("sh", "-c", "read x; echo got $x; exit 4")) + " &\n")
    shell.wait_for("stopped; unless it goes on within")
    time.sleep(0.2)
    shell.type("\n")  # the shell tells it before the next prompt
    shell.wait_for("Stopped")
    shell.type("fg\n")
    shell.wait_for(SUPERVISED)
    shell.type("line\n")
    shell.wait_for("\ngot line\n")
    shell.wait_for("$ ")
    shell.type("echo code=$?\n")
    shell.wait_for("\ncode=4\n")


def test_a_running_job_that_is_brought_to_the_foreground_gets_the_terminal_when_it_reads(shell: Screen) -> None:
    """The shell tells nobody that it gives the terminal to a job that runs already."""
    shell.type(shlex.join(run("sh", "-c", "echo begun; sleep 0.5; read x; echo got $x; exit 4")) + " &\n")
    shell.wait_for("begun\n")
    shell.type("fg\n")
    shell.wait_for(SUPERVISED)
    time.sleep(0.7)
    shell.type("line\n")
    shell.wait_for("\ngot line\n")


def test_ctrl_c_on_a_running_job_that_is_brought_to_the_foreground_reaches_the_command(shell: Screen) -> None:
    shell.type(shlex.join(run("sh", "-c", "echo begun; exec sleep 60")) + " &\n")
    shell.wait_for("begun\n")
    shell.type("fg\n")
    shell.wait_for(SUPERVISED)
    time.sleep(0.2)
    shell.type("\x03")
    shell.wait_for("$ ")
    shell.type("echo code=$?\n")
    shell.wait_for("\ncode=130\n")


def test_ctrl_z_on_a_running_job_that_is_brought_to_the_foreground_stops_it(shell: Screen) -> None:
    shell.type(shlex.join(run("sh", "-c", "echo begun; exec sleep 4")) + " &\n")
    shell.wait_for("begun\n")
    shell.type("fg\n")
    shell.wait_for(SUPERVISED)
    time.sleep(0.2)
    shell.type("\x1a")
    shell.wait_for("stopped; unless it goes on within")
    shell.wait_for("Stopped")
    shell.wait_for("$ ")
    shell.type("fg\n")
    shell.wait_for(SUPERVISED)
    shell.wait_for("$ ")
    shell.type("echo code=$?\n")
    shell.wait_for("\ncode=0\n")


def test_a_pager_in_the_same_pipeline_keeps_the_terminal(shell: Screen) -> None:
    pager = "sh -c 'read line; echo $line; read key < /dev/tty; echo key=$key'"
    shell.type(shlex.join(run("sh", "-c", "echo page; exec sleep 4")) + f" | {pager}\n")
    shell.wait_for("\npage\n")
    shell.type("q\n")
    shell.wait_for("\nkey=q\n")


def test_in_a_pipeline_the_command_gets_the_terminal_when_it_asks(shell: Screen) -> None:
    shell.type(shlex.join(run("sh", "-c", "read x < /dev/tty; echo got $x")) + " | cat\n")
    time.sleep(0.5)
    shell.type("line\n")
    shell.wait_for("\ngot line\n")


def test_ctrl_c_that_ends_the_command_is_heard_by_the_script_that_runs_us(shell: Screen, tmp_path: Path) -> None:
    command = shlex.join(run("sh", "-c", "echo begun; exec sleep 60"))
    (tmp_path / "script").write_text(f"trap 'echo heard; exit 3' INT\n{command}\necho next\n")
    shell.type(f"bash {tmp_path}/script\n")
    shell.wait_for("begun\n")
    shell.type("\x03")

    assert "next" not in shell.wait_for("heard\n")


def test_ctrl_z_stops_the_script_that_runs_us(shell: Screen, tmp_path: Path) -> None:
    (tmp_path / "script").write_text(shlex.join(run("sh", "-c", "echo begun; exec sleep 4")) + "\necho next\n")
    shell.type(f"bash {tmp_path}/script\n")
    shell.wait_for("begun\n")
    shell.type("\x1a")
    shell.wait_for("Stopped")
    shell.wait_for("$ ")
    shell.type("fg\n")
    shell.wait_for("\nnext\n")

"""A command under a hold, with real processes, signals and seconds: it is dead before the hold is somebody else's."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from stcc.emulator import process
from stcc.leash import guard
from stcc.operations import supervising
from stcc.operations.keeping import Kept, Lost
from stcc.operations.supervising import Ended
from tests.leash.commands import below, lives, start, stubborn, supervised, wait_for

LOST = "the lock is lost: somebody has broken it\n"
# A process that says when it is ready, and when a signal tells it to end.
OBEDIENT = """
import os, signal, sys
said = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def end(number, frame):
    os.write(said, f"told {sys.argv[1]}\\n".encode())
    sys.exit(5)
signal.signal(signal.Signals["SIG" + sys.argv[1]], end)
os.write(said, b"ready\\n")
while True:
    signal.pause()
"""
TRYING = "the lock could not be renewed: no connection; trying again\n"
LATE = "the lock is lost: it could not be renewed in time: no connection\n"


def report(directory: Path) -> Ended:
    return Ended(**json.loads((directory / "report").read_text()))


def told(directory: Path) -> tuple[int | None, int | None, str | None, bool, bool]:
    """Return how it ended, without the numbers that differ each time."""
    ended = report(directory)
    return ended.exit, ended.signal, ended.lost, ended.stopped, ended.unanswered


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param(["true"], (0, "", ""), id="success"),
        pytest.param(["sh", "-c", "echo out; echo err >&2; exit 7"], (7, "out\n", "err\n"), id="its-own-code"),
        pytest.param(["sh", "-c", "kill -9 $$"], (137, "", ""), id="killed"),
        pytest.param(["sh", "-c", "kill -15 $$"], (143, "", ""), id="told-to-end"),
        pytest.param(["/nonexistent"], (127, "", "cannot run '/nonexistent': no such file or directory\n"), id="none"),
        pytest.param(["no-such-name"], (127, "", "cannot run 'no-such-name': no such file or directory\n"), id="name"),
        pytest.param(["/dev/null"], (126, "", "cannot run '/dev/null': permission denied\n"), id="no-program"),
        pytest.param(["printf", "%s|", "-c", "--", "é", ""], (0, "-c|--|é||", ""), id="its-arguments"),
    ],
)
def test_the_end_of_the_command_is_passed_through(command: list[str], expected: tuple[int, str, str]) -> None:
    assert supervised(*command) == expected


def test_the_command_reads_our_stdin() -> None:
    child = start("cat", stdin=subprocess.PIPE)

    assert (child.communicate(b"from stdin\n"), child.returncode) == ((b"from stdin\n", b""), 0)


def test_the_command_has_exactly_the_environment_it_is_given() -> None:
    options = {"environment": {"ONLY": "this", "BYTES": "\udcff"}}
    child = start("/usr/bin/env", "-0", options=options)

    assert child.communicate() == (b"ONLY=this\0BYTES=\xff\0", b"")


def test_the_command_is_found_in_the_path_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "here").write_text("#!/bin/sh\necho found\n")
    (tmp_path / "here").chmod(0o755)

    assert supervised("here", options={"environment": {"PATH": str(tmp_path)}}) == (0, "found\n", "")


def test_the_command_inherits_what_our_caller_left_open_and_nothing_of_ours(tmp_path: Path) -> None:
    with (tmp_path / "open").open("w") as file:
        code, out, _ = supervised("sh", "-c", "ls /proc/$$/fd", pass_fds=(file.fileno(),))

        assert (code, set(out.split())) == (0, {"0", "1", "2", str(file.fileno())})


def test_the_command_has_the_signals_of_one_that_a_shell_has_started() -> None:
    """Python ignores some, and we block all for a moment; a command that inherited that would not end with its pipe."""
    looks = ("grep", "-E", "^Sig(Blk|Ign|Cgt)", "/proc/self/status")

    assert supervised(*looks)[1] == subprocess.run(looks, capture_output=True, text=True, check=True).stdout


def test_what_our_caller_ignores_stays_ignored() -> None:
    child = subprocess.Popen(
        ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *start_arguments("sh", "-c", "echo ready; sleep 0.4; echo alive")],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path.cwd())},
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    child.send_signal(signal.SIGHUP)

    assert (child.communicate()[0], child.returncode) == (b"alive\n", 0)


def start_arguments(*command: str) -> list[str]:
    return [sys.executable, str(Path(__file__).with_name("supervised.py")), "{}", *command]


def test_who_ignores_the_end_is_killed_before_the_deadline_with_all_its_group(tmp_path: Path) -> None:
    options = {"ttl": 6, "grace": 5, "answers": ["missed"], "report": str(tmp_path / "report")}
    result = supervised(*stubborn(tmp_path), options=options)
    ended = report(tmp_path)
    assert ended.deadline is not None

    assert result == (76, "", TRYING + LATE)
    assert told(tmp_path) == (None, 9, "it could not be renewed in time: no connection", True, False)
    for life in lives(tmp_path):
        # A grace is a quarter of the ttl at the most, and the kill comes a twentieth before the deadline.
        assert [pytest.approx(ended.deadline - 0.3 - 1.5, abs=0.7)] == life.told
        assert ended.deadline - 1 < life.last < ended.deadline
        assert life.is_over


def test_a_command_that_ends_when_it_is_told_to_is_not_waited_for(tmp_path: Path) -> None:
    options = {"ttl": 6, "answers": ["missed"], "report": str(tmp_path / "report")}

    assert supervised("sleep", "60", options=options) == (76, "", TRYING + LATE)
    assert report(tmp_path).held < 6 - 0.3  # when it would be killed
    assert told(tmp_path) == (None, 15, "it could not be renewed in time: no connection", True, False)


def test_failures_that_pass_are_survived(tmp_path: Path) -> None:
    options = {"ttl": 4, "answers": ["missed", "missed", "kept"], "report": str(tmp_path / "report")}

    assert supervised("sh", "-c", "sleep 6; exit 5", options=options) == (5, "", TRYING)
    assert told(tmp_path) == (5, None, None, False, False)
    assert report(tmp_path).renewals in {3, 4}


def test_a_definite_loss_ends_the_command_at_once(tmp_path: Path) -> None:
    options = {"ttl": 9, "grace": 1, "answers": ["lost"], "report": str(tmp_path / "report")}
    begun = guard.now()
    result = supervised(*stubborn(tmp_path), options=options)

    assert result == (76, "", LOST)
    assert told(tmp_path) == (None, 9, "somebody has broken it", True, False)
    for life in lives(tmp_path):
        assert begun + 3 < life.told[0] < begun + 6
        assert life.told[0] + 0.7 < life.last < begun + 9
        assert life.is_over


def test_a_renewal_that_hangs_delays_nothing(tmp_path: Path) -> None:
    options = {"ttl": 6, "answers": ["hang"], "report": str(tmp_path / "report")}
    result = supervised(*stubborn(tmp_path), options=options)
    ended = report(tmp_path)
    assert ended.deadline is not None

    assert result == (76, "", "the lock is lost: it could not be renewed in time: no answer\n")
    assert told(tmp_path) == (None, 9, "it could not be renewed in time: no answer", True, True)
    assert [life.last < ended.deadline for life in lives(tmp_path)] == [True, True]


def test_a_loss_that_is_noticed_after_the_end_is_told_and_the_code_is_the_commands(tmp_path: Path) -> None:
    options = {"ttl": 4.5, "answers": ["late"], "report": str(tmp_path / "report")}

    assert supervised("sh", "-c", "sleep 2; exit 3", options=options) == (3, "", LOST)
    assert told(tmp_path) == (3, None, "somebody has broken it", False, False)


def test_a_grant_that_is_as_good_as_over_runs_nothing(tmp_path: Path) -> None:
    options = {"ttl": 3, "granted": 0.5, "report": str(tmp_path / "report")}

    assert supervised("touch", str(tmp_path / "ran"), options=options) == (
        76,
        "",
        "the lock is lost: it could not be renewed in time: no answer\n",
    )
    assert told(tmp_path) == (None, None, "it could not be renewed in time: no answer", True, False)
    assert not (tmp_path / "ran").exists()


def test_what_may_be_held_for_so_long_is_not_held_longer(tmp_path: Path) -> None:
    options = {"ttl": 30, "max_hold": 4, "grace": 0.2, "report": str(tmp_path / "report")}
    begun = guard.now()
    result = supervised(*stubborn(tmp_path), options=options)

    assert result == (76, "", "the lock is given up: it was held as long as was allowed\n")
    assert told(tmp_path) == (None, 9, "it was held as long as was allowed", True, False)
    for life in lives(tmp_path):
        assert begun + 4 < life.told[0] < life.last < begun + 20


def test_a_hold_without_end_ends_nothing(tmp_path: Path) -> None:
    options = {"ttl": None, "report": str(tmp_path / "report")}

    assert supervised("sh", "-c", "sleep 0.3; exit 4", options=options) == (4, "", "")
    assert report(tmp_path).deadline is None


def test_what_the_command_leaves_running_is_told_to_end_before_the_hold_is_released(tmp_path: Path) -> None:
    (tmp_path / "obedient.py").write_text(OBEDIENT)
    script = '"$0" "$1" TERM "$2/told" & until grep -sq ready "$2/told"; do sleep 0.1; done; echo $!; exit 6'
    code, out, err = supervised("sh", "-c", script, sys.executable, str(tmp_path / "obedient.py"), str(tmp_path))

    assert (code, process.identity(int(out)), err) == (6, None, "")
    assert (tmp_path / "told").read_text() == "ready\ntold TERM\n"


def test_what_the_command_leaves_running_and_will_not_end_is_killed_after_the_grace(tmp_path: Path) -> None:
    begun = "[ -s child.lives ] && [ -s grandchild.lives ]"
    (tmp_path / "stubborn.sh").write_text(f'"$@" & cd "$4"; until {begun}; do sleep 0.1; done; exit 6')
    options = {"ttl": 60, "grace": 0.3, "report": str(tmp_path / "report")}
    result = supervised("sh", str(tmp_path / "stubborn.sh"), *stubborn(tmp_path), options=options)

    assert result == (6, "", "")
    assert told(tmp_path) == (6, None, None, False, False)
    assert [(life.is_over, life.told[0] + 0.2 < life.last, len(life.told)) for life in lives(tmp_path)] == [
        (True, True, 1)
    ] * 2


@pytest.mark.parametrize("name", ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "WINCH"])
def test_signals_are_the_commands(name: str) -> None:
    child = start(sys.executable, "-c", OBEDIENT, name, "/dev/stdout")
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    child.send_signal(signal.Signals[f"SIG{name}"])

    assert (child.communicate(), child.returncode) == ((f"told {name}\n".encode(), b""), 5)


def test_a_signal_that_ends_the_command_ends_the_rest_of_its_group() -> None:
    child = start("sh", "-c", "sleep 60 & echo $!; wait")
    assert child.stdout is not None
    grandchild = int(child.stdout.readline())
    child.send_signal(signal.SIGTERM)

    assert (child.communicate(), child.returncode) == ((b"", b""), 143)
    assert process.identity(grandchild) is None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_before_the_command_is_there_counts(number: signal.Signals, tmp_path: Path) -> None:
    assert supervised("touch", str(tmp_path / "ran"), options={"signal": number}) == (128 + number, "", "")
    assert not (tmp_path / "ran").exists()


def test_a_command_that_somebody_stops_is_still_ended(tmp_path: Path) -> None:
    options = {"ttl": 5, "answers": ["missed"], "report": str(tmp_path / "report")}
    child = start("sh", "-c", "echo $$; sleep 60", options=options)
    assert child.stdout is not None
    os.kill(int(child.stdout.readline()), signal.SIGSTOP)

    assert (child.communicate(), child.returncode) == ((b"", (TRYING + LATE).encode()), 76)
    assert report(tmp_path).signal == signal.SIGTERM


def test_when_we_are_killed_the_group_is_killed_and_who_reads_our_pipe_sees_its_end(tmp_path: Path) -> None:
    child = start(*stubborn(tmp_path), options={"ttl": 60})
    living = lives(tmp_path)
    watching = below(child.pid, "guard.py")
    assert [process.identity(life.pid) is None for life in living] == [False, False]
    child.kill()
    killed = guard.now()
    out, err = child.communicate()

    assert (child.returncode, out, err, guard.now() - killed < 30) == (-9, b"", b"", True)
    wait_for(lambda: all(process.identity(pid) is None for pid in (*(life.pid for life in living), watching)))


def test_while_we_are_stopped_the_group_is_killed_before_the_deadline(tmp_path: Path) -> None:
    child = start(*stubborn(tmp_path), options={"ttl": 6, "answers": ["kept"], "report": str(tmp_path / "report")})
    lives(tmp_path)
    time.sleep(2.5)  # it has been renewed once
    child.send_signal(signal.SIGSTOP)
    wait_for(lambda: all(life.is_over for life in lives(tmp_path)))
    time.sleep(0.4)  # now the deadline is over as well
    child.send_signal(signal.SIGCONT)
    out, err = child.communicate()
    ended = report(tmp_path)
    assert ended.deadline is not None

    assert (child.returncode, out, err) == (76, b"", LATE.replace("no connection", "no answer").encode())
    assert told(tmp_path) == (None, 9, "it could not be renewed in time: no answer", True, False)
    assert [ended.deadline - 1 < life.last < ended.deadline for life in lives(tmp_path)] == [True, True]


def test_the_guard_has_nothing_of_ours_and_no_signal_but_a_kill_ends_it() -> None:
    child = start("sleep", "60")
    watching = below(child.pid, "guard.py")
    proc = Path(f"/proc/{watching}")
    wait_for(lambda: "select" in (proc / "wchan").read_text() or "poll" in (proc / "wchan").read_text())
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        os.kill(watching, number)
    files = {file.name: str(file.readlink()).partition(":")[0] for file in (proc / "fd").iterdir()}
    streams, pipes = [files.pop(name) for name in "012"], list(files.values())

    assert (streams, pipes, str((proc / "cwd").readlink())) == (["/dev/null"] * 3, ["pipe", "pipe"], "/")
    assert os.getsid(watching) == watching
    child.send_signal(signal.SIGTERM)
    assert (child.communicate(), child.returncode, process.identity(watching)) == ((b"", b""), 143, None)


def test_a_guard_that_is_killed_changes_nothing_for_the_command() -> None:
    child = start("sh", "-c", "echo; read x; exit 5", stdin=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"\n"
    os.kill(below(child.pid, "guard.py"), signal.SIGKILL)

    assert (child.communicate(b"\n"), child.returncode) == ((b"", b""), 5)


def test_a_guard_that_is_killed_is_replaced(tmp_path: Path) -> None:
    child = start(*stubborn(tmp_path), options={"ttl": 60})
    living = lives(tmp_path)
    first = below(child.pid, "guard.py")
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: process.identity(first) is None)
    second = below(child.pid, "guard.py")
    time.sleep(0.2)
    child.kill()
    child.communicate()

    assert first != second
    wait_for(lambda: all(life.is_over for life in living))


@pytest.mark.parametrize("ttl", [pytest.param(60, id="long"), pytest.param(1.2, id="short"), None])
def test_a_guard_that_is_stopped_is_replaced_and_when_we_are_killed_then_the_group_is(
    ttl: float | None, tmp_path: Path
) -> None:
    child = start(*stubborn(tmp_path), options={"ttl": ttl})
    living = lives(tmp_path)
    files = len(list(Path(f"/proc/{child.pid}/fd").iterdir()))
    guards = [below(child.pid, "guard.py")]
    for _ in range(2):
        os.kill(guards[-1], signal.SIGSTOP)
        wait_for(lambda: not Path(f"/proc/{guards[-1]}").exists())  # nor is it a zombie
        guards.append(below(child.pid, "guard.py"))
        time.sleep(0.3)
    before = [life.is_over for life in living], len(list(Path(f"/proc/{child.pid}/fd").iterdir()))
    child.kill()
    out, err = child.communicate()

    assert (before, out, err, len(set(guards))) == (([False, False], files), b"", b"", 3)
    wait_for(lambda: all(life.is_over for life in living))


def test_a_guard_that_is_stopped_for_a_moment_again_and_again_is_kept() -> None:
    child = start("sh", "-c", "echo; sleep 60", options={"ttl": 60})
    assert child.stdout is not None
    assert child.stdout.readline() == b"\n"
    watching = below(child.pid, "guard.py")
    for _ in range(8):  # longer than it takes to ask it twice
        os.kill(watching, signal.SIGSTOP)
        time.sleep(0.5)
        os.kill(watching, signal.SIGCONT)
        time.sleep(0.1)

    assert below(child.pid, "guard.py") == watching
    child.terminate()
    assert child.communicate() == (b"", b"")


@pytest.mark.parametrize("ttl", [60, None])
def test_when_we_were_stopped_and_go_on_the_guard_is_kept(ttl: float | None) -> None:
    child = start("sh", "-c", "echo; sleep 60", options={"ttl": ttl})
    assert child.stdout is not None
    assert child.stdout.readline() == b"\n"
    watching = below(child.pid, "guard.py")
    for number in (child.pid, watching):
        os.kill(number, signal.SIGSTOP)
    time.sleep(3.2)  # longer than a guard is left without an answer
    for number in (child.pid, watching):
        os.kill(number, signal.SIGCONT)
    time.sleep(3.2)

    assert below(child.pid, "guard.py") == watching
    child.terminate()
    assert child.communicate() == (b"", b"")


def test_a_command_that_no_guard_can_be_had_for_any_more_is_ended(tmp_path: Path) -> None:
    child = start(*stubborn(tmp_path), options={"ttl": 60, "grace": 0.2})
    lives(tmp_path)
    watching = below(child.pid, "guard.py")
    before = resource.prlimit(child.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(child.pid, resource.RLIMIT_NOFILE, (3, before[1]))
    os.kill(watching, signal.SIGKILL)
    assert child.stderr is not None
    why = child.stderr.readline()
    resource.prlimit(child.pid, resource.RLIMIT_NOFILE, before)

    lost = b"the lock is lost: its guard has ended, and another cannot be started: [Errno 24] Too many open files\n"
    assert (why, child.communicate(), child.returncode) == (lost, (b"", b""), 76)
    assert [life.is_over for life in lives(tmp_path)] == [True, True]


def test_a_guard_that_is_stopped_does_not_hold_us_up() -> None:
    child = start("sh", "-c", "echo; read x", stdin=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"\n"
    watching = below(child.pid, "guard.py")
    os.kill(watching, signal.SIGSTOP)

    assert (child.communicate(b"\n"), child.returncode, process.identity(watching)) == ((b"", b""), 0, None)


class Forever:
    """A hold that nobody takes away."""

    target = "the lock"
    ttl = None

    def renew(self) -> Kept | Lost:
        return Kept(None)


class Clock:
    def monotonic(self) -> float:
        return guard.now()

    def sleep(self, seconds: float, /) -> None:
        time.sleep(seconds)


def test_afterwards_everything_of_ours_is_as_before(capfd: pytest.CaptureFixture[str]) -> None:
    def ours() -> tuple[Any, ...]:
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [])
        handlers = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGCHLD, signal.SIGTSTP)]
        return mask, handlers, len(list(Path("/proc/self/fd").iterdir()))

    before = ours()
    for command, code in (("exit 0", 0), ("exit 8", 8)):
        ended = supervising.supervise(
            ["sh", "-c", command],
            Forever(),
            granted=Kept(None),
            environment=os.environ,
            clock=Clock(),
            tell=print,
        )
        assert ended == Ended(
            exit=code,
            signal=None,
            lost=None,
            stopped=False,
            renewals=0,
            held=ended.held,
            deadline=None,
            unanswered=False,
        )

    assert (ours(), capfd.readouterr()) == (before, ("", ""))

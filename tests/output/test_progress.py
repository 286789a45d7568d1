"""The progress bar at a real terminal: when it is drawn, and that it leaves alone what is there to be read."""

import fcntl
import os
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from stcc.emulator.instance import Instance
from tests.azurite import ProxiedAccount
from tests.conftest import Names
from tests.running import Stcc
from tests.teams import Team
from tests.wire import Delay

if TYPE_CHECKING:
    import subprocess

LARGE = b"x" * 3_100_000
BAR = "3.1/3.1 MB"
HIDDEN = "\x1b[?25l"
_STEP = re.compile(r"\x1b\[\??(\d*)([A-Za-z])|\r|\n|[^\x1b\r\n]+")
PLAIN = {"TERM": "xterm", "PYTHONUNBUFFERED": ""}


class Screen:
    """A terminal of 160 columns, all that was sent to it, and what it shows in the end."""

    def __init__(self) -> None:
        self.terminal, self.side = os.openpty()
        fcntl.ioctl(self.side, termios.TIOCSWINSZ, struct.pack("4H", 50, 160, 0, 0))
        self.sent = ""

    def read(self, *, seconds: float) -> str:
        """Return what is sent within so much time."""
        until, came = time.monotonic() + seconds, b""
        while (rest := until - time.monotonic()) > 0:
            if select.select([self.terminal], [], [], rest)[0]:
                try:
                    came += os.read(self.terminal, 1 << 16)
                except OSError:  # how Linux says that the other side is closed
                    break
        self.sent += came.decode()
        return came.decode()

    def read_until(self, text: str) -> None:
        until = time.monotonic() + 60
        while text not in self.sent:
            assert time.monotonic() < until, self.sent
            self.read(seconds=0.05)

    def type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def end(self, process: "subprocess.Popen[bytes]") -> tuple[int, list[str]]:
        """Return the exit code, and the lines that are left."""
        os.close(self.side)
        self.read(seconds=30)
        return process.wait(), self.lines()

    def lines(self) -> list[str]:
        """Return the lines that a terminal shows after all that was sent to it."""
        lines, row, column = [""], 0, 0
        for step in _STEP.finditer(self.sent):
            count, name = step.groups()
            if step[0] == "\r":
                column = 0
            elif step[0] == "\n":
                row += 1
                lines += [""] * (row == len(lines))
            elif name == "K":
                lines[row] = ""
            elif name == "A":
                row -= int(count)
            elif name is None:
                lines[row] = (lines[row].ljust(column)[:column] + step[0]).ljust(len(lines[row]))
                column += len(step[0])
        return [line for line in lines if line]


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Generator[Screen]:
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = Screen()
    yield shown
    os.close(shown.terminal)


@pytest.fixture
def stcc(azurite: Instance) -> Stcc:
    return Stcc(connection_string=azurite.connection_string, environment=PLAIN)


@pytest.fixture
def slow(proxied: ProxiedAccount) -> Stcc:
    """Call stcc where the content of a blob takes its time."""
    proxied.fail(Delay(0.6), when=lambda request: request.method in {"GET", "PUT"})
    return Stcc(connection_string=proxied.connection_string, environment=PLAIN)


@pytest.fixture
def local(tmp_path: Path) -> Path:
    path = tmp_path / "large.bin"
    path.write_bytes(LARGE)
    return path


@pytest.fixture
def container(stcc: Stcc, names: Names) -> str:
    name = names()
    stcc("container", "create", name)
    return name


def at(screen: Screen, stcc: Stcc, *argv: str) -> "subprocess.Popen[bytes]":
    """Start stcc with everything at a terminal."""
    return stcc.process(*argv, stdin=screen.side, stdout=screen.side, stderr=screen.side)


def etag(stcc: Stcc, blob: str) -> str:
    return stcc("blob", "show", blob, "--query", "etag").out.strip()


def test_a_put_draws_a_bar_that_leaves_no_trace(
    screen: Screen, slow: Stcc, stcc: Stcc, container: str, local: Path
) -> None:
    blob = f"{container}/large"
    code, left = screen.end(at(screen, slow, "blob", "put", blob, str(local)))

    drawn = screen.sent.count(f"put {blob} ")
    assert (code, left[0], BAR in screen.sent, drawn > 3) == (0, etag(stcc, blob), True, True)
    assert not any("MB" in line for line in left)


def test_a_get_draws_a_bar_that_leaves_no_trace(
    screen: Screen, slow: Stcc, stcc: Stcc, container: str, local: Path, tmp_path: Path
) -> None:
    blob = f"{container}/large"
    stcc("blob", "put", blob, str(local))
    code, left = screen.end(at(screen, slow, "blob", "get", blob, str(tmp_path / "got")))

    drawn = screen.sent.count(f"get {blob} ")
    assert (code, left[0], BAR in screen.sent, drawn > 3) == (0, etag(stcc, blob), True, True)
    assert (tmp_path / "got").read_bytes() == LARGE
    assert not any("MB" in line for line in left)


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"NO_COLOR": "1"}], ids=str)
def test_a_terminal_that_wants_no_bar_gets_none(
    screen: Screen, slow: Stcc, stcc: Stcc, container: str, local: Path, environment: dict[str, str]
) -> None:
    blob = f"{container}/large"
    plain = Stcc(connection_string=slow.connection_string, environment=PLAIN | environment)
    code, left = screen.end(at(screen, plain, "blob", "put", blob, str(local)))

    assert (code, "\x1b" in screen.sent, screen.sent) == (0, False, "".join(f"{line}\r\n" for line in left))
    assert left[0] == etag(stcc, blob)


def test_there_is_no_bar_with_quiet(screen: Screen, slow: Stcc, stcc: Stcc, container: str, local: Path) -> None:
    blob = f"{container}/large"
    code, _ = screen.end(at(screen, slow, "blob", "put", blob, str(local), "-q"))

    assert (code, screen.sent) == (0, f"{etag(stcc, blob)}\r\n")


def test_there_is_no_bar_where_stderr_is_no_terminal(
    screen: Screen, slow: Stcc, stcc: Stcc, container: str, local: Path
) -> None:
    blob = f"{container}/large"
    process = slow.process("blob", "put", blob, str(local), stdin=screen.side, stdout=screen.side)
    _, err = process.communicate()
    code, left = screen.end(process)

    assert (code, left, BAR in err.decode(), "\x1b" in err.decode()) == (0, [etag(stcc, blob)], False, False)


def test_lines_that_are_told_while_the_bar_is_drawn_stand_alone(
    screen: Screen, slow: Stcc, stcc: Stcc, container: str, local: Path
) -> None:
    blob = f"{container}/large"
    code, left = screen.end(at(screen, slow, "blob", "put", blob, str(local), "-v"))

    traced = rf"\* PUT http://\S+/{blob} \[if-none-match: \*\] -> 201 \(request \S+\) \d+ ms"
    assert (code, BAR in screen.sent, left[1:]) == (0, True, [etag(stcc, blob), f"put {blob}, 3100000 bytes"])
    assert re.fullmatch(traced, left[0])


def test_the_bar_waits_for_a_terminal_that_somebody_made_non_blocking(
    screen: Screen, slow: Stcc, stcc: Stcc, container: str, local: Path
) -> None:
    blob = f"{container}/large"
    os.set_blocking(screen.side, False)
    with suppress(BlockingIOError):
        while True:
            os.write(screen.side, b".\n")
    process = at(screen, slow, "blob", "put", blob, str(local))
    time.sleep(1)  # by then it has something to draw
    code, left = screen.end(process)

    assert (code, left[-3:]) == (0, [".", etag(stcc, blob), f"put {blob}, 3100000 bytes"])
    assert BAR in screen.sent


@pytest.fixture
def asked(screen: Screen, team: Team, tmp_path: Path) -> "subprocess.Popen[bytes]":
    """Put a file that an SMB client has open, up to the question whether that may be closed."""
    (tmp_path / "new").write_bytes(b"new")
    stcc = Stcc(connection_string=team.stcc.connection_string, environment=PLAIN)
    target = team.put()
    team.open()
    process = at(screen, stcc, "file", "put", target, str(tmp_path / "new"), "--close-handles")
    screen.read_until("[y/N] ")
    return process


def questions(team: Team, answer: str) -> list[str]:
    return [
        "what these clients have not written yet is lost to them",
        f"close the open handles of {team.share}/report.csv (1)? [y/N] {answer}",
    ]


def test_nothing_is_drawn_while_a_question_waits_for_its_answer(
    screen: Screen, team: Team, asked: "subprocess.Popen[bytes]"
) -> None:
    before = screen.lines()
    meanwhile = screen.read(seconds=0.5)
    screen.type("y\n")
    code, left = screen.end(asked)

    assert (before[0].startswith("open: report.csv by 10.0.0.4:50445 for read since "), meanwhile) == (True, "")
    assert before[1:] == questions(team, "")
    assert (code, left[1:3], left[3]) == (0, questions(team, "y"), team.etag())
    assert (team.handles(), team.content()) == ([], b"new")
    assert HIDDEN in screen.sent.partition("[y/N] ")[2]  # the bar came back


def test_after_a_no_nothing_is_drawn_any_more(screen: Screen, team: Team, asked: "subprocess.Popen[bytes]") -> None:
    screen.type("n\n")
    code, left = screen.end(asked)

    assert (code, left[1:]) == (1, [*questions(team, "n"), "stcc: not confirmed; nothing was changed"])
    (handle,) = team.handles()
    team.close(handle)
    assert team.content() == b"old"


def test_the_question_stays_when_it_is_interrupted(
    screen: Screen, team: Team, asked: "subprocess.Popen[bytes]"
) -> None:
    asked.send_signal(signal.SIGINT)
    code, left = screen.end(asked)

    assert (code, left[1:2]) == (130, questions(team, "")[:1])
    assert left[2].startswith(questions(team, "")[1])
    assert HIDDEN not in screen.sent.partition("[y/N] ")[2]

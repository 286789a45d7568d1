"""Every byte arrives, or the exit code says that not all did: whatever one call to the system takes."""

import fcntl
import os
import resource
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

from stcc.emulator.instance import Instance
from tests.conftest import Names
from tests.running import Result, Stcc, own_environment

CONTENT = os.urandom(1 << 16) * 48  # 3 MiB: much more than a pipe holds, and one write


@pytest.fixture(params=["1", ""], ids=["unbuffered", "buffered"])
def stcc(azurite: Instance, request: pytest.FixtureRequest) -> Stcc:
    """Call stcc with and without PYTHONUNBUFFERED; Python takes an empty one for none."""
    environment = {"PYTHONUNBUFFERED": str(request.param)}
    return Stcc(connection_string=azurite.connection_string, environment=environment)


@pytest.fixture
def blob(stcc: Stcc, names: Names) -> str:
    container = names()
    stcc("container", "create", container)
    stcc("blob", "put", f"{container}/large", "-", stdin=CONTENT)
    return f"{container}/large"


@pytest.fixture
def ends() -> Generator[tuple[int, int]]:
    """Make a pipe that takes what it can at once, and refuses the rest; the writing end is the test's to close."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    yield reading, writing
    os.close(reading)


def wait_until_full(reading: int) -> None:
    """Block until a pipe has taken all that it takes: until there is something in it, and no more comes."""
    until, before, now = time.monotonic() + 30, 0, 0
    while not now or now != before:
        assert time.monotonic() < until
        time.sleep(0.2)
        before, now = now, waiting(reading)


def waiting(reading: int) -> int:
    """Return how many bytes are in a pipe."""
    (count,) = struct.unpack("i", fcntl.ioctl(reading, termios.FIONREAD, b"\0" * 4))
    return int(count)


def read_slowly(reading: int) -> bytes:
    """Read a pipe to its end, with a pause after each piece."""
    pieces = [os.read(reading, 1 << 16)]
    while pieces[-1]:
        time.sleep(0.005)
        pieces.append(os.read(reading, 1 << 16))
    return b"".join(pieces)


def test_a_reader_that_goes_away_in_the_middle_is_141(stcc: Stcc, blob: str) -> None:
    with stcc.process("blob", "get", blob, "-") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        some = process.stdout.read(10)
        process.stdout.close()

        assert (some, process.stderr.read(), process.wait()) == (CONTENT[:10], b"", 141)


def test_a_file_that_may_not_grow_is_74(stcc: Stcc, blob: str, tmp_path: Path) -> None:
    limited = 'ulimit -f 2048; exec "$@" > "$0"'  # KiB
    argv = [sys.executable, "-m", "stcc", "blob", "get", blob, "-"]
    process = subprocess.run(
        ["bash", "-c", limited, str(tmp_path / "part"), *argv],
        env=own_environment() | stcc.surroundings,
        capture_output=True,
        check=False,
    )

    assert Result(process.returncode, process.stdout.decode(), process.stderr.decode()) == Result(
        74, "", "stcc: stdout cannot be written: file too large\n"
    )
    assert (tmp_path / "part").read_bytes() == CONTENT[: 2 << 20]


def test_a_non_blocking_pipe_with_a_slow_reader_gets_every_byte(stcc: Stcc, blob: str, ends: tuple[int, int]) -> None:
    reading, writing = ends
    with stcc.process("blob", "get", blob, "-", stdout=writing) as process:
        os.close(writing)
        wait_until_full(reading)
        assert read_slowly(reading) == CONTENT
        _, err = process.communicate()

    assert (process.returncode, err) == (0, b"")


def test_waiting_for_a_reader_takes_no_processor(stcc: Stcc, blob: str, ends: tuple[int, int]) -> None:
    reading, writing = ends
    with stcc.process("blob", "get", blob, "-", stdout=writing):
        os.close(writing)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        wait_until_full(reading)
        time.sleep(2.5)
        assert read_slowly(reading) == CONTENT
    after = resource.getrusage(resource.RUSAGE_CHILDREN)

    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 2


def test_the_reader_of_a_non_blocking_pipe_that_goes_away_is_141(stcc: Stcc, blob: str) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with stcc.process("blob", "get", blob, "-", stdout=writing) as process:
        os.close(writing)
        wait_until_full(reading)
        os.close(reading)
        _, err = process.communicate()

    assert (process.returncode, err) == (141, b"")


def test_a_process_that_is_stopped_while_it_writes_and_goes_on_loses_nothing(stcc: Stcc, blob: str) -> None:
    with stcc.process("blob", "get", blob, "-") as process:
        assert process.stdout is not None
        wait_until_full(process.stdout.fileno())
        process.send_signal(signal.SIGSTOP)
        os.waitpid(process.pid, os.WUNTRACED)
        process.send_signal(signal.SIGCONT)
        time.sleep(0.2)
        out, err = process.communicate()

    assert (process.returncode, out == CONTENT, err) == (0, True, b"")


def test_what_is_told_waits_for_a_non_blocking_stderr(stcc: Stcc, ends: tuple[int, int]) -> None:
    reading, writing = ends
    filled = 0
    with suppress(BlockingIOError):
        while True:
            filled += os.write(writing, b"." * 4096)
    with stcc.process("blob", "show", "data/..", stderr=writing) as process:
        os.close(writing)
        time.sleep(1)  # by then it has something to tell
        told = read_slowly(reading)[filled:].decode()
        out, _ = process.communicate()

    assert Result(process.returncode, out.decode(), told) == stcc("blob", "show", "data/..")
    assert process.returncode == 2


@pytest.mark.parametrize("noun", ["blob", "queue"])
def test_a_non_blocking_stdin_that_comes_in_pieces_is_read_to_its_end(stcc: Stcc, names: Names, noun: str) -> None:
    name = names()
    stcc("container" if noun == "blob" else "queue", "create", name)
    asked = ("blob", "put", f"{name}/slow", "-") if noun == "blob" else ("queue", "send", name, "-")
    ours, writing = os.pipe()
    os.set_blocking(ours, False)
    run = stcc.process(*asked, "-q", stdin=ours)
    os.close(ours)
    for piece in (b"one ", b"two ", b"three"):
        time.sleep(0.7)
        os.write(writing, piece)
    os.close(writing)
    _, err = run.communicate(timeout=60)
    stored = stcc("blob", "get", f"{name}/slow", "-") if noun == "blob" else stcc("queue", "peek", name)

    assert (run.returncode, err, "one two three" in stored.out) == (0, b"", True)

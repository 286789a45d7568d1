"""Breaking leases: what is shown, asked, printed and waited for."""

import os
import pty
import subprocess

import pytest

from stcc.emulator.instance import Instance
from tests.running import Result, Stcc
from tests.situations import Situation

LEASED_KINDS = ("leased_blob", "leased_container")


@pytest.mark.parametrize("kind", LEASED_KINDS)
def test_break_shows_what_it_breaks_and_when_it_will_be_free(kind: str, stcc: Stcc, there: Situation) -> None:
    target = there.argv(f"{{{kind}}}")[0]
    code, out, err = stcc("lease", "break", target, "--period", "30", "--yes")

    free_at = err.rpartition(" at ")[2].strip()
    assert (code, out, err) == (
        0,
        "30\n",
        f"{target} is leased (infinite)\nbreaking the lease of {target}; it is free in 30 seconds, at {free_at}\n",
    )
    assert there.properties(target).lease.state == "breaking"
    assert stcc("lease", "break", target, "--period", "0", "--yes") == Result(
        0, "0\n", f"{target} is breaking\nbroke the lease of {target}; it is free\n"
    )
    assert there.properties(target).lease.state == "broken"


def test_break_can_wait_for_the_end(fast_azurite: Instance) -> None:
    there = Situation(fast_azurite)
    stcc = Stcc(connection_string=fast_azurite.connection_string)
    there.lease(there.leased_blob).renew()
    words = ("lease", "break", there.leased_blob, "--period", "10", "--yes")

    assert stcc(*words, "--wait", "20s", "-q") == Result(0, "0\n", "")
    assert there.properties(there.leased_blob).lease.state == "broken"


def test_break_that_waits_in_vain_is_busy(stcc: Stcc, there: Situation) -> None:
    target = there.leased_blob
    code, out, err = stcc("lease", "break", target, "--period", "30", "--yes", "--wait", "50ms")

    free_at = err.rpartition(" at ")[2].strip()
    problem = f"stcc: the lease of {target} is still being broken after 0.05 seconds"
    assert (code, out, err) == (75, "", f"{target} is leased (infinite)\n{problem}\n  it is free at {free_at}\n")


def test_break_of_nothing_is_a_conflict(stcc: Stcc, there: Situation) -> None:
    target = there.blob

    assert stcc("lease", "break", target, "--yes", "--no-diagnose") == Result(
        9,
        "",
        f"{target} is available\n"
        f"stcc: cannot break the lease of {target}: there is no lease (409 LeaseNotPresentWithLeaseOperation)\n"
        "  it was never acquired, was released, or ended\n",
    )


def test_break_without_a_terminal_needs_yes(stcc: Stcc, there: Situation) -> None:
    target = there.leased_blob

    assert stcc("lease", "break", target) == Result(
        2, "", f"stcc: break the lease of {target}: it needs --yes\n  there is no terminal to ask on\n"
    )
    assert there.properties(target).lease.state == "leased"


@pytest.mark.parametrize(
    ("answer", "code", "after"),
    [("y\n", 0, "broken"), ("YES\n", 0, "broken"), ("n\n", 1, "leased"), ("\n", 1, "leased"), ("\x04", 1, "leased")],
    ids=["y", "YES", "n", "nothing", "end of input"],
)
def test_break_asks_on_a_terminal(answer: str, code: int, after: str, stcc: Stcc, there: Situation) -> None:
    target = there.leased_blob
    terminal, side = pty.openpty()
    process = stcc.process("lease", "break", target, "--period", "0", stdin=side, stderr=side, stdout=subprocess.PIPE)
    os.close(side)
    asked = read_until(terminal, b"[y/N] ")
    os.write(terminal, answer.encode())
    out, _ = process.communicate(timeout=60)
    os.close(terminal)

    assert asked == f"{target} is leased (infinite)\nbreak the lease of {target}? [y/N] "
    assert (process.returncode, out) == (code, b"0\n" if code == 0 else b"")
    assert there.properties(target).lease.state == after


def read_until(terminal: int, end: bytes) -> str:
    text = b""
    while not text.endswith(end):
        text += os.read(terminal, 1024)
    return text.replace(b"\r\n", b"\n").decode()

"""A put in blocks whose answers get lost: blocks are sent again, the commit is settled."""

import signal
import time
from pathlib import Path

import pytest

from tests.azurite import ProxiedAccount
from tests.running import Stcc
from tests.situations import Situation
from tests.wire import Answer, CutBody, Drop, Fault, Recorded, Refuse, Stall, Status

LARGE = bytes(33 << 20)


def is_block(request: Recorded) -> bool:
    return "comp=block&" in f"{request.query}&"


def is_commit(request: Recorded) -> bool:
    return "comp=blocklist" in request.query and request.method == "PUT"


@pytest.mark.parametrize(
    ("fault", "when"),
    [
        pytest.param(Drop(), is_block, id="a block that arrived"),
        pytest.param(CutBody(1 << 20), is_block, id="a block that was cut off"),
        pytest.param(Drop(), is_commit, id="the commit"),
        pytest.param(Status(500), is_commit, id="the commit, by a 500"),
        pytest.param(Refuse(), is_commit, id="a commit that never arrived"),
    ],
)
@pytest.mark.parametrize("options", ["", "--no-marker"])
def test_a_put_in_blocks_is_settled(
    fault: Fault,
    when: object,
    options: str,
    proxied: ProxiedAccount,
    proxied_stcc: Stcc,
    there: Situation,
) -> None:
    words = there.argv(f"blob put {{new_blob}} - {options}")
    proxied.fail(fault, when=is_commit if when is is_commit else is_block)

    code, out, _ = proxied_stcc(*words, stdin=LARGE)

    found = there.properties(there.new_blob)
    assert (code, out, found.size) == (0, f"{found.etag}\n", len(LARGE))


def test_a_commit_that_somebody_else_followed_is_unknown(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    words = there.argv("blob put {new_blob} -")
    commits: list[Recorded] = []

    def second(request: Recorded) -> bool:
        if is_commit(request):
            commits.append(request)
            there.named("new", b"theirs")
        return False

    proxied.fail(Drop(), when=is_commit)
    proxied.fail(Drop(), when=second)

    assert proxied_stcc(*words, stdin=LARGE)[:2] == (70, "")
    assert (len(commits), there.content(there.new_blob)) == (1, b"theirs")


def test_blocks_that_never_arrive_change_nothing(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    words = there.argv("blob put {blob} - --if-match {etag}")
    proxied.fail(Answer(500), when=is_block, times=40)

    assert proxied_stcc(*words, stdin=LARGE)[:2] == (69, "")
    assert there.properties(there.blob).etag == there.etag


def test_blocks_that_another_commit_has_dropped_are_a_refusal(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    words = there.argv("blob put {new_blob} - --no-diagnose")
    proxied.fail(Drop(), when=lambda request: is_commit(request) and there.named("new", b"theirs") == "")

    assert proxied_stcc(*words, stdin=LARGE)[:2] == (9, "")
    assert there.content(there.new_blob) == b"theirs"


def test_a_signal_ends_a_put_at_once_and_nothing_is_committed(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation, tmp_path: Path
) -> None:
    (tmp_path / "large").write_bytes(LARGE)
    target = there.new_blob
    proxied.fail(Stall(), when=is_block, times=20)
    process = proxied_stcc.process("blob", "put", target, str(tmp_path / "large"))
    until = time.monotonic() + 60
    while not any(map(is_block, proxied.requests)):
        assert time.monotonic() < until
        time.sleep(0.02)

    process.send_signal(signal.SIGTERM)

    assert process.communicate(timeout=60) == (b"", b"stcc: interrupted by SIGTERM\n")
    assert (process.returncode, there.client(target).exists()) == (143, False)

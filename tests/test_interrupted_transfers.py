"""Large transfers that are interrupted: the old file or the old blob is intact, and a download goes on."""

import base64
import resource
import signal
import time
from pathlib import Path

import pytest
from azure.storage.blob import ContentSettings

from tests.azurite import ProxiedAccount
from tests.running import Result, Stcc
from tests.situations import CONTENT, Situation
from tests.wire import Delay, Recorded, Stall, Truncate

FIRST, RANGE = 32 << 20, 6 << 20
SIZE = FIRST + 6 * RANGE
WHOLE = b"".join(bytes([number]) * (1 << 20) for number in range(SIZE >> 20))
AFTER_FOUR = FIRST + 4 * RANGE
ALL_OF_THEM = [0, *range(FIRST, SIZE, RANGE)]


def start_of(request: Recorded) -> int:
    return int(request.headers.get("x-ms-range", "bytes=0-").removeprefix("bytes=").partition("-")[0])


def beyond_four(request: Recorded) -> bool:
    return request.method == "GET" and start_of(request) >= AFTER_FOUR


def asked(proxied: ProxiedAccount) -> list[int]:
    """Return where the ranges begin that were asked for."""
    return sorted({start_of(request) for request in proxied.requests if request.method == "GET"})


def left(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def until(condition: object) -> None:
    ends = time.monotonic() + 60
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < ends, "it never happened"
        time.sleep(0.02)


def partial_of(folder: Path) -> Path | None:
    return next(iter(folder.glob(".copy.*.stcc-part")), None)


def is_remembered(folder: Path) -> bool:
    """Tell whether something is marked as complete, behind the last byte."""
    partial = partial_of(folder)
    return partial is not None and partial.stat().st_size > SIZE


@pytest.fixture
def large(there: Situation) -> str:
    return there.named("large", WHOLE)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "to" / "copy"
    path.parent.mkdir()
    path.write_bytes(b"old")
    return path


def test_a_killed_download_goes_on(large: str, old: Path, proxied: ProxiedAccount, proxied_stcc: Stcc) -> None:
    proxied.fail(Stall(), when=beyond_four, times=9)
    process = proxied_stcc.process("blob", "get", large, str(old), "--force")
    until(lambda: is_remembered(old.parent))
    process.kill()
    process.communicate()
    partial = partial_of(old.parent)
    assert partial is not None
    assert (old.read_bytes(), partial.stat().st_mode & 0o777) == (b"old", 0o600)
    proxied.clear()

    code, out, err = proxied_stcc("blob", "get", large, str(old), "--force")

    etag = out.strip()
    kept = f"going on with {partial}, where {4 * RANGE} of {SIZE} bytes are already\n"
    assert (code, err) == (0, f"{kept}got {large}, {SIZE} bytes, into {old}\n")
    assert asked(proxied) == [0, AFTER_FOUR, AFTER_FOUR + RANGE]
    assert {request.headers.get("if-match") for request in proxied.requests[1:]} == {etag}
    assert (old.read_bytes() == WHOLE, left(old.parent)) == (True, ["copy"])


def test_a_download_that_the_network_ends_is_kept_and_says_so(
    large: str, old: Path, proxied: ProxiedAccount, proxied_stcc: Stcc
) -> None:
    proxied.fail(Truncate(5000), when=beyond_four, times=99)

    result = proxied_stcc("blob", "get", large, str(old), "--force")

    partial = partial_of(old.parent)
    assert result.code == 69
    assert f"{4 * RANGE} of {SIZE} bytes are kept in {partial}; the same command goes on from there\n" in result.err
    assert (old.read_bytes(), len(left(old.parent))) == (b"old", 2)
    proxied.clear()
    assert proxied_stcc("blob", "get", large, str(old), "--force").code == 0
    assert (asked(proxied), old.read_bytes() == WHOLE) == ([0, AFTER_FOUR, AFTER_FOUR + RANGE], True)


def test_a_download_that_ctrl_c_ends_is_kept(
    large: str, old: Path, proxied: ProxiedAccount, proxied_stcc: Stcc
) -> None:
    proxied.fail(Stall(), when=beyond_four, times=9)
    process = proxied_stcc.process("blob", "get", large, str(old), "--force")
    until(lambda: is_remembered(old.parent))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()

    assert process.returncode == 130
    assert f"{4 * RANGE} of {SIZE} bytes are kept in" in err.decode()
    assert old.read_bytes() == b"old"


def test_a_blob_that_has_changed_since_is_downloaded_from_its_start(
    large: str, old: Path, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    proxied.fail(Truncate(5000), when=beyond_four, times=99)
    assert proxied_stcc("blob", "get", large, str(old), "--force").code == 69
    proxied.clear()
    there.named("large", WHOLE[::-1])

    code, _, err = proxied_stcc("blob", "get", large, str(old), "--force")

    assert (code, err, asked(proxied)) == (0, f"got {large}, {SIZE} bytes, into {old}\n", ALL_OF_THEM)
    assert (old.read_bytes() == WHOLE[::-1], left(old.parent)) == (True, ["copy"])


def test_two_downloads_to_one_place_do_not_meet(
    large: str, old: Path, proxied: ProxiedAccount, proxied_stcc: Stcc, stcc: Stcc
) -> None:
    proxied.fail(Stall(), when=beyond_four, times=9)
    slow = proxied_stcc.process("blob", "get", large, str(old), "--force")
    until(lambda: is_remembered(old.parent))

    assert stcc("blob", "get", large, str(old), "--force").code == 0
    assert (old.read_bytes() == WHOLE, slow.poll(), partial_of(old.parent) is not None) == (True, None, True)

    slow.kill()
    slow.communicate()


def test_a_full_disk_leaves_the_old_file_and_nothing_else(large: str, old: Path, stcc: Stcc) -> None:
    most = (FIRST + 2 * RANGE, FIRST + 2 * RANGE)

    result = stcc.run(
        *("blob", "get", large, str(old), "--force"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, most),
    )

    assert result == Result(74, "", f"stcc: '{old}' cannot be written: file too large\n")
    assert (old.read_bytes(), left(old.parent)) == (b"old", ["copy"])


def test_a_planted_link_is_not_followed(large: str, old: Path, proxied: ProxiedAccount, proxied_stcc: Stcc) -> None:
    proxied.fail(Truncate(5000), when=beyond_four, times=99)
    assert proxied_stcc("blob", "get", large, str(old), "--force").code == 69
    partial = partial_of(old.parent)
    assert partial is not None
    partial.unlink()
    victim = old.parent.parent / "victim"
    victim.write_bytes(b"precious")
    partial.symlink_to(victim)
    proxied.clear()

    assert proxied_stcc("blob", "get", large, str(old), "--force").code == 0
    assert (victim.read_bytes(), old.read_bytes() == WHOLE) == (b"precious", True)


@pytest.mark.parametrize("size", [1000, FIRST + 1000])
def test_bytes_that_do_not_have_their_md5_are_not_kept(size: int, old: Path, stcc: Stcc, there: Situation) -> None:
    target = there.named("damaged", WHOLE[:size])
    there.client(target).set_http_headers(ContentSettings(content_md5=bytearray(16)))

    result = stcc("blob", "get", target, str(old), "--force")

    assert result == Result(
        1,
        "",
        f"stcc: {target}: the bytes do not have the MD5 that is stored with them\n"
        "  they were damaged on the way, or whoever stored them gave a wrong one: blob show\n",
    )
    assert (old.read_bytes(), left(old.parent)) == (b"old", ["copy"])


def test_a_blob_put_in_blocks_has_its_md5(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    import hashlib

    source = tmp_path / "source"
    source.write_bytes(WHOLE)
    assert stcc("blob", "put", there.new_blob, str(source)).code == 0

    stored = stcc("blob", "show", there.new_blob, "--query", "content_md5").out.strip()
    assert stored == base64.b64encode(hashlib.md5(WHOLE).digest()).decode()
    assert stcc("blob", "get", there.new_blob, str(tmp_path / "copy")).code == 0


@pytest.mark.parametrize("how", ["ab", "r+b", "wb"])
def test_a_source_that_is_changed_while_it_is_read_is_not_put(
    how: str, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    source.write_bytes(WHOLE)
    etag = there.etag
    proxied.fail(Delay(1), when=lambda request: "comp=block&" in request.query)
    process = proxied_stcc.process("blob", "put", there.blob, str(source), "--force")
    until(lambda: bool(proxied.requests))
    with source.open(how) as opened:
        opened.write(b"other")
    out, err = process.communicate()

    assert Result(process.returncode, out.decode(), err.decode()) == Result(
        74,
        "",
        f"stcc: '{source}' was changed while it was read; nothing was sent for good\n"
        "  try again; what only grows, as a log does, can be sent through a pipe\n",
    )
    assert there.properties(there.blob).etag == etag


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_an_upload_that_is_ended_leaves_the_old_blob(
    number: signal.Signals, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    source.write_bytes(WHOLE)
    argv = there.argv(f"blob put {{blob}} {source} --if-match {{etag}}")
    proxied.fail(Stall(), when=lambda request: request.query.endswith("comp=block") or "comp=block&" in request.query)
    process = proxied_stcc.process(*argv)
    until(lambda: len([one for one in proxied.requests if one.method == "PUT"]) >= 2)
    process.send_signal(number)
    process.communicate()

    assert process.returncode == (-9 if number == signal.SIGKILL else 128 + number)
    assert there.content(there.blob) == CONTENT

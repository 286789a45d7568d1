"""Getting blobs: where the bytes go, and that a local file is never harmed."""

import os
import resource
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stcc.values.times import iso
from tests.azurite import ProxiedAccount
from tests.commands.answers import document
from tests.running import Result, Stcc, own_environment
from tests.situations import CONTENT, Situation
from tests.wire import Answer, Recorded, Stall, Truncate

BEYOND_ONE_REQUEST = 33 << 20


def names_in(directory: Path) -> list[str]:
    return sorted(one.name for one in directory.iterdir())


def later_range(request: Recorded) -> bool:
    return request.headers.get("x-ms-range", "bytes=0-").startswith("bytes=3")


@pytest.fixture
def large(there: Situation) -> str:
    return there.named("large", bytes(BEYOND_ONE_REQUEST))


def test_get_writes_a_file_and_prints_the_etag(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    path = tmp_path / "copy"

    assert stcc("blob", "get", there.blob, str(path)) == Result(
        0, f"{there.etag}\n", f"got {there.blob}, 13 bytes, into {path}\n"
    )
    assert (path.read_bytes(), names_in(tmp_path)) == (CONTENT, ["copy"])


def test_get_in_json_tells_the_path(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    path = tmp_path / "copy"
    answer = document(stcc("blob", "get", there.blob, str(path), "-o", "json"))

    assert answer["result"] == {
        "etag": there.etag,
        "last_modified": iso(there.properties(there.blob).last_modified),
        "size": 13,
        "path": str(path),
    }
    assert (answer["outcome"], answer["exit_code"], answer["http_status"]) == ("blob-got", 0, 206)


def test_get_into_a_directory_takes_the_last_segment(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    target = there.named("a/b/report.csv")

    assert stcc("blob", "get", target, str(tmp_path)).code == 0
    assert names_in(tmp_path) == ["report.csv"]


def test_get_without_a_destination_writes_here(
    stcc: Stcc, there: Situation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert stcc("blob", "get", there.blob).code == 0
    assert (tmp_path / "free").read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("span", "expected"), [("0-4", b"first"), ("6-", b"content"), ("12-12", b"t"), ("6-999", b"content")]
)
def test_get_of_a_range(span: str, expected: bytes, stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    assert stcc.raw("blob", "get", there.blob, "-", "--range", span) == (0, expected, "")
    assert stcc("blob", "get", there.blob, str(tmp_path / "part"), "--range", span).code == 0
    assert (tmp_path / "part").read_bytes() == expected


def test_get_of_a_range_beyond_the_end_fails(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    assert stcc("blob", "get", there.blob, str(tmp_path / "part"), "--range", "99-") == Result(
        1, "", f"stcc: cannot get {there.blob}: the range lies outside of the content (416 InvalidRange)\n"
    )
    assert names_in(tmp_path) == []


def test_get_to_stdout_is_the_exact_bytes(stcc: Stcc, there: Situation) -> None:
    content = bytes(range(256)) * 5 + b"\x1b[31m\r\n"

    assert stcc.raw("blob", "get", there.named("bytes", content), "-") == (0, content, "")
    assert stcc.raw("blob", "get", there.empty_blob, "-") == (0, b"", "")


def test_get_of_an_empty_blob_is_an_empty_file(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    assert stcc("blob", "get", there.empty_blob, str(tmp_path)).code == 0
    assert (tmp_path / "empty").read_bytes() == b""


def test_a_link_that_leads_nowhere_needs_force(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    path, elsewhere = tmp_path / "copy", tmp_path / "elsewhere"
    path.symlink_to(elsewhere)

    assert stcc("blob", "get", there.blob, str(path)) == Result(
        2, "", f"stcc: the destination exists: {str(path)!r}\n  --force overwrites it\n"
    )
    assert not elsewhere.exists()
    assert stcc("blob", "get", there.blob, str(path), "--force", "-q").code == 0
    assert (path.is_symlink(), elsewhere.read_bytes()) == (True, CONTENT)


def test_an_existing_file_needs_force(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    path = tmp_path / "copy"
    path.write_bytes(b"old")
    path.chmod(0o640)

    assert stcc("blob", "get", there.blob, str(path)) == Result(
        2, "", f"stcc: the destination exists: {str(path)!r}\n  --force overwrites it\n"
    )
    assert path.read_bytes() == b"old"
    assert stcc("blob", "get", there.blob, str(path), "--force").code == 0
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (CONTENT, 0o640)


def test_a_new_file_has_the_mode_that_the_umask_leaves(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        assert stcc("blob", "get", there.blob, str(tmp_path / "copy")).code == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o640


def test_a_link_stays_a_link(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")

    assert stcc("blob", "get", there.blob, str(tmp_path / "link"), "--force").code == 0
    assert ((tmp_path / "link").is_symlink(), (tmp_path / "real").read_bytes()) == (True, CONTENT)
    assert names_in(tmp_path) == ["link", "real"]


def test_a_device_is_written_and_stays(stcc: Stcc, there: Situation) -> None:
    assert stcc("blob", "get", there.blob, "/dev/null").code == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    assert stcc("blob", "get", there.blob, "/dev/full") == Result(
        74, "", "stcc: '/dev/full' cannot be written: no space left on device\n"
    )


def test_a_refused_get_leaves_the_old_file(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    path = tmp_path / "copy"
    path.write_bytes(b"old")

    assert stcc("blob", "get", there.blob, str(path), "--force", "--if-match", "0x8D1").code == 12
    assert stcc("blob", "get", there.blob, str(path), "--force", "--if-none-match", there.etag).code == 30
    assert (path.read_bytes(), names_in(tmp_path)) == (b"old", ["copy"])


def test_a_blob_beyond_one_request_arrives_whole(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    content = os.urandom(1 << 20) * 33 + b"end"
    target = there.named("random", content)

    assert stcc("blob", "get", target, str(tmp_path / "copy")).code == 0
    assert (tmp_path / "copy").read_bytes() == content
    assert stcc.raw("blob", "get", target, "-") == (0, content, "")


def test_a_blob_that_changes_while_it_goes_to_stdout_is_no_success(
    large: str, proxied: ProxiedAccount, proxied_stcc: Stcc
) -> None:
    proxied.fail(Answer(412, {"x-ms-error-code": "ConditionNotMet"}), when=later_range)
    code, out, err = proxied_stcc.raw("blob", "get", large, "-", "--no-diagnose")

    assert (code, out, err) == (
        12,
        bytes(32 << 20),
        (
            f"stcc: cannot get {large}: it changed since you looked (412 ConditionNotMet)\n"
            "  what was written so far is not all of it\n"
        ),
    )


def test_a_cut_connection_leaves_the_old_file(
    large: str, proxied: ProxiedAccount, proxied_stcc: Stcc, tmp_path: Path
) -> None:
    path = tmp_path / "copy"
    path.write_bytes(b"old")
    proxied.fail(Truncate(5000), when=later_range, times=20)

    code, out, _ = proxied_stcc("blob", "get", large, str(path), "--force")

    assert (code, out, path.read_bytes(), names_in(tmp_path)) == (69, "", b"old", ["copy"])


def test_a_range_that_was_cut_is_asked_for_again(
    large: str, proxied: ProxiedAccount, proxied_stcc: Stcc, tmp_path: Path
) -> None:
    proxied.fail(Truncate(5000), when=later_range)

    assert proxied_stcc("blob", "get", large, str(tmp_path / "copy")).code == 0
    assert (tmp_path / "copy").read_bytes() == bytes(BEYOND_ONE_REQUEST)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)], ids=["TERM", "INT", "HUP"]
)
def test_a_signal_leaves_the_old_file_and_nothing_else(
    number: signal.Signals, code: int, large: str, proxied: ProxiedAccount, proxied_stcc: Stcc, tmp_path: Path
) -> None:
    path = tmp_path / "copy"
    path.write_bytes(b"old")
    proxied.fail(Stall(), when=later_range, times=20)
    process = proxied_stcc.process("blob", "get", large, str(path), "--force")
    wait_until(lambda: len(proxied.requests) >= 2 and len(names_in(tmp_path)) == 2)

    process.send_signal(number)
    out, err = process.communicate(timeout=60)

    assert (process.returncode, out, err) == (code, b"", f"stcc: interrupted by {number.name}\n".encode())
    assert (path.read_bytes(), names_in(tmp_path)) == (b"old", ["copy"])


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_file_system_that_is_full_leaves_the_old_file(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    path = tmp_path / "copy"
    path.write_bytes(b"old")
    target = there.named("two megabytes", bytes(2 << 20))

    result = subprocess.run(
        [sys.executable, "-m", "stcc", "blob", "get", target, str(path), "--force"],
        env=own_environment() | stcc.surroundings,
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)),
    )

    assert (result.returncode, result.stdout, result.stderr.decode()) == (
        74,
        b"",
        f"stcc: {str(path)!r} cannot be written: file too large\n",
    )
    assert (path.read_bytes(), names_in(tmp_path)) == (b"old", ["copy"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small file system")
def test_a_full_disk_leaves_the_old_file(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)], check=False).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        (disk / "copy").write_bytes(b"old")
        target = there.named("two megabytes", bytes(2 << 20))

        assert stcc("blob", "get", target, str(disk / "copy"), "--force") == Result(
            74, "", f"stcc: {str(disk / 'copy')!r} cannot be written: no space left on device\n"
        )
        assert ((disk / "copy").read_bytes(), names_in(disk)) == (b"old", ["copy"])
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_directory_that_cannot_be_written_is_a_local_failure(stcc: Stcc, there: Situation) -> None:
    assert stcc("blob", "get", there.blob, "/proc/stcc-copy").code == 74

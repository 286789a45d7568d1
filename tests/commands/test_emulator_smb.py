"""`stcc emulator smb`: simulated SMB clients, from the command line."""

import json
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from stcc.emulator import background
from stcc.emulator import instance as instances
from tests.azfiles.conftest import Files
from tests.azfiles.serving import Service, serving
from tests.running import Result, Stcc

NO_EMULATOR = Result(2, "", "stcc: no emulator is running\n  stcc emulator start\n")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Service]:
    """Run an Azure Files emulator for the tests of this module."""
    with serving(tmp_path_factory.mktemp("files")) as running:
        yield running


@pytest.fixture
def files(service: Service, tmp_path: Path) -> Files:
    """Make a share with a file f in a directory d."""
    made = Files(service=service, share=f"s{abs(hash(tmp_path))}")
    made.ask("PUT", "?restype=share")
    made.ask("PUT", "/d?restype=directory")
    made.create("/d/f")
    return made


@pytest.fixture
def stcc(service: Service) -> Stcc:
    """Call stcc as in `stcc emulator run`."""
    return Stcc(connection_string=service.connection_string)


def opened(stcc: Stcc, target: str, *options: str) -> str:
    result = stcc("emulator", "smb", "open", target, *options, "-q")
    assert result == Result(0, f"{result.out.strip()}\n", "")
    return result.out.strip()


def test_an_open_prints_its_handle_and_keeps_requests_out_until_it_is_closed(stcc: Stcc, files: Files) -> None:
    target = f"{files.share}/d/f"
    first = stcc("emulator", "smb", "open", target, "--access", "rw", "--share", "r", "--client", "10.1.2.3:4")
    during = files.put("/d/f", 0, b"x").brief
    closed = stcc("emulator", "smb", "close", first.out.strip())

    assert (first.code, first.err) == (0, f"an SMB client at 10.1.2.3:4 has {target} open for rw, and shares r\n")
    assert (during, closed) == ((409, "SharingViolation"), Result(0, "", f"closed {target}\n"))
    assert files.put("/d/f", 0, b"x").status == 201


def test_what_is_open_is_listed(stcc: Stcc, files: Files) -> None:
    handles = [opened(stcc, f"{files.share}/d/f", "--share", "rwd") for _ in range(2)]
    handles.append(opened(stcc, f"{files.share}/d", "--access", "rd", "--share", "rwd"))

    listed = json.loads(stcc("emulator", "smb", "list", files.share, "-o", "json").out)["result"]
    below = stcc("emulator", "smb", "list", f"{files.share}/d/f", "-o", "tsv")

    assert [(one["handle"], one["path"], one["access"], one["shared"], one["delete_pending"]) for one in listed] == [
        (handles[0], "d/f", "r", "rwd", False),
        (handles[1], "d/f", "r", "rwd", False),
        (handles[2], "d", "rd", "rwd", False),
    ]
    assert below == Result(
        0,
        "".join(
            f"{one['handle']}\t{files.share}\td/f\tr\trwd\t10.0.0.4:50445\t{one['opened']}\tfalse\n"
            for one in listed[:2]
        ),
        "",
    )


def test_a_marked_file_goes_with_its_last_handle(stcc: Stcc, files: Files) -> None:
    target = f"{files.share}/d/f"
    handle = opened(stcc, target, "--access", "rd", "--share", "rwd")
    told = [stcc("emulator", "smb", "mark-delete", handle, *undo).err for undo in ([], ["--undo"], [])]
    pending = files.ask("GET", "/d/f").brief
    closed = stcc("emulator", "smb", "close", handle, "-o", "json")
    goes = "goes when the last SMB client closes it"

    assert (told, pending) == (
        [f"{target} {what}\n" for what in (goes, "stays", goes)],
        (409, "DeletePending"),
    )
    assert json.loads(closed.out) == {
        "outcome": "smb-closed",
        "exit_code": 0,
        "http_status": None,
        "error_code": None,
        "request_id": None,
        "target": target,
        "result": {"handle": handle, "deleted": True},
        "observed": None,
    }
    assert files.ask("GET", "/d/f").status == 404


def test_a_marked_file_is_told_to_be_gone(stcc: Stcc, files: Files) -> None:
    target = f"{files.share}/d/f"
    handle = opened(stcc, target, "--access", "rd")
    stcc("emulator", "smb", "mark-delete", handle)

    assert stcc("emulator", "smb", "close", handle) == Result(
        0, "", f"closed {target}, which was marked for deletion and is gone\n"
    )


def test_a_lock_keeps_requests_out_of_its_bytes(stcc: Stcc, files: Files) -> None:
    opened(stcc, f"{files.share}/d/f", "--share", "rwd", "--lock", "2-3")

    assert [files.put("/d/f", start, b"x").brief for start in (1, 2, 3, 4)] == [
        (201, None),
        (409, "FileLockConflict"),
        (409, "FileLockConflict"),
        (201, None),
    ]


def test_what_an_smb_server_would_refuse_is_a_conflict(stcc: Stcc, files: Files) -> None:
    target = f"{files.share}/d/f"
    handle = opened(stcc, target)

    assert stcc("emulator", "smb", "open", target) == Result(
        9,
        "",
        f"stcc: {target}: another client has it open, and their sharing excludes each other "
        "(STATUS_SHARING_VIOLATION)\n",
    )
    assert stcc("emulator", "smb", "mark-delete", handle) == Result(
        9, "", f"stcc: {handle}: the handle was opened without delete access (d) (STATUS_ACCESS_DENIED)\n"
    )
    assert stcc("emulator", "smb", "open", f"{files.share}/x") == Result(
        9, "", f"stcc: {files.share}/x: there is no such file or directory (STATUS_OBJECT_NAME_NOT_FOUND)\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            ["open", "/f"], "'/f' names no share\n  SHARE/PATH, or SHARE for its root directory\n", id="share"
        ),
        pytest.param(["open", "s/f", "--access", "none"], "--access is made of r, w and d, not 'none'\n", id="access"),
        pytest.param(["open", "s/f", "--access", ""], "--access is made of r, w and d, not ''\n", id="no access"),
        pytest.param(["open", "s/f", "--share", "x"], "--share is made of r, w and d, not 'x'\n", id="sharing"),
        pytest.param(
            ["open", "s/f", "--lock", "9-1"], "--lock is FIRST-LAST, two positions of bytes, not '9-1'\n", id="lock"
        ),
        pytest.param(["close", "x"], "'x' is no handle\n  what `stcc emulator smb open` printed\n", id="handle"),
        pytest.param(["mark-delete", ""], "'' is no handle\n  what `stcc emulator smb open` printed\n", id="empty"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(stcc: Stcc, arguments: list[str], message: str) -> None:
    assert stcc("emulator", "smb", *arguments) == Result(2, "", f"stcc: {message}")


def test_without_an_emulator_there_is_nobody_to_ask(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    assert [Stcc()("emulator", "smb", *words) for words in (["list", "s"], ["close", "1"])] == [NO_EMULATOR] * 2
    assert Stcc()("emulator", "smb", "list", "s", "--file-port", "1") == Result(
        69, "", "stcc: no emulator of Azure Files answers on port 1\n  stcc emulator start\n"
    )


def test_the_running_emulator_is_asked_when_the_environment_names_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    stcc = Stcc()
    stcc("emulator", "start", "-q")
    running = instances.running()
    assert running is not None
    try:
        files = Files(service=Service(port=running.file_port), share="share")
        files.ask("PUT", "?restype=share")
        files.create("/f")
        handle = opened(stcc, "share/f")

        assert (handle, files.ask("DELETE", "/f").code) == ("1", "SharingViolation")
    finally:
        background.stop()


def test_a_command_that_runs_with_an_emulator_of_its_own_asks_that_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    command = [sys.executable, "-m", "stcc", "emulator", "smb", "list", "nothere"]

    assert Stcc().run("emulator", "run", "--", *command) == Result(
        9,
        "",
        "stcc: nothere: ShareNotFound: The specified share does not exist. (STATUS_OBJECT_PATH_NOT_FOUND)\n",
    )

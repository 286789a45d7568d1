"""`file put` among others: readers, other writers, SMB clients, crashes and lost answers."""

import json
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from azure.storage.fileshare import ContentSettings, generate_share_sas

from stcc.emulator.instance import ACCOUNT, KEY
from tests.azfiles.serving import Service
from tests.proxy import Proxy
from tests.running import Result, Stcc
from tests.teams import Team, on_files_alone
from tests.wire import Answer, CutBody, Delay, Drop, Recorded, Refuse, Stall, Status

SIZE: Final = 5 * 1024 * 1024  # more than one range
DRAFT: Final = re.compile(r"\.stcc-[0-9a-f]{32}~")


@pytest.fixture
def team(file_service: Service) -> Team:
    return on_files_alone(file_service.port)


@pytest.fixture
def wire(team: Team) -> Generator[Proxy]:
    """Put a proxy in front of the service."""
    with Proxy(team.instance.file_port) as proxy:
        yield proxy


def through(wire: Proxy, team: Team) -> Team:
    """Return the same share, seen through the proxy."""
    found = on_files_alone(wire.port)
    found.__dict__["share"] = team.share
    return found


def renames(request: Recorded) -> bool:
    return "comp=rename" in request.query


def ranges(request: Recorded) -> bool:
    return "comp=range" in request.query


def deletes(request: Recorded) -> bool:
    return request.method == "DELETE"


def drafts(team: Team) -> list[str]:
    return [name for name in team.names() if DRAFT.fullmatch(name)]


def wait_for(condition: object) -> None:
    until = time.monotonic() + 60
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < until
        time.sleep(0.01)


def mixtures(team: Team, tmp_path: Path, *how: str) -> tuple[int, int]:
    """Let two writers put contents of one letter each, again and again; return how many reads were of both, of one."""
    target, ended, found = team.put(content=b"0" * SIZE), threading.Event(), [0, 0]
    for letter in "12":
        (tmp_path / letter).write_bytes(letter.encode() * SIZE)

    def read() -> None:
        while not ended.is_set():
            found[len(set(team.content())) == 1] += 1

    def put(letter: str) -> None:
        for _ in range(6):
            assert team.stcc("file", "put", target, str(tmp_path / letter), "-q", *how).code == 0

    readers = [threading.Thread(target=read) for _ in range(2)]
    writers = [threading.Thread(target=put, args=(letter,)) for letter in "12"]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    ended.set()
    for thread in readers:
        thread.join()
    return found[0], found[1]


def test_readers_never_see_half_a_file(team: Team, tmp_path: Path) -> None:
    mixed, whole = mixtures(team, tmp_path)

    assert (mixed, whole > 5, drafts(team)) == (0, True, [])


def test_in_place_they_do(team: Team, tmp_path: Path) -> None:
    assert any(mixtures(team, tmp_path, "--in-place")[0] for _ in range(9))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=["KILL", "INT", "TERM"])
def test_a_put_that_is_ended_leaves_the_old_file(
    number: signal.Signals, team: Team, wire: Proxy, tmp_path: Path
) -> None:
    target, source = team.put(), tmp_path / "source"
    source.write_bytes(b"n" * SIZE)
    wire.fail(Stall(), when=ranges, times=4)
    process = through(wire, team).stcc.process("file", "put", target, str(source))
    wait_for(lambda: any(map(ranges, wire.requests)))
    process.send_signal(number)
    process.communicate(timeout=60)

    assert (process.returncode, team.content()) == (-9 if number == signal.SIGKILL else 128 + number, b"old")
    assert len(drafts(team)) == (number == signal.SIGKILL)


def test_a_source_that_changes_leaves_the_old_file(team: Team, wire: Proxy, tmp_path: Path) -> None:
    target, source = team.put(), tmp_path / "source"
    source.write_bytes(b"n" * 9 * SIZE)
    wire.fail(Delay(0.5), when=ranges, times=4)
    process = through(wire, team).stcc.process("file", "put", target, str(source))
    wait_for(lambda: any(map(ranges, wire.requests)))
    os.utime(source, (1, 1))
    out, err = process.communicate(timeout=60)

    assert (process.returncode, out, team.content(), drafts(team)) == (74, b"", b"old", [])
    assert err.decode() == (
        f"stcc: {str(source)!r} was changed while it was read; nothing was sent for good\n"
        "  try again; what only grows, as a log does, can be sent through a pipe\n"
    )


def test_a_source_that_changes_while_it_is_written_in_place_leaves_a_part(
    team: Team, wire: Proxy, tmp_path: Path
) -> None:
    target, source = team.put(), tmp_path / "source"
    source.write_bytes(b"n" * 9 * SIZE)
    wire.fail(Delay(0.5), when=ranges, times=4)
    process = through(wire, team).stcc.process("file", "put", target, str(source), "--in-place")
    wait_for(lambda: any(map(ranges, wire.requests)))
    os.utime(source, (1, 1))
    out, err = process.communicate(timeout=60)

    assert (process.returncode, out) == (74, b"")
    assert err.decode() == f"stcc: {str(source)!r} was changed while it was read\n  {target} may hold a part of it\n"


def test_exclusive_gives_the_lease_back_when_it_is_ended(team: Team, wire: Proxy, tmp_path: Path) -> None:
    target, source = team.put(), tmp_path / "source"
    source.write_bytes(b"n" * SIZE)
    wire.fail(Stall(), when=ranges, times=4)
    process = through(wire, team).stcc.process("file", "put", target, str(source), "--exclusive")
    wait_for(lambda: any(map(ranges, wire.requests)))
    assert team.properties().lease.state == "leased"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)

    assert (process.returncode, team.properties().lease.state) == (143, "available")


def test_a_lost_answer_to_the_rename_is_settled_by_the_id_of_the_file(team: Team, wire: Proxy) -> None:
    target = team.put()
    wire.fail(Drop(), when=renames)
    code, out, err = through(wire, team).stcc("file", "put", target, "-", stdin=b"new")
    told = "the answer was lost on the way; what is there now carries the mark of this very request\n"

    assert (code, out, err) == (0, f"{team.etag()}\n", f"{told}put {target}, 3 bytes\n")
    assert (team.content(), team.names()) == (b"new", ["report.csv"])


def test_a_lost_request_to_rename_is_sent_again(team: Team, wire: Proxy) -> None:
    target = team.put()
    wire.fail(Refuse(), when=renames, times=2)
    code, out, err = through(wire, team).stcc("file", "put", target, "-", stdin=b"new")
    told = "the answer was lost on the way; the identical request was accepted when sent again\n"

    assert (code, out, err) == (0, f"{team.etag()}\n", f"{told}put {target}, 3 bytes\n")
    assert (team.content(), team.names()) == (b"new", ["report.csv"])


def test_a_rename_that_never_arrives_has_changed_nothing(team: Team, wire: Proxy) -> None:
    target = team.put()
    wire.fail(Refuse(), when=renames, times=9)
    code, out, err = through(wire, team).stcc("file", "put", target, "-", stdin=b"new")

    assert (code, out, err) == (
        69,
        "",
        f"stcc: {target}: the answer was lost; it has not been put, and nothing was changed\n  try again later\n",
    )
    assert (team.content(), team.names()) == (b"old", ["report.csv"])


def test_a_rename_whose_fate_nobody_can_tell_is_unknown(team: Team, wire: Proxy) -> None:
    target = team.put()

    def replaced(request: Recorded) -> bool:
        if request.method == "HEAD" and any(map(renames, wire.requests)):
            team.file("report.csv").delete_file()
            team.put(content=b"theirs")
        return False

    wire.fail(Refuse(), when=replaced)
    wire.fail(Drop(), when=renames)
    code, out, err = through(wire, team).stcc("file", "put", target, "-", "-q", stdin=b"new")

    assert (code, out, team.content()) == (70, "", b"theirs")
    assert err == (
        f"stcc: {target}: the answer was lost (the connection was closed before the whole answer came); "
        "it may or may not have been put\n"
    )


@pytest.mark.parametrize("fault", [Drop(), Refuse(), Status(500)], ids=["drop", "refuse", "500"])
@pytest.mark.parametrize("how", [(), ("--in-place",)], ids=["renamed", "in place"])
def test_every_other_lost_answer_is_settled_by_a_repeat(
    fault: Drop | Refuse | Status, how: tuple[str, ...], team: Team, wire: Proxy
) -> None:
    target = team.put()
    wire.fail(fault, when=lambda request: request.method == "PUT" and not renames(request), times=1)
    wire.fail(fault, when=ranges)
    code, _, _ = through(wire, team).stcc("file", "put", target, "-", "-q", *how, stdin=b"n" * SIZE)

    assert (code, team.content() == b"n" * SIZE, team.names()) == (0, True, ["report.csv"])


def test_a_write_in_place_that_is_cut_off_for_good_is_unknown(team: Team, wire: Proxy) -> None:
    target = team.put()
    wire.fail(CutBody(1000), when=ranges, times=9)
    code, out, _ = through(wire, team).stcc("file", "put", target, "-", "--in-place", "-q", stdin=b"n" * SIZE)

    assert (code, out) == (70, "")


def test_a_draft_that_cannot_be_written_is_deleted(team: Team, wire: Proxy) -> None:
    target = team.put()
    wire.fail(Answer(403, {"x-ms-error-code": "AuthorizationFailure"}), when=ranges, times=4)
    code, out, err = through(wire, team).stcc("file", "put", target, "-", "-q", stdin=b"new")

    assert (code, out, err) == (3, "", f"stcc: cannot put {target}: not allowed (403 AuthorizationFailure)\n")
    assert (team.content(), team.names()) == (b"old", ["report.csv"])


def test_an_smb_client_that_shares_everything_keeps_the_rename_out_and_in_place_is_named(team: Team) -> None:
    target = team.put()
    handle = team.open(access="r", shared="rwd")
    code, out, err = team.stcc("file", "put", target, "-", stdin=b"new")
    opened = err.partition("opened ")[2].partition("\n")[0]

    assert (code, out, err) == (
        9,
        "",
        (
            f"stcc: cannot put {target}: an SMB client has it open, and does not share what this needs "
            "(409 SharingViolation)\n"
            f"  handle: id {handle}, path report.csv, client 10.0.0.4:50445, access read, opened {opened}\n"
            "  wait until it is closed (--wait 60s), or take it from them: --close-handles; "
            "--in-place writes into it as it is, if they share writing\n"
        ),
    )
    assert (team.content(), team.names()) == (b"old", ["report.csv"])
    assert team.stcc("file", "put", target, "-", "--in-place", "-q", stdin=b"new").code == 0
    assert team.content() == b"new"


def test_waiting_ends_when_the_smb_client_closes_it(team: Team) -> None:
    target = team.put()
    handle = team.open()
    busy = team.stcc("file", "put", target, "-", "-q", "--wait", "100ms", stdin=b"new")
    timer = team.later(0.3, lambda: team.close(handle))
    code, out, err = team.stcc("file", "put", target, "-", "--wait", "10s", stdin=b"new")
    timer.join()

    assert (busy.code, busy.out) == (75, "")
    assert (code, out, err) == (0, f"{team.etag()}\n", f"put {target}, 3 bytes\n")


def test_handles_are_closed_when_that_is_said(team: Team) -> None:
    target = team.put()
    handles = [team.open(shared="rwd"), team.open(shared="rwd")]
    code, out, err = team.stcc("file", "put", target, "-", "--close-handles", "--yes", "-q", stdin=b"new")

    assert (code, out, err, len(handles)) == (0, f"{team.etag()}\n", "", 2)
    assert (team.content(), team.handles()) == (b"new", [])


def test_a_pending_delete_is_a_conflict_and_waited_for(team: Team) -> None:
    target = team.put()
    handle = team.open(access="rd", shared="rwd")
    team.mark_delete(handle)
    refused = team.stcc("file", "put", target, "-", "-q", stdin=b"new")
    timer = team.later(0.3, lambda: team.close(handle))
    code, _, err = team.stcc("file", "put", target, "-", "--wait", "10s", stdin=b"new")
    timer.join()

    assert (refused.code, "409 DeletePending" in refused.err) == (9, True)
    assert (code, err, team.content()) == (0, f"put {target}, 3 bytes\n", b"new")


def test_what_is_leased_in_between_is_not_renamed_over(team: Team, wire: Proxy) -> None:
    target = team.put()

    def lease(request: Recorded) -> bool:
        if renames(request):
            team.lease().acquire()
        return False

    wire.fail(Refuse(), when=lease)
    code, out, err = through(wire, team).stcc("file", "put", target, "-", "-q", stdin=b"new")

    assert (code, out, err, team.content(), drafts(team)) == (
        *(12, "", f"stcc: cannot put {target}: it is leased and no lease id was given (412 LeaseIdMissing)\n"),
        *(b"old", []),
    )


def theirs_before(team: Team, when: object) -> object:
    """Return a predicate that lets somebody else write right before the first request that matches."""
    done: list[bool] = []

    def predicate(request: Recorded) -> bool:
        if when(request) and not done:  # type: ignore[operator]
            done.append(True)
            team.put(content=b"theirs")
        return False

    return predicate


def test_a_change_during_the_upload_is_still_seen(team: Team, wire: Proxy) -> None:
    target = team.put()
    wire.fail(Refuse(), when=theirs_before(team, ranges))  # type: ignore[arg-type]
    words = ("file", "put", target, "-", "-q", "--if-unchanged", team.etag())
    answer = through(wire, team).stcc(*words, stdin=b"ours")

    assert (answer, team.content(), drafts(team)) == (
        Result(12, "", f"stcc: cannot put {target}: it changed since you looked (checked before the write)\n"),
        b"theirs",
        [],
    )


def test_between_the_check_and_the_rename_a_change_gets_lost(team: Team, wire: Proxy) -> None:
    """The gap that the help text admits."""
    target = team.put()
    wire.fail(Refuse(), when=theirs_before(team, renames))  # type: ignore[arg-type]
    words = ("file", "put", target, "-", "-q", "--if-unchanged", team.etag())

    assert (through(wire, team).stcc(*words, stdin=b"ours").code, team.content()) == (0, b"ours")


def test_with_exclusive_nobody_gets_in_between(team: Team) -> None:
    """Eight writers add one, each only if nobody has since it looked; all that count are in the file."""
    target = team.put("counter", b"0")

    def add() -> int:
        while True:
            etag, number = team.etag("counter"), int(team.content("counter"))
            if team.etag("counter") != etag:
                continue
            text = str(number + 1).encode()
            words = ("file", "put", target, "-", "-q", "--exclusive", "--wait", "60s", "--if-unchanged", etag)
            code = team.stcc(*words, stdin=text).code
            if code != 12:
                return int(code)

    codes: list[int] = []
    threads = [threading.Thread(target=lambda: codes.append(add())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (codes, team.content("counter")) == ([0] * 8, b"8")


def test_a_lease_that_is_broken_under_an_exclusive_put_ends_it(team: Team, wire: Proxy) -> None:
    target = team.put()

    def broken(request: Recorded) -> bool:
        if ranges(request) and team.properties().lease.state == "leased":
            team.lease().break_lease()
        return False

    wire.fail(Refuse(), when=broken)
    code, out, err = through(wire, team).stcc("file", "put", target, "-", "-q", "--exclusive", stdin=b"new")

    why = "its lease was broken meanwhile (412 LeaseNotPresentWithFileOperation)"
    assert (code, out, err) == (76, "", f"stcc: cannot put {target}: {why}\n")
    assert team.content() == b"old"


def test_a_large_file_goes_over_four_connections(team: Team, wire: Proxy) -> None:
    wire.fail(Delay(4), when=ranges, times=4)
    size = 16 * 1024 * 1024
    began = time.monotonic()
    code = through(wire, team).stcc("file", "put", f"{team.share}/new", "-", "-q", stdin=b"n" * size).code

    assert (code, team.properties("new").size, time.monotonic() - began < 4 * 4) == (0, size, True)
    sent = sorted(request.headers["x-ms-range"] for request in wire.requests if ranges(request))
    assert len(sent) == 4


PART: Final = ", and by now it may hold a part of the new content\n"


def between_two_tries(wire: Proxy, act: Callable[[], object]) -> None:
    """Do something once, when a rename has been refused and before stcc looks again."""

    def acted(request: Recorded) -> bool:
        if request.method == "HEAD" and any(map(renames, wire.requests)) and not done:
            done.append(act())
        return False

    done: list[object] = []
    wire.fail(Refuse(), when=acted)


def test_what_changes_while_a_put_waits_is_not_overwritten(team: Team, wire: Proxy) -> None:
    target = team.put()
    handle, etag = team.open(access="r", shared="rw"), team.etag()

    def write_and_close() -> None:
        team.file("report.csv").upload_range(b"NEW", 0, 3)
        team.close(handle)

    between_two_tries(wire, write_and_close)
    words = ("file", "put", target, "-", "-q", "--if-unchanged", etag, "--wait", "60s")
    answer = through(wire, team).stcc(*words, stdin=b"ours")

    assert (answer, team.content(), drafts(team)) == (
        Result(12, "", f"stcc: cannot put {target}: it changed since you looked (checked before the write)\n"),
        b"NEW",
        [],
    )


@pytest.mark.parametrize("theirs", [{"owner": "bert"}, {}], ids=["changed", "cleared"])
def test_metadata_and_attributes_that_are_set_while_a_put_waits_are_kept(
    team: Team, wire: Proxy, theirs: dict[str, str]
) -> None:
    target, file = team.put(), team.file("report.csv")
    file.set_file_metadata({"owner": "anna"})
    handle = team.open(access="r", shared="rw")

    def set_and_close() -> None:
        file.set_file_metadata(theirs)
        file.set_http_headers(ContentSettings(), file_attributes="Hidden")
        team.close(handle)

    between_two_tries(wire, set_and_close)
    code = through(wire, team).stcc("file", "put", target, "-", "-q", "--wait", "60s", stdin=b"new").code
    found = team.properties()

    assert (code, team.content(), found.metadata, found.file_attributes) == (0, b"new", theirs, "Hidden")


def test_a_write_in_place_that_is_refused_midway_says_so(team: Team, wire: Proxy) -> None:
    target = team.put(content=b"0" * 2 * SIZE)

    def locked(request: Recorded) -> bool:
        if ranges(request) and len(list(filter(ranges, wire.requests))) == 3:
            start = int(request.headers["x-ms-range"].removeprefix("bytes=").partition("-")[0])
            team.lock(start, start + 1)
        return False

    wire.fail(Refuse(), when=locked)
    code, out, err = through(wire, team).stcc("file", "put", target, "-", "--in-place", "-q", stdin=b"1" * 2 * SIZE)

    assert (code, out) == (1, "")
    assert err == f"stcc: cannot put {target}: an SMB client has locked a part of it (409 FileLockConflict){PART}"
    team.close(*team.handles())
    assert set(team.content()) == set(b"01")


def test_a_lease_that_is_broken_midway_is_lost_and_the_file_is_torn(team: Team, wire: Proxy) -> None:
    target = team.put(content=b"0" * 2 * SIZE)

    def broken(request: Recorded) -> bool:
        if ranges(request) and len(list(filter(ranges, wire.requests))) == 3:
            team.lease().break_lease()
        return False

    wire.fail(Refuse(), when=broken)
    words = ("file", "put", target, "-", "--exclusive", "-o", "json")
    answer = through(wire, team).stcc(*words, stdin=b"1" * 2 * SIZE)
    told = json.loads(answer.out)

    assert (answer.code, answer.err, told["outcome"], told["message"]) == (
        76,
        "",
        "lost",
        (f"cannot put {target}: its lease was broken meanwhile (412 LeaseNotPresentWithFileOperation){PART.rstrip()}"),
    )


@pytest.mark.parametrize("how", [("--in-place",), ()], ids=["in place", "renamed"])
def test_a_put_that_is_interrupted_says_what_is_left(
    how: tuple[str, ...], team: Team, wire: Proxy, tmp_path: Path
) -> None:
    target, source = team.put(), tmp_path / "source"
    source.write_bytes(b"n" * SIZE)
    wire.fail(Stall(), when=ranges, times=4)
    process = through(wire, team).stcc.process("file", "put", target, str(source), *how)
    wait_for(lambda: any(map(ranges, wire.requests)))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    said = f"{target} may hold a part of it" if how else f"{target} was not put"

    assert (process.returncode, err.decode()) == (130, f"stcc: {said}; interrupted by SIGINT\n")


def test_an_outage_midway_is_not_called_harmless(team: Team, wire: Proxy) -> None:
    target = team.put(content=b"0" * 4 * SIZE)

    def down(request: Recorded) -> bool:
        return ranges(request) and len(list(filter(ranges, wire.requests))) > 2

    wire.fail(Answer(503, {"x-ms-error-code": "ServerBusy"}), when=down, times=99)
    code, out, err = through(wire, team).stcc("file", "put", target, "-", "--in-place", "-q", stdin=b"1" * 4 * SIZE)

    assert (code, out) == (70, "")
    assert err == f"stcc: {target}: the service answered 503 ServerBusy; {target} may hold a part of it\n"


@pytest.mark.parametrize("insisting", [("--wait", "20s"), ("--close-handles", "--yes")], ids=["wait", "close"])
def test_bytes_that_are_locked_are_insisted_on(insisting: tuple[str, ...], team: Team) -> None:
    target = team.put()
    handle = team.lock(1, 2)
    refused = team.stcc("file", "put", target, "-", "--in-place", stdin=b"new")
    timer = team.later(0.4, lambda: team.close(handle)) if insisting[0] == "--wait" else None
    code = team.stcc("file", "put", target, "-", "--in-place", "-q", *insisting, stdin=b"new").code
    if timer is not None:
        timer.join()

    assert (refused.code, refused.err.splitlines()[0], f"handle: id {handle}," in refused.err) == (
        9,
        f"stcc: cannot put {target}: an SMB client has locked a part of it (409 FileLockConflict)",
        True,
    )
    assert (code, team.content(), team.handles()) == (0, b"new", [])


def test_without_the_permission_to_delete_what_is_left_over_is_named(team: Team) -> None:
    target = team.put()
    token = generate_share_sas(
        ACCOUNT, team.share, KEY, permission="rcwl", expiry=datetime.now(UTC) + timedelta(hours=1)
    )
    url = f"http://127.0.0.1:{team.instance.file_port}/{ACCOUNT}/{target}?{token}"
    code, out, err = Stcc()("file", "put", url, "-", "--no-diagnose", stdin=b"new")
    left = drafts(team)

    assert (code, out, err, len(left)) == (
        3,
        "",
        (
            f"stcc: cannot put {target}: not allowed to rename (403 CannotVerifyCopySource)\n"
            "  a rename needs the permission to delete; --in-place needs none; "
            f"what was written so far may be left over: {team.share}/{left[0]}\n"
        ),
        1,
    )
    assert Stcc()("file", "put", url, "-", "--in-place", "-q", stdin=b"new").code == 0
    assert team.content() == b"new"


def releases(request: Recorded) -> bool:
    return request.headers.get("x-ms-lease-action") == "release"


def test_a_release_whose_answer_is_lost_leaves_nothing_to_say(team: Team, wire: Proxy) -> None:
    target = team.put()
    wire.fail(Drop(), when=releases, times=9)
    answer = through(wire, team).stcc("file", "put", target, "-", "--exclusive", stdin=b"new")

    assert answer == Result(
        0, f"{team.etag()}\n", f"put {target}, 3 bytes, in place: readers may have seen a part of it\n"
    )
    assert team.properties().lease.state == "available"


def test_a_release_that_never_arrives_is_told(team: Team, wire: Proxy) -> None:
    target = team.put()
    wire.fail(Refuse(), when=releases, times=9)
    code, out, err = through(wire, team).stcc("file", "put", target, "-", "--exclusive", stdin=b"new")
    found = re.search(r"--lease-id (\S+)", err)
    assert found is not None

    assert (code, out, err, team.properties().lease.state) == (
        0,
        f"{team.etag()}\n",
        (
            f"put {target}, 3 bytes, in place: readers may have seen a part of it\n"
            f"its lease may still be held: stcc lease release file:{target} --lease-id {found[1]}\n"
        ),
        "leased",
    )
    assert team.stcc("lease", "release", f"file:{target}", "--lease-id", found[1]).code == 0

"""`file put`: what it stores, prints, keeps and refuses."""

import hashlib
import os
import re
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from azure.storage.fileshare import ContentSettings

from stcc.values.times import iso
from tests.azfiles.serving import Service
from tests.commands.answers import document
from tests.running import Result, Stcc
from tests.teams import HELD, OTHER, Team, on_files_alone

LARGE: Final = os.urandom(9 * 1024 * 1024 + 5)
IN_PLACE: Final = ", in place: readers may have seen a part of it"
GAP: Final = "its ETag was checked before the write, not with it: --exclusive leaves no gap\n"
PERMISSION: Final = "O:BAG:BAD:(A;;FA;;;BA)"
CHANGED: Final = "it changed since you looked (checked before the write)"
AGAIN: Final = "  read it again, decide again, and use the current ETag\n"


@pytest.fixture
def team(file_service: Service) -> Generator[Team]:
    """Prepare a share, where the clock can be put forward."""
    yield on_files_alone(file_service.port)
    file_service.clock.ahead = 0.0


def seen(team: Team, *, expected: str = "", path: str = "report.csv") -> str:
    """Return the line that tells what is there after a refusal."""
    found = team.properties(path)
    first = f"expected etag {expected}, " if expected else ""
    lease = f"lease state {found.lease.state}, lease status {found.lease.status}"
    duration = f", lease duration {found.lease.duration}" if found.lease.duration else ""
    when = iso(found.last_modified)
    return f"  seen afterwards: {first}etag {found.etag}, last modified {when}, {lease}{duration}, size {found.size}\n"


def kept(team: Team) -> tuple[Any, ...]:
    """Return what a put keeps of the old file."""
    found = team.properties()
    return found.metadata, found.file_attributes, found.permission_key


@pytest.mark.parametrize("content", [b"", b"n", LARGE[: 4 * 1024 * 1024], LARGE], ids=["0", "1", "4 MiB", "9 MiB"])
@pytest.mark.parametrize("there", [None, b"old", LARGE[1:]], ids=["new", "over a short one", "over a long one"])
@pytest.mark.parametrize("from_stdin", [True, False], ids=["stdin", "file"])
@pytest.mark.parametrize("in_place", [False, True], ids=["renamed", "in place"])
def test_put_stores_the_content_with_its_hash_and_prints_the_etag(
    content: bytes, there: bytes | None, from_stdin: bool, in_place: bool, team: Team, tmp_path: Path
) -> None:
    target, source = f"{team.share}/report.csv", tmp_path / "source.csv"
    source.write_bytes(content)
    if there is not None:
        team.put(content=there)
    words = ("file", "put", target, "-" if from_stdin else str(source), *(["--in-place"] if in_place else []))
    code, out, err = team.stcc(*words, stdin=content)
    found, size = team.properties(), "1 byte" if len(content) == 1 else f"{len(content)} bytes"

    assert (code, out, err) == (0, f"{found.etag}\n", f"put {target}, {size}{IN_PLACE if in_place else ''}\n")
    assert (team.content() == content, team.names()) == (True, ["report.csv"])
    assert (found.content_settings.content_type, bytes(found.content_settings.content_md5)) == (
        "text/csv",
        hashlib.md5(content, usedforsecurity=False).digest(),
    )


def test_put_in_json_and_tsv(team: Team) -> None:
    target = f"{team.share}/a.txt"
    answer = document(team.stcc("file", "put", target, "-", "-o", "json", stdin=b"text"))
    found = team.properties("a.txt")
    etag, when = found.etag, iso(found.last_modified)
    facts: dict[str, Any] = {
        "etag": etag,
        "last_modified": when,
        "size": 4,
        "how": "renamed",
        "checked": None,
        "leftovers": [],
        "still_leased": None,
    }

    assert answer == {
        "outcome": "file-put",
        "exit_code": 0,
        "http_status": 200,
        "error_code": None,
        "target": target,
        "result": facts,
        "observed": None,
    }
    code, out, err = team.stcc("file", "put", target, "-", "-o", "tsv", "-q", "--if-unchanged", etag, stdin=b"more")
    found = team.properties("a.txt")
    assert (code, out, err) == (0, f"{found.etag}\t{iso(found.last_modified)}\t4\trenamed\tbefore\t\t\n", "")


@pytest.mark.parametrize("how", [(), ("--in-place",), ("--exclusive",)], ids=["renamed", "in place", "exclusive"])
def test_permission_attributes_and_metadata_are_kept(how: tuple[str, ...], team: Team) -> None:
    target = team.put()
    file = team.file("report.csv")
    file.set_http_headers(ContentSettings(), file_attributes="Archive|Hidden", file_permission=PERMISSION)
    file.set_file_metadata({"owner": "anna"})
    before = kept(team)

    assert team.stcc("file", "put", target, "-", "-q", *how, stdin=b"new").code == 0
    assert (kept(team), team.content()) == (before, b"new")
    assert before[:2] == ({"owner": "anna"}, "Hidden | Archive")


@pytest.mark.parametrize("how", [(), ("--in-place",)], ids=["renamed", "in place"])
def test_metadata_and_content_type_that_are_given_replace_the_old_ones(how: tuple[str, ...], team: Team) -> None:
    target = team.put()
    team.file("report.csv").set_file_metadata({"owner": "anna"})
    given = ("--metadata", "year=2026", "--content-type", "text/x-mine")

    assert team.stcc("file", "put", target, "-", "-q", *given, *how, stdin=b"new").code == 0
    found = team.properties()
    assert (found.metadata, found.content_settings.content_type) == ({"year": "2026"}, "text/x-mine")


def test_a_file_of_a_directory_and_of_any_name(team: Team) -> None:
    team.client.create_directory("día")
    name = "día/Ünï 100% & #1 +.txt"

    assert team.stcc("file", "put", f"{team.share}/{name}", "-", "-q", stdin=b"new").code == 0
    assert (team.content(name), [one.name for one in team.client.list_directories_and_files("día")]) == (
        b"new",
        ["Ünï 100% & #1 +.txt"],
    )


def test_the_last_writer_wins(team: Team) -> None:
    target = team.put()
    codes = [team.stcc("file", "put", target, "-", "-q", stdin=text).code for text in (b"one", b"two")]

    assert (codes, team.content()) == ([0, 0], b"two")


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("none/report.csv", "the directory above it does not exist (404 ParentNotFound)"),
        ("../elsewhere", ""),
    ],
)
def test_what_is_absent_is_said(path: str, problem: str, team: Team) -> None:
    target = f"{team.share}/{path}"
    code, out, err = team.stcc("file", "put", target, "-", "-q", stdin=b"new")

    if problem:
        assert (code, out, err) == (4, "", f"stcc: cannot put {target}: {problem}\n")
    else:
        assert (code, out) == (2, "")


def test_a_directory_is_not_replaced(team: Team) -> None:
    team.client.create_directory("reports")
    target = f"{team.share}/reports"
    problem = "it is a directory where a file is asked for, or a file for a directory (409 ResourceTypeMismatch)"

    for how in ([], ["--in-place"]):
        answer = team.stcc("file", "put", target, "-", "-q", *how, stdin=b"new")
        assert answer == Result(9, "", f"stcc: cannot put {target}: {problem}\n")
    assert team.names() == ["reports"]


def test_a_read_only_file_is_left_alone_before_anything_is_sent(team: Team) -> None:
    target = team.put()
    team.file("report.csv").set_http_headers(ContentSettings(), file_attributes="ReadOnly")

    assert team.stcc("file", "put", target, "-", stdin=b"new") == Result(
        9,
        "",
        (
            f"stcc: cannot put {target}: it has the read-only attribute (checked before the write)\n{seen(team)}"
            "  take that away first, if it is meant to be changed\n"
        ),
    )
    assert team.content() == b"old"


def test_a_leased_file_is_not_renamed_over(team: Team) -> None:
    target = team.put()
    team.lease().acquire()
    problem = f"stcc: cannot put {target}: it is leased and no lease id was given"

    assert team.stcc("file", "put", target, "-", stdin=b"new") == Result(
        12,
        "",
        (
            f"{problem} (checked before the write)\n{seen(team)}"
            "  if the lease is yours, --lease-id ID writes in place; else wait\n"
        ),
    )
    assert team.stcc("file", "put", target, "-", "--in-place", stdin=b"new") == Result(
        12,
        "",
        f"{problem} (412 LeaseIdMissing)\n{seen(team)}  pass --lease-id if the lease is yours; else wait\n",
    )
    assert (team.content(), team.names()) == (b"old", ["report.csv"])


def test_the_holder_of_the_lease_puts_in_place(team: Team) -> None:
    target = team.put()
    team.lease().acquire()
    code, out, err = team.stcc("file", "put", target, "-", "--lease-id", HELD, stdin=b"new")

    assert (code, out, err) == (0, f"{team.etag()}\n", f"put {target}, 3 bytes{IN_PLACE}\n")
    assert (team.content(), team.properties().lease.state) == (b"new", "leased")
    assert team.stcc("file", "put", target, "-", "--lease-id", OTHER, "-q", stdin=b"theirs") == Result(
        12, "", f"stcc: cannot put {target}: it is leased under another id (412 LeaseIdMismatchWithFileOperation)\n"
    )


@pytest.mark.parametrize("there", [True, False], ids=["there is one", "there is none"])
def test_exclusive_takes_the_lease_and_gives_it_back(there: bool, team: Team) -> None:
    target = team.put() if there else f"{team.share}/report.csv"
    code, out, err = team.stcc("file", "put", target, "-", "--exclusive", stdin=b"new")

    assert (code, out, err) == (0, f"{team.etag()}\n", f"put {target}, 3 bytes{IN_PLACE}\n")
    assert (team.content(), team.properties().lease.state, team.names()) == (b"new", "available", ["report.csv"])


def test_exclusive_waits_for_who_holds_the_lease(team: Team) -> None:
    target = team.put()
    team.lease().acquire()
    words = ("file", "put", target, "-", "--exclusive", "-q")
    problem = f"stcc: cannot acquire the lease of file:{target}: somebody else holds the lease"
    refused = team.stcc(*words, stdin=b"new")
    busy = team.stcc(*words, "--wait", "100ms", stdin=b"new")
    timer = team.later(0.3, team.lease().release)

    assert refused == Result(9, "", f"{problem} (409 LeaseAlreadyPresent)\n")
    assert busy == Result(75, "", f"stcc: file:{target} is still leased by somebody else after 0.1 seconds\n")
    assert team.stcc(*words, "--wait", "10s", stdin=b"new").code == 0
    assert team.content() == b"new"
    timer.join()


def test_if_unchanged_is_checked_before_and_said_to_be(team: Team) -> None:
    target = team.put()
    code, out, err = team.stcc("file", "put", target, "-", "--if-unchanged", team.etag(), stdin=b"new")

    assert (code, out, err, team.content()) == (0, f"{team.etag()}\n", f"put {target}, 3 bytes\n{GAP}", b"new")


@pytest.mark.parametrize("how", [(), ("--in-place",), ("--exclusive",)], ids=["renamed", "in place", "exclusive"])
def test_if_unchanged_refuses_what_changed(how: tuple[str, ...], team: Team) -> None:
    target = team.put()
    etag = team.etag()
    team.put(content=b"theirs")
    words = ("file", "put", target, "-", "--if-unchanged", etag, *how)
    code, out, err = team.stcc(*words, stdin=b"ours")
    shown = seen(team, expected=etag)
    if how == ("--exclusive",):
        shown = shown.replace("lease state available, lease status unlocked, ", "")  # its own, for a moment

    assert (code, out, err) == (12, "", f"stcc: cannot put {target}: {CHANGED}\n{shown}{AGAIN}")
    assert (team.content(), team.names(), team.properties().lease.state) == (b"theirs", ["report.csv"], "available")


@pytest.mark.parametrize("how", [(), ("--in-place",), ("--exclusive",)], ids=["renamed", "in place", "exclusive"])
def test_if_unchanged_refuses_what_is_gone(how: tuple[str, ...], team: Team) -> None:
    target = f"{team.share}/gone.csv"
    words = ("file", "put", target, "-", "--if-unchanged", "0x8D1", "-q", *how)

    assert team.stcc(*words, stdin=b"ours") == Result(12, "", f"stcc: cannot put {target}: {CHANGED}\n")
    assert team.names() == []


def test_under_the_lease_the_check_leaves_no_gap(team: Team) -> None:
    target = team.put()
    words = ("file", "put", target, "-", "--exclusive", "--if-unchanged", team.etag(), "-o", "json")
    result = document(team.stcc(*words, stdin=b"new"))["result"]

    assert (result["checked"], result["how"], team.content()) == ("leased", "in-place", b"new")


def test_leftovers_of_more_than_a_day_are_named(team: Team) -> None:
    for name in (".stcc-" + "0" * 32 + "~", ".stcc-mine~"):
        team.put(name)
    target = f"{team.share}/report.csv"
    soon = team.stcc("file", "put", target, "-", stdin=b"new")
    yesterday = (datetime.now(UTC) - timedelta(hours=25)).replace(tzinfo=None)
    team.file(".stcc-" + "1" * 32 + "~").create_file(0, file_last_write_time=yesterday)
    later = team.stcc("file", "put", target, "-", stdin=b"new")

    told = f"left over by a put that was broken off: {team.share}/.stcc-{'1' * 32}~\n"
    assert (soon.err, later.err) == (f"put {target}, 3 bytes\n", f"put {target}, 3 bytes\n{told}")


def test_a_put_asks_four_times_and_looks_for_leftovers(team: Team) -> None:
    err = team.stcc("file", "put", f"{team.share}/report.csv", "-", "-v", stdin=b"new").err
    asked = re.sub(r"[0-9a-f]{32}~", "ID~", err.replace(team.share, "SHARE"))
    lines = re.findall(r"^\* (\w+) http://\S+?/devstoreaccount1/(\S+)(?: \[.*\])* -> (\d+)", asked, re.MULTILINE)

    assert lines == [
        ("HEAD", "SHARE/report.csv", "404"),
        ("PUT", "SHARE/.stcc-ID~", "201"),
        ("PUT", "SHARE/.stcc-ID~?comp=range", "201"),
        ("PUT", "SHARE/report.csv?comp=rename", "200"),
        ("GET", "SHARE?prefix=.stcc-&maxresults=5000&include=timestamps&restype=directory&comp=list", "200"),
    ]


NOWHERE: Final = "AccountName=nobody;AccountKey=eA==;FileEndpoint=http://127.0.0.1:1/nobody"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("team/a -", ""),
        ("team/a/ -", "stcc: a directory cannot be put: 'team/a'\n  stcc file mkdir makes one\n"),
        ("team -", "stcc: no file is named: 'team'\n  SHARE/PATH, for example team/reports/2026.csv\n"),
        (
            f"team/a - --exclusive --lease-id {HELD}",
            "stcc: --exclusive takes the lease itself: --lease-id says that you have it\n",
        ),
        (
            "team/a - --if-unchanged *",
            "stcc: --if-unchanged is the ETag of the file as you saw it, not '*'\n",
        ),
        (
            "team/a - --if-match 0x8D1",
            (
                "stcc: Create File, Put Range takes no --if-match\n"
                "  the file service has none: it knows no conditions, only leases\n"
            ),
        ),
        ("team/a /nonexistent", "stcc: the source cannot be read: '/nonexistent'\n  no such file or directory\n"),
        (
            "team/a - --close-handles",
            "stcc: close the open handles of team/a: it needs --yes\n  there is no terminal to ask on\n",
        ),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_sent(words: str, problem: str) -> None:
    answer = Stcc(connection_string=NOWHERE)("file", "put", *words.split(), "--timeout", "1s")

    assert answer == Result(2, "", problem) if problem else answer.code == 69


@pytest.mark.parametrize("etag", ["", " "])
def test_an_empty_etag_is_no_unconditional_put(etag: str) -> None:
    answer = Stcc(connection_string=NOWHERE)("file", "put", "team/a", "-", "--if-unchanged", etag, "-q")

    assert answer == Result(2, "", "stcc: --if-unchanged is empty\n")

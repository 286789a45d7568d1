"""Leases on files and shares: what each command prints and returns, and every row of the outcome tables."""

import json
import os
import signal
import sys
import time
import uuid
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

from stcc.values.times import iso
from tests.azfiles.serving import Service
from tests.commands.answers import document
from tests.running import Result, Stcc
from tests.teams import HELD, OTHER, THIRD, Team, on_files_alone

ROWS: Final[list[dict[str, Any]]] = json.loads(
    (Path(__file__).parents[1] / "azfiles" / "lease_outcomes.json").read_text()
)
ENDLESS: Final = "stcc: the lease of a file has no end: the service knows no other\n"
STARTED: Final = "is leased without an end: after a crash it takes `stcc lease break"


@pytest.fixture
def team(file_service: Service) -> Generator[Team]:
    """Prepare a share, where the clock can be put forward."""
    yield on_files_alone(file_service.port)
    file_service.clock.ahead = 0.0


def target_of(team: Team, kind: str) -> str:
    return f"file:{team.put()}" if kind == "file" else f"share:{team.share}"


def lease_of(team: Team, kind: str, lease_id: str = HELD) -> Any:
    return team.lease("report.csv" if kind == "file" else None, lease_id)


def state(team: Team, kind: str) -> tuple[str, str | None]:
    lease = (team.properties() if kind == "file" else team.client.get_share_properties()).lease
    return lease.state, lease.duration


@pytest.mark.parametrize(
    ("kind", "how", "told", "left"),
    [
        pytest.param("file", (), "until it is released or broken", "infinite", id="a file: for ever"),
        pytest.param("file", ("--duration", "infinite"), "until it is released or broken", "infinite", id="said"),
        pytest.param("share", (), "for 60 seconds", "fixed", id="a share: 60 seconds"),
        pytest.param("share", ("--duration", "15"), "for 15 seconds", "fixed", id="15 seconds"),
        pytest.param("share", ("--duration", "infinite"), "until it is released or broken", "infinite", id="for ever"),
    ],
)
def test_acquire_prints_the_id(team: Team, kind: str, how: tuple[str, ...], told: str, left: str) -> None:
    target = target_of(team, kind)
    code, out, err = team.stcc("lease", "acquire", target, *how)

    assert (code, out, err) == (0, f"{uuid.UUID(out.strip())}\n", f"leased {target} {told}\n")
    assert state(team, kind) == ("leased", left)
    lease_of(team, kind, out.strip()).release()


@pytest.mark.parametrize("kind", ["file", "share"])
def test_change_and_release(team: Team, kind: str) -> None:
    target = target_of(team, kind)
    lease_of(team, kind).acquire(lease_duration=-1)

    assert team.stcc("lease", "change", target, "--lease-id", HELD, "--proposed-id", OTHER) == Result(
        0, f"{OTHER}\n", f"changed the id of the lease of {target}\n"
    )
    assert team.stcc("lease", "release", target, "--lease-id", OTHER) == Result(0, "", f"released {target}\n")
    assert state(team, kind) == ("available", None)


def test_only_a_share_is_renewed(team: Team) -> None:
    share = target_of(team, "share")
    lease_of(team, "share").acquire(lease_duration=15)

    assert team.stcc("lease", "renew", share, "--lease-id", HELD) == (0, f"{HELD}\n", f"renewed the lease of {share}\n")


@pytest.mark.parametrize("kind", ["file", "share"])
def test_break_and_show(team: Team, kind: str) -> None:
    target = target_of(team, kind)
    lease_of(team, kind).acquire(lease_duration=-1)
    after = "available" if kind == "file" else "broken"  # of a file, the service does not tell the two apart

    assert team.stcc("lease", "show", target, "--query", "[state, status, duration]") == (
        *(0, "leased\nlocked\ninfinite\n", ""),
    )
    assert team.stcc("lease", "break", target, "--yes") == Result(
        0, "0\n", f"{target} is leased (infinite)\nbroke the lease of {target}; it is free\n"
    )
    assert team.stcc("lease", "show", target, "-o", "tsv", "--query", "state") == (0, f"{after}\n", "")


def test_a_lease_of_a_share_can_be_broken_later(team: Team) -> None:
    target = target_of(team, "share")
    lease_of(team, "share").acquire(lease_duration=-1)
    code, out, err = team.stcc("lease", "break", target, "--period", "30", "--yes", "-q")

    assert (code, out, err, state(team, "share")) == (0, "30\n", "", ("breaking", None))


@pytest.mark.parametrize("kind", ["file", "share"])
def test_what_somebody_else_holds_is_a_conflict_and_busy_after_waiting(team: Team, kind: str) -> None:
    target = target_of(team, kind)
    lease_of(team, kind).acquire(lease_duration=-1)
    code, out, err = team.stcc("lease", "acquire", target, "--no-diagnose", "-q")
    problem = f"stcc: cannot acquire the lease of {target}: somebody else holds the lease (409 LeaseAlreadyPresent)\n"

    assert (code, out, err) == (9, "", problem)
    assert team.stcc("lease", "acquire", target, "--wait", "100ms", "-q") == Result(
        75, "", f"stcc: {target} is still leased by somebody else after 0.1 seconds\n"
    )


def test_waiting_ends_when_the_lease_does(team: Team) -> None:
    target = target_of(team, "file")
    lease_of(team, "file").acquire()
    timer = team.later(0.3, lease_of(team, "file").release)

    assert team.stcc("lease", "acquire", target, "--proposed-id", OTHER, "--wait", "10s", "-q") == (0, f"{OTHER}\n", "")
    timer.join()


OPEN: Final = "an SMB client has it open, and does not share what this needs (409 SharingViolation)"
PENDING: Final = (
    "an SMB client has marked it for deletion, and somebody still has it open: it is neither there nor gone "
    "(409 DeletePending)"
)


def hint(target: str, wait: str = "") -> str:
    """Return what a lease command says of an open file."""
    path = target.removeprefix("file:")
    way = f"or take it from them: stcc file handles {path}, stcc file close-handles {path}"
    return f"wait until it is closed{wait}, {way}"


def named(team: Team, access: str, path: str = "report.csv") -> str:
    """Return the line that names the only open handle of a file."""
    (found,) = team.file(path).list_handles()
    opened = iso(found.open_time)
    return f"  handle: id {found.id}, path {path}, client 10.0.0.4:50445, access {access}, opened {opened}\n"


@pytest.mark.parametrize(
    ("words", "code", "after"),
    [
        ("acquire {}", 9, ""),
        ("acquire {} --wait 100ms", 75, ", still after 0.1 seconds"),
        ("acquire {} --wait 1s", 75, ", still after 1 second"),
        ("acquire {} --wait 0s", 75, ", still after 0 seconds"),
        ("run {} -- true", 9, ""),
        ("run {} --no-wait -E 42 -- true", 9, ""),
        ("run {} --create -- true", 9, ""),
        ("run {} --wait 0s -- true", 75, ", still after 0 seconds"),
        ("run {} --wait 100ms -- true", 75, ", still after 0.1 seconds"),
        ("run {} --wait 100ms -E 42 -- true", 42, ", still after 0.1 seconds"),
    ],
)
def test_an_smb_client_that_can_write_is_in_the_way_of_a_lease_and_named(
    team: Team, words: str, code: int, after: str
) -> None:
    target = target_of(team, "file")
    team.open(access="rw", shared="rwd")
    ways = f"  {hint(target, ' (--wait 60s)')}\n"

    argv = words.format(target).split()
    assert team.stcc("lease", *argv) == Result(
        code, "", f"stcc: cannot acquire the lease of {target}: {OPEN}{after}\n{named(team, 'read write')}{ways}"
    )
    assert team.stcc("lease", argv[0], "--no-diagnose", *argv[1:]) == Result(
        code, "", f"stcc: cannot acquire the lease of {target}: {OPEN}{after}\n{ways}"
    )


@pytest.mark.parametrize(
    ("words", "outcome", "code", "after"),
    [
        ("acquire -o json {}", "conflict", 9, ""),
        ("acquire -o json {} --wait 100ms", "busy", 75, ", still after 0.1 seconds"),
        ("run -o json {} -- true", "conflict", 9, ""),
        ("run -o json {} --wait 100ms -- true", "busy", 75, ", still after 0.1 seconds"),
    ],
)
def test_programs_are_told_who_is_in_the_way_of_a_lease(
    team: Team, words: str, outcome: str, code: int, after: str
) -> None:
    target = target_of(team, "file")
    handle = team.open(access="rw", shared="r")
    (found,) = team.file("report.csv").list_handles()

    answer = team.stcc("lease", *words.format(target).split())
    told = (answer.err, answer.out) if words.startswith("run") else (answer.out, answer.err)  # whose stdout it is
    assert (answer.code, told[1], document(Result(code, told[0], ""))) == (
        code,
        "",
        {
            "outcome": outcome,
            "exit_code": code,
            "http_status": 409,
            "error_code": "SharingViolation",
            "target": target,
            "result": None,
            "observed": {
                "handles": [
                    {
                        "id": str(handle),
                        "path": "report.csv",
                        "client": "10.0.0.4:50445",
                        "access": "read write",
                        "opened": iso(found.open_time),
                        "last_reconnect": None,
                    }
                ]
            },
            "message": f"cannot acquire the lease of {target}: {OPEN}{after}",
            "hint": hint(target, " (--wait 60s)"),
        },
    )


@pytest.mark.parametrize(
    ("words", "doing", "wait"),
    [
        ("show {}", "show", ""),
        ("break {} --yes", "show", ""),
        (f"release {{}} --lease-id {HELD}", "release", ""),
        (f"change {{}} --lease-id {HELD} --proposed-id {OTHER}", "change", ""),
        ("acquire {}", "acquire", " (--wait 60s)"),
        ("run {} -- true", "acquire", " (--wait 60s)"),
    ],
)
def test_the_ways_out_of_a_pending_delete_are_options_that_the_command_has(
    team: Team, words: str, doing: str, wait: str
) -> None:
    target = target_of(team, "file")
    team.mark_delete(team.open(access="rd", shared="rwd"))

    assert team.stcc("lease", *words.format(target).split()) == Result(
        9,
        "",
        f"stcc: cannot {doing} the lease of {target}: {PENDING}\n{named(team, 'read delete')}  {hint(target, wait)}\n",
    )


def test_a_file_is_not_made_in_a_directory_that_is_about_to_go(team: Team) -> None:
    team.client.create_directory("reports")
    team.mark_delete(team.open("reports", access="rd", shared="rwd"))
    path = f"{team.share}/reports/a"

    assert team.stcc("lease", "run", f"file:{path}", "--create", "--", "true") == Result(
        9,
        "",
        f"stcc: cannot create {path}: {PENDING}\n"
        f"{named(team, 'read delete', 'reports')}  {hint(f'{team.share}/reports')}\n",
    )


def test_a_lease_is_acquired_once_the_file_is_closed(team: Team) -> None:
    target = target_of(team, "file")
    handle = team.open(access="rw", shared="rwd")
    timer = team.later(0.3, lambda: team.close(handle))

    assert team.stcc("lease", "acquire", target, "--proposed-id", OTHER, "--wait", "10s", "-q") == (0, f"{OTHER}\n", "")
    timer.join()


NOWHERE: Final = "AccountName=nobody;AccountKey=eA==;FileEndpoint=http://127.0.0.1:1/nobody"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            f"renew file:team/a --lease-id {HELD}",
            f"{ENDLESS}  whether it is still held: stcc lease show file:team/a\n",
        ),
        (
            "acquire file:team/a --duration 30",
            f"{ENDLESS}  leave --duration out; `lease release` ends it, or `lease break`\n",
        ),
        (
            "run file:team/a --duration 30 -- true",
            f"{ENDLESS}  leave --duration out; `lease release` ends it, or `lease break`\n",
        ),
        (
            "break file:team/a --period 10 --yes",
            "stcc: the lease of a file is broken at once: --period is for blobs, containers and shares\n",
        ),
        (
            "acquire share:team --duration 14",
            "stcc: --duration is out of range: '14'\n  the service accepts 15 to 60 whole seconds, or infinite\n",
        ),
        (
            "acquire file:team/a/",
            "stcc: a directory cannot be leased\n  a file of it can, or the share: share:SHARE\n",
        ),
        (
            "acquire file:https://x.file.core.windows.net/team/a?sharesnapshot=2026-11-21T00:00:00.0000000Z",
            "stcc: a snapshot cannot be leased\n",
        ),
        (
            "acquire share:https://x.file.core.windows.net/team?sharesnapshot=2026-11-21T00:00:00.0000000Z",
            "stcc: stcc leases no snapshots of shares\n",
        ),
        (
            "acquire file:team",
            "stcc: no file is named: 'team'\n  SHARE/PATH, for example team/reports/2026.csv\n",
        ),
        ("acquire share:", "stcc: the target is empty\n  is the variable set?\n"),
        (
            "acquire file:team/a --if-match abc",
            "stcc: Lease File takes no --if-match\n  the file service has none: it knows no conditions, only leases\n",
        ),
        (
            "acquire share:team --if-unmodified-since now-10m",
            (
                "stcc: Lease Share takes no --if-unmodified-since\n"
                "  the file service has none: it knows no conditions, only leases\n"
            ),
        ),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(words: str, problem: str) -> None:
    assert Stcc(connection_string=NOWHERE)("lease", *words.split()) == Result(2, "", problem)


def bring_into(team: Team, kind: str, wanted: str, *, service: Service) -> None:
    """Bring the lease into a state of the tables, with `HELD` as the id that is or was active."""
    name, _, duration = wanted.partition("(")
    lease = lease_of(team, kind)
    if name in {"leased", "breaking", "broken", "expired"}:
        lease.acquire(lease_duration=15 if name == "expired" or duration == "fixed)" else -1)
    if name == "breaking":
        lease.break_lease(lease_break_period=10)
    if name == "broken":
        lease.break_lease()
    if name == "expired":
        service.clock.ahead += 16


IDS: Final = {"A": HELD, "B": OTHER, "C": THIRD}
ASKED: Final = {
    "acquire": "acquire {target} --duration infinite",
    "acquire(-1)": "acquire {target}",
    "renew": "renew {target}",
    "release": "release {target}",
    "change(A->B)": f"change {{target}} --proposed-id {OTHER}",
    "change(B->A)": f"change {{target}} --proposed-id {HELD}",
    "change(B->C)": f"change {{target}} --proposed-id {THIRD}",
    "break": "break {target} --yes",
    "break(0)": "break {target} --yes --period 0",
    "break(N>0)": "break {target} --yes --period 10",
}
EXITS: Final = {200: 0, 201: 0, 202: 0, 409: 9, 412: 12}
# The rest cannot be asked for: no id where one is needed, no GUID, a duration that the service does not know.
ASKABLE: Final = [
    row
    for row in ROWS
    if row["operation"] in ASKED and row["status"] in EXITS and row["state"] not in {"missing file", "any"}
]


@pytest.mark.parametrize("row", ASKABLE, ids=lambda row: "-".join(str(row[name]) for name in list(row)[:4]))
def test_every_row_of_the_outcome_tables_comes_out_of_the_commands(
    team: Team, file_service: Service, row: dict[str, Any]
) -> None:
    kind = row["resource"]
    target = target_of(team, kind)
    bring_into(team, kind, row["state"], service=file_service)
    named = "--proposed-id" if row["operation"].startswith("acquire") else "--lease-id"
    words = [*ASKED[row["operation"]].format(target=target).split(), "-o", "json"]
    answer = team.stcc("lease", *words, *([] if row["lease_id"] == "none" else [named, IDS[row["lease_id"]]]))
    told = json.loads(answer.out)

    assert (answer.code, told["http_status"], told["error_code"]) == (EXITS[row["status"]], row["status"], row["code"])


def test_so_many_rows_can_be_asked_for() -> None:
    assert len(ASKABLE) == 95


def test_run_holds_a_lease_without_an_end_and_says_what_a_crash_leaves(team: Team) -> None:
    target = target_of(team, "file")
    shell = f'echo "$STCC_LEASE_TARGET"; {sys.executable} -m stcc lease show "$STCC_LEASE_TARGET" -q'
    answer = team.stcc.run("lease", "run", target, "--", "sh", "-c", f"{shell} --query state")

    assert answer == Result(0, f"{target}\nleased\n", f"{target} {STARTED} {target}`\n")
    assert state(team, "file") == ("available", None)


def test_run_on_a_share_renews_and_gives_back(team: Team) -> None:
    target = target_of(team, "share")

    assert team.stcc.run("lease", "run", target, "--duration", "15", "--", "sh", "-c", "exit 7") == Result(7, "", "")
    assert state(team, "share") == ("available", None)


def test_run_is_busy_while_somebody_else_has_the_lease(team: Team) -> None:
    target = target_of(team, "file")
    lease_of(team, "file").acquire()

    assert team.stcc.run("lease", "run", target, "-q", "--", "true") == Result(
        75, "", f"stcc: {target} is leased by somebody else\n"
    )


@pytest.mark.parametrize("content", [None, b"kept"], ids=["there is none", "there is one"])
def test_run_makes_a_file_only_if_there_is_none(team: Team, content: bytes | None) -> None:
    if content is not None:
        team.put("new.csv", content)
    answer = team.stcc.run("lease", "run", f"file:{team.share}/new.csv", "--create", "-q", "--", "true")

    assert (answer, team.content("new.csv"), team.names()) == (Result(0, "", ""), content or b"", ["new.csv"])


def test_a_lease_that_is_broken_meanwhile_ends_the_command_within_ten_seconds(team: Team) -> None:
    target = target_of(team, "file")
    process = team.stcc.process("lease", "run", target, "--", "sleep", "60")
    wait_until_leased(team)
    began = time.monotonic()
    team.lease().break_lease()
    out, err = process.communicate(timeout=60)
    lost = (
        f"stcc: {target} is lost: a lease id was given and there is no lease (412 LeaseNotPresentWithFileOperation)\n"
    )

    assert (process.returncode, out, err.decode()) == (76, b"", f"{target} {STARTED} {target}`\n{lost}")
    assert time.monotonic() - began < 30


def test_a_crash_leaves_the_lease_until_it_is_broken(team: Team, tmp_path: Path) -> None:
    target, alive = target_of(team, "file"), tmp_path / "alive"
    os.mkfifo(alive)
    process = team.stcc.process("lease", "run", target, "--", "sh", "-c", f"exec sleep 60 > {alive}")
    with alive.open("rb") as held_by_the_command:
        wait_until_leased(team)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert held_by_the_command.read() == b""  # it has ended, too

    assert (process.returncode, state(team, "file")) == (-signal.SIGKILL, ("leased", "infinite"))
    assert team.stcc("lease", "break", target, "--yes", "-q") == (0, "0\n", "")
    assert team.stcc.run("lease", "run", target, "-q", "--", "true") == (0, "", "")


def wait_until_leased(team: Team) -> None:
    until = time.monotonic() + 60
    while state(team, "file")[0] != "leased":
        assert time.monotonic() < until
        time.sleep(0.02)


def test_one_at_a_time_runs_under_the_lease_of_a_file(team: Team, tmp_path: Path) -> None:
    target, book = target_of(team, "file"), tmp_path / "book"
    shell = f"echo in >> {book}; sleep 0.05; echo out >> {book}"
    runs = [team.stcc.process("lease", "run", target, "--wait", "60s", "-q", "--", "sh", "-c", shell) for _ in range(4)]

    assert [(run.communicate(timeout=60), run.returncode) for run in runs] == [((b"", b""), 0)] * 4
    assert book.read_text().split() == ["in", "out"] * 4

"""Files that SMB clients have open: refusals that name them, waiting, closing, and what is about to be deleted."""

import json
from typing import Any

import pytest

from stcc.values.times import iso
from tests.commands.answers import document
from tests.running import Result, Stcc
from tests.teams import Team

OPEN = "an SMB client has it open, and does not share what this needs (409 SharingViolation)"
PENDING = (
    "an SMB client has marked it for deletion, and somebody still has it open: it is neither there nor gone "
    "(409 DeletePending)"
)
WAYS = "wait until it is closed (--wait 60s), or take it from them: --close-handles"
GOES = "it goes with the last handle: --wait 60s, or --close-handles"


def handle(team: Team, path: str = "report.csv") -> dict[str, Any]:
    """Return the only open handle of a file as stcc tells it."""
    (found,) = team.file(path).list_handles()
    return {
        "id": found.id,
        "path": path,
        "client": "10.0.0.4:50445",
        "access": " ".join(right.lower() for right in found.access_rights),
        "opened": iso(found.open_time),
        "last_reconnect": None,
    }


def line(team: Team, path: str = "report.csv") -> str:
    """Return the line that names the only open handle of a file."""
    facts = {name: value for name, value in handle(team, path).items() if value is not None}
    return f"  handle: {', '.join(f'{name} {value}' for name, value in facts.items())}\n"


def marked(team: Team, path: str = "report.csv") -> int:
    """Open a file as an SMB client, and mark it for deletion."""
    number = team.open(path, access="rd", shared="rwd")
    team.mark_delete(number)
    return number


def test_a_refusal_names_who_has_the_file_open(stcc: Stcc, team: Team) -> None:
    target = team.put()
    team.open(access="rw", shared="r")

    for argv, doing in (
        (["delete", target], "delete"),
        (["set-metadata", target, "a=b"], "set the metadata of"),
        (["rename", target, f"{target}2"], "rename"),
    ):
        assert stcc("file", *argv) == Result(9, "", f"stcc: cannot {doing} {target}: {OPEN}\n{line(team)}  {WAYS}\n")
    assert document(stcc("file", "delete", target, "-o", "json")) == {
        "outcome": "conflict",
        "exit_code": 9,
        "http_status": 409,
        "error_code": "SharingViolation",
        "target": target,
        "result": None,
        "observed": {"handles": [handle(team)]},
        "message": f"cannot delete {target}: {OPEN}",
        "hint": WAYS,
    }
    assert stcc("file", "delete", target, "--no-diagnose") == Result(
        9, "", f"stcc: cannot delete {target}: {OPEN}\n  {WAYS}\n"
    )


def test_a_file_that_nobody_may_read_names_who_keeps_it(stcc: Stcc, team: Team) -> None:
    target = team.put()
    team.open(shared="w")

    assert stcc("file", "get", target, "-") == Result(
        9, "", f"stcc: cannot get {target}: {OPEN}\n{line(team)}  {WAYS}\n"
    )


def test_the_target_of_a_rename_may_be_what_is_open(stcc: Stcc, team: Team) -> None:
    source, target = team.put("new"), team.put()
    team.open()

    assert stcc("file", "rename", source, target, "--replace") == Result(
        9, "", f"stcc: cannot rename {source}: {OPEN}\n{line(team)}  {WAYS}\n"
    )


def test_a_directory_is_not_renamed_while_anything_in_it_is_open(stcc: Stcc, team: Team) -> None:
    team.client.create_directory("reports")
    team.put("reports/a.csv")
    team.open("reports/a.csv")
    old, new = f"{team.share}/reports", f"{team.share}/old"

    assert stcc("file", "rename", old, new) == Result(
        9, "", f"stcc: cannot rename {old}: {OPEN}\n{line(team, 'reports/a.csv')}  {WAYS}\n"
    )
    assert stcc("file", "rename", old, new, "--close-handles", "--yes").code == 0


def test_what_is_marked_for_deletion_is_neither_there_nor_gone(stcc: Stcc, team: Team) -> None:
    target = team.put()
    number = marked(team)
    seen = line(team)

    for argv, doing in (
        (["show", target], "show"),
        (["get", target, "-"], "get"),
        (["delete", target], "delete"),
        (["set-metadata", target, "a=b"], "set the metadata of"),
        (["mkdir", target], "make the directory"),
    ):
        assert stcc("file", *argv) == Result(9, "", f"stcc: cannot {doing} {target}: {PENDING}\n{seen}  {GOES}\n")
    team.close(number)
    assert stcc("file", "show", target, "-q").code == 4


@pytest.mark.parametrize("below", ["sub", "sub/sub"])
def test_nothing_is_made_in_a_directory_that_is_about_to_go(stcc: Stcc, team: Team, below: str) -> None:
    team.client.create_directory("reports")
    marked(team, "reports")
    place = f"{team.share}/reports"
    target, found = f"{place}/{below}", handle(team, "reports")

    assert stcc("file", "mkdir", "-p", target) == Result(
        9, "", f"stcc: cannot make the directory {target}: at {place}: {PENDING}\n{line(team, 'reports')}  {GOES}\n"
    )
    told = document(stcc("file", "mkdir", "-p", target, "-o", "json"))
    assert (told["target"], told["observed"]) == (target, {"handles": [found]})
    assert stcc("file", "mkdir", "-p", target, "--no-diagnose") == Result(
        9, "", f"stcc: cannot make the directory {shown_without_a_look(place, target)}: {PENDING}\n  {GOES}\n"
    )
    code, etag, story = stcc("file", "mkdir", "-p", target, "--close-handles", "--yes")
    etag_now = team.client.get_directory_client(f"reports/{below}").get_directory_properties().etag
    closed = f"open: reports by 10.0.0.4:50445 for read delete since {found['opened']} (handle {found['id']})\n"
    lost = "what these clients have not written yet is lost to them\n"
    made = f"made {place}, {', '.join(steps(place, below))}\n"
    assert (code, etag, story) == (0, f"{etag_now}\n", f"{closed}{lost}{made}")


def steps(place: str, below: str) -> list[str]:
    """Return the directories on the way, from the top."""
    names = below.split("/")
    return ["/".join([place, *names[: number + 1]]) for number in range(len(names))]


def shown_without_a_look(place: str, target: str) -> str:
    """Return how a refusal names what could not be made: the first directory in `place`, if that is not all."""
    first = f"{place}/sub"
    return target if target == first else f"{target}: at {first}"


def test_what_is_moved_into_a_directory_that_is_about_to_go_is_refused_for_its_sake(stcc: Stcc, team: Team) -> None:
    target = team.put()
    team.client.create_directory("reports")
    marked(team, "reports")

    assert stcc("file", "rename", target, f"{team.share}/reports/a") == Result(
        9, "", f"stcc: cannot rename {target}: {PENDING}\n{line(team, 'reports')}  {GOES}\n"
    )


def test_an_open_directory_above_is_not_in_the_way(stcc: Stcc, team: Team) -> None:
    target = team.put()
    team.client.create_directory("reports")
    team.open("reports", shared="rwd")
    team.open()
    argv = ["file", "rename", target, f"{team.share}/reports/a"]

    assert stcc(*argv) == Result(9, "", f"stcc: cannot rename {target}: {OPEN}\n{line(team)}  {WAYS}\n")
    assert stcc(*argv, "--close-handles", "--yes", "-q").code == 0
    assert len(team.handles("reports")) == 1


def test_a_listing_shows_what_is_about_to_go(stcc: Stcc, team: Team) -> None:
    team.client.create_directory("reports")
    team.put()
    team.put("open.csv")
    team.put("reports/a.csv")
    marked(team)
    marked(team, "reports/a.csv")
    team.open("open.csv")
    note = "delete pending: it goes when the last SMB client closes it"

    listed = json.loads(stcc("file", "list", team.share, "-o", "json").out)["result"]
    assert {one["name"]: one["note"] for one in listed} == {"reports": None, "open.csv": None, "report.csv": note}
    assert stcc("file", "list", team.share, "-r", "-o", "tsv").out.splitlines()[-2:] == [
        f"report.csv\t\t\t\t\t{note}",
        f"reports/a.csv\t\t\t\t\t{note}",
    ]


def test_a_wait_ends_when_the_file_is_closed(stcc: Stcc, team: Team) -> None:
    target = team.put()
    number = team.open()
    timer = team.later(0.3, lambda: team.close(number))

    assert stcc("file", "delete", target, "--wait", "20s") == Result(0, "", f"deleted file {target}\n")
    timer.join()


def test_after_all_the_waiting_it_is_busy(stcc: Stcc, team: Team) -> None:
    target = team.put()
    team.open()

    assert stcc("file", "delete", target, "--wait", "200ms") == Result(
        75, "", f"stcc: cannot delete {target}: {OPEN}, still after 0.2 seconds\n{line(team)}  {WAYS}\n"
    )
    answer = stcc("file", "delete", target, "--wait", "0s", "-o", "json")
    assert (answer.code, json.loads(answer.out)["exit_code"], answer.err) == (75, 75, "")


def test_handles_are_closed_when_it_is_said_twice(stcc: Stcc, team: Team) -> None:
    target = team.put()
    team.open()
    found = handle(team)

    assert stcc("file", "delete", target, "--close-handles") == Result(
        2, "", f"stcc: close the open handles of {target}: it needs --yes\n  there is no terminal to ask on\n"
    )
    assert (team.names(), len(team.handles())) == (["report.csv"], 1)
    assert stcc("file", "delete", target, "--close-handles", "--yes") == Result(
        0,
        "",
        f"open: report.csv by 10.0.0.4:50445 for read since {found['opened']} (handle {found['id']})\n"
        f"what these clients have not written yet is lost to them\ndeleted file {target}\n",
    )


def test_the_end_of_a_pending_delete_is_absence(stcc: Stcc, team: Team) -> None:
    target = team.put()
    marked(team)

    assert stcc("file", "delete", target, "--close-handles", "--yes", "-q") == Result(
        4, "", f"stcc: cannot delete {target}: there is no such resource (404 ResourceNotFound)\n"
    )


def test_open_handles_are_listed(stcc: Stcc, team: Team) -> None:
    team.client.create_directory("reports")
    team.put("reports/a.csv")
    target = team.put()
    team.open(access="rwd")
    team.open("reports/a.csv")
    here, below = handle(team), handle(team, "reports/a.csv")

    assert json.loads(stcc("file", "handles", target, "-o", "json").out)["result"] == [here]
    assert json.loads(stcc("file", "handles", team.share, "-r", "-o", "json").out)["result"] == [here, below]
    assert stcc("file", "handles", f"{team.share}/reports", "-r", "-o", "tsv") == Result(
        0, "\t".join(str(value or "") for value in below.values()) + "\n", ""
    )
    assert stcc("file", "handles", team.share) == Result(0, "", f"open handles of {team.share}: none\n")
    assert stcc("file", "handles", f"{team.share}/nothing", "-q") == Result(
        4,
        "",
        f"stcc: cannot list the open handles of {team.share}/nothing: there is no such resource "
        "(404 ResourceNotFound)\n",
    )


def test_one_handle_or_all_are_closed(stcc: Stcc, team: Team) -> None:
    target = team.put()
    first, _, _ = team.open(shared="rwd"), team.open(shared="rwd"), team.open(shared="rwd")

    assert stcc("file", "close-handles", target, "--handle-id", str(first), "--yes") == Result(
        0, "1\n", f"closed 1 handle of {target}\n"
    )
    assert stcc("file", "close-handles", target, "--handle-id", str(first), "--yes").out == "0\n"
    assert stcc("file", "close-handles", team.share, "--yes").out == "0\n"
    assert document(stcc("file", "close-handles", team.share, "-r", "--yes", "-o", "json"))["result"] == {
        "closed": 2,
        "failed": 0,
    }


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--handle-id", "", "--yes"], "--handle-id is empty"),
        (["--handle-id", "*", "--yes"], "--handle-id is not the id of a handle: '*'"),
        (["--handle-id", "7", "-r", "--yes"], "--handle-id and --recursive exclude each other"),
        ([], "close all open handles of team/a: it needs --yes"),
        (["--handle-id", "7"], "close handle 7 of team/a: it needs --yes"),
    ],
)
def test_handles_that_cannot_be_meant_are_refused(stcc: Stcc, argv: list[str], words: str) -> None:
    code, out, err = stcc("file", "close-handles", "team/a", *argv)

    assert (code, out, err.partition("\n")[0]) == (2, "", f"stcc: {words}")


@pytest.mark.parametrize("wait", ["", "soon", "-1s"])
def test_a_wait_that_is_no_duration_is_refused(stcc: Stcc, wait: str) -> None:
    assert stcc("file", "delete", "team/a", f"--wait={wait}").code == 2

"""Files and directories: what each command prints and returns."""

import base64
import hashlib
import json
from typing import Any

import pytest
from azure.storage.fileshare import ContentSettings

from stcc.values.times import iso
from tests.commands.answers import document
from tests.running import Result, Stcc
from tests.situations import THIRD
from tests.teams import HELD, OTHER, Team


def seen(team: Team, path: str = "report.csv") -> str:
    """Return the line that tells what is there after a refusal."""
    found = team.properties(path)
    duration = f", lease duration {found.lease.duration}" if found.lease.duration else ""
    lease = f"lease state {found.lease.state}, lease status {found.lease.status}{duration}, size {found.size}"
    return f"  seen afterwards: etag {found.etag}, last modified {iso(found.last_modified)}, {lease}\n"


def directory(team: Team, path: str) -> Any:
    return team.client.get_directory_client(path).get_directory_properties()


def absent(target: str, doing: str) -> Result:
    return Result(
        4,
        "",
        f"stcc: cannot {doing} {target}: there is no such resource (404 ResourceNotFound)\n"
        "  seen afterwards: exists false\n",
    )


def test_a_file_is_shown_in_every_format(stcc: Stcc, team: Team) -> None:
    md5 = hashlib.md5(b"old").digest()
    settings = ContentSettings(content_type="text/csv", content_md5=bytearray(md5))
    team.file("report.csv").upload_file(b"old", content_settings=settings, metadata={"owner": "anna"})
    target, found = f"{team.share}/report.csv", team.properties()
    result = json.loads(stcc("file", "show", target, "-o", "json").out)["result"]

    assert result == {
        "type": "file",
        "etag": found.etag,
        "last_modified": iso(found.last_modified),
        "size": 3,
        "content_type": "text/csv",
        "content_md5": base64.b64encode(md5).decode(),
        "lease_state": "available",
        "lease_status": "unlocked",
        "lease_duration": None,
        "attributes": "Archive",
        "created": result["created"],
        "written": result["written"],
        "file_id": found.file_id,
        "permission_key": found.permission_key,
        "metadata": {"owner": "anna"},
    }
    assert result["created"].startswith(iso(found.creation_time)[:19])  # type: ignore[index]  # it is there
    assert stcc("file", "show", target) == Result(
        0,
        f"file            {target}\netag            {found.etag}\nlast modified   {result['last_modified']}\n"
        "lease           available\nsize            3\ncontent type    text/csv\n"
        f"content md5     {result['content_md5']}\nattributes      Archive\ncreated         {result['created']}\n"
        f"written         {result['written']}\nmetadata owner  anna\n",
        "",
    )


def test_a_directory_is_found_without_a_slash(stcc: Stcc, team: Team) -> None:
    team.client.create_directory("reports")
    target, found = f"{team.share}/reports", directory(team, "reports")

    shown = document(stcc("file", "show", target, "-o", "json"))
    assert shown == document(stcc("file", "show", f"{target}/", "-o", "json"))
    assert (shown["outcome"], shown["target"]) == ("file-shown", target)
    assert {name: shown["result"][name] for name in ("type", "etag", "size", "lease_state", "attributes")} == {
        "type": "directory",
        "etag": found.etag,
        "size": None,
        "lease_state": None,
        "attributes": "Directory",
    }


def test_what_is_not_there_is_absent(stcc: Stcc, team: Team) -> None:
    target = f"{team.share}/nothing"

    assert stcc("file", "show", target) == absent(target, "show")
    assert stcc("file", "show", f"{target}/") == absent(target, "show")
    assert stcc("file", "get", target, "-") == absent(target, "get")
    assert stcc("file", "delete", target) == absent(target, "delete")
    assert stcc("file", "set-metadata", target, "a=b") == absent(target, "set the metadata of")
    assert stcc("file", "rename", target, f"{target}2") == absent(target, "rename")


def test_a_file_is_deleted_whoever_wrote_it(stcc: Stcc, team: Team) -> None:
    target = team.put()

    assert stcc("file", "delete", target) == Result(0, "", f"deleted file {target}\n")
    assert team.names() == []


def test_a_directory_is_deleted_when_it_is_empty(stcc: Stcc, team: Team) -> None:
    team.client.create_directory("reports")
    team.put("reports/a.csv")
    target, found = f"{team.share}/reports", directory(team, "reports")

    assert stcc("file", "delete", target) == Result(
        9,
        "",
        f"stcc: cannot delete {target}: the directory is not empty (409 DirectoryNotEmpty)\n"
        f"  seen afterwards: etag {found.etag}, last modified {iso(found.last_modified)}, type directory\n"
        "  what SMB clients have marked for deletion counts, too: stcc file list shows it\n",
    )
    assert stcc("file", "delete", f"{target}/a.csv").code == 0
    assert document(stcc("file", "delete", f"{target}/", "-o", "json"))["result"] == {"type": "directory"}


def test_a_file_is_not_taken_for_a_directory(stcc: Stcc, team: Team) -> None:
    target = team.put()

    assert stcc("file", "delete", f"{target}/", "-q") == Result(
        4, "", f"stcc: cannot delete {target}: there is no such resource (404 ResourceNotFound)\n"
    )
    assert team.content() == b"old"


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        (None, 12, "it is leased and no lease id was given (412 LeaseIdMissing)"),
        (OTHER, 12, "it is leased under another id (412 LeaseIdMismatchWithFileOperation)"),
        (HELD, 0, ""),
    ],
)
@pytest.mark.parametrize(("argv", "doing"), [(("delete",), "delete"), (("set-metadata", "a=b"), "set the metadata of")])
def test_a_leased_file_is_changed_by_its_holder(
    stcc: Stcc, team: Team, argv: tuple[str, ...], doing: str, given: str | None, code: int, words: str
) -> None:
    target = team.put()
    team.lease().acquire()
    lease = [] if given is None else ["--lease-id", given]

    answer = stcc("file", argv[0], target, *argv[1:], *lease)

    assert answer.code == code
    assert not words or answer.err.startswith(f"stcc: cannot {doing} {target}: {words}\n{seen(team)}")


def test_a_lease_id_without_a_lease_is_refused(stcc: Stcc, team: Team) -> None:
    target = team.put()

    for argv in (["show", target], ["get", target, "-"], ["delete", target]):
        code, out, err = stcc("file", *argv, "--lease-id", HELD)
        assert (code, out) == (12, "")
        assert err.startswith(
            f"stcc: cannot {argv[0]} {target}: a lease id was given and there is no lease "
            f"(412 LeaseNotPresentWithFileOperation)\n{seen(team)}"
        )


def test_a_directory_has_no_lease(stcc: Stcc, team: Team) -> None:
    team.client.create_directory("reports")
    target = f"{team.share}/reports"

    for verb in ("show", "delete"):
        assert stcc("file", verb, f"{target}/", "--lease-id", HELD) == Result(
            2, "", "stcc: a directory has no lease\n  without the slash at its end, it is taken for a file\n"
        )
        assert stcc("file", verb, target, "--lease-id", HELD, "-q").code == 4
    assert directory(team, "reports").is_directory


def test_metadata_is_replaced_as_a_whole(stcc: Stcc, team: Team) -> None:
    target = team.put()
    team.client.create_directory("reports")

    assert stcc("file", "set-metadata", target, "a=1", "b=2").code == 0
    code, etag, story = stcc("file", "set-metadata", target, "b=3", "--no-marker")
    assert (code, etag, story) == (0, f"{team.etag()}\n", f"set the metadata of file {target}\n")
    assert team.properties().metadata == {"b": "3"}
    code, etag, story = stcc("file", "set-metadata", f"{team.share}/reports", "c=4", "--no-marker")
    found = directory(team, "reports")
    assert (code, etag, found.metadata) == (0, f"{found.etag}\n", {"c": "4"})
    assert story == f"set the metadata of directory {team.share}/reports\n"


def test_a_directory_is_made_once(stcc: Stcc, team: Team) -> None:
    target = f"{team.share}/reports"
    code, etag, story = stcc("file", "mkdir", target, "--metadata", "a=b")

    found = directory(team, "reports")
    assert (code, etag, story, found.metadata["a"]) == (0, f"{found.etag}\n", f"made {target}\n", "b")
    assert stcc("file", "mkdir", target) == Result(
        9,
        "",
        f"stcc: cannot make the directory {target}: there is something of that name (409 ResourceAlreadyExists)\n"
        f"  seen afterwards: etag {found.etag}, last modified {iso(found.last_modified)}, type directory\n",
    )


def test_the_directories_above_are_made_with_it(stcc: Stcc, team: Team) -> None:
    target = f"{team.share}/a/b/c"

    assert stcc("file", "mkdir", target, "-q") == Result(
        4,
        "",
        f"stcc: cannot make the directory {target}: the directory above it does not exist (404 ParentNotFound)\n",
    )
    made = document(stcc("file", "mkdir", "-p", target, "-o", "json"))
    etag = directory(team, "a/b/c").etag
    assert made["result"]["made"] == [f"{team.share}/a", f"{team.share}/a/b", target]
    assert stcc("file", "mkdir", "-p", target) == Result(0, f"{etag}\n", f"{target} is there already\n")


def test_a_file_is_in_the_way_of_a_directory(stcc: Stcc, team: Team) -> None:
    target = team.put("a")
    why = "it is a directory where a file is asked for, or a file for a directory (409 ResourceTypeMismatch)"

    assert stcc("file", "mkdir", "-p", target) == Result(
        9, "", f"stcc: cannot make the directory {target}: {why}\n{seen(team, 'a')}"
    )
    for below in ("b", "b/c"):
        assert stcc("file", "mkdir", "-p", f"{target}/{below}") == Result(
            9, "", f"stcc: cannot make the directory {target}/{below}: at {target}: {why}\n{seen(team, 'a')}"
        )
    assert document(stcc("file", "mkdir", "-p", f"{target}/b", "-o", "json"))["target"] == f"{target}/b"
    assert team.content("a") == b"old"


def test_a_directory_is_in_the_way_of_a_file_that_is_to_be_leased(stcc: Stcc, team: Team) -> None:
    team.client.create_directory("reports")
    target, found = f"{team.share}/reports", directory(team, "reports")
    why = (
        "it is a directory where a file is asked for, or a file for a directory (seen after 409 ResourceAlreadyExists)"
    )
    refusal = Result(
        9,
        "",
        f"stcc: cannot create {target}: {why}\n"
        f"  seen afterwards: etag {found.etag}, last modified {iso(found.last_modified)}, type directory\n",
    )

    assert stcc("file", "put", target, "-", "--exclusive", stdin=b"new") == refusal
    assert stcc("lease", "run", f"file:{target}", "--create", "--", "true") == refusal
    told = document(stcc("file", "put", target, "-", "--exclusive", "-o", "json", stdin=b"new"))
    assert (told["outcome"], told["error_code"]) == ("conflict", "ResourceTypeMismatch")
    assert team.names() == ["reports"]


def test_a_range_past_the_end_is_refused(stcc: Stcc, team: Team) -> None:
    target = team.put()

    assert stcc("file", "get", target, "-", "--range", "100-200") == Result(
        1, "", f"stcc: cannot get {target}: the range lies outside of the content (416 InvalidRange)\n"
    )


def test_an_empty_etag_is_refused_with_a_way_that_the_command_has(stcc: Stcc) -> None:
    assert stcc("file", "put", "team/a", "-", "--if-unchanged", "") == Result(
        2,
        "",
        "stcc: --if-unchanged is empty\n"
        "  is the variable set? an empty ETag never means 'no condition'; leave --if-unchanged out for that\n",
    )


def test_a_directory_is_listed_with_paths_from_the_share(stcc: Stcc, team: Team) -> None:
    team.client.create_directory("reports")
    team.put("a.csv")
    team.put("reports/b.csv", b"12345")
    top, inner = directory(team, "reports"), team.properties("reports/b.csv")
    when = {path: iso(found.last_modified) for path, found in (("reports", top), ("b", inner))}

    listed = stcc("file", "list", team.share, "-r", "-o", "tsv").out.splitlines()
    assert listed == [
        f"reports\tdirectory\t\t{when['reports']}\t{top.etag}\t",
        f"a.csv\tfile\t3\t{iso(team.properties('a.csv').last_modified)}\t{team.etag('a.csv')}\t",
        f"reports/b.csv\tfile\t5\t{when['b']}\t{inner.etag}\t",
    ]
    assert stcc("file", "list", team.share, "-o", "tsv").out.splitlines() == listed[:2]
    assert stcc("file", "list", f"{team.share}/reports", "-o", "tsv").out.splitlines() == listed[2:]
    assert stcc("file", "list", team.share, "-r", "--limit", "2", "-o", "tsv").out.splitlines() == listed[:2]


def test_an_empty_directory_has_nothing_to_list(stcc: Stcc, team: Team) -> None:
    assert stcc("file", "list", team.share) == Result(0, "", f"{team.share}: none\n")
    assert stcc("file", "list", f"{team.share}/nothing") == absent(f"{team.share}/nothing", "list")


def test_a_file_is_renamed_in_one_step(stcc: Stcc, team: Team) -> None:
    target = team.put()
    team.client.create_directory("old")
    code, etag, story = stcc("file", "rename", target, f"{team.share}/old/report.csv")

    found = f"{team.share}/old/report.csv"
    assert (code, etag, story) == (0, f"{team.etag('old/report.csv')}\n", f"renamed file {target} to {found}\n")
    assert stcc("file", "rename", f"{team.share}/old", f"{team.share}/new").code == 0
    assert (team.names(), team.content("new/report.csv")) == (["new"], b"old")


def test_a_rename_replaces_nothing_unless_told(stcc: Stcc, team: Team) -> None:
    source, target = team.put("new", b"new"), team.put()

    assert stcc("file", "rename", source, target) == Result(
        9,
        "",
        f"stcc: cannot rename {source}: there is something called {target} (409 ResourceAlreadyExists)\n"
        f"{seen(team)}  --replace takes the place of a file that is there\n",
    )
    assert stcc("file", "rename", source, target, "--replace").code == 0
    assert (team.names(), team.content()) == (["report.csv"], b"new")


def test_a_rename_needs_the_leases_of_both(stcc: Stcc, team: Team) -> None:
    source, target = team.put("new", b"new"), team.put()
    team.lease("new", HELD).acquire()
    team.lease("report.csv", OTHER).acquire()
    argv = ["file", "rename", source, target, "--replace", "-q"]

    assert stcc(*argv).code == 12
    assert stcc(*argv, "--source-lease-id", HELD).code == 12
    assert stcc(*argv, "--source-lease-id", HELD, "--target-lease-id", THIRD).code == 12
    assert team.content() == b"old"
    assert stcc(*argv, "--source-lease-id", HELD, "--target-lease-id", OTHER).code == 0
    assert team.content() == b"new"


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("team/a", "other/a"), "a rename stays in its share"),
        (("team/a", "team/a"), "both names are the same: team/a"),
        (("team/a/", "team/b", "--source-lease-id", HELD), "a directory has no lease"),
        (("team/a", "team/b", "--target-lease-id", HELD), "--target-lease-id needs --replace"),
        (("team/a", "team/b", "--source-lease-id", ""), "--source-lease-id is empty"),
        (("team/a", "team/b", "--lease-id", HELD), "Rename File takes no --lease-id"),
        (("team/a", "team"), "no file is named: 'team'"),
        (("team/a", "team/a/b"), "a directory cannot be moved below itself: team/a/b is below team/a"),
        (("team/a/", "team/A/b/c/"), "a directory cannot be moved below itself: team/A/b/c is below team/a"),
        (("team/ä/b", "team/Ä/B/c"), "a directory cannot be moved below itself: team/Ä/B/c is below team/ä/b"),
    ],
)
def test_a_rename_that_cannot_be_meant_is_refused(stcc: Stcc, argv: tuple[str, ...], words: str) -> None:
    code, out, err = stcc("file", "rename", *argv)

    assert (code, out, err.partition("\n")[0]) == (2, "", f"stcc: {words}")


@pytest.mark.parametrize("new", ["REPORTS", "reports2/a", "other/reports"])
def test_a_directory_is_moved_to_where_only_the_letters_are_alike(stcc: Stcc, team: Team, new: str) -> None:
    for name in ("reports", "reports2", "other"):
        team.client.create_directory(name)

    assert stcc("file", "rename", f"{team.share}/reports", f"{team.share}/{new}") == Result(
        0, f"{directory(team, new).etag}\n", f"renamed directory {team.share}/reports to {team.share}/{new}\n"
    )


@pytest.mark.parametrize("name", ["a b.txt", "ä/漢.txt", "a+b%20c#d", "trailing.", "x&y=z", "~a", "[b]c'd"])
def test_every_name_comes_back_as_it_was(stcc: Stcc, team: Team, name: str) -> None:
    parent = name.rpartition("/")[0]
    assert not parent or stcc("file", "mkdir", f"{team.share}/{parent}").code == 0
    client: Any = team.client.from_connection_string(
        team.instance.connection_string, team.share, allow_trailing_dot=True
    ).get_file_client(name)
    client.upload_file(b"text")
    target = f"{team.share}/{name}"

    assert stcc("file", "get", target, "-").out == "text"
    assert name in stcc("file", "list", team.share, "-r", "--query", "[].name").out.splitlines()
    assert stcc("file", "rename", target, f"{target}x").code == 0
    assert stcc("file", "delete", f"{target}x").code == 0

"""Blobs: what show, list, delete and reads of what was not modified print and return."""

import json

import pytest

from stcc.values.times import iso
from tests.commands.answers import document, seen
from tests.running import Result, Stcc
from tests.situations import Situation

MD5_OF_TEXT = "HLJR7A1WjeapKbUgxK7Y0Q=="


def test_show_tells_the_properties_and_hides_the_mark(stcc: Stcc, there: Situation) -> None:
    target = there.new_blob
    assert stcc("blob", "put", target, "-", "--metadata", "owner=me", stdin=b"text").code == 0

    found = there.properties(target)
    when, mark = iso(found.last_modified), found.metadata["stcc_op"]
    assert stcc("blob", "show", target) == Result(
        0,
        f"blob            {target}\n"
        f"etag            {found.etag}\n"
        f"last modified   {when}\n"
        "lease           available\n"
        "size            4\n"
        "type            BlockBlob\n"
        "content type    application/octet-stream\n"
        f"content md5     {MD5_OF_TEXT}\n"
        "tier            Hot\n"
        f"created         {when}\n"
        "metadata owner  me\n",
        "",
    )
    assert stcc("blob", "show", target, "-o", "tsv").out == (
        f"{found.etag}\t{when}\t4\tBlockBlob\tapplication/octet-stream\t{MD5_OF_TEXT}\tavailable\tunlocked\t\tHot\t"
        f"{when}\t\towner=me stcc_op={mark}\t\t\t\n"
    )


def test_show_of_a_snapshot(stcc: Stcc, there: Situation) -> None:
    target = there.blob
    snapshot: str = there.client(target).create_snapshot()["snapshot"]
    there.client(target).upload_blob(b"changed", overwrite=True)

    assert stcc("blob", "show", target, "--snapshot", snapshot, "--query", "size") == Result(0, "13\n", "")
    assert stcc("blob", "get", target, "-", "--snapshot", snapshot) == Result(0, "first content", "")


@pytest.mark.parametrize("verb", ["show", "get"])
def test_a_read_of_what_was_not_modified_is_30(verb: str, stcc: Stcc, there: Situation) -> None:
    words = there.argv(f"blob {verb} {{blob}} --if-none-match {{etag}}") + (["-"] if verb == "get" else [])

    assert stcc(*words) == Result(30, "", f"stcc: {there.blob}: not modified (304 ConditionNotMet)\n")
    assert document(stcc(*words[:5], *(["/dev/null"] if verb == "get" else []), "-o", "json")) == {
        "outcome": "not-modified",
        "exit_code": 30,
        "http_status": 304,
        "error_code": "ConditionNotMet",
        "target": there.blob,
        "result": None,
        "observed": None,
        "message": f"{there.blob}: not modified (304 ConditionNotMet)",
        "hint": None,
    }


@pytest.mark.parametrize(
    ("argv", "doing"),
    [
        ("blob show {new_blob}", "show"),
        ("blob get {new_blob} -", "get"),
        ("blob delete {new_blob} --force", "delete"),
    ],
)
def test_a_blob_that_is_not_there_is_absent(argv: str, doing: str, stcc: Stcc, there: Situation) -> None:
    assert stcc(*there.argv(argv)) == Result(
        4,
        "",
        f"stcc: cannot {doing} {there.new_blob}: there is no such blob (404 BlobNotFound)\n"
        "  seen afterwards: exists false\n",
    )


def test_a_container_that_is_not_there_is_absent(stcc: Stcc, there: Situation) -> None:
    target = f"{there.new_container}/blob"

    assert stcc("blob", "put", target, "-", "--no-diagnose", stdin=b"text") == Result(
        4,
        "",
        f"stcc: cannot put {target}: there is no such container (404 ContainerNotFound)\n"
        "  stcc container create NAME\n",
    )


def test_delete_needs_the_blob_as_it_was_seen(stcc: Stcc, there: Situation) -> None:
    target = there.blob

    assert stcc("blob", "delete", target, "--if-match", "0x8D1") == Result(
        12,
        "",
        f"stcc: cannot delete {target}: it changed since you looked (412 ConditionNotMet)\n"
        + seen(there, target, expected='"0x8D1"')
        + "  read it again, decide again, and use the current ETag\n",
    )
    assert stcc("blob", "delete", target) == Result(
        2,
        "",
        "stcc: Delete Blob needs a condition: --if-match, --lease-id or --force\n"
        "  --force is the last writer wins: whatever is there, whoever wrote it\n",
    )
    assert stcc("blob", "delete", target, "--if-match", there.etag) == Result(0, "", f"deleted {target}\n")
    assert not there.client(target).exists()


def test_delete_keeps_snapshots_unless_told(stcc: Stcc, there: Situation) -> None:
    target, client = there.blob, there.client(there.blob)
    taken: str = client.create_snapshot()["snapshot"]

    assert stcc("blob", "delete", target, "--force", "--no-diagnose") == Result(
        9,
        "",
        f"stcc: cannot delete {target}: the blob has snapshots (409 SnapshotsPresent)\n"
        "  --snapshots include deletes them too; --snapshots only keeps the blob\n",
    )
    assert stcc("blob", "delete", target, "--force", "--snapshot", taken) == Result(
        0, "", f"deleted {target}?snapshot={taken}\n"
    )
    client.create_snapshot()
    assert stcc("blob", "delete", target, "--force", "--snapshots", "only") == Result(
        0, "", f"deleted the snapshots of {target}\n"
    )
    assert client.exists()
    client.create_snapshot()
    assert stcc("blob", "delete", target, "--force", "--snapshots", "include") == Result(
        0, "", f"deleted {target} and its snapshots\n"
    )
    assert not client.exists()


def test_list_shows_leases(stcc: Stcc, there: Situation) -> None:
    free, leased = there.properties(there.blob), there.properties(there.leased_blob)
    when = [iso(one.last_modified) for one in (free, leased)]

    assert stcc("blob", "list", there.container) == Result(
        0,
        "name    size  lease state  lease duration  last modified         etag\n"
        f"free    13    available                    {when[0]}  {free.etag}\n"
        f"leased  13    leased       infinite        {when[1]}  {leased.etag}\n",
        "",
    )
    assert stcc("blob", "list", f"{there.container}/le", "-o", "tsv") == Result(
        0, f"leased\t13\tleased\tinfinite\t{when[1]}\t{leased.etag}\n", ""
    )
    assert stcc("blob", "list", there.container, "--limit", "1", "--query", "[].name") == Result(0, "free\n", "")
    assert stcc("blob", "list", f"{there.container}/x") == Result(0, "", f"{there.container}/x: none\n")


def test_list_in_ndjson_ends_with_the_outcome(stcc: Stcc, there: Situation) -> None:
    found = there.properties(there.blob)
    item: dict[str, object] = {
        "name": "free",
        "snapshot": None,
        "size": 13,
        "blob_type": "BlockBlob",
        "etag": found.etag,
        "last_modified": iso(found.last_modified),
        "lease_state": "available",
        "lease_status": "unlocked",
        "lease_duration": None,
        "content_type": "application/octet-stream",
        "tier": "Hot",
        "metadata": None,
        "tags": None,
    }

    lines = stcc("blob", "list", there.container, "-o", "ndjson")
    assert (lines.code, lines.err) == (0, "")
    assert [json.loads(line) for line in lines.out.splitlines()] == [
        item,
        {"outcome": "blobs-listed", "exit_code": 0},
    ]
    whole = json.loads(stcc("blob", "list", there.container, "-o", "json").out)
    assert (whole["outcome"], whole["result"]) == ("blobs-listed", [item])


def test_list_goes_on_past_the_first_page(stcc: Stcc, there: Situation) -> None:
    for number in range(5):
        there.named(f"n{number}")

    assert stcc("blob", "list", there.container, "--limit", "4", "--query", "[].name").out == "n0\nn1\nn2\nn3\n"


@pytest.mark.parametrize(
    ("words", "option", "way"),
    [
        ("put data/b -", "--if-match", "say --force for that"),
        ("delete data/b", "--if-match", "say --force for that"),
        ("show data/b", "--if-match", "leave --if-match out for that"),
        ("copy data/a data/b", "--source-if-match", "leave --source-if-match out for that"),
    ],
)
def test_an_empty_etag_is_refused_with_a_way_that_the_command_has(
    stcc: Stcc, words: str, option: str, way: str
) -> None:
    assert stcc("blob", *words.split(), option, "") == Result(
        2, "", f"stcc: {option} is empty\n  is the variable set? an empty ETag never means 'no condition'; {way}\n"
    )

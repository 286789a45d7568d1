"""Putting blobs: what is printed, stored and refused."""

from pathlib import Path

import pytest

from stcc.values.times import iso
from tests.commands.answers import document, seen
from tests.running import Result, Stcc
from tests.situations import HELD, Situation


def test_put_prints_the_etag(stcc: Stcc, there: Situation) -> None:
    target = there.new_blob
    code, etag, story = stcc("blob", "put", target, "-", stdin=b"text")

    assert (code, etag, story) == (0, f"{there.properties(target).etag}\n", f"put {target}, 4 bytes\n")
    assert there.content(target) == b"text"


def test_put_in_json_has_one_document(stcc: Stcc, there: Situation) -> None:
    target = there.new_blob
    answer = document(stcc("blob", "put", target, "-", "-o", "json", stdin=b"t"))

    found = there.properties(target)
    assert answer == {
        "outcome": "blob-put",
        "exit_code": 0,
        "http_status": 201,
        "error_code": None,
        "target": target,
        "result": {"etag": found.etag, "last_modified": iso(found.last_modified), "size": 1, "blocks": 0},
        "observed": None,
    }


@pytest.mark.parametrize(
    ("options", "out", "err"),
    [
        ("-q", "{etag}\n", ""),
        ("-o tsv", "{etag}\t{when}\t4\t0\n", "put {target}, 4 bytes\n"),
        ("-o tsv -q", "{etag}\t{when}\t4\t0\n", ""),
        ("-o none", "", ""),
        ("--query size", "4\n", "put {target}, 4 bytes\n"),
        ("--query [etag,size] -q", "{etag}\n4\n", ""),
        ("--query nothing -q", "", ""),
    ],
)
def test_put_says_what_it_is_asked_for(options: str, out: str, err: str, stcc: Stcc, there: Situation) -> None:
    target = there.new_blob
    answer = stcc("blob", "put", target, "-", *options.split(), stdin=b"text")

    found = there.properties(target)
    names = {"etag": found.etag, "when": iso(found.last_modified), "target": target}
    assert answer == Result(0, out.format_map(names), err.format_map(names))


def test_put_without_a_condition_creates_only(stcc: Stcc, there: Situation) -> None:
    target = there.blob

    assert stcc("blob", "put", target, "-", stdin=b"text") == Result(
        9,
        "",
        f"stcc: cannot put {target}: there is a blob of that name (409 BlobAlreadyExists)\n"
        f"{seen(there, target)}"
        "  --if-match ETAG to replace what you saw; --force to overwrite\n",
    )
    assert there.content(target) == b"first content"


def test_put_with_an_old_etag_is_refused_and_shows_the_current_one(stcc: Stcc, there: Situation) -> None:
    target = there.blob
    changed = "it changed since you looked (412 ConditionNotMet)"

    assert stcc("blob", "put", target, "-", "--if-match", "0x8D1", stdin=b"text") == Result(
        12,
        "",
        f"stcc: cannot put {target}: {changed}\n"
        + seen(there, target, expected='"0x8D1"')
        + "  read it again, decide again, and use the current ETag\n",
    )
    assert stcc("blob", "put", target, "-", "--if-match", "0x8D1", "-q", stdin=b"text") == Result(
        12, "", f"stcc: cannot put {target}: {changed}\n"
    )


def test_a_refusal_in_json_has_what_was_seen_and_quiet_changes_nothing_there(stcc: Stcc, there: Situation) -> None:
    target = there.blob
    answer = document(stcc("blob", "put", target, "-", "--if-match", "0x8D1", "-o", "json", "-q", stdin=b"text"))

    found = there.properties(target)
    assert answer == {
        "outcome": "precondition-failed",
        "exit_code": 12,
        "http_status": 412,
        "error_code": "ConditionNotMet",
        "target": target,
        "result": None,
        "observed": {
            "expected_etag": '"0x8D1"',
            "etag": found.etag,
            "last_modified": iso(found.last_modified),
            "lease_state": "available",
            "lease_status": "unlocked",
            "lease_duration": None,
            "size": 13,
        },
        "message": f"cannot put {target}: it changed since you looked (412 ConditionNotMet)",
        "hint": "read it again, decide again, and use the current ETag",
    }


@pytest.mark.parametrize("options", ["-o tsv", "-o none"])
def test_a_refusal_leaves_stdout_empty(options: str, stcc: Stcc, there: Situation) -> None:
    target = there.blob

    assert stcc("blob", "put", target, "-", *options.split(), "--no-diagnose", stdin=b"text") == Result(
        9,
        "",
        f"stcc: cannot put {target}: there is a blob of that name (409 BlobAlreadyExists)\n"
        "  --if-match ETAG to replace what you saw; --force to overwrite\n",
    )


@pytest.mark.parametrize("options", ["--if-match {etag}", "--if-match *", "--force", "--if-unmodified-since now+1h"])
def test_put_replaces_what_was_seen(options: str, stcc: Stcc, there: Situation) -> None:
    assert stcc(*there.argv(f"blob put {{blob}} - -q {options}"), stdin=b"text").code == 0
    assert there.content(there.blob) == b"text"


def test_put_of_a_leased_blob_needs_its_id(stcc: Stcc, there: Situation) -> None:
    target = there.leased_blob

    assert stcc("blob", "put", target, "-", "--force", stdin=b"text") == Result(
        12,
        "",
        f"stcc: cannot put {target}: it is leased and no lease id was given (412 LeaseIdMissing)\n"
        f"{seen(there, target)}"
        "  pass --lease-id if the lease is yours; else wait\n",
    )
    assert stcc("blob", "put", target, "-", "--lease-id", HELD, stdin=b"text").code == 0
    assert there.content(target) == b"text"


def test_put_stores_what_is_said_beside_the_bytes(stcc: Stcc, there: Situation) -> None:
    target = there.new_blob
    words = "- --content-type text/x-log --metadata Owner=me --metadata empty= --tag stage=done --no-marker"
    assert stcc("blob", "put", target, *words.split(), stdin=b"text").code == 0

    found = there.properties(target)
    assert (found.content_settings.content_type, found.metadata, there.client(target).get_blob_tags()) == (
        "text/x-log",
        {"Owner": "me", "empty": ""},
        {"stage": "done"},
    )


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("report.csv", "text/csv"),
        ("page.html", "text/html"),
        ("archive.tar.gz", "application/octet-stream"),
        ("no-suffix", "application/octet-stream"),
    ],
)
def test_put_of_a_file_guesses_its_type(name: str, kind: str, stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"a,b\n")
    target = there.new_blob

    assert stcc("blob", "put", target, str(tmp_path / name)).code == 0
    assert (there.properties(target).content_settings.content_type, there.content(target)) == (kind, b"a,b\n")


@pytest.mark.parametrize(
    ("source", "why"),
    [("missing", "no such file or directory"), (".", "is a directory"), ("\0", "embedded null byte")],
)
def test_put_of_what_cannot_be_read_is_refused(source: str, why: str, stcc: Stcc, there: Situation) -> None:
    assert stcc("blob", "put", there.new_blob, source) == Result(
        2, "", f"stcc: the source cannot be read: {source!r}\n  {why}\n".replace("\0", "\\x00")
    )
    assert not there.client(there.new_blob).exists()

"""Copies: what beginning one prints and returns, and what guards it and its source."""

import pytest

from stcc.values.times import iso
from tests.azurite import ProxiedAccount
from tests.commands.answers import document, seen
from tests.running import Result, Stcc
from tests.situations import CONTENT, HELD, OTHER, Situation
from tests.wire import Answer

LEASED_BY_OTHERS = "it is leased under another id (412 LeaseIdMismatchWithBlobOperation)"


def refusal(status: int, code: str) -> Answer:
    return Answer(status, {"x-ms-error-code": code})


@pytest.mark.parametrize("options", [[], ["--sync"], ["--no-wait"]])
def test_a_blob_is_copied_by_the_service(options: list[str], stcc: Stcc, there: Situation) -> None:
    source, target = there.blob, there.new_blob
    there.client(source).set_blob_metadata({"owner": "anna"})
    result = stcc("blob", "copy", source, target, *options)

    found = there.properties(target)
    assert result == Result(0, f"{found.etag}\n", f"copied to {target}\n")
    assert (there.content(target), found.metadata) == (CONTENT, {"owner": "anna"})


@pytest.mark.parametrize("options", [[], ["--sync"]])
def test_a_copy_in_every_format(options: list[str], stcc: Stcc, there: Situation) -> None:
    argv = ["blob", "copy", there.blob, there.new_blob, "--force", *options]
    answer = document(stcc(*argv, "-o", "json"))
    found = there.properties(there.new_blob)

    assert answer == {
        "outcome": "blob-copied",
        "exit_code": 0,
        "http_status": 202,
        "error_code": None,
        "target": there.new_blob,
        "result": {
            "etag": found.etag,
            "last_modified": iso(found.last_modified),
            "copy_id": found.copy.id,
            "copy_status": "success",
        },
        "observed": None,
    }
    result = stcc(*argv, "-o", "tsv", "-q")
    found = there.properties(there.new_blob)
    assert result == Result(0, f"{found.etag}\t{iso(found.last_modified)}\t{found.copy.id}\tsuccess\n", "")
    assert stcc("blob", "show", there.new_blob, "--query", "[copy_status, copy_id]") == Result(
        0, f"success\n{found.copy.id}\n", ""
    )


def test_what_is_given_replaces_what_the_source_has(stcc: Stcc, there: Situation) -> None:
    there.client(there.blob).set_blob_metadata({"owner": "anna"})
    more = ["--metadata", "why=backup", "--tag", "stage=old", "--tier", "COOL"]
    assert stcc("blob", "copy", there.blob, there.new_blob, *more, "-q").code == 0

    found = there.properties(there.new_blob)
    assert (sorted(found.metadata), found.blob_tier) == (["stcc_op", "why"], "Cool")
    assert there.client(there.new_blob).get_blob_tags() == {"stage": "old"}


def test_a_snapshot_is_copied_back(stcc: Stcc, there: Situation) -> None:
    taken = there.client(there.blob).create_snapshot()["snapshot"]
    there.named("free", b"changed")

    argv = ["blob", "copy", there.blob, there.blob, "--source-snapshot", taken]
    assert stcc(*argv, "--force") == Result(0, f"{there.properties(there.blob).etag}\n", f"copied to {there.blob}\n")
    assert there.content(there.blob) == CONTENT


def test_what_is_there_is_not_overwritten(stcc: Stcc, there: Situation) -> None:
    source, target = there.blob, there.named("other", b"theirs")

    assert stcc("blob", "copy", source, target) == Result(
        9,
        "",
        f"stcc: cannot copy {source} to {target}: there is a blob of that name (409 BlobAlreadyExists)\n"
        + seen(there, target)
        + "  --if-match ETAG to replace what you saw; --force to overwrite\n",
    )
    assert stcc("blob", "copy", source, target, "--if-match", "0x8D1") == Result(
        12,
        "",
        f"stcc: cannot copy {source} to {target}: it changed since you looked (412 ConditionNotMet)\n"
        + seen(there, target, expected='"0x8D1"')
        + "  read it again, decide again, and use the current ETag\n",
    )
    assert there.content(target) == b"theirs"
    assert stcc("blob", "copy", source, target, "--if-match", there.properties(target).etag, "-q").code == 0
    assert there.content(target) == CONTENT


@pytest.mark.parametrize("options", [[], ["--sync"]])
@pytest.mark.parametrize(
    ("met", "unmet", "status"),
    [
        ("--source-if-match {etag}", "--source-if-match 0x8D1", 412),
        ("--source-if-none-match 0x8D1", "--source-if-none-match {etag}", 304),
        ("--source-if-modified-since now-1h", "--source-if-modified-since now+1h", 304),
        ("--source-if-unmodified-since now+1h", "--source-if-unmodified-since now-1h", 412),
    ],
)
def test_the_source_has_conditions_of_its_own(
    met: str, unmet: str, status: int, options: list[str], stcc: Stcc, there: Situation
) -> None:
    # Azurite calls it as if it were the target's, and answers some as a read.
    argv = ["blob", "copy", there.blob, there.new_blob, *options]

    assert stcc(*argv, *there.argv(unmet)) == Result(
        12,
        "",
        f"stcc: cannot copy {there.blob} to {there.new_blob}: a condition is not met ({status} ConditionNotMet)\n"
        "  seen afterwards: exists false\n  look at what is there, and at the condition\n",
    )
    assert stcc(*argv, *there.argv(met), "-q").code == 0
    assert there.content(there.new_blob) == CONTENT


@pytest.mark.parametrize(
    ("status", "error", "code", "why", "hint"),
    [
        (
            412,
            "SourceConditionNotMet",
            12,
            "the source does not meet its condition",
            "look at the source and decide again",
        ),
        (
            412,
            "TargetConditionNotMet",
            12,
            "a condition is not met",
            "look at what is there, and at the condition",
        ),
        (
            409,
            "PendingCopyOperation",
            9,
            "another copy to this blob is under way",
            "wait for it (blob show), or end it: blob copy-abort",
        ),
        (
            404,
            "CannotVerifyCopySource",
            4,
            "the source cannot be read, or does not meet its condition",
            "another account's source needs a SAS in its URL; look at the source and decide again",
        ),
    ],
)
def test_what_only_the_service_says(
    status: int,
    error: str,
    code: int,
    why: str,
    hint: str,
    proxied: ProxiedAccount,
    proxied_stcc: Stcc,
    there: Situation,
) -> None:
    argv = there.argv("blob copy {blob} {new_blob}")
    proxied.fail(refusal(status, error))

    assert proxied_stcc(*argv) == Result(
        code,
        "",
        f"stcc: cannot copy {there.blob} to {there.new_blob}: {why} ({status} {error})\n"
        f"  seen afterwards: exists false\n  {hint}\n",
    )


@pytest.mark.parametrize("options", [[], ["--sync"]])
def test_a_source_that_is_missing_is_absent(options: list[str], stcc: Stcc, there: Situation) -> None:
    source, target = f"{there.container}/none", there.blob

    assert stcc("blob", "copy", source, target, "--force", *options) == Result(
        4,
        "",
        f"stcc: cannot copy {source} to {target}: there is no such blob (404 BlobNotFound)\n" + seen(there, target),
    )
    assert there.content(target) == CONTENT


def test_a_container_that_is_missing_is_absent(stcc: Stcc, there: Situation) -> None:
    target = f"{there.new_container}/one"

    assert stcc("blob", "copy", there.blob, target) == Result(
        4,
        "",
        f"stcc: cannot copy {there.blob} to {target}: there is no such container (404 ContainerNotFound)\n"
        "  seen afterwards: exists false\n  stcc container create NAME\n",
    )


def test_a_leased_target_needs_its_id(stcc: Stcc, there: Situation) -> None:
    source, target = there.named("other", b"other"), there.leased_blob

    assert stcc("blob", "copy", source, target, "--force") == Result(
        12,
        "",
        f"stcc: cannot copy {source} to {target}: it is leased and no lease id was given (412 LeaseIdMissing)\n"
        + seen(there, target)
        + "  pass --lease-id if the lease is yours; else wait\n",
    )
    assert stcc("blob", "copy", source, target, "--lease-id", OTHER, "-q") == Result(
        12, "", f"stcc: cannot copy {source} to {target}: {LEASED_BY_OTHERS}\n"
    )
    assert stcc("blob", "copy", source, target, "--lease-id", HELD, "-q").code == 0
    assert there.content(target) == b"other"


def test_a_leased_source_is_read_by_everybody(stcc: Stcc, there: Situation) -> None:
    assert stcc("blob", "copy", there.leased_blob, there.new_blob, "-q").code == 0
    assert stcc("blob", "copy", there.leased_blob, there.new_blob, "--source-lease-id", HELD) == Result(
        2, "", "stcc: the service takes no lease id of a source\n  reading a leased source needs none\n"
    )


TIME = "as printed when it was made: 2026-01-31T12:00:00.1234567Z"
NO_BLOB = "no blob is named: 'data'\n  CONTAINER/BLOB, for example data/report.csv\n"
UNSET = "  is the variable set?\n"


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        ("copy data data/b", NO_BLOB),
        ("copy data/a data", NO_BLOB),
        ("copy  data/b", f"the target is empty\n{UNSET}"),
        ("copy data/a data/b --source-snapshot now", f"not the time of a snapshot: 'now'\n  {TIME}\n"),
        (
            "copy data/a data/b --sync --source-if-tags stage='x'",
            "--sync takes no --source-if-tags\n  the service ignores it in Copy Blob From URL\n",
        ),
        (
            "copy data/a data/b --source-if-none-match *",
            "--source-if-none-match takes no '*'\n  it could never succeed: there must be a source\n",
        ),
        ("copy data/a data/b --no-wait --wait 3s", "--wait and --no-wait exclude each other\n"),
        (
            "copy data/a data/b --wait soon",
            "--wait is not a duration: 'soon'\n  a number with a unit: 250ms, 90s, 5m, 2h, 7d\n",
        ),
        ("copy data/a data/b --tier warm", "--tier is not hot, cool, cold or archive: 'warm'\n"),
        (
            "copy data/a data/b --force --if-match 0x8D1",
            "--force is unconditional; it excludes --if-match\n  with a lease id, no --force is needed\n",
        ),
        ("copy-abort data/b", "missing argument 'COPY_ID'.\n"),
        ("copy-abort data/b ", f"not the id of a copy: ''\n{UNSET}"),
        ("copy-abort data/b ü", f"not the id of a copy: 'ü'\n{UNSET}"),
    ],
)
def test_bad_input_sends_nothing(argv: str, why: str, proxied: ProxiedAccount, proxied_stcc: Stcc) -> None:
    assert proxied_stcc("blob", *argv.split(" ")) == Result(2, "", f"stcc: {why}")
    assert proxied.requests == []

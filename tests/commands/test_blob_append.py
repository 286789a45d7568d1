"""Appending: what is printed and returned, and what guards it."""

from pathlib import Path

import pytest

from stcc.values.times import iso
from tests.azurite import ProxiedAccount
from tests.commands.answers import document, seen
from tests.running import Result, Stcc
from tests.situations import CONTENT, HELD, OTHER, Situation
from tests.wire import Answer, Recorded

MORE = b" more"
LEASED_BY_OTHERS = "it is leased under another id (412 LeaseIdMismatchWithBlobOperation)"


@pytest.mark.parametrize("kind", ["stdin", "file"])
def test_bytes_are_appended(kind: str, stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    target, file = there.append_blob, tmp_path / "more"
    file.write_bytes(MORE)
    source, stdin = ("-", MORE) if kind == "stdin" else (str(file), b"")

    result = stcc("blob", "append", target, source, stdin=stdin)

    assert result == Result(0, f"{there.properties(target).etag}\n", f"appended 5 bytes to {target} at 13\n")
    assert there.content(target) == CONTENT + MORE


def test_the_answer_in_every_format(stcc: Stcc, there: Situation) -> None:
    target = there.append_blob
    answer = document(stcc("blob", "append", target, "-", "-o", "json", stdin=MORE))
    found = there.properties(target)

    assert answer == {
        "outcome": "blob-appended",
        "exit_code": 0,
        "http_status": 201,
        "error_code": None,
        "target": target,
        "result": {
            "etag": found.etag,
            "last_modified": iso(found.last_modified),
            "offset": 13,
            "size": 5,
            "blocks": 2,
            "created": False,
        },
        "observed": None,
    }
    result = stcc("blob", "append", target, "-", "-o", "tsv", "-q", stdin=MORE)
    found = there.properties(target)
    assert result == Result(0, f"{found.etag}\t{iso(found.last_modified)}\t18\t5\t3\tfalse\n", "")
    assert stcc("blob", "append", target, "-", "--query", "offset", "-q", stdin=MORE) == Result(0, "23\n", "")


def test_a_blob_that_is_missing_is_absent(stcc: Stcc, there: Situation) -> None:
    assert stcc("blob", "append", there.new_blob, "-", stdin=MORE) == Result(
        4,
        "",
        f"stcc: cannot append to {there.new_blob}: there is no such blob (404 BlobNotFound)\n"
        "  seen afterwards: exists false\n",
    )
    assert there.client(there.new_blob).exists() is False


def test_a_blob_that_is_created_is_said_out_loud(stcc: Stcc, there: Situation) -> None:
    target = there.new_blob
    more = ["--create", "--content-type", "a/b", "--metadata", "owner=anna", "--tag", "stage=new"]
    result = stcc("blob", "append", target, "-", *more, stdin=MORE)

    found = there.properties(target)
    assert result == Result(0, f"{found.etag}\n", f"created {target}\nappended 5 bytes to {target} at 0\n")
    assert (found.content_settings.content_type, sorted(found.metadata)) == ("a/b", ["owner", "stcc_op"])
    assert (there.content(target), there.client(target).get_blob_tags()) == (MORE, {"stage": "new"})
    assert stcc("blob", "append", target, "-", "--create", stdin=MORE).err == f"appended 5 bytes to {target} at 5\n"


def test_a_blob_that_is_created_without_a_mark_tells_programs(stcc: Stcc, there: Situation) -> None:
    target = there.new_blob
    argv = ["blob", "append", target, "-", "--create", "--no-marker", "--query", "created", "-q"]

    assert stcc(*argv, stdin=MORE) == Result(0, "true\n", "")
    assert stcc(*argv, stdin=MORE) == Result(0, "false\n", "")
    assert there.properties(target).metadata == {}


def test_no_container_is_created(stcc: Stcc, there: Situation) -> None:
    target = f"{there.new_container}/one"

    assert stcc("blob", "append", target, "-", "--create", stdin=MORE) == Result(
        4,
        "",
        f"stcc: cannot append to {target}: there is no such container (404 ContainerNotFound)\n"
        "  seen afterwards: exists false\n  stcc container create NAME\n",
    )


def test_what_was_created_and_not_appended_to_is_said_out_loud_too(stcc: Stcc, there: Situation) -> None:
    target = there.new_blob
    result = stcc("blob", "append", target, "-", "--create", "--max-size", "3", stdin=MORE)

    assert result == Result(
        12,
        "",
        f"stcc: cannot append to the just created {target}: the blob would become too long"
        f" (412 MaxBlobSizeConditionNotMet)\n{seen(there, target)}  begin a new blob\n",
    )
    assert there.content(target) == b""


def test_who_was_faster_at_creating_is_appended_to(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    target = there.new_blob

    def creates(request: Recorded) -> bool:
        if "x-ms-blob-type" in request.headers:
            there.client(target).create_append_blob(if_none_match="*")
            there.client(target).append_block(b"theirs")
        return False

    proxied.fail(Answer(500), when=creates)
    result = proxied_stcc("blob", "append", target, "-", "--create", stdin=MORE)

    assert result == Result(0, f"{there.properties(target).etag}\n", f"appended 5 bytes to {target} at 6\n")
    assert there.content(target) == b"theirs" + MORE


@pytest.mark.parametrize(
    ("condition", "unmet", "why", "hint"),
    [
        (
            "--append-position 13",
            "--append-position 12",
            "the blob has another length (412 AppendPositionConditionNotMet)",
            "somebody appended meanwhile: read it again",
        ),
        (
            "--max-size 18",
            "--max-size 17",
            "the blob would become too long (412 MaxBlobSizeConditionNotMet)",
            "begin a new blob",
        ),
        (
            "--if-match {append_etag}",
            "--if-match 0x8D1",
            "it changed since you looked (412 ConditionNotMet)",
            "read it again, decide again, and use the current ETag",
        ),
    ],
)
def test_what_guards_an_append(condition: str, unmet: str, why: str, hint: str, stcc: Stcc, there: Situation) -> None:
    target = there.append_blob
    argv = ["blob", "append", target, "-"]
    expected = '"0x8D1"' if "--if-match" in unmet else ""

    assert stcc(*argv, *unmet.split(), stdin=MORE) == Result(
        12,
        "",
        f"stcc: cannot append to {target}: {why}\n{seen(there, target, expected=expected)}  {hint}\n",
    )
    assert there.content(target) == CONTENT
    assert stcc(*argv, *there.argv(condition), "-q", stdin=MORE).code == 0
    assert there.content(target) == CONTENT + MORE


def test_what_is_leased_needs_its_id(stcc: Stcc, there: Situation) -> None:
    target = there.append_blob
    there.lease(target).acquire(-1)

    assert stcc("blob", "append", target, "-", stdin=MORE) == Result(
        12,
        "",
        f"stcc: cannot append to {target}: it is leased and no lease id was given (412 LeaseIdMissing)\n"
        + seen(there, target)
        + "  pass --lease-id if the lease is yours; else wait\n",
    )
    assert stcc("blob", "append", target, "-", "--lease-id", OTHER, "-q", stdin=MORE) == Result(
        12, "", f"stcc: cannot append to {target}: {LEASED_BY_OTHERS}\n"
    )
    assert stcc("blob", "append", target, "-", "--lease-id", HELD, "-q", stdin=MORE).code == 0
    assert there.content(target) == CONTENT + MORE


@pytest.mark.parametrize("kind", ["blob", "page_blob"])
@pytest.mark.parametrize("options", [[], ["--create"]])
def test_a_blob_of_another_type_is_left_alone(kind: str, options: list[str], stcc: Stcc, there: Situation) -> None:
    target = getattr(there, kind)

    assert stcc("blob", "append", target, "-", *options, stdin=MORE) == Result(
        9,
        "",
        f"stcc: cannot append to {target}: it is a blob of another type (409 InvalidBlobType)\n" + seen(there, target),
    )


def test_a_blob_that_has_all_the_blocks_it_can_have(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    target = there.append_blob
    proxied.fail(Answer(409, {"x-ms-error-code": "BlockCountExceedsLimit"}))

    assert proxied_stcc("blob", "append", target, "-", stdin=MORE) == Result(
        9,
        "",
        f"stcc: cannot append to {target}: the blob has as many blocks as it can (409 BlockCountExceedsLimit)\n"
        + seen(there, target)
        + "  begin a new blob\n",
    )


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (["-"], "the source is empty\n  the service takes no request without bytes for this\n"),
        ([""], "the source is empty\n  is the variable set? - is stdin\n"),
        (["/nonexistent/x"], "the source cannot be read: '/nonexistent/x'\n  no such file or directory\n"),
        (["-", "--append-position", ""], "--append-position is not a whole number: ''\n  is the variable set?\n"),
        (["-", "--max-size", "1k"], "--max-size is not a whole number: '1k'\n  0 or more, in digits\n"),
        (["-", "--metadata", "a=b"], "--metadata is for a blob that is created: --create\n"),
        (["-", "--tag", "a=b"], "--tag is for a blob that is created: --create\n"),
        (["-", "--content-type", "a/b"], "--content-type is for a blob that is created: --create\n"),
        (["-", "--no-marker"], "--no-marker is for a blob that is created: --create\n"),
        (
            ["-", "--create", "--if-match", "0x8D1"],
            "--create and --if-match exclude each other\n  a blob that is only just created never meets it\n",
        ),
        (
            ["-", "--create", "--lease-id", HELD],
            "--create and --lease-id exclude each other\n  a blob that is only just created never meets it\n",
        ),
    ],
)
def test_bad_input_sends_nothing(argv: list[str], why: str, proxied: ProxiedAccount, proxied_stcc: Stcc) -> None:
    assert proxied_stcc("blob", "append", "data/b", *argv) == Result(2, "", f"stcc: {why}")
    assert proxied.requests == []


def test_four_mebibytes_are_the_most(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    most, argv = bytes(4 * 1024 * 1024), there.argv("blob append {append_blob} -")

    assert proxied_stcc(*argv, stdin=most + b"!") == Result(
        2, "", "stcc: the source is larger than 4 MiB, the most that one request takes\n"
    )
    assert proxied.requests == []
    assert proxied_stcc(*argv, "-q", stdin=most).code == 0
    assert there.content(there.append_blob) == CONTENT + most

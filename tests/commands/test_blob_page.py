"""Page blobs: what creating, writing and clearing pages prints and returns, and what guards it."""

from pathlib import Path

import pytest

from stcc.values.times import iso
from tests.azurite import ProxiedAccount
from tests.commands.answers import document, seen
from tests.running import Result, Stcc
from tests.situations import HELD, OTHER, Situation
from tests.wire import Answer

PAGE = b"p" * 512
TIME = "2026-01-31T12:00:00.1234567Z"
LEASED = "it is leased and no lease id was given (412 LeaseIdMissing)"
LEASED_BY_OTHERS = "it is leased under another id (412 LeaseIdMismatchWithBlobOperation)"
# What is done to pages: the command line, and the words of its refusal.
DEEDS = {
    "put": ("put {} - --offset 0", "put pages into"),
    "clear": ("clear {} --offset 0 --length 512", "clear pages of"),
    "ranges": ("ranges {}", "list the page ranges of"),
}
WRITES = ["put", "clear"]


def deed(name: str, target: str) -> list[str]:
    return ["blob", "page", *DEEDS[name][0].format(target).split()]


def written(there: Situation, target: str) -> list[tuple[int, int]]:
    """Return the first and the last byte of each range that is written."""
    return [(one.start, one.end) for one in there.client(target).list_page_ranges()]


def pages_seen(there: Situation, target: str, *, expected: str = "", number: int = 5) -> str:
    """Return the line that tells what is there after a refused write of pages, sequence number and all."""
    return seen(there, target, expected=expected).replace("\n", f", sequence number {number}\n")


def test_a_page_blob_is_created_at_its_full_size_of_zeros(stcc: Stcc, there: Situation) -> None:
    target = there.new_blob
    result = stcc("blob", "page", "create", target, "1KiB")

    found = there.properties(target)
    assert result == Result(0, f"{found.etag}\n", f"created {target}, 1024 bytes of zeros\n")
    assert (found.blob_type, found.page_blob_sequence_number, [*found.metadata]) == ("PageBlob", 0, ["stcc_op"])
    assert there.content(target) == bytes(1024)


def test_a_created_blob_has_what_came_with_it_in_every_format(stcc: Stcc, there: Situation) -> None:
    argv = ["blob", "page", "create", there.blob, "4096", "--force", "--sequence-number", "7"]
    more = ["--content-type", "a/b", "--metadata", "owner=anna", "--tag", "stage=done", "--no-marker"]
    answer = document(stcc(*argv, *more, "-o", "json"))

    found = there.properties(there.blob)
    assert answer == {
        "outcome": "pages-created",
        "exit_code": 0,
        "http_status": 201,
        "error_code": None,
        "target": there.blob,
        "result": {"etag": found.etag, "last_modified": iso(found.last_modified), "size": 4096},
        "observed": None,
    }
    stored = (found.page_blob_sequence_number, found.content_settings.content_type, found.metadata)
    assert stored == (7, "a/b", {"owner": "anna"})
    assert there.client(there.blob).get_blob_tags() == {"stage": "done"}
    result = stcc(*argv, "-o", "tsv", "-q")
    found = there.properties(there.blob)
    assert result == Result(0, f"{found.etag}\t{iso(found.last_modified)}\t4096\n", "")


def test_the_sequence_number_is_shown(stcc: Stcc, there: Situation) -> None:
    assert stcc("blob", "show", there.page_blob, "--query", "sequence_number") == Result(0, "5\n", "")
    assert stcc("blob", "show", there.page_blob).out.endswith("\nsequence number  5\n")


def test_what_is_there_is_not_created_again(stcc: Stcc, there: Situation) -> None:
    assert stcc("blob", "page", "create", there.page_blob, "512") == Result(
        9,
        "",
        f"stcc: cannot create {there.page_blob}: there is a blob of that name (409 BlobAlreadyExists)\n"
        + seen(there, there.page_blob)
        + "  --if-match ETAG to replace what you saw; --force to overwrite\n",
    )
    assert stcc("blob", "page", "create", there.page_blob, "512", "--if-match", there.page_etag, "-q").code == 0
    assert there.properties(there.page_blob).size == 512


@pytest.mark.parametrize("source", ["-", "{page}"])
def test_pages_are_put_where_they_belong(source: str, stcc: Stcc, there: Situation) -> None:
    target = there.page_blob
    result = stcc(*there.argv(f"blob page put {{page_blob}} {source} --offset 512"), stdin=PAGE)

    assert result == Result(0, f"{there.properties(target).etag}\n", f"put 512 bytes into {target} at 512\n")
    assert there.content(target) == bytes(512) + PAGE


def test_pages_that_are_cleared_are_zero(stcc: Stcc, there: Situation) -> None:
    target = there.page_blob
    there.client(target).upload_page(PAGE * 2, offset=0, length=1024)
    result = stcc("blob", "page", "clear", target, "--offset", "0", "--length", "512")

    assert result == Result(0, f"{there.properties(target).etag}\n", f"cleared 512 bytes of {target} at 0\n")
    assert (there.content(target), written(there, target)) == (bytes(512) + PAGE, [(512, 1023)])


@pytest.mark.parametrize(("verb", "kind"), [("put", "pages-put"), ("clear", "pages-cleared")])
def test_writes_in_every_format(verb: str, kind: str, stcc: Stcc, there: Situation) -> None:
    target = there.page_blob
    answer = document(stcc(*deed(verb, target), "-o", "json", stdin=PAGE))

    found = there.properties(target)
    when = iso(found.last_modified)
    assert answer == {
        "outcome": kind,
        "exit_code": 0,
        "http_status": 201,
        "error_code": None,
        "target": target,
        "result": {"etag": found.etag, "last_modified": when, "offset": 0, "length": 512, "sequence_number": 5},
        "observed": None,
    }
    result = stcc(*deed(verb, target), "-o", "tsv", "-q", stdin=PAGE)
    found = there.properties(target)
    assert result == Result(0, f"{found.etag}\t{iso(found.last_modified)}\t0\t512\t5\n", "")


@pytest.mark.parametrize("verb", WRITES)
@pytest.mark.parametrize(
    ("condition", "met"),
    [
        ("--if-sequence-number-le 5", True),
        ("--if-sequence-number-le 4", False),
        ("--if-sequence-number-lt 6", True),
        ("--if-sequence-number-lt 5", False),
        ("--if-sequence-number-eq 5", True),
        ("--if-sequence-number-eq 6", False),
    ],
)
def test_the_sequence_number_guards_pages(verb: str, condition: str, met: bool, stcc: Stcc, there: Situation) -> None:
    target, doing = there.page_blob, DEEDS[verb][1]
    there.client(target).upload_page(b"o" * 512, offset=0, length=512)
    before = there.content(target)

    result = stcc(*deed(verb, target), *condition.split(), stdin=PAGE)

    if met:
        assert (result.code, there.content(target)) == (0, (PAGE if verb == "put" else bytes(512)) + bytes(512))
        return
    assert (result, there.content(target)) == (
        Result(
            12,
            "",
            f"stcc: cannot {doing} {target}: the sequence number does not meet its condition"
            f" (412 SequenceNumberConditionNotMet)\n{pages_seen(there, target)}  read it again: blob show\n",
        ),
        before,
    )


@pytest.mark.parametrize("verb", WRITES)
def test_pages_that_changed_since_are_not_written(verb: str, stcc: Stcc, there: Situation) -> None:
    target, etag, doing = there.page_blob, there.page_etag, DEEDS[verb][1]

    assert stcc(*deed(verb, target), "--if-match", "0x8D1", stdin=PAGE) == Result(
        12,
        "",
        f"stcc: cannot {doing} {target}: it changed since you looked (412 ConditionNotMet)\n"
        + pages_seen(there, target, expected='"0x8D1"')
        + "  read it again, decide again, and use the current ETag\n",
    )
    assert stcc(*deed(verb, target), "--if-match", etag, "-q", stdin=PAGE).code == 0


@pytest.mark.parametrize("verb", WRITES)
def test_what_is_leased_needs_its_id(verb: str, stcc: Stcc, there: Situation) -> None:
    target, doing = there.page_blob, DEEDS[verb][1]
    there.lease(target).acquire(-1)

    assert stcc(*deed(verb, target), stdin=PAGE) == Result(
        12,
        "",
        f"stcc: cannot {doing} {target}: {LEASED}\n"
        + pages_seen(there, target)
        + "  pass --lease-id if the lease is yours; else wait\n",
    )
    assert stcc(*deed(verb, target), "--lease-id", OTHER, "-q", stdin=PAGE) == Result(
        12, "", f"stcc: cannot {doing} {target}: {LEASED_BY_OTHERS}\n"
    )
    assert stcc(*deed(verb, target), "--lease-id", HELD, "-q", stdin=PAGE).code == 0


@pytest.mark.parametrize("verb", DEEDS)
def test_a_blob_that_is_missing_is_absent(verb: str, stcc: Stcc, there: Situation) -> None:
    target = there.new_blob

    assert stcc(*deed(verb, target), stdin=PAGE) == Result(
        4,
        "",
        f"stcc: cannot {DEEDS[verb][1]} {target}: there is no such blob (404 BlobNotFound)\n"
        "  seen afterwards: exists false\n",
    )


@pytest.mark.parametrize("verb", [*DEEDS, "create"])
def test_in_a_container_that_is_missing_everything_is_absent(verb: str, stcc: Stcc, there: Situation) -> None:
    target = f"{there.new_container}/one"
    argv = ["blob", "page", "create", target, "512"] if verb == "create" else deed(verb, target)
    doing = "create" if verb == "create" else DEEDS[verb][1]

    assert stcc(*argv, stdin=PAGE) == Result(
        4,
        "",
        f"stcc: cannot {doing} {target}: there is no such container (404 ContainerNotFound)\n"
        "  seen afterwards: exists false\n  stcc container create NAME\n",
    )


@pytest.mark.parametrize("verb", DEEDS)
@pytest.mark.parametrize("kind", ["blob", "append_blob"])
def test_a_blob_of_another_type_has_no_pages(verb: str, kind: str, stcc: Stcc, there: Situation) -> None:
    target = getattr(there, kind)

    assert stcc(*deed(verb, target), "-q", stdin=PAGE) == Result(
        9, "", f"stcc: cannot {DEEDS[verb][1]} {target}: it is a blob of another type (409 InvalidBlobType)\n"
    )


def test_pages_behind_the_end_are_not_accepted(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    # Azurite checks where pages begin, not where they end, and gives its refusal no code.
    argv = there.argv("blob page put {page_blob} - --offset 1024")
    proxied.fail(Answer(416, {"x-ms-error-code": "InvalidPageRange"}))

    assert proxied_stcc(*argv, stdin=PAGE) == Result(
        1,
        "",
        f"stcc: cannot put pages into {there.page_blob}: the range lies outside of the blob (416 InvalidPageRange)\n"
        "  pages are 512 bytes; blob show tells the size\n",
    )


UNITS = "  bytes; or 64KiB, 1MiB, 2GiB\n"
UNSET = "  is the variable set?\n"


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        ("create data/b 513", "SIZE is not a multiple of 512 up to 8 TiB: '513'\n"),
        ("create data/b 9TiB", "SIZE is not a multiple of 512 up to 8 TiB: '9TiB'\n"),
        ("create data/b 1kb", f"SIZE is not a number of bytes: '1kb'\n{UNITS}"),
        ("create data/b ", f"SIZE is not a number of bytes: ''\n{UNSET}"),
        ("put data/b -", "missing option '--offset'.\n"),
        ("put data/b - --offset 1", "--offset is not a multiple of 512 up to 8 TiB: '1'\n"),
        ("put data/b - --offset ", f"--offset is not a number of bytes: ''\n{UNSET}"),
        (
            "put data/b - --offset 0 --if-sequence-number-eq ",
            f"--if-sequence-number-eq is not a whole number: ''\n{UNSET}",
        ),
        ("clear data/b --offset 0", "missing option '--length'.\n"),
        ("clear data/b --offset 0 --length 513", "--length is not a multiple of 512 up to 8 TiB: '513'\n"),
        ("clear data/b --offset 0 --length 0", "--length is 0: there is nothing to clear\n"),
        ("ranges data/b --offset 1", "--offset is not a multiple of 512 up to 8 TiB: '1'\n"),
        ("ranges data/b --length 1", "--length is not a multiple of 512 up to 8 TiB: '1'\n"),
        ("ranges data/b --length 0", "--length is 0: there is nothing to list\n"),
        ("ranges data/b --since now", f"not the time of a snapshot: 'now'\n  as printed when it was made: {TIME}\n"),
        ("ranges data/b --if-sequence-number-eq 1", "no such option: --if-sequence-number-eq\n"),
    ],
)
def test_bad_input_sends_nothing(argv: str, why: str, proxied: ProxiedAccount, proxied_stcc: Stcc) -> None:
    assert proxied_stcc("blob", "page", *argv.split(" "), stdin=PAGE) == Result(2, "", f"stcc: {why}")
    assert proxied.requests == []


@pytest.mark.parametrize(
    ("size", "why"),
    [
        (0, "the source is empty\n  the service takes no request without bytes for this\n"),
        (513, "the source is no multiple of 512 bytes: 513\n"),
        (4 * 1024 * 1024 + 512, "the source is larger than 4 MiB, the most that one request takes\n"),
    ],
)
@pytest.mark.parametrize("kind", ["stdin", "file"])
def test_a_source_that_does_not_fit_is_not_sent(
    size: int, why: str, kind: str, proxied: ProxiedAccount, proxied_stcc: Stcc, tmp_path: Path
) -> None:
    file = tmp_path / "source"
    file.write_bytes(bytes(size))
    source, stdin = (str(file), b"") if kind == "file" else ("-", bytes(size))

    assert proxied_stcc("blob", "page", "put", "data/b", source, "--offset", "0", stdin=stdin) == Result(
        2, "", f"stcc: {why}"
    )
    assert proxied.requests == []

"""Commits of blocks: what they make, what refuses them, and that one of many creates a blob."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stcc.values.times import iso
from tests.commands.answers import document, seen
from tests.running import Result, Stcc
from tests.situations import Situation

WRITERS = 10
NOT_THERE = "  it was never staged, or somebody wrote the blob since, which drops all such blocks: blob block list\n"


def stage(there: Situation, target: str, **blocks: bytes) -> None:
    """Stage blocks under these ids, without stcc."""
    for block, data in blocks.items():
        there.client(target).stage_block(block, data)


def test_a_commit_makes_the_blob_of_the_blocks_in_the_order_of_the_list(stcc: Stcc, there: Situation) -> None:
    target = there.new_blob
    stage(there, target, a1=b"one", a2=b"two", a3=b"three")
    result = stcc("blob", "block", "commit", target, "a3", "a1", "a3")

    found = there.properties(target)
    assert result == Result(0, f"{found.etag}\n", f"committed {target}, made of 3 blocks\n")
    assert (there.content(target), [*found.metadata]) == (b"threeonethree", ["stcc_op"])
    assert (
        stcc("blob", "block", "list", target, "-o", "tsv").out
        == "committed\ta3\t5\ncommitted\ta1\t3\ncommitted\ta3\t5\n"
    )


def test_a_commit_stores_what_comes_with_it_in_every_format(stcc: Stcc, there: Situation) -> None:
    target = there.named("report.csv")
    stage(there, target, a1=b"one")
    argv = ["blob", "block", "commit", target, "a1", "--force"]
    answer = document(stcc(*argv, "--metadata", "owner=anna", "--tag", "stage=done", "--no-marker", "-o", "json"))

    found = there.properties(target)
    assert answer == {
        "outcome": "blocks-committed",
        "exit_code": 0,
        "http_status": 201,
        "error_code": None,
        "target": target,
        "result": {"etag": found.etag, "last_modified": iso(found.last_modified), "blocks": 1},
        "observed": None,
    }
    assert (found.content_settings.content_type, found.metadata) == ("text/csv", {"owner": "anna"})
    assert there.client(target).get_blob_tags() == {"stage": "done"}
    result = stcc(*argv, "--content-type", "a/b", "-o", "tsv")
    found = there.properties(target)
    assert result == Result(
        0, f"{found.etag}\t{iso(found.last_modified)}\t1\n", f"committed {target}, made of 1 block\n"
    )
    assert found.content_settings.content_type == "a/b"


@pytest.mark.parametrize("source", ["-", "{file}"])
def test_ids_come_from_a_file_one_per_line(source: str, stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    target, file = there.new_blob, tmp_path / "ids"
    stage(there, target, a1=b"one", a2=b"two")
    file.write_bytes(b"a2\r\n\na1\n")
    stdin = file.read_bytes() if source == "-" else b""

    result = stcc("blob", "block", "commit", target, "--from", source.format(file=file), "-q", stdin=stdin)

    assert result == Result(0, f"{there.properties(target).etag}\n", "")
    assert there.content(target) == b"twoone"


def test_no_blocks_at_all_are_an_empty_blob(stcc: Stcc, there: Situation) -> None:
    result = stcc("blob", "block", "commit", there.blob, "--empty", "--if-match", there.etag)

    assert result == Result(0, f"{there.properties(there.blob).etag}\n", f"committed {there.blob}, made of 0 blocks\n")
    assert there.content(there.blob) == b""


@pytest.mark.parametrize(
    ("target", "options", "code", "outcome"),
    [
        pytest.param("new_blob", ["--if-none-match", "*"], 9, "conflict", id="which was to be created"),
        pytest.param("new_blob", [], 9, "conflict", id="which was to be created, as without a condition"),
        pytest.param("new_blob", ["--force"], 12, "precondition-failed", id="under no condition"),
        pytest.param("blob", ["--if-match", "{etag}"], 12, "precondition-failed", id="which was to be replaced"),
    ],
)
def test_a_block_that_is_not_there_is_another_writer(
    target: str, options: list[str], code: int, outcome: str, stcc: Stcc, there: Situation
) -> None:
    name, more = getattr(there, target), there.argv(options)
    expected = there.etag if "--if-match" in options else ""
    afterwards = "  seen afterwards: exists false\n" if target == "new_blob" else seen(there, name, expected=expected)
    message = f"cannot commit {name}: a block of the list is not there (400 InvalidBlockList)"

    assert stcc("blob", "block", "commit", name, "a1", *more) == Result(
        code, "", f"stcc: {message}\n{afterwards}{NOT_THERE}"
    )
    assert document(stcc("blob", "block", "commit", name, "a1", *more, "--no-diagnose", "-o", "json")) == {
        "outcome": outcome,
        "exit_code": code,
        "http_status": 400,
        "error_code": "InvalidBlockList",
        "target": name,
        "result": None,
        "observed": None,
        "message": message,
        "hint": NOT_THERE.strip(),
    }


def test_a_commit_by_somebody_drops_what_was_staged(stcc: Stcc, there: Situation) -> None:
    # So does a put at the service; Azurite keeps the blocks then.
    stage(there, there.blob, a1=b"mine", a2=b"theirs")
    assert stcc("blob", "block", "commit", there.blob, "a2", "--force", "-q").code == 0

    assert stcc("blob", "block", "commit", there.blob, "a1", "--force") == Result(
        12,
        "",
        f"stcc: cannot commit {there.blob}: a block of the list is not there (400 InvalidBlockList)\n"
        + seen(there, there.blob)
        + NOT_THERE,
    )
    assert there.content(there.blob) == b"theirs"


def test_a_blob_that_is_there_is_not_created(stcc: Stcc, there: Situation) -> None:
    stage(there, there.blob, a1=b"one")

    assert stcc("blob", "block", "commit", there.blob, "a1") == Result(
        9,
        "",
        f"stcc: cannot commit {there.blob}: there is a blob of that name (409 BlobAlreadyExists)\n"
        + seen(there, there.blob)
        + "  --if-match ETAG to replace what you saw; --force to overwrite\n",
    )


def test_a_blob_that_changed_since_is_not_replaced(stcc: Stcc, there: Situation) -> None:
    stage(there, there.blob, a1=b"one")

    assert stcc("blob", "block", "commit", there.blob, "a1", "--if-match", "0x8D1") == Result(
        12,
        "",
        f"stcc: cannot commit {there.blob}: it changed since you looked (412 ConditionNotMet)\n"
        + seen(there, there.blob, expected='"0x8D1"')
        + "  read it again, decide again, and use the current ETag\n",
    )
    assert stcc("blob", "block", "commit", there.blob, "a1", "--if-match", there.etag, "-q").code == 0
    assert there.content(there.blob) == b"one"


def commits(stcc: Stcc, target: str, blocks: list[str], *options: str) -> list[Result]:
    """Commit each block in a process of its own, all at once."""

    def commit(block: str) -> Result:
        return stcc.run("blob", "block", "commit", target, block, *options, "-q", "--no-diagnose")

    with ThreadPoolExecutor(len(blocks)) as pool:
        return list(pool.map(commit, blocks))


def test_one_of_many_commits_creates_the_blob(stcc: Stcc, there: Situation) -> None:
    target, blocks = there.new_blob, [f"a{number}" for number in range(WRITERS)]
    stage(there, target, **{block: f"by {block}".encode() for block in blocks})

    results = commits(stcc, target, blocks, "--if-none-match", "*")

    assert Counter(result.code for result in results) == {0: 1, 9: WRITERS - 1}
    winner = next(block for block, result in zip(blocks, results, strict=True) if result.code == 0)
    assert (there.content(target), {result.out for result in results}) == (
        f"by {winner}".encode(),
        {"", f"{there.properties(target).etag}\n"},
    )


@pytest.mark.parametrize(
    ("options", "successes"),
    [
        pytest.param(["--if-none-match", "*"], 1, id="under the condition one of many creates"),
        pytest.param(["--force"], WRITERS, id="without it, all of them do: the negative control"),
    ],
)
def test_many_commits_of_one_block(options: list[str], successes: int, stcc: Stcc, there: Situation) -> None:
    target, block = there.new_blob, there.staged

    results = commits(stcc, target, [block] * WRITERS, *options)

    assert sorted(result.code for result in results) == [0] * successes + [9] * (WRITERS - successes)
    assert len({result.out for result in results if result.code == 0}) == successes

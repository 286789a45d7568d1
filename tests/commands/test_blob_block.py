"""Blocks: what staging and listing them prints and returns."""

import json
from pathlib import Path

import pytest

from tests.azurite import ProxiedAccount
from tests.commands.answers import document, seen
from tests.running import Result, Stcc
from tests.situations import HELD, OTHER, Situation

LEASED = "it is leased and no lease id was given (412 LeaseIdMissing)"
LEASED_BY_OTHERS = "it is leased under another id (412 LeaseIdMismatchWithBlobOperation)"


def uncommitted(there: Situation, target: str) -> dict[str, int]:
    """Return id and size of what was staged for a blob."""
    _, found = there.client(target).get_block_list("all")
    return {block.id: block.size for block in found}


def stage(there: Situation, target: str, **blocks: bytes) -> None:
    """Stage blocks under these ids, without stcc."""
    for block, data in blocks.items():
        there.client(target).stage_block(block, data)


def test_a_staged_block_is_named_by_an_id_that_nobody_else_has(stcc: Stcc, there: Situation) -> None:
    target = there.new_blob
    first, second = (stcc("blob", "block", "stage", target, "-", stdin=b"one") for _ in range(2))

    story = f"staged a block of 3 bytes for {target}: nobody sees it before blob block commit\n"
    assert (first, second) == (Result(0, first.out, story), Result(0, second.out, story))
    assert uncommitted(there, target) == {first.out.strip(): 3, second.out.strip(): 3}
    assert stcc("blob", "show", target, "-q").code == 4


def test_a_file_is_staged_in_every_format(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    target, file = there.new_blob, tmp_path / "part"
    file.write_bytes(b"one")
    argv = ["blob", "block", "stage", target, str(file), "--id", "a1"]

    assert document(stcc(*argv, "-o", "json")) == {
        "outcome": "block-staged",
        "exit_code": 0,
        "http_status": 201,
        "error_code": None,
        "target": target,
        "result": {"block": "a1", "size": 3},
        "observed": None,
    }
    assert stcc(*argv, "-o", "tsv", "-q") == Result(0, "a1\t3\n", "")
    assert stcc(*argv, "--query", "size", "-q") == Result(0, "3\n", "")
    assert stcc(*argv, "-q") == Result(0, "a1\n", "")


def test_staging_an_id_again_replaces_the_block(stcc: Stcc, there: Situation) -> None:
    target = there.new_blob
    for data in (b"first", b"second"):
        assert stcc("blob", "block", "stage", target, "-", "--id", "a1", "-q", stdin=data) == Result(0, "a1\n", "")

    assert uncommitted(there, target) == {"a1": 6}
    assert stcc("blob", "block", "commit", target, "a1", "-q").code == 0
    assert there.content(target) == b"second"


def test_ids_of_one_blob_are_equally_long(stcc: Stcc, there: Situation) -> None:
    target = there.new_blob
    stage(there, target, a1=b"one")

    assert stcc("blob", "block", "stage", target, "-", "--id", "longer", stdin=b"two") == Result(
        1,
        "",
        f"stcc: cannot stage a block for {target}: its id is longer or shorter than those of the other blocks"
        " (400 InvalidBlobOrBlock)\n  all must be equally long\n",
    )
    assert uncommitted(there, target) == {"a1": 3}


def test_committed_and_uncommitted_blocks_are_listed_in_every_format(stcc: Stcc, there: Situation) -> None:
    target = there.new_blob
    stage(there, target, a1=b"one", a2=b"two!")
    assert stcc("blob", "block", "commit", target, "a2", "a1", "-q").code == 0
    stage(there, target, a3=b"three")
    argv = ["blob", "block", "list", target]
    rows = [
        {"state": "committed", "id": "a2", "size": 4},
        {"state": "committed", "id": "a1", "size": 3},
        {"state": "uncommitted", "id": "a3", "size": 5},
    ]

    assert stcc(*argv) == Result(
        0,
        "state        id  size\ncommitted    a2  4\ncommitted    a1  3\nuncommitted  a3  5\n",
        "",
    )
    assert stcc(*argv, "-o", "tsv") == Result(0, "committed\ta2\t4\ncommitted\ta1\t3\nuncommitted\ta3\t5\n", "")
    assert stcc(*argv, "--query", "[].id") == Result(0, "a2\na1\na3\n", "")
    assert document(stcc(*argv, "-o", "json")) == {
        "outcome": "blocks-listed",
        "exit_code": 0,
        "http_status": 200,
        "error_code": None,
        "target": target,
        "result": rows,
        "observed": None,
    }
    lines = [json.loads(line) for line in stcc(*argv, "-o", "ndjson").out.splitlines()]
    assert lines == [*rows, {"outcome": "blocks-listed", "exit_code": 0}]


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        pytest.param(["--committed"], "committed\ta1\t3\n", id="what the blob is made of"),
        pytest.param(["--uncommitted"], "uncommitted\ta2\t3\n", id="what was staged since"),
        pytest.param(["--committed", "--uncommitted"], "committed\ta1\t3\nuncommitted\ta2\t3\n", id="both are all"),
    ],
)
def test_one_kind_of_blocks_is_listed(options: list[str], rows: str, stcc: Stcc, there: Situation) -> None:
    target = there.new_blob
    stage(there, target, a1=b"one")
    assert stcc("blob", "block", "commit", target, "a1", "-q").code == 0
    stage(there, target, a2=b"two")

    assert stcc("blob", "block", "list", target, *options, "-o", "tsv") == Result(0, rows, "")


def test_a_blob_that_was_put_in_one_piece_has_no_blocks(stcc: Stcc, there: Situation) -> None:
    assert stcc("blob", "block", "list", there.blob) == Result(0, "", f"{there.blob}: none\n")


def test_blocks_of_a_snapshot(stcc: Stcc, there: Situation) -> None:
    target = there.new_blob
    stage(there, target, a1=b"one", a2=b"two")
    assert stcc("blob", "block", "commit", target, "a1", "a2", "-q").code == 0
    taken = there.client(target).create_snapshot()["snapshot"]
    assert stcc("blob", "block", "commit", target, "a2", "--force", "-q").code == 0

    found = stcc("blob", "block", "list", target, "--snapshot", taken, "-o", "tsv")

    assert found == Result(0, "committed\ta1\t3\ncommitted\ta2\t3\n", "")


@pytest.mark.parametrize(
    ("argv", "doing"),
    [
        (["stage", "{}", "-"], "stage a block for"),
        (["list", "{}"], "list the blocks of"),
        (["commit", "{}", "a1"], "commit"),
    ],
)
def test_in_a_container_that_is_missing_everything_is_absent(
    argv: list[str], doing: str, stcc: Stcc, there: Situation
) -> None:
    target = f"{there.new_container}/one"

    assert stcc("blob", "block", *(word.format(target) for word in argv), stdin=b"one") == Result(
        4,
        "",
        f"stcc: cannot {doing} {target}: there is no such container (404 ContainerNotFound)\n"
        "  seen afterwards: exists false\n  stcc container create NAME\n",
    )


def test_a_blob_that_is_missing_has_no_list(stcc: Stcc, there: Situation) -> None:
    assert stcc("blob", "block", "list", there.new_blob) == Result(
        4,
        "",
        f"stcc: cannot list the blocks of {there.new_blob}: there is no such blob (404 BlobNotFound)\n"
        "  seen afterwards: exists false\n",
    )


@pytest.mark.parametrize(
    ("argv", "doing"),
    [
        ("stage {append_blob} -", "stage a block for"),
        ("list {append_blob}", "list the blocks of"),
        ("commit {append_blob} a1 --force", "commit"),
    ],
)
def test_a_blob_of_another_type_has_no_blocks(argv: str, doing: str, stcc: Stcc, there: Situation) -> None:
    assert stcc("blob", "block", *there.argv(argv), stdin=b"one") == Result(
        9,
        "",
        f"stcc: cannot {doing} {there.append_blob}: it is a blob of another type (409 InvalidBlobType)\n"
        + seen(there, there.append_blob),
    )


@pytest.mark.parametrize(("verb", "doing"), [("stage", "stage a block for"), ("commit", "commit")])
def test_what_is_leased_needs_its_id(verb: str, doing: str, stcc: Stcc, there: Situation) -> None:
    target = there.leased_blob
    there.client(target).stage_block("a1", b"one", lease=HELD)
    argv = ["blob", "block", verb, target, *(["-", "--id", "a2"] if verb == "stage" else ["a1"])]
    unguarded = ["--force"] if verb == "commit" else []

    assert stcc(*argv, *unguarded, stdin=b"two") == Result(
        12,
        "",
        f"stcc: cannot {doing} {target}: {LEASED}\n"
        + seen(there, target)
        + "  pass --lease-id if the lease is yours; else wait\n",
    )
    assert stcc(*argv, "--lease-id", OTHER, stdin=b"two") == Result(
        12,
        "",
        f"stcc: cannot {doing} {target}: {LEASED_BY_OTHERS}\n"
        + seen(there, target)
        + "  the lease is not yours any more: stop, read it again, acquire again\n",
    )
    assert (uncommitted(there, target), there.content(target)) == ({"a1": 3}, b"first content")
    assert stcc(*argv, "--lease-id", HELD, "-q", stdin=b"two").code == 0
    assert (uncommitted(there, target), there.content(target)) == (
        ({"a1": 3, "a2": 3}, b"first content") if verb == "stage" else ({}, b"one")
    )


def test_a_leased_blob_is_listed_by_everybody_who_names_no_other_lease(stcc: Stcc, there: Situation) -> None:
    target = there.leased_blob

    assert stcc("blob", "block", "list", target, "-q") == Result(0, "", "")
    assert stcc("blob", "block", "list", target, "--lease-id", HELD, "-q") == Result(0, "", "")
    assert stcc("blob", "block", "list", target, "--lease-id", OTHER, "-q") == Result(
        12, "", f"stcc: cannot list the blocks of {target}: {LEASED_BY_OTHERS}\n"
    )


TOO_LONG = "x" * 65
BEFORE_THE_COMMIT = "a block is not visible before the commit; the conditions belong to `blob block commit`"
ALL_THE_SAME = "with a valid lease id the service overwrites the blob all the same; use --if-match"
ONE_WAY = "name the blocks to commit, in one way\n  ID..., or --from FILE, or --empty\n"
HOW = "  up to 64 printable ASCII characters, all ids of a blob equally long\n"


@pytest.mark.parametrize(
    ("argv", "stdin", "why"),
    [
        (["stage", "data/b", "-"], b"", "the block is empty\n  the service takes no request without bytes for this\n"),
        (["stage", "data/b", ""], b"x", "the source is empty\n  is the variable set? - is stdin\n"),
        (
            ["stage", "data/b", "/nonexistent/x"],
            b"",
            "the source cannot be read: '/nonexistent/x'\n  no such file or directory\n",
        ),
        (["stage", "data/b", "-", "--id", ""], b"x", "the block's id is empty\n  is the variable set?\n"),
        (["stage", "data/b", "-", "--id", "ü"], b"x", f"not a block's id: 'ü'\n{HOW}"),
        (
            ["stage", "data/b", "-", "--if-match", "0x8D1"],
            b"x",
            f"Put Block takes no --if-match\n  {BEFORE_THE_COMMIT}\n",
        ),
        (["list", "data"], b"", "no blob is named: 'data'\n  CONTAINER/BLOB, for example data/report.csv\n"),
        (
            ["list", "data/b", "--if-match", "0x8D1"],
            b"",
            "Get Block List takes no --if-match\n  the service honours --if-tags alone here\n",
        ),
        (
            ["commit", "data/b"],
            b"",
            ONE_WAY,
        ),
        (
            ["commit", "data/b", "a1", "--empty"],
            b"",
            ONE_WAY,
        ),
        (["commit", "data/b", "--from", "-"], b"\n", "--from names no block\n  --empty makes an empty blob\n"),
        (["commit", "data/b", "--from", "-"], b"\xff", "--from cannot be read: '-'\n"),
        (["commit", "data/b", "--from", "-"], TOO_LONG.encode(), f"not a block's id: '{TOO_LONG}'\n{HOW}"),
        (["commit", "data/b", *["x"] * 50_001], b"", "50001 blocks: a blob has at most 50000\n"),
        (
            ["commit", "data/b", "a1", "--if-none-match", "*", "--lease-id", HELD],
            b"",
            f"--if-none-match '*' and --lease-id exclude each other\n  {ALL_THE_SAME}\n",
        ),
    ],
)
def test_bad_input_sends_nothing(
    argv: list[str], stdin: bytes, why: str, proxied: ProxiedAccount, proxied_stcc: Stcc
) -> None:
    assert proxied_stcc("blob", "block", *argv, stdin=stdin) == Result(2, "", f"stcc: {why}")
    assert proxied.requests == []


def test_a_block_that_is_too_large_is_not_sent(proxied: ProxiedAccount, proxied_stcc: Stcc, tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(100 * 1024 * 1024 + 1)

    assert proxied_stcc("blob", "block", "stage", "data/b", str(tmp_path / "large")) == Result(
        2, "", "stcc: the block is larger than 100 MiB, the most that one request takes\n"
    )
    assert proxied.requests == []

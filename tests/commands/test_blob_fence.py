"""Writes that carry the number of a grant: what is stored, and who is refused."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.azurite import ProxiedAccount
from tests.commands.answers import seen
from tests.conftest import Names
from tests.running import Result, Stcc
from tests.situations import CONTENT, HELD, Situation
from tests.wire import Answer, Drop, Recorded, Refuse, Status, writes

pytestmark = pytest.mark.usefixtures("own_state")
VERBS = ("put", "update", "delete")
PYTHON = sys.executable


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "new.txt"
    path.write_bytes(b"new")
    return str(path)


@pytest.fixture
def target(there: Situation) -> str:
    """Return a blob that was written under fence 5."""
    target = there.blob
    there.client(target).set_blob_metadata({"stcc_fence": "5", "kept": "yes"})
    return target


def words(verb: str, target: str, file: str) -> tuple[str, ...]:
    """Return a command that writes the blob, or deletes it, with the number still to come."""
    if verb == "put":
        return ("blob", "put", target, file, "--fence")
    if verb == "update":
        return ("blob", "update", target, "--", "cat", file)
    return ("blob", "delete", target, "--fence")


def fenced(stcc: Stcc, verb: str, target: str, file: str, fence: int | str, *more: str) -> Result:
    if verb == "update":
        return stcc("blob", "update", target, "--fence", str(fence), *more, "--", "cat", file)
    return stcc(*words(verb, target, file), str(fence), *more)


def stored(there: Situation, target: str) -> tuple[bytes, str | None]:
    """Return what is there, and under which number it was written."""
    metadata: dict[str, str] = there.properties(target).metadata
    return there.content(target), metadata.get("stcc_fence")


def test_put_stores_the_number(stcc: Stcc, there: Situation, file: str) -> None:
    target = there.new_blob
    answer = stcc("blob", "put", target, file, "--fence", "3", "--metadata", "a=b")

    assert answer == Result(0, f"{there.properties(target).etag}\n", f"put {target}, 3 bytes\n")
    assert stored(there, target) == (b"new", "3")
    assert there.properties(target).metadata["a"] == "b"


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("fence", [5, 6, 2**63 - 1], ids=["equal", "higher", "highest"])
def test_an_equal_or_a_higher_number_writes(
    verb: str, fence: int, stcc: Stcc, there: Situation, target: str, file: str
) -> None:
    assert fenced(stcc, verb, target, file, fence, "-q").code == 0
    if verb == "delete":
        assert not there.client(target).exists()
    else:
        assert stored(there, target) == (b"new", str(fence))


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("fence", [0, 4])
def test_a_lower_number_is_refused(verb: str, fence: int, stcc: Stcc, there: Situation, target: str, file: str) -> None:
    etag = there.properties(target).etag

    assert fenced(stcc, verb, target, file, fence) == Result(
        12,
        "",
        f"stcc: cannot write {target}: fence {fence} is older than 5, under which it was written\n"
        f"  seen afterwards: fence 5, etag {etag}\n"
        "  somebody else has the lock by now, or had it since: stop, and acquire it again\n",
    )
    assert (stored(there, target), there.properties(target).etag) == ((CONTENT, "5"), etag)


def test_a_refusal_for_programs(stcc: Stcc, there: Situation, target: str, file: str) -> None:
    code, out, err = stcc("blob", "put", target, file, "--fence", "4", "-o", "json")
    document = json.loads(out)

    assert (code, err, document["outcome"], document["exit_code"], document["http_status"], document["observed"]) == (
        12,
        "",
        "precondition-failed",
        12,
        None,
        {"fence": 5, "etag": there.properties(target).etag},
    )


def test_a_blob_without_a_number_takes_any(stcc: Stcc, there: Situation, file: str) -> None:
    assert fenced(stcc, "put", there.blob, file, 0, "-q").code == 0

    assert stored(there, there.blob) == (b"new", "0")


@pytest.mark.parametrize("text", ["many", "-5", "٣", "9" * 20, ""])
def test_what_is_no_number_is_none(text: str, stcc: Stcc, there: Situation, file: str) -> None:
    there.client(there.blob).set_blob_metadata({"stcc_fence": text} if text.isascii() else {"stcc_fence": "+3"})

    assert fenced(stcc, "put", there.blob, file, 1, "-q").code == 0
    assert stored(there, there.blob) == (b"new", "1")


def test_the_number_is_found_whatever_its_case(stcc: Stcc, there: Situation, file: str) -> None:
    there.client(there.blob).set_blob_metadata({"Stcc_Fence": "9"})

    assert fenced(stcc, "put", there.blob, file, 8, "-q").code == 12


def test_the_number_ends_with_the_blob(stcc: Stcc, there: Situation, target: str, file: str) -> None:
    assert fenced(stcc, "delete", target, file, 7).code == 0

    assert fenced(stcc, "put", target, file, 1, "-q").code == 0
    assert stored(there, target) == (b"new", "1")


def test_whoever_writes_without_a_number_takes_it_away(stcc: Stcc, there: Situation, target: str, file: str) -> None:
    assert stcc("blob", "put", target, file, "--force", "-q").code == 0
    assert stored(there, target) == (b"new", None)

    assert fenced(stcc, "put", target, file, 1, "-q").code == 0


def test_an_update_without_a_number_keeps_it(stcc: Stcc, there: Situation, target: str, file: str) -> None:
    assert stcc("blob", "update", target, "-q", "--", "cat", file).code == 0

    assert (stored(there, target), there.properties(target).metadata["kept"]) == ((b"new", "5"), "yes")


def test_delete_of_what_is_not_there_is_absent(stcc: Stcc, there: Situation, file: str) -> None:
    code, out, err = fenced(stcc, "delete", there.new_blob, file, 1)
    problem = f"stcc: cannot delete {there.new_blob}: there is no such blob (404 BlobNotFound)\n"

    assert (code, out, err.startswith(problem)) == (4, "", True)


def test_an_update_that_changes_nothing_leaves_its_number_all_the_same(
    stcc: Stcc, there: Situation, target: str
) -> None:
    update = ("blob", "update", target, "--fence", "6", "--query", "changed", "-q", "--", "cat")

    assert stcc(*update).out == "true\n"
    assert stored(there, target) == (CONTENT, "6")
    assert stcc(*update).out == "false\n"


def test_update_of_what_is_not_there(stcc: Stcc, there: Situation, file: str) -> None:
    assert fenced(stcc, "update", there.new_blob, file, 2, "-q").code == 4

    assert fenced(stcc, "update", there.new_blob, file, 2, "--create", "-q").code == 0
    assert stored(there, there.new_blob) == (b"new", "2")


def test_put_into_a_container_that_is_not_there(stcc: Stcc, there: Situation, file: str) -> None:
    code, out, err = fenced(stcc, "put", f"{there.new_container}/b", file, 1)

    assert (code, out, "there is no such container (404 " in err) == (4, "", True)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (("--if-match", "0x8D1"), "--if-match"),
        (("--if-none-match", "*"), "--if-none-match"),
        (("--if-tags", "a = 'b'"), "--if-tags"),
        (("--force",), "--force"),
        (("--if-unmodified-since", "now", "--force"), "--if-unmodified-since, --force"),
    ],
)
@pytest.mark.parametrize("verb", ["put", "delete"])
def test_a_fence_counts_as_the_condition(
    verb: str, given: tuple[str, ...], named: str, proxied: ProxiedAccount, proxied_stcc: Stcc, file: str
) -> None:
    answer = fenced(proxied_stcc, verb, "data/b", file, 1, *given)

    problem = f"stcc: --fence counts as the condition: it excludes {named}\n"
    assert (answer, proxied.requests) == (Result(2, "", problem), [])


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        (["put", "data/b", "{file}", "--fence", "-1"], "stcc: invalid value for '--fence': -1 is not in the range "),
        (["put", "data/b", "{file}", "--fence", "x"], "stcc: invalid value for '--fence': 'x' is not a valid int"),
        (["put", "data/b", "{file}", "--fence", str(2**63)], "stcc: invalid value for '--fence': 9223372036854775808 "),
        (["put", "data", ".", "-r", "--fence", "1"], "stcc: --fence is for one blob, not for -r\n"),
        (["delete", "data/b", "--fence", "1", "--snapshots", "only"], "stcc: --fence guards a blob, not its snapshots"),
        (
            ["delete", "data/b", "--fence", "1", "--snapshot", "2026-01-31T12:00:00.1234567Z"],
            "stcc: --fence guards a blob, not its snapshots",
        ),
        (
            ["update", "data/b", "--metadata", "--fence", "1", "--", "cat"],
            "stcc: --fence and --metadata exclude each other: the fence goes with the content\n",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(
    argv: list[str], problem: str, proxied: ProxiedAccount, proxied_stcc: Stcc, file: str
) -> None:
    code, out, err = proxied_stcc("blob", *(word.format(file=file) for word in argv))

    assert (code, out, err[: len(problem)], proxied.requests) == (2, "", problem, [])


@pytest.mark.parametrize("verb", VERBS)
def test_a_lease_goes_with_a_fence(verb: str, stcc: Stcc, there: Situation, file: str) -> None:
    target = there.leased_blob
    assert fenced(stcc, verb, target, file, 1, "-q").code == 12
    assert there.content(target) == CONTENT

    assert fenced(stcc, verb, target, file, 1, "--lease-id", HELD, "-q").code == 0


def in_between(there: Situation, target: str, fence: str) -> Any:
    """Return a predicate that writes the blob, under another number, just before our first write arrives."""
    left = [fence]

    def matches(request: Recorded) -> bool:
        if writes(request) and left:
            there.client(target).upload_blob(b"theirs", overwrite=True, metadata={"stcc_fence": left.pop()})
        return False

    return matches


@pytest.mark.parametrize("verb", VERBS)
def test_a_write_in_between_is_looked_at(
    verb: str, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation, target: str, file: str
) -> None:
    proxied.fail(Status(500), when=in_between(there, target, "6"))
    assert fenced(proxied_stcc, verb, target, file, 6, "-q").code == 0
    statuses = [request.status for request in proxied.requests if writes(request)]
    assert statuses == [412, 202 if verb == "delete" else 201]

    if verb == "delete":
        there.named("free")
    proxied.clear()
    proxied.fail(Status(500), when=in_between(there, target, "9"))
    assert fenced(proxied_stcc, verb, target, file, 8, "-q") == Result(
        12, "", f"stcc: cannot write {target}: fence 8 is older than 9, under which it was written\n"
    )
    assert stored(there, target) == (b"theirs", "9")


def test_what_came_through_a_pipe_is_sent_once(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation, target: str
) -> None:
    put = ("blob", "put", target, "-", "--fence", "7", "-q")
    assert proxied_stcc(*put, stdin=b"piped").code == 0
    assert stored(there, target) == (b"piped", "7")

    proxied.fail(Status(500), when=in_between(there, target, "6"))
    assert proxied_stcc(*put, stdin=b"piped") == Result(
        12, "", f"stcc: cannot put {target}: it changed since you looked (412 ConditionNotMet)\n"
    )
    assert stored(there, target) == (b"theirs", "6")


@pytest.mark.parametrize("verb", ["put", "delete"])
def test_a_lost_answer_is_settled(
    verb: str, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation, target: str, file: str
) -> None:
    proxied.fail(Drop(), when=writes)
    code, _, err = fenced(proxied_stcc, verb, target, file, 7)

    if verb == "put":
        assert (code, stored(there, target)) == (0, (b"new", "7"))
        assert err == (
            "the answer was lost on the way; what is there now carries the mark of this very request\n"
            f"put {target}, 3 bytes\n"
        )
    else:
        assert (code, there.client(target).exists()) == (70, False)


def test_a_lost_answer_of_an_update_is_settled(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation, target: str, file: str
) -> None:
    proxied.fail(Drop(), when=writes)

    assert fenced(proxied_stcc, "update", target, file, 7, "-q").code == 0
    assert stored(there, target) == (b"new", "7")


@pytest.mark.parametrize("verb", VERBS)
def test_who_is_not_allowed_to_look_is_denied(
    verb: str, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation, target: str, file: str
) -> None:
    proxied.fail(Answer(403), when=lambda request: not writes(request))

    assert fenced(proxied_stcc, verb, target, file, 7, "-q").code == 3
    assert stored(there, target) == (CONTENT, "5")


def test_a_look_that_nobody_answers_has_changed_nothing(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation, target: str, file: str
) -> None:
    proxied.fail(Refuse(), times=20)

    assert fenced(proxied_stcc, "put", target, file, 7, "-q").code == 69
    assert stored(there, target) == (CONTENT, "5")


def test_the_number_of_a_run_guards_what_it_writes(
    stcc: Stcc, there: Situation, names: Names, tmp_path: Path, file: str
) -> None:
    lock, target = names(), there.new_blob
    put = f'{PYTHON} -m stcc blob put {target} {file} --fence "$STCC_FENCE" -q'
    told = tmp_path / "fence"
    first = stcc.run("lock", "run", lock, "--", "sh", "-c", f'{put} && echo "$STCC_FENCE" >{told}')
    second = stcc.run("lock", "run", lock, "--", "sh", "-c", put)

    assert (first.code, second.code) == (0, 0)
    late = stcc("blob", "put", target, file, "--fence", told.read_text().strip())
    assert (late.code, seen(there, target).startswith("  seen")) == (12, True)

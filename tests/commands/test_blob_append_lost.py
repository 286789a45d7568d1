"""Appending: nothing is appended twice after a lost answer, and nothing of many at once is lost."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.azurite import ProxiedAccount
from tests.commands.answers import seen
from tests.running import Result, Stcc
from tests.situations import CONTENT, Situation
from tests.wire import Answer, Drop, Fault, Recorded, Refuse, writes

WRITERS, EACH = 8, 3
MORE = b" more"
LOST = "the answer was lost (the connection was closed before the whole answer came)"
UNKNOWN = "the bytes may or may not have been appended"


def append(there: Situation, data: bytes) -> None:
    """Append to the append blob as somebody else."""
    there.client(there.append_blob).append_block(data)


def appends(proxied: ProxiedAccount) -> list[int | None]:
    """Return the status of each request to append."""
    return [request.status for request in proxied.requests if request.query == "comp=appendblock"]


@pytest.mark.parametrize("options", ["", "--max-size 100", "--create"])
@pytest.mark.parametrize(("fault", "applied"), [(Drop(), True), (Refuse(), False)])
def test_a_lost_answer_is_unknown_and_nothing_is_sent_again(
    options: str, fault: Fault, applied: bool, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    target = there.append_blob
    proxied.fail(fault, when=writes)

    assert proxied_stcc("blob", "append", target, "-", *options.split(), stdin=MORE) == Result(
        70, "", f"stcc: {target}: {LOST}; {UNKNOWN}\n{seen(there, target)}  look before you repeat it\n"
    )
    assert (there.content(target), len(appends(proxied))) == (CONTENT + MORE * applied, 1)


def nobody(there: Situation) -> None:
    """Leave the blob alone."""


def same(there: Situation) -> None:
    append(there, MORE)


def something_else(there: Situation) -> None:
    append(there, b"theirs")


@pytest.mark.parametrize(
    ("fault", "meanwhile", "same_content", "content"),
    [
        pytest.param(Drop(), nobody, "true", CONTENT + MORE, id="ours may be what is there"),
        pytest.param(Refuse(), same, "true", CONTENT + MORE, id="so may somebody else's of the same bytes"),
        pytest.param(Refuse(), something_else, "false", CONTENT + b"theirs", id="other bytes are not ours"),
    ],
)
def test_at_a_position_the_look_tells_whether_the_bytes_are_there(
    fault: Fault,
    meanwhile: Callable[[Situation], None],
    same_content: str,
    content: bytes,
    proxied: ProxiedAccount,
    proxied_stcc: Stcc,
    there: Situation,
) -> None:
    target, met = there.append_blob, list[Recorded]()

    def second(request: Recorded) -> bool:
        if writes(request):
            met.append(request)
            if len(met) == 1:
                meanwhile(there)
        return False

    proxied.fail(fault, when=writes)
    proxied.fail(Answer(500), when=second)
    argv = ["blob", "append", target, "-", "--append-position", "13"]
    afterwards = proxied_stcc(*argv, stdin=MORE)

    looked = seen(there, target).replace("\n", f", same content {same_content}\n")
    assert afterwards == Result(70, "", f"stcc: {target}: {LOST}; {UNKNOWN}\n{looked}  look before you repeat it\n")
    assert (there.content(target), appends(proxied)[1:]) == (content, [412])


def test_a_blob_that_ends_at_the_position_has_other_content(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    # Azurite answers a read behind the end with no bytes, the service with 416.
    target = there.append_blob
    proxied.fail(Answer(500), when=writes, times=4)
    proxied.fail(Answer(416, {"x-ms-error-code": "InvalidRange"}), when=lambda request: request.method == "GET")

    looked = seen(there, target).replace("\n", ", same content false\n")
    assert proxied_stcc("blob", "append", target, "-", "--append-position", "13", stdin=MORE) == Result(
        70,
        "",
        f"stcc: {target}: the answer was lost (the service answered 500); {UNKNOWN}\n{looked}"
        "  look before you repeat it\n",
    )


@pytest.mark.parametrize("condition", ["--append-position 13", "--if-match {append_etag}"])
def test_under_a_condition_that_ends_with_the_append_it_is_sent_again(
    condition: str, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = there.argv(f"blob append {{append_blob}} - {condition}")
    proxied.fail(Refuse(), when=writes)
    result = proxied_stcc(*argv, stdin=MORE)

    assert result == Result(
        0,
        f"{there.properties(there.append_blob).etag}\n",
        "the answer was lost on the way; the identical request was accepted when sent again\n"
        f"appended 5 bytes to {there.append_blob} at 13\n",
    )
    assert (there.content(there.append_blob), appends(proxied)) == (CONTENT + MORE, [None, 201])


def test_a_lost_answer_about_the_creation_is_settled_by_the_mark(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    target = there.new_blob
    proxied.fail(Drop(), when=lambda request: "x-ms-blob-type" in request.headers)
    result = proxied_stcc("blob", "append", target, "-", "--create", stdin=MORE)

    assert result == Result(
        0, f"{there.properties(target).etag}\n", f"created {target}\nappended 5 bytes to {target} at 0\n"
    )
    assert there.content(target) == MORE


def test_a_lost_append_to_what_was_created_says_both(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    target = there.new_blob
    proxied.fail(Drop(), when=lambda request: bool(appends(proxied)[1:]) and request.query == "comp=appendblock")

    assert proxied_stcc("blob", "append", target, "-", "--create", stdin=MORE) == Result(
        70,
        "",
        f"stcc: {target}: {LOST}; it was created, and {UNKNOWN}\n{seen(there, target)}  look before you repeat it\n",
    )


def test_what_many_processes_append_is_all_kept(stcc: Stcc, there: Situation) -> None:
    target = there.new_blob

    def append_lines(writer: int) -> list[tuple[bytes, dict[str, object]]]:
        lines = [b"writer %d, line %d\n" % (writer, number) for number in range(EACH)]
        return [(line, appended(stcc, target, line)) for line in lines]

    with ThreadPoolExecutor(WRITERS) as pool:
        done = [one for many in pool.map(append_lines, range(WRITERS)) for one in many]

    content = there.content(target)
    assert sorted(content.splitlines(keepends=True)) == sorted(line for line, _ in done)
    offsets = [int(str(result["offset"])) for _, result in done]
    found = [content[at : at + len(line)] for at, (line, _) in zip(offsets, done, strict=True)]
    assert found == [line for line, _ in done]
    assert [result["created"] for _, result in done].count(True) == 1


def appended(stcc: Stcc, target: str, line: bytes) -> dict[str, object]:
    """Append a line in a process of its own, and return what it said."""
    argv = ["blob", "append", target, "-", "--create", "-o", "json"]
    process = stcc.process(*argv, stdin=-1)
    out, err = process.communicate(line)
    assert (process.returncode, err) == (0, b"")
    result: dict[str, object] = json.loads(out)["result"]
    return result


def test_what_is_read_and_put_back_longer_loses_lines(stcc: Stcc, there: Situation) -> None:
    """The negative control: the same work on a block blob, where the last writer wins."""
    target = there.named("lines", b"")
    (first, second) = (stcc("blob", "get", target, "-").out.encode() for _ in range(2))
    for content, line in ((first, b"writer 0\n"), (second, b"writer 1\n")):
        stcc("blob", "put", target, "-", "--force", stdin=content + line)

    assert there.content(target) == b"writer 1\n"


@pytest.mark.parametrize(
    ("options", "successes"),
    [
        pytest.param(["--append-position", "13"], 1, id="one of many is at the position"),
        pytest.param([], WRITERS, id="without it all are appended: the negative control"),
    ],
)
def test_many_appends_at_one_position(options: list[str], successes: int, stcc: Stcc, there: Situation) -> None:
    argv = ["blob", "append", there.append_blob, "-", *options, "-q", "--no-diagnose"]

    def run(_: int) -> int:
        process = stcc.process(*argv, stdin=-1)
        process.communicate(MORE)
        return process.returncode

    with ThreadPoolExecutor(WRITERS) as pool:
        codes = sorted(pool.map(run, range(WRITERS)))

    assert (codes, there.content(there.append_blob)) == (
        [0] * successes + [12] * (WRITERS - successes),
        CONTENT + MORE * successes,
    )

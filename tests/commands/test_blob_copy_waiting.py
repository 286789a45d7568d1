"""Copies that go on: waiting for their end, aborting them, and answers about them that are lost."""

import signal
import time

import pytest

from stcc.values.times import iso
from tests.azurite import ProxiedAccount
from tests.commands.answers import document, seen
from tests.running import Result, Stcc
from tests.situations import HELD, Situation
from tests.wire import Answer, Drop, Recorded, Status, writes

ID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
MODIFIED, WHEN = "Sat, 31 Jan 2026 12:00:00 GMT", "2026-01-31T12:00:00Z"
LOST = "the answer was lost (the connection was closed before the whole answer came)"
BY_EVIDENCE = "the answer was lost on the way; what is there now carries the mark of this very request\n"
# Azurite finishes every copy before it answers: what goes on is made up.
BEGUN = Answer(
    202,
    {"ETag": '"0x8D1"', "Last-Modified": MODIFIED, "x-ms-copy-id": ID, "x-ms-copy-status": "pending"},
)


def state(status: str, *, copy_id: str = ID, description: str = "") -> Answer:
    """Return the properties of a blob to which the last copy is in this state."""
    headers = {"ETag": '"0x8D2"', "Last-Modified": MODIFIED, "x-ms-blob-type": "BlockBlob", "Content-Length": "10"}
    headers |= {"x-ms-lease-state": "available", "x-ms-lease-status": "unlocked", "x-ms-copy-progress": "5/10"}
    headers |= {"x-ms-copy-id": copy_id, "x-ms-copy-status": status}
    return Answer(200, headers | ({"x-ms-copy-status-description": description} if description else {}))


def refusal(status: int, code: str) -> Answer:
    return Answer(status, {"x-ms-error-code": code})


def looks(request: Recorded) -> bool:
    return request.method == "HEAD"


def copied(there: Situation, target: str) -> str:
    """Return the line that tells what is there after a refusal, and of the last copy to it."""
    found = there.properties(target).copy
    return seen(there, target).replace("\n", f", copy id {found.id}, copy status {found.status}\n")


def ways(target: str) -> str:
    return f"look with blob show, end it with: stcc blob copy-abort {target} {ID}"


def test_a_copy_that_goes_on_is_waited_for(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    argv = there.argv("blob copy {blob} {new_blob}")
    for fault in (BEGUN, state("pending"), Status(503), state("pending"), state("success")):
        proxied.fail(fault)

    assert proxied_stcc(*argv, "-o", "tsv") == Result(
        0, f'"0x8D2"\t{WHEN}\t{ID}\tsuccess\n', f"copied to {there.new_blob}\n"
    )
    assert [request.method for request in proxied.requests] == ["PUT", *["HEAD"] * 4]


@pytest.mark.parametrize(
    ("status", "description", "why"),
    [
        ("failed", "500 OperationCancelled", "failed: 500 OperationCancelled"),
        ("failed", "403 https://example.com/c/b?sv=1&sig=c2VjcmV0", "failed: 403 https://example.com/c/b?sv=1&sig=..."),
        ("aborted", "", "aborted: no reason is given"),
    ],
)
def test_a_copy_that_ends_badly_is_a_failure(
    status: str, description: str, why: str, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv, target = there.argv("blob copy {blob} {new_blob}"), there.new_blob
    message = f"the copy to {target} was begun, and is {why}"
    for fault in (BEGUN, state(status, description=description)) * 2:
        proxied.fail(fault)

    assert proxied_stcc(*argv) == Result(
        1,
        "",
        f"stcc: {message}\n"
        f'  seen afterwards: etag "0x8D2", copy id {ID}, copy status {status}\n'
        f"  {target} is empty now\n",
    )
    code, out, err = proxied_stcc(*argv, "-o", "json", "--query", "no")
    assert (code, "c2VjcmV0" in out + err, status in out) == (1, False, True)


def test_a_target_that_somebody_overwrites_meanwhile_is_lost(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = there.argv("blob copy {blob} {new_blob}")
    for fault in (BEGUN, state("pending"), state("pending", copy_id="another")):
        proxied.fail(fault)

    assert proxied_stcc(*argv) == Result(
        12,
        "",
        f"stcc: {there.new_blob} was overwritten by somebody else before the copy was done\n"
        f'  seen afterwards: etag "0x8D2", last modified {WHEN}, copy id another\n',
    )


def test_a_target_that_somebody_deletes_meanwhile_is_absent(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = there.argv("blob copy {blob} {new_blob}")
    proxied.fail(BEGUN)

    assert proxied_stcc(*argv) == Result(
        4, "", f"stcc: cannot look at the copy to {there.new_blob}: there is no such blob (404 BlobNotFound)\n"
    )


def test_a_copy_that_nobody_tells_of_is_unknown(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    argv, target = there.argv("blob copy {blob} {new_blob}"), there.new_blob
    proxied.fail(BEGUN)
    proxied.fail(Answer(500), when=looks, times=4)

    assert proxied_stcc(*argv) == Result(
        70,
        "",
        f"stcc: the copy was begun, and may be done or go on; {target}: the service answered 500\n"
        f"  seen afterwards: copy id {ID}\n  {ways(target)}\n",
    )


@pytest.mark.parametrize(("wait", "seconds"), [("0s", "0"), ("50ms", "0.05")])
def test_a_copy_that_takes_longer_than_the_wait_is_busy(
    wait: str, seconds: str, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv, target = there.argv("blob copy {blob} {new_blob}"), there.new_blob
    proxied.fail(BEGUN)
    proxied.fail(state("pending"), when=looks, times=20)

    assert proxied_stcc(*argv, "--wait", wait) == Result(
        75,
        "",
        f"stcc: the copy to {target} is not done after {seconds} seconds, and goes on\n"
        f"  seen afterwards: copy id {ID}, copy status pending\n  {ways(target)}\n",
    )


def test_a_copy_that_is_not_waited_for_tells_its_id(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = [*there.argv("blob copy {blob} {new_blob}"), "--no-wait"]
    story = f"the copy to {there.new_blob} goes on, its id is {ID}\n"
    proxied.fail(BEGUN, times=2)

    assert proxied_stcc(*argv) == Result(0, '"0x8D1"\n', story)
    assert proxied_stcc(*argv, "--query", "copy_id") == Result(0, f"{ID}\n", story)
    assert [request.method for request in proxied.requests] == ["PUT", "PUT"]


def test_who_is_interrupted_is_told_how_to_end_the_copy(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv, target = there.argv("blob copy {blob} {new_blob}"), there.new_blob
    proxied.fail(BEGUN)
    proxied.fail(state("pending"), when=looks, times=1000)
    process = proxied_stcc.process(*argv)
    until = time.monotonic() + 60
    while not any(map(looks, proxied.requests)):
        assert time.monotonic() < until
        time.sleep(0.02)

    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)

    how = f"the copy goes on; to end it: stcc blob copy-abort {target} {ID}"
    assert Result(process.returncode, out.decode(), err.decode()) == Result(
        130, "", f"stcc: {how}; interrupted by SIGINT\n"
    )


def test_a_lost_answer_is_unknown_where_nothing_can_be_marked(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv, target = there.argv("blob copy {blob} {new_blob}"), there.new_blob
    proxied.fail(Drop(), when=writes)

    result = proxied_stcc(*argv)

    assert result == Result(
        70,
        "",
        f"stcc: {target}: {LOST}; the copy may or may not have begun\n{copied(there, target)}"
        "  look before you repeat it\n",
    )


def test_a_lost_answer_is_settled_by_the_mark_in_the_metadata(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv, target = there.argv("blob copy {blob} {new_blob} --metadata a=b"), there.new_blob
    proxied.fail(Drop(), when=writes)
    result = proxied_stcc(*argv, "-o", "tsv")

    found = there.properties(target)
    assert result == Result(
        0,
        f"{found.etag}\t{iso(found.last_modified)}\t{found.copy.id}\tsuccess\n",
        f"{BY_EVIDENCE}copied to {target}\n",
    )


def test_a_copy_under_way_is_aborted(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    target, argv = there.blob, ["blob", "copy-abort", there.blob, ID, "--lease-id", HELD]
    proxied.fail(Answer(204, {"x-ms-request-id": "1"}), times=3)

    assert proxied_stcc(*argv) == Result(0, "", f"aborted the copy to {target}, which is empty now\n")
    assert proxied_stcc(*argv, "-o", "tsv", "-q") == Result(0, f"{ID}\n", "")
    assert document(proxied_stcc(*argv, "-o", "json")) == {
        "outcome": "copy-aborted",
        "exit_code": 0,
        "http_status": 204,
        "error_code": None,
        "target": target,
        "result": {"copy_id": ID},
        "observed": None,
    }
    headers = proxied.requests[0].headers
    assert (headers["x-ms-copy-action"], headers["x-ms-lease-id"]) == ("abort", HELD)


def test_a_copy_that_is_not_under_way_is_not_aborted(stcc: Stcc, there: Situation) -> None:
    target = there.new_blob
    copy_id = stcc("blob", "copy", there.blob, target, "-q", "--query", "copy_id").out.strip()

    assert stcc("blob", "copy-abort", target, copy_id) == Result(
        9,
        "",
        f"stcc: cannot abort the copy to {target}: no copy is under way (409 NoPendingCopyOperation)\n"
        + copied(there, target)
        + "  it was finished, was aborted, or was never begun\n",
    )
    assert stcc("blob", "copy-abort", target, ID) == Result(
        9,
        "",
        f"stcc: cannot abort the copy to {target}: another copy is under way (409 CopyIdMismatch)\n"
        + copied(there, target)
        + "  blob show tells its id\n",
    )


def test_a_copy_to_what_is_missing_is_not_aborted(stcc: Stcc, there: Situation) -> None:
    assert stcc("blob", "copy-abort", there.new_blob, ID) == Result(
        4,
        "",
        f"stcc: cannot abort the copy to {there.new_blob}: there is no such blob (404 BlobNotFound)\n"
        "  seen afterwards: exists false\n",
    )


def test_a_lost_answer_to_an_abort_is_settled_by_what_became_of_the_copy(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    target = there.blob
    for status in ("aborted", "success"):
        proxied.fail(Status(500), when=writes)
        proxied.fail(refusal(409, "NoPendingCopyOperation"), when=writes)
        proxied.fail(state(status), when=looks, times=1 if status == "aborted" else 3)

    assert proxied_stcc("blob", "copy-abort", target, ID) == Result(
        0, "", f"{BY_EVIDENCE}aborted the copy to {target}, which is empty now\n"
    )
    assert proxied_stcc("blob", "copy-abort", target, ID) == Result(
        70,
        "",
        f"stcc: {target}: the answer was lost (the service answered 500 InternalError);"
        " the change may or may not have been applied\n"
        f'  seen afterwards: etag "0x8D2", last modified {WHEN}, lease state available, lease status unlocked,'
        f" size 10, copy id {ID}, copy status success\n  look before you repeat it\n",
    )

"""Races: sixteen processes want the same thing, one gets it, and every other one is told so by its exit code."""

import uuid
from collections import Counter
from collections.abc import Iterator
from subprocess import Popen

from tests.running import Stcc
from tests.situations import Situation

RUNNERS = 16


def race(stcc: Stcc, argv: list[str], *, contents: bool = False) -> list[tuple[int, str]]:
    """Start all, let them go at once, and return exit code and stdout of each.

    With `contents`, all wait for their stdin, which gives each its own bytes when the last one is up.
    """
    runners: list[Popen[bytes]] = [stcc.process(*argv, stdin=-1) for _ in range(RUNNERS)]
    for number, runner in enumerate(runners):
        assert runner.stdin is not None
        if contents:
            runner.stdin.write(f"content {number:02}".encode())
        runner.stdin.flush()
    return list(results(runners))


def results(runners: list[Popen[bytes]]) -> Iterator[tuple[int, str]]:
    for runner in runners:
        assert runner.stdin is not None
        runner.stdin.close()  # what ends the wait of a put that reads it
    for runner in runners:
        assert runner.stdout is not None
        assert runner.stderr is not None
        with runner.stdout, runner.stderr:
            out = runner.stdout.read().decode()
            runner.stderr.read()
        yield runner.wait(30), out


def winner(found: list[tuple[int, str]], *, loser: int) -> tuple[int, str]:
    """Return the number and the stdout of the only winner."""
    assert Counter(code for code, _ in found) == {0: 1, loser: RUNNERS - 1}
    assert {out for code, out in found if code} == {""}
    number = next(number for number, (code, _) in enumerate(found) if code == 0)
    return number, found[number][1].strip()


def test_one_of_many_creates_a_blob(stcc: Stcc, there: Situation) -> None:
    found = race(stcc, there.argv("blob put {new_blob} - -q"), contents=True)

    number, etag = winner(found, loser=9)
    assert (there.content(there.new_blob), etag) == (
        f"content {number:02}".encode(),
        there.properties(there.new_blob).etag,
    )


def test_one_of_many_replaces_what_all_have_seen(stcc: Stcc, there: Situation) -> None:
    found = race(stcc, there.argv("blob put {blob} - -q --if-match {etag}"), contents=True)

    number, etag = winner(found, loser=12)
    assert (there.content(there.blob), etag) == (f"content {number:02}".encode(), there.properties(there.blob).etag)


def test_one_of_many_acquires_a_lease(stcc: Stcc, there: Situation) -> None:
    found = race(stcc, there.argv("lease acquire {blob} -q"))

    _, lease_id = winner(found, loser=9)
    assert lease_id == str(uuid.UUID(lease_id))
    there.lease(there.blob, lease_id).renew()


def test_one_of_many_deletes_what_all_have_seen(stcc: Stcc, there: Situation) -> None:
    found = race(stcc, there.argv("blob delete {blob} -q --if-match {etag} --no-diagnose"))

    codes = Counter(code for code, _ in found)
    # Azurite refuses an ETag of what is gone with 412, the service with 404.
    assert (codes[0], codes[4] + codes[12]) == (1, RUNNERS - 1)


def test_one_of_many_creates_a_container(stcc: Stcc, there: Situation) -> None:
    found = race(stcc, there.argv("container create {new_container} -q"))

    _, etag = winner(found, loser=9)
    assert etag == there.properties(there.new_container).etag


def test_without_a_condition_all_of_many_win(stcc: Stcc, there: Situation) -> None:
    # The same race with the check left out: were they not at it together, the others would prove nothing.
    found = race(stcc, there.argv("blob put {blob} - -q --force"), contents=True)

    assert Counter(code for code, _ in found) == {0: RUNNERS}
    assert len({out for _, out in found}) == RUNNERS
    assert there.properties(there.blob).etag + "\n" in {out for _, out in found}

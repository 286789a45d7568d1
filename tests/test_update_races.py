"""Eight processes change one blob at once: no change is lost, and few requests are wasted."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.azurite import ProxiedAccount
from tests.running import Result, Stcc
from tests.situations import Situation

PROCESSES, EACH = 8, 3
ADD_ONE = ("awk", "{ print $1 + 1 }")


def at_once(argv: list[str], stcc: Stcc) -> list[Result]:
    """Run the same command in so many processes, so many times in each."""
    with ThreadPoolExecutor(PROCESSES) as pool:
        runs = [pool.submit(lambda: [stcc.run(*argv) for _ in range(EACH)]) for _ in range(PROCESSES)]
        return [result for run in runs for result in run.result()]


@pytest.mark.parametrize("options", [(), ("--no-local-lock", "--attempts", "200")], ids=["turns", "no turns"])
def test_no_update_is_lost(
    options: tuple[str, ...], proxied: ProxiedAccount, there: Situation, tmp_path: object
) -> None:
    counter = there.named("counter", b"0\n")
    stcc = Stcc(connection_string=proxied.connection_string, environment={"XDG_STATE_HOME": str(tmp_path)})

    results = at_once(["blob", "update", counter, *options, "--", *ADD_ONE], stcc)

    assert {result.code for result in results} == {0}
    assert len({result.out for result in results}) == PROCESSES * EACH
    assert there.content(counter) == b"%d\n" % (PROCESSES * EACH)
    if not options:
        assert len(proxied.requests) == 2 * PROCESSES * EACH


def test_an_entity_is_not_lost_either(azurite: object, stcc: Stcc, there: Situation) -> None:
    argv = ["entity", "update", there.table, "P", "R", "--attempts", "200", "--", "jq", ".n += 1"]

    assert {result.code for result in at_once(argv, stcc)} == {0}
    assert stcc("entity", "get", there.table, "P", "R", "--query", "properties.n").out == f"{1 + PROCESSES * EACH}\n"


def test_without_the_condition_updates_are_lost(stcc: Stcc, there: Situation) -> None:
    """The negative control: the same work, where the last writer wins."""
    counter = there.named("counter", b"0\n")
    (first, second) = (int(stcc("blob", "get", counter, "-").out) for _ in range(2))
    for seen in (first, second):
        stcc("blob", "put", counter, "-", "--force", stdin=b"%d\n" % (seen + 1))

    assert there.content(counter) == b"1\n"

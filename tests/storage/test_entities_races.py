"""Sixteen writers at once: exactly one of them wins, and every other one is told so."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from tests.conftest import Names
from tests.running import Result, Stcc

WRITERS = 16


def race(ask: Callable[[int], Result]) -> list[Result]:
    """Ask sixteen times at once."""
    start = Barrier(WRITERS)

    def one(number: int) -> Result:
        start.wait(30)
        return ask(number)

    with ThreadPoolExecutor(WRITERS) as pool:
        return list(pool.map(one, range(WRITERS)))


def winner(results: list[Result]) -> int:
    return [result.code for result in results].index(0)


def test_one_of_many_inserts_the_entity(stcc: Stcc, names: Names) -> None:
    table = names()
    stcc("table", "create", table)
    results = race(lambda n: stcc("entity", "insert", table, "p", "r", f"by:={n}"))

    assert Counter(result.code for result in results) == {0: 1, 9: WRITERS - 1}
    by = stcc("entity", "get", table, "p", "r", "--query", "properties.by").out
    assert by == f"{winner(results)}\n"


def test_one_of_many_replaces_what_all_have_seen(stcc: Stcc, names: Names) -> None:
    table = names()
    stcc("table", "create", table)
    etag = stcc("entity", "insert", table, "p", "r").out.strip()
    results = race(lambda n: stcc("entity", "replace", table, "p", "r", f"by:={n}", "--if-match", etag))

    assert Counter(result.code for result in results) == {0: 1, 12: WRITERS - 1}
    by = stcc("entity", "get", table, "p", "r", "--query", "properties.by").out
    assert by == f"{winner(results)}\n"


def test_one_of_many_deletes_the_entity(stcc: Stcc, names: Names) -> None:
    table = names()
    stcc("table", "create", table)
    etag = stcc("entity", "insert", table, "p", "r").out.strip()
    results = race(lambda _: stcc("entity", "delete", table, "p", "r", "--if-match", etag))

    assert Counter(result.code for result in results) == {0: 1, 4: WRITERS - 1}


def test_merges_that_retry_until_they_are_accepted_lose_no_update(stcc: Stcc, names: Names) -> None:
    table = names()
    stcc("table", "create", table)
    stcc("entity", "insert", table, "p", "r", "count:=0")

    def add_one(_: int) -> Result:
        while True:
            shown = stcc("entity", "get", table, "p", "r", "--query", "[etag, properties.count]").out
            etag, count = shown.splitlines()
            change = f"count:={int(count) + 1}"
            result = stcc("entity", "merge", table, "p", "r", change, "--if-match", etag, "--no-diagnose")
            if result.code != 12:
                return result

    assert {result.code for result in race(add_one)} == {0}
    assert stcc("entity", "get", table, "p", "r", "--query", "properties.count").out == f"{WRITERS}\n"


def test_one_of_many_processes_inserts_the_entity(stcc: Stcc, names: Names) -> None:
    table = names()
    stcc("table", "create", table)
    processes = [stcc.process("entity", "insert", table, "p", "r", f"by:={n}", "-q") for n in range(WRITERS)]
    codes = Counter(process.wait() for process in processes if process.communicate())

    assert codes == {0: 1, 9: WRITERS - 1}

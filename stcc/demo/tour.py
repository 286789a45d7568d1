"""The tour: one walk-through after the other, step by step as they happen."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from stcc.demo import Strategy
from stcc.demo.blobs import last_writer_wins, optimistic, pessimistic
from stcc.demo.containers import container
from stcc.demo.files import file
from stcc.demo.locks import lock, semaphore
from stcc.demo.place import Place
from stcc.demo.queues import queue
from stcc.demo.tables import table
from stcc.errors import Denied, Interrupted, StccError, Unavailable
from stcc.exits import Exit
from stcc.operations.waiting import SystemClock
from stcc.outcomes import Ending
from stcc.outcomes.demo import Step

WALKS: Final[Mapping[Strategy, Callable[[Place], Iterator[Step]]]] = {
    "optimistic": optimistic,
    "pessimistic": pessimistic,
    "last-writer-wins": last_writer_wins,
    "container": container,
    "table": table,
    "queue": partial(queue, clock=SystemClock()),
    "file": file,
    "lock": partial(lock, clock=SystemClock()),
    "semaphore": partial(semaphore, clock=SystemClock()),
}


class Tour:
    """Counts, while it goes on, how many outcomes were as expected."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._seen: list[bool] = []

    def steps(self, strategies: Sequence[Strategy]) -> Iterator[Mapping[str, object]]:
        """Yield every step right after its answer; raise only what ends the tour as a whole."""
        for strategy in strategies:
            for number, step in enumerate(self._to_its_end(WALKS[strategy]), 1):
                self._seen.append(step.as_expected)
                yield step.item(strategy, number)

    def ending(self) -> Ending:
        """Return the verdict."""
        good, all_ = sum(self._seen), len(self._seen)
        summary = f"{good} of {all_} outcomes as expected"
        if good == all_:
            return Ending(kind="demo-as-expected", summary=summary)
        return Ending(kind="demo-deviated", exit_code=Exit.FAILED, summary=summary)

    def _to_its_end(self, walk: Callable[[Place], Iterator[Step]]) -> Iterator[Step]:
        try:
            yield from walk(self._place)
        except (Interrupted, Unavailable, Denied):
            raise
        except StccError as error:
            yield _broken_off(error)


def _broken_off(error: StccError) -> Step:
    return Step(
        asked="the rest of this walk-through",
        condition="",
        http_status=error.http_status,
        error_code=error.error_code,
        exit_code=error.exit_code,
        meaning=f"broken off: {error.message}",
        expected="an answer to go on with",
        as_expected=False,
    )

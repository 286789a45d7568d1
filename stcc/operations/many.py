"""The same for many things, a few at a time: an outcome for each, and one for all of them."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Final, NamedTuple

from stcc.errors import Interrupted, StccError
from stcc.exits import Exit
from stcc.outcomes import Ending, Refused
from stcc.outcomes.transfers import Transferred

FLYING: Final = 4
# After these, the next one would be answered just the same.
_HOPELESS: Final = frozenset({Exit.DENIED, Exit.UNAVAILABLE})


class Task(NamedTuple):
    """What is to be done for one thing; `do` returns what came of it, or raises why nothing did."""

    target: str
    path: str
    do: Callable[[], Transferred | Refused]


class Many:
    """Does tasks in their order, and counts what came of them.

    `done` and `failed` are what the ending is called; `nothing` is the exit code when there was nothing to do.
    """

    def __init__(self, tasks: Iterator[Task], *, done: str, failed: str, nothing: Exit = Exit.DONE) -> None:
        self._tasks = tasks
        self._done = done
        self._failed = failed
        self._nothing = nothing
        self._codes: Counter[int] = Counter()

    def items(self) -> Iterator[Mapping[str, object]]:
        """Yield an outcome for each task, in order, as soon as it is there.

        When the service lets nobody in, or is not there, those not begun are not tried.
        """
        pool = ThreadPoolExecutor(FLYING)
        flying: deque[tuple[Task, Future[Transferred | Refused]]] = deque()
        hopeless = False
        try:
            while flying or not hopeless:
                if not hopeless:
                    missing = FLYING - len(flying)
                    flying.extend((task, pool.submit(task.do)) for task in islice(self._tasks, missing))
                if not flying:
                    break
                code, item = _item(*flying.popleft())
                self._codes[code] += 1
                hopeless = hopeless or code in _HOPELESS
                yield item
            yield from self._not_tried()
        except KeyboardInterrupt as stop:
            what = f"{sum(self._codes.values())} were done; those under way may or may not have been"
            raise Interrupted(stop, what) from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def ending(self) -> Ending:
        """Return the outcome of all: 0, or the code that all failures share, or 70 if one is unknown, or 1."""
        # 2 would say that nothing was asked at all.
        bad = {Exit.FAILED if code == Exit.USAGE else code for code in self._codes if code != Exit.DONE}
        counts = ", ".join(f"{count} {_words(code)}" for code, count in sorted(self._codes.items()))
        story = f"{sum(self._codes.values())} in all: {counts}" if counts else "nothing to do"
        if not counts:
            return Ending(kind="absent" if self._nothing else self._done, exit_code=self._nothing, story=story)
        if not bad:
            return Ending(kind=self._done, story=story)
        code = bad.pop() if len(bad) == 1 else Exit.UNKNOWN if Exit.UNKNOWN in bad else Exit.FAILED
        return Ending(kind=self._failed, exit_code=Exit(code), story=story)

    def _not_tried(self) -> Iterator[Mapping[str, object]]:
        for task in self._tasks:
            self._codes[Exit.UNAVAILABLE] += 1
            _, row = _row(task, "not-tried", Exit.UNAVAILABLE, message="not tried, as the ones before it failed")
            yield row


def _words(code: int) -> str:
    return "done" if code == Exit.DONE else f"with {code} ({Exit(code).name.lower().replace('_', ' ')})"


def _item(task: Task, future: Future[Transferred | Refused]) -> tuple[int, Mapping[str, object]]:
    try:
        answer = future.result()
    except StccError as error:
        code = error.exit_code
        return _row(task, error.kind, code, message=error.message, status=error.http_status, error=error.error_code)
    if isinstance(answer, Refused):
        return _row(
            task,
            answer.outcome,
            answer.exit_code,
            message=answer.summary,
            status=answer.http_status,
            error=answer.error_code,
        )
    return _row(task, answer.kind, Exit.DONE, etag=answer.etag, size=answer.size, status=answer.reply.http_status)


def _row(
    task: Task,
    outcome: str,
    code: int,
    *,
    etag: str | None = None,
    size: int | None = None,
    status: int | None = None,
    error: str | None = None,
    message: str = "",
) -> tuple[int, Mapping[str, object]]:
    return code, {
        "exit_code": int(code),
        "outcome": outcome,
        "target": task.target,
        "path": task.path,
        "etag": etag,
        "size": size,
        "http_status": status,
        "error_code": error,
        "message": message,
    }

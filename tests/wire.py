"""What went over the wire, and what shall go wrong with it."""

import itertools
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request as the client put it on the wire: path and query still percent-encoded, header names in lower case.

    `status` is what the service answered, None while (or because) it did not.
    """

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes
    status: int | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """The service answers in full, the client gets a closed connection and not a byte."""


@dataclass(frozen=True, slots=True)
class Reset:
    """As `Drop`, with a TCP reset."""


@dataclass(frozen=True, slots=True)
class Truncate:
    """The client gets the first `size` bytes of the answer, counted from its status line, then a closed connection."""

    size: int


@dataclass(frozen=True, slots=True)
class Delay:
    """The service answers at once, the client gets the answer `seconds` later."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Status:
    """The service answers, the client gets a made-up answer with this status."""

    code: int


@dataclass(frozen=True, slots=True)
class Refuse:
    """The connection is closed; the service never sees the request."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The client gets this answer; the service never sees the request. A missing Content-Length is filled in."""

    code: int
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Stall:
    """Nothing happens until the client goes away; the service never sees the request."""


@dataclass(frozen=True, slots=True)
class CutBody:
    """A TCP reset as soon as `size` bytes of the request's body are read; the service never sees the request.

    Chosen when only the head has been read: its predicate sees an empty body. What the client could already
    send is up to the socket buffers: take a body of some MiB to interrupt it while it sends.
    """

    size: int


@dataclass(frozen=True, slots=True)
class Late:
    """The connection is closed at once, the service gets the request `seconds` later: it was still under way."""

    seconds: float


Fault = Drop | Reset | Truncate | Delay | Status | Refuse | Answer | Stall | CutBody | Late
Predicate = Callable[[Recorded], bool]


def every(_request: Recorded) -> bool:
    """Match all requests."""
    return True


def writes(request: Recorded) -> bool:
    """Match requests that can change something."""
    return request.method not in {"GET", "HEAD", "OPTIONS"}


class Wire:
    """What went over one or several proxies, in order of arrival, and the faults still to come.

    Threads may share it.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._numbers = itertools.count()
        self._requests: dict[int, Recorded] = {}
        self._faults: list[tuple[Fault, Predicate]] = []
        self._late = 0

    @property
    def requests(self) -> list[Recorded]:
        with self._changed:
            return list(self._requests.values())

    def clear(self) -> None:
        """Forget the requests and the faults that no request has met."""
        with self._changed:
            self._requests.clear()
            self._faults.clear()

    def fail(self, fault: Fault, *, when: Predicate = every, times: int = 1) -> None:
        """Give `fault` to the next `times` requests that match; of several faults that match, the oldest."""
        with self._changed:
            self._faults.extend([(fault, when)] * times)

    def take(self, request: Recorded, *, body_read: bool) -> Fault | None:
        with self._changed:
            for number, (fault, when) in enumerate(self._faults):
                if isinstance(fault, CutBody) is not body_read and when(request):
                    del self._faults[number]
                    return fault
        return None

    def record(self, request: Recorded) -> int:
        with self._changed:
            number = next(self._numbers)
            self._requests[number] = request
            return number

    def answered(self, number: int, status: int) -> None:
        with self._changed:
            if number in self._requests:
                self._requests[number] = replace(self._requests[number], status=status)

    @contextmanager
    def late(self) -> Generator[None]:
        with self._changed:
            self._late += 1
        try:
            yield
        finally:
            with self._changed:
                self._late -= 1
                self._changed.notify_all()

    def wait_for_late(self, *, seconds: float = 60) -> None:
        """Block until every `Late` request has been answered by the service; raise TimeoutError after `seconds`."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._late == 0, seconds):
                raise TimeoutError(f"{self._late} late requests are still under way")

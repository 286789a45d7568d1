"""Getting a blob: one request up to 32 MiB, ranges over a few connections beyond.

Every range after the first request carries the ETag of its answer, so a blob
that changes midway is refused and never mixed. (An empty blob takes two
requests: the service refuses every range of nothing.)
"""

import dataclasses
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Generic, Protocol, TypeVar

from stcc.errors import Unexpected
from stcc.outcomes import Content, Refused, Reply
from stcc.outcomes.blob import BlobGot
from stcc.storage.account import CONNECTIONS, ONE_REQUEST, Account
from stcc.storage.answers import Lost, Rejected, Said, ask
from stcc.storage.blobs import look_at
from stcc.storage.refusals import refused
from stcc.storage.settle import read
from stcc.values.conditions import Conditions
from stcc.values.targets import BlobTarget
from stcc.values.times import iso

# Measured: larger ranges are no faster, and each is in memory twice while it comes.
RANGE: Final = 6 * 1024 * 1024
# Ranges that are asked for ahead of the one that is awaited: while one is checked, the connections stay busy.
_AHEAD: Final = 2 * CONNECTIONS
_CHANGED: Final = "what was written so far is not all of it"
G = TypeVar("G")


class Progress(Protocol):
    """How a transfer says how far it is: bytes so far, bytes in all."""

    def __call__(self, done: int, total: int | None, /) -> object: ...


class Draft(Protocol):
    """What the bytes are written to, at their places, by several threads.

    `finished` are the offsets of the ranges that are there from an earlier time. `md5` reads what was written.
    """

    finished: frozenset[int]

    def write(self, data: bytes, offset: int, /) -> None: ...
    def finish(self, offset: int, /) -> None: ...
    def md5(self, size: int, /, *, ready: Callable[[], int]) -> bytes: ...


class Fetched(Protocol):
    """What was found, its first bytes at hand; `got` is the answer once everything is written."""

    kind: str
    name: str
    etag: str
    size: int

    @property
    def ranges(self) -> range: ...
    def first(self) -> Iterator[tuple[int, bytes]]: ...
    def fetch(self, offset: int) -> bytes: ...
    def check(self, md5: Callable[[], bytes]) -> None: ...
    def got(self, path: str) -> Any: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Bytes from `offset`, `length` of them or to the end."""

    offset: int
    length: int | None


class _Caught:
    """What the SDK writes the bytes of one range to: it has them in one piece, and any other way copies them."""

    data = b""

    def write(self, data: bytes, /) -> int:
        self.data += data
        return len(data)


F = TypeVar("F", bound=Fetched)


class Found:
    """A blob that was found, its first bytes at hand; the rest is fetched range by range."""

    kind = BlobGot.kind

    def __init__(
        self, said: Said[Any], client: Any, target: BlobTarget, *, span: Range | None, pin: Mapping[str, str]
    ) -> None:
        self._said = said
        self._client = client
        self._target = target
        self._start = 0 if span is None else span.offset
        self._pin = {**pin, "If-Match": said.value.properties.etag}
        self._md5 = said.value.properties.content_settings.content_md5 if span is None else None
        self.size = int(said.value.size)
        self.etag = str(said.value.properties.etag)
        self.name = str(target)
        self.properties = said.value.properties

    @property
    def reply(self) -> Reply:
        """The envelope of the first answer."""
        return self._said.reply()

    @property
    def identity(self) -> str:
        """What it is, and in which state: another blob, or the same one changed, has another identity."""
        return f"{self._client.url} {self.etag} {self.size}"

    @property
    def is_large(self) -> bool:
        """Whether more requests have to follow."""
        return self.size > ONE_REQUEST

    @property
    def ranges(self) -> range:
        """Where the ranges begin that were not in the first answer; each is of 6 MiB, or the rest."""
        return range(ONE_REQUEST, self.size, RANGE)

    def first(self) -> Iterator[tuple[int, bytes]]:
        """Yield what the first answer held, with its place."""
        for offset in range(0, min(self.size, ONE_REQUEST), RANGE):
            yield offset, self._said.value.read(min(RANGE, min(self.size, ONE_REQUEST) - offset))
        # The rest comes range by range; the SDK would keep the first bytes until the end.
        self._said = self._said._replace(value=None)

    def fetch(self, offset: int) -> bytes:
        """Return one range of the same blob; `Rejected` when it is not the same any more."""
        length = min(RANGE, self.size - offset)

        def asked() -> bytes:
            came = _Caught()
            ask(
                self._client.download_blob,
                offset=self._start + offset,
                length=length,
                headers=dict(self._pin),
            ).value.readinto(came)
            if len(came.data) != length:
                raise Lost(f"{len(came.data)} of {length} bytes came")
            return came.data

        return read(asked, target=self._target)

    def got(self, path: str) -> BlobGot:
        """Return the answer, once everything is written."""
        return BlobGot(
            reply=self.reply,
            target=str(self._target),
            etag=self.etag,
            last_modified=iso(self.properties.last_modified) or "",
            size=self.size,
            path=path,
        )

    def check(self, md5: Callable[[], bytes]) -> None:
        """Compare the bytes with the MD5 that is stored beside them, if there is one; `Unexpected` if it is another."""
        if self._md5 is not None and md5() != bytes(self._md5):
            raise Unexpected(
                f"{self._target}: the bytes do not have the MD5 that is stored with them",
                target=str(self._target),
                hint="they were damaged on the way, or whoever stored them gave a wrong one: blob show",
            )


class Download(Generic[F, G]):
    """One blob or file `F` on its way to a local file, a stream, or stdout; `G` is the answer in the end."""

    def __init__(self, found: F, refuse: Callable[[Rejected, str], Refused], progress: Progress) -> None:
        self.found = found
        self._refuse = refuse
        self._progress = progress

    def into(self, draft: Draft, *, path: str) -> G | Refused:
        """Write everything to its place; `Unavailable` when the bytes stop coming, a refusal when they change."""
        found, done = self.found, 0
        try:
            for offset, data in found.first():
                draft.write(data, offset)
                done += len(data)
                self._progress(done, found.size)
            landing = self._landing(draft, done)
            found.check(lambda: draft.md5(found.size, ready=lambda: next(landing, found.size)))
            for _ in landing:
                pass
        except Rejected as rejected:
            return self._refuse(rejected, found.etag)
        answer: G = found.got(path)
        return answer

    def _landing(self, draft: Draft, done: int) -> Iterator[int]:
        """Fetch what is missing, and yield how many bytes from the start are all there."""
        yield min(done, self.found.size)
        missing = deque(offset for offset in self.found.ranges if offset not in draft.finished)
        flying: dict[Future[int], int] = {}
        pool = ThreadPoolExecutor(CONNECTIONS)

        def move(offset: int) -> int:
            data = self.found.fetch(offset)
            draft.write(data, offset)
            return len(data)

        done = self.found.size - sum(min(RANGE, self.found.size - offset) for offset in missing)
        try:
            while missing or flying:
                while missing and len(flying) < _AHEAD:
                    offset = missing.popleft()
                    flying[pool.submit(move, offset)] = offset
                landed, _ = wait(flying, return_when=FIRST_COMPLETED)
                for one in landed:
                    done += one.result()
                    draft.finish(flying.pop(one))
                self._progress(done, self.found.size)
                yield min([*flying.values(), *islice(missing, 1), self.found.size])
        finally:
            # Whom a refusal or Ctrl-C ends does not wait for the answers under way.
            pool.shutdown(wait=False, cancel_futures=True)

    def poured(self, out: Callable[[bytes], object], *, path: str) -> G | Refused:
        """Write everything in its order, to what has no places."""
        done = 0
        try:
            for data in self._in_order():
                out(data)
                done += len(data)
                self._progress(done, self.found.size)
        except Rejected as rejected:
            refusal = self._refuse(rejected, self.found.etag)
            return dataclasses.replace(refusal, hint=_CHANGED) if done else refusal
        answer: G = self.found.got(path)
        return answer

    def content(self) -> Content:
        """Return the bytes for stdout."""

        def write(out: Callable[[bytes], object]) -> Refused | None:
            answer = self.poured(out, path="-")
            return answer if isinstance(answer, Refused) else None

        return Content(kind=self.found.kind, target=self.found.name, etag=self.found.etag, write=write)

    def _in_order(self) -> Iterator[bytes]:
        for _, data in self.found.first():
            yield data
        pool = ThreadPoolExecutor(CONNECTIONS)
        ranges, flying = iter(self.found.ranges), deque[Future[bytes]]()
        try:
            flying.extend(pool.submit(self.found.fetch, offset) for offset in islice(ranges, CONNECTIONS))
            while flying:
                yield flying.popleft().result()
                flying.extend(pool.submit(self.found.fetch, offset) for offset in islice(ranges, 1))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def get(
    account: Account, target: BlobTarget, *, conditions: Conditions, span: Range | None, progress: Progress
) -> "Download[Found, BlobGot] | Refused":
    """Ask for a blob; `progress` is told (bytes so far, bytes in all)."""
    client = account.blob(target)

    def refuse(rejected: Rejected, expected: str | None) -> Refused:
        return refused(rejected, target=target, doing="get", look=look_at(account, client), expected=expected)

    asked = {} if span is None else {"offset": span.offset, "length": span.length}
    try:
        said = read(
            lambda: ask(client.download_blob, max_concurrency=1, headers=conditions.headers(), **asked), target=target
        )
    except Rejected as rejected:
        return refuse(rejected, conditions.expected_etag)
    lease = {} if conditions.lease_id is None else {"x-ms-lease-id": conditions.lease_id}
    return Download(Found(said, client, target, span=span, pin=lease), refuse, progress)

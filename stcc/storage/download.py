"""Getting a blob: one request up to 32 MiB, ranges over a few connections beyond.

Every range after the first carries the ETag of the first answer, so a blob
that changes midway is refused and never mixed. (An empty blob takes two
requests: the service refuses every range of nothing.)
"""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO

from stcc.errors import Unavailable
from stcc.outcomes import Content, Refused
from stcc.outcomes.blob import BlobGot
from stcc.storage.account import BLOCK, CONNECTIONS, ONE_REQUEST, Account
from stcc.storage.answers import Lost, Rejected, Said, Unsent, ask, attempt
from stcc.storage.blobs import look_at
from stcc.storage.refusals import refused
from stcc.storage.settle import read
from stcc.values.conditions import Conditions
from stcc.values.targets import BlobTarget
from stcc.values.times import iso

Progress = Callable[[int, int | None], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Bytes from `offset`, `length` of them or to the end."""

    offset: int
    length: int | None


class Download:
    """A blob that was found, its first bytes at hand; the rest comes when it is written.

    `part` asks for (offset, length) of this very version of the blob.
    """

    def __init__(
        self,
        said: Said[Any],
        target: BlobTarget,
        *,
        offset: int,
        part: Callable[[int, int], bytes],
        refuse: Callable[[Rejected], Refused],
        progress: Progress,
    ) -> None:
        self._said = said
        self._target = target
        self._offset = offset
        self._part = part
        self._refuse = refuse
        self._progress = progress

    @property
    def size(self) -> int:
        """How many bytes will be written."""
        return int(self._said.value.size)

    def into(self, file: BinaryIO, *, path: str) -> BlobGot | Refused:
        """Write everything to a file; `Unavailable` when the bytes stop coming."""
        try:
            written = self._pour(file.write)
        except Rejected as rejected:
            return self._refuse(rejected)
        if written != self.size:
            raise Unavailable(f"{self._target}: {written} of {self.size} bytes came", target=str(self._target))
        properties = self._said.value.properties
        return BlobGot(
            reply=self._said.reply(),
            target=str(self._target),
            etag=properties.etag,
            last_modified=iso(properties.last_modified) or "",
            size=written,
            path=path,
        )

    def content(self) -> Content:
        """Return the bytes for stdout."""

        def write(out: Callable[[bytes], object]) -> int:
            try:
                return self._pour(out)
            except Rejected as rejected:
                hint = "what was written so far is not the whole blob"
                raise Unavailable(f"{self._target}: {rejected}", target=str(self._target), hint=hint) from rejected

        return Content(kind="blob-got", target=str(self._target), etag=self._said.value.properties.etag, write=write)

    def _pour(self, write: Callable[[bytes], object]) -> int:
        written = 0
        try:
            for chunk in chain(self._at_hand(), self._rest()):
                write(chunk)
                written += len(chunk)
                self._progress(written, self.size)
        except (Lost, Unsent) as failure:
            raise Unavailable(
                f"{self._target}: {failure}", target=str(self._target), hint="the local file is as it was"
            ) from failure
        return written

    def _at_hand(self) -> Iterator[bytes]:
        """Yield what came with the first answer."""
        chunks = iter(self._said.value.chunks())
        left = min(self.size, ONE_REQUEST)
        while left > 0 and (chunk := attempt(lambda: next(chunks, None))) is not None:
            left -= len(chunk)
            yield chunk

    def _rest(self) -> Iterator[bytes]:
        """Yield the ranges beyond the first answer in their order, a few of them under way at a time."""
        end = self._offset + self.size
        pool = ThreadPoolExecutor(CONNECTIONS)
        flying: deque[Future[bytes]] = deque()
        try:
            for start in range(self._offset + ONE_REQUEST, end, BLOCK):
                if len(flying) == CONNECTIONS:
                    yield flying.popleft().result()
                flying.append(pool.submit(self._part, start, min(BLOCK, end - start)))
            while flying:
                yield flying.popleft().result()
        finally:
            # Whoever ends this early (a refusal, Ctrl-C) does not wait for answers that nobody will read.
            pool.shutdown(wait=False, cancel_futures=True)


def get(
    account: Account, target: BlobTarget, *, conditions: Conditions, span: Range | None, progress: Progress
) -> Download | Refused:
    """Ask for a blob; `progress` is told (bytes so far, bytes in all)."""
    client = account.blob(target)

    def refuse(rejected: Rejected) -> Refused:
        look = look_at(account, client)
        return refused(rejected, target=target, doing="get", look=look, expected=conditions.expected_etag)

    asked = {} if span is None else {"offset": span.offset, "length": span.length}
    try:
        said = read(
            lambda: ask(
                client.download_blob,
                headers=conditions.headers(),
                **asked,
            ),
            target=target,
        )
    except Rejected as rejected:
        return refuse(rejected)
    same = {**conditions.headers(), "If-Match": said.value.properties.etag}

    def part(offset: int, length: int) -> bytes:
        def ask_for_part() -> bytes:
            return bytes(attempt(ask(client.download_blob, offset, length, headers=dict(same)).value.readall))

        return read(ask_for_part, target=target)

    offset = 0 if span is None else span.offset
    return Download(said, target, offset=offset, part=part, refuse=refuse, progress=progress)

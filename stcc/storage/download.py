"""Getting a blob: one request up to 32 MiB, ranges over a few connections beyond.

Every range after the first carries the ETag of the first answer, so a blob
that changes midway is refused and never mixed. (An empty blob takes two
requests: the service refuses every range of nothing.)
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, BinaryIO

from stcc.errors import Unavailable
from stcc.outcomes import Content, Refused
from stcc.outcomes.blob import BlobGot
from stcc.storage.account import CONNECTIONS, Account
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
    """A blob that was found, its first bytes at hand; the rest comes when it is written."""

    def __init__(self, said: Said[Any], target: BlobTarget, refuse: Callable[[Rejected, str], Refused]) -> None:
        self._said = said
        self._target = target
        self._refuse = refuse

    @property
    def size(self) -> int:
        """How many bytes will be written."""
        return int(self._said.value.size)

    def into(self, file: BinaryIO, *, path: str) -> BlobGot | Refused:
        """Write everything to a file; `Unavailable` when the bytes stop coming."""
        try:
            # Several connections write at several places, which a pipe or a device does not have.
            written = (
                self._moved(lambda: _apart(lambda: self._said.value.readinto(file)))
                if file.seekable()
                else self._pour(file.write)
            )
        except Rejected as rejected:
            return self._refuse(rejected, self._said.value.properties.etag)
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
        chunks = iter(self._said.value.chunks())
        written = 0
        while (chunk := self._moved(lambda: next(chunks, None))) is not None:
            write(chunk)
            written += len(chunk)
        return written

    def _moved(self, move: Callable[[], Any]) -> Any:
        try:
            return attempt(move)
        except (Lost, Unsent) as failure:
            raise Unavailable(
                f"{self._target}: {failure}", target=str(self._target), hint="the local file is as it was"
            ) from failure


def _apart(call: Callable[[], Any]) -> Any:
    """Call something on a thread of its own: whom Ctrl-C ends does not wait for the answers under way."""
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(call).result()
    finally:
        pool.shutdown(wait=False)


def get(
    account: Account, target: BlobTarget, *, conditions: Conditions, span: Range | None, progress: Progress
) -> Download | Refused:
    """Ask for a blob; `progress` is told (bytes so far, bytes in all)."""
    client = account.blob(target)

    def refuse(rejected: Rejected, expected: str | None) -> Refused:
        return refused(rejected, target=target, doing="get", look=look_at(account, client), expected=expected)

    asked = {} if span is None else {"offset": span.offset, "length": span.length}
    try:
        said = read(
            lambda: ask(
                client.download_blob,
                max_concurrency=CONNECTIONS,
                headers=conditions.headers(),
                progress_hook=progress,
                **asked,
            ),
            target=target,
        )
    except Rejected as rejected:
        return refuse(rejected, conditions.expected_etag)
    return Download(said, target, refuse)

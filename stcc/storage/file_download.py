"""Getting a file: one request up to 32 MiB, ranges over a few connections beyond.

The file service knows no If-Match. What comes is compared instead: every range
carries the ETag of the file at that moment, and one that is not the first one's
ends the transfer. (A writer that changes the file and leaves the ETag alone, as
an SMB client may for a while, is not seen: a lease on the file keeps it out.)
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from stcc.errors import Changed, Unexpected
from stcc.outcomes import Refused
from stcc.outcomes.file import FileGot
from stcc.storage.account import ONE_REQUEST, Account
from stcc.storage.answers import Lost, Rejected, Said, ask_tagged, modified
from stcc.storage.download import RANGE, Download, Progress, Range
from stcc.storage.files import refusal
from stcc.storage.settle import read
from stcc.values.conditions import Conditions
from stcc.values.targets import FileTarget

_CONTENT_RANGE: Final = re.compile(r"bytes (\d+)-(\d+)/(\d+)", re.ASCII)


class FoundFile:
    """A file that was found, its first bytes at hand; the rest is fetched range by range."""

    kind = FileGot.kind

    def __init__(
        self, said: Said[bytes], client: Any, target: FileTarget, *, span: Range | None, lease: str | None
    ) -> None:
        self._said = said
        self._client = client
        self._target = target
        self._lease = lease
        self._start = 0 if span is None else span.offset
        rest = _total(said) - self._start
        self.size = rest if span is None or span.length is None else min(rest, span.length)
        self.etag = said.headers["etag"]
        self.name = str(target)
        self._md5 = None if span is not None else _stored_md5(said)

    @property
    def ranges(self) -> range:
        """Where the ranges begin that were not in the first answer."""
        return range(len(self._said.value) or ONE_REQUEST, self.size, RANGE)

    def first(self) -> Iterator[tuple[int, bytes]]:
        """Yield what the first answer held, with its place."""
        if self._said.value:
            yield 0, self._said.value

    def fetch(self, offset: int) -> bytes:
        """Return one range of the same file; `Changed` when another ETag came with it."""
        length = min(RANGE, self.size - offset)
        said = read(
            lambda: _asked(self._client, self._lease, offset=self._start + offset, length=length), target=self._target
        )
        if said.headers["etag"] != self.etag:
            raise Changed(
                f"{self.name}: it changed while it was read",
                target=self.name,
                hint="get it again; a lease on the file keeps writers out meanwhile",
                observed={"expected_etag": self.etag, "etag": said.headers["etag"]},
            )
        if len(said.value) != length:
            raise Unexpected(f"{self.name}: {len(said.value)} of {length} bytes came", target=self.name)
        return said.value

    def check(self, md5: Callable[[], bytes]) -> None:
        """Compare the bytes with the MD5 that is stored beside them, if there is one; `Unexpected` if it is another."""
        if self._md5 is not None and md5() != self._md5:
            raise Unexpected(
                f"{self.name}: the bytes do not have the MD5 that is stored with them",
                target=self.name,
                hint="they were damaged on the way, or somebody wrote since it was stored: the service does not mind",
            )

    def got(self, path: str) -> FileGot:
        """Return the answer, once everything is written."""
        return FileGot(
            reply=self._said.reply(),
            target=self.name,
            etag=self.etag,
            last_modified=modified(self._said.headers),
            size=self.size,
            path=path,
        )


def get(
    account: Account, target: FileTarget, *, conditions: Conditions, span: Range | None, progress: Progress
) -> Download[FoundFile, FileGot] | Refused:
    """Ask for a file; `progress` is told (bytes so far, bytes in all)."""
    client, lease = account.file(target), conditions.lease_id

    def refuse(rejected: Rejected, _expected: str | None) -> Refused:
        return refusal(account, target, rejected, doing="get")

    asked: dict[str, int] = {}
    if span is not None:
        asked = {"offset": span.offset, "length": min(span.length or ONE_REQUEST, ONE_REQUEST)}
    try:
        said = read(lambda: _asked(client, lease, **asked), target=target)
    except Rejected as rejected:
        return refuse(rejected, None)
    return Download(FoundFile(said, client, target, span=span, lease=lease), refuse, progress)


def _asked(client: Any, lease: str | None, **asked: int) -> Said[bytes]:
    """Ask for one range, in one request, and return its bytes; `Lost` when not all of them came."""
    said: Said[Any] = ask_tagged(client.download_file, lease=lease, max_concurrency=1, **asked)
    data = next(said.value.chunks(), b"") if _total(said) else b""
    whole = _CONTENT_RANGE.fullmatch(said.headers.get("content-range", ""))
    if whole is not None and len(data) != int(whole[2]) - int(whole[1]) + 1:
        raise Lost(f"{len(data)} of {int(whole[2]) - int(whole[1]) + 1} bytes came")
    return said._replace(value=data)


def _total(said: Said[Any]) -> int:
    """Return how long the whole file is."""
    match = _CONTENT_RANGE.fullmatch(said.headers.get("content-range", ""))
    return int(said.headers.get("content-length", "0")) if match is None else int(match[3])


def _stored_md5(said: Said[Any]) -> bytes | None:
    """Return the MD5 of the whole file; beside a range, Content-MD5 would be that of the range."""
    ranged = "content-range" in said.headers
    text = said.headers.get("x-ms-content-md5" if ranged else "content-md5")
    try:
        return None if text is None else base64.b64decode(text, validate=True)
    except binascii.Error:
        return None

"""A record that many share: one line of JSON in a small blob, changed only if nobody has changed it since.

Every time that counts comes from one 2xx answer of the service: its Date, and how long before that the record
was last written. Both are whole seconds, and two front ends may differ by one, so others add two. (locks.md, 0.10)
"""

import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, NamedTuple, TypeVar

from azure.storage.blob import ContentSettings

from stcc.errors import Unknown
from stcc.operations.locking import Overtaken
from stcc.operations.waiting import Clock
from stcc.outcomes import Refused, Reply
from stcc.storage.account import Account
from stcc.storage.answers import Lost, Rejected, Said, Unsent, ask, ask_tagged, attempt_to_read
from stcc.storage.refusals import refused
from stcc.storage.settle import change, read
from stcc.values.places import AzurePlace

T = TypeVar("T")
# What a record may be late by for others: one second for whole seconds, one for clocks that differ.
SLACK: Final = 2.0
# An age of whole seconds may be one too much: who holds it is told that its time is over when that is certain.
ROUNDING: Final = 1.0
# The metadata that a listing shows, where the record itself is not read.
METADATA: Final = "stcc"
_LARGEST: Final = 1024 * 1024
_LOST_RACE: Final = frozenset({"ConditionNotMet", "BlobAlreadyExists"})


# How a record fails that somebody else has written.
MALFORMED: Final = (KeyError, TypeError, ValueError, AttributeError, OverflowError)


class Found(NamedTuple):
    """What is there; without a record, `etag` is None and nobody has made the blob yet.

    `age`: seconds since it was last written, `date`: milliseconds of the service's clock, in the same answer.
    """

    record: Mapping[str, Any] | None
    etag: str | None
    age: float
    date: int
    asked: float
    reply: Reply


class Stored(NamedTuple):
    """A record that was written, `date` milliseconds of the service's clock, `asked` on ours before it was sent."""

    etag: str
    date: int
    asked: float
    reply: Reply


class Records:
    """The record of one name."""

    def __init__(self, account: Account, place: AzurePlace, *, clock: Clock) -> None:
        self._account = account.without_looking()
        self._client = self._account.blob(place.blob)
        self._place = place
        self._clock = clock

    def read(self) -> Found | Refused:
        """Read it; what is no record of this kind is refused."""
        asked = self._clock.monotonic()
        try:
            said = read(self._content, target=self._place)
        except Rejected as rejected:
            if rejected.code == "InvalidRange":  # it is empty
                return self._not_ours("no record of stcc", rejected.headers)
            if rejected.status != 404:
                return self._refused(rejected, "read")
            missing = Reply(http_status=404, request_id=rejected.request_id)
            return Found(None, None, 0.0, 0, asked, missing)
        record = parsed(said.value)
        if record is None or record.get("kind") != self._place.kind:
            what = "no record of stcc" if record is None else f"a record of kind {record.get('kind')!r}"
            return self._not_ours(what, said.headers)
        date, written = (_milliseconds(said.headers[name]) for name in ("date", "last-modified"))
        return Found(record, said.headers["etag"], (date - written) / 1000, date, asked, said.reply())

    def understood(self, found: Found, reading: Callable[[Found], T]) -> T | Refused:
        """Return what a reading makes of a record; one that was not written by stcc is refused, and stays."""
        try:
            return reading(found)
        except MALFORMED:
            return self._not_ours("a record that stcc has not written", {})

    def write(
        self, record: Mapping[str, Any], *, over: str | None, listed: Mapping[str, Any] | None = None
    ) -> Stored | Overtaken | Refused:
        """Write a record over the version with this ETag, or where there is none.

        `listed` is what a listing shows of it, the record itself unless something else is given. A lost answer
        is settled by an operation id in the record.
        """
        marked = {"kind": self._place.kind, **record, "op": uuid.uuid4().hex}
        data = line(marked)
        shown = data.decode() if listed is None else line({"kind": self._place.kind, **listed}).decode()
        condition = {"If-None-Match": "*"} if over is None else {"If-Match": over}
        asked = self._clock.monotonic()
        try:
            said, settled = change(
                lambda: ask_tagged(
                    self._client.upload_blob, data, length=len(data), overwrite=True, headers=dict(condition),
                    content_settings=ContentSettings(content_type="application/json"), metadata={METADATA: shown},
                ),
                target=self._place,
                evidence=lambda: self._left(marked["op"]),
            )  # fmt: skip
        except Rejected as rejected:
            return Overtaken() if rejected.code in _LOST_RACE else self._refused(rejected, "change")
        except Unknown:
            if self._has_gone_on(over, marked["op"]):
                return Overtaken(perhaps=True)
            raise
        return Stored(
            said.headers["etag"], _milliseconds(said.headers["last-modified"]), asked, said.reply(settled=settled)
        )

    def begin(self) -> int | Refused:
        """Get ready to write the first record of a name, and return the service's time in milliseconds.

        The next second of the service's clock has begun when this returns: a name that is made, deleted and
        made again within one second would give the same fence twice.
        """
        container = self._account.container(self._place.blob.container)

        def look() -> Said[Any]:
            return ask(container.get_container_properties)

        try:
            try:
                said = read(look, target=self._place)
            except Rejected as rejected:
                if rejected.status != 404:
                    raise
                said = self._made(container, look)
        except Rejected as rejected:
            return self._refused(rejected, "make the container of")
        self._clock.sleep(1.0)
        return _milliseconds(said.headers["date"])

    def _made(self, container: Any, look: Callable[[], Said[Any]]) -> Said[Any]:
        """Make the container; whoever made it, that it is there is enough."""
        try:
            said, _ = change(lambda: ask(container.create_container), target=self._place, evidence=look)
        except Rejected as rejected:
            if rejected.code != "ContainerAlreadyExists":
                raise
            return read(look, target=self._place)
        return said

    def _content(self) -> Said[bytes]:
        said = ask(self._client.download_blob, offset=0, length=_LARGEST)
        content = attempt_to_read(said.value.readall)
        if not {"date", "last-modified", "etag"} <= said.headers.keys() or said.value.size != len(content):
            raise Lost("the answer was cut off")
        return Said(content, said.status, said.headers)

    def _left(self, operation: str) -> Said[Any] | None:
        """Return the answer that was lost, if the record is the very one that was sent."""
        said = self._content()
        record = parsed(said.value)
        return said if record is not None and record.get("op") == operation else None

    def _has_gone_on(self, over: str | None, operation: str) -> bool:
        """Tell whether somebody has written since, so that a lost request is not there now and never will be."""
        try:
            said = self._content()
        except (Rejected, Lost, Unsent):
            return False
        record = parsed(said.value) or {}
        return said.headers["etag"] != over and record.get("op") != operation

    def _refused(self, rejected: Rejected, doing: str) -> Refused:
        return refused(rejected, target=self._place, doing=doing)

    def _not_ours(self, what: str, headers: Mapping[str, str]) -> Refused:
        """Return the refusal of a blob that keeps something else: it is left as it is."""
        found = Rejected(409, None, "", headers)
        return refused(found, target=self._place, doing="use", before=f"blob {self._place.blob} holds {what}")


def rest(pauses: Iterator[float], *, left: float | None, limit: float) -> float:
    """Return for how many seconds there is nothing to look at, `left` before it may be free by itself, None: never."""
    return max(0.0, min(next(pauses), limit, limit if left is None else max(0.05, left)))


def line(record: Mapping[str, Any]) -> bytes:
    """Return a record as one line of ASCII."""
    return json.dumps(record, separators=(",", ":")).encode("ascii")


def moment(milliseconds: int) -> datetime:
    """Return a moment of the service's clock."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def parsed(data: bytes) -> Mapping[str, Any] | None:
    """Return a record, None for what is none."""
    try:
        record: Any = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None  # pyright: ignore[reportUnknownVariableType]


def _milliseconds(date: str) -> int:
    return int(parsedate_to_datetime(date).timestamp() * 1000)

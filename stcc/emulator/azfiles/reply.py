"""One answer, and the two kinds of document that answers have."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from stcc.emulator.azfiles.refusals import Refusal

XML = "application/xml"
_HEAD = '\ufeff<?xml version="1.0" encoding="utf-8"?>'


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """`body` comes at once, or in pieces of together `length` bytes."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    pieces: Iterator[bytes] | None = None
    length: int | None = None


def document(status: int, markup: str, headers: Mapping[str, str] | None = None) -> Reply:
    """Return an answer with an XML document, as the service writes it: with a byte order mark."""
    return Reply(status=status, headers={"content-type": XML, **(headers or {})}, body=(_HEAD + markup).encode())


def element(name: str, text: object) -> str:
    """Return an element with a text; an empty one is short."""
    inside = escape(str(text))
    return f"<{name}>{inside}</{name}>" if inside else f"<{name} />"


def refused(refusal: Refusal, *, request_id: str, time: str) -> Reply:
    """Return the answer to what is refused; the sentence ends with the request, as the service's does."""
    message = f"{refusal.message}\nRequestId:{request_id}\nTime:{time}"
    facts = "".join(element(name, value) for name, value in refusal.facts.items())
    return document(
        refusal.status,
        f"<Error>{element('Code', refusal.code)}{element('Message', message)}{facts}</Error>",
        {"x-ms-error-code": refusal.code},
    )

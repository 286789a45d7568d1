"""Messages of a queue: how a body becomes the text that a queue holds, and back; the limits of the service.

A queue holds text, and the text travels in XML. So a body is sent either as it
is (`text`), when XML can carry every character of it, or as base64, which is
what the queue triggers of Azure Functions expect.
"""

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Final, Literal, get_args
from uuid import UUID

from stcc.errors import Usage
from stcc.values.times import whole_seconds

Encoding = Literal["text", "base64"]
ENCODINGS: Final[tuple[Encoding, ...]] = get_args(Encoding)
LIMIT: Final = 64 * 1024
LONGEST_HIDDEN: Final = 7 * 86400
DEFAULT_TTL: Final = 7 * 86400
NEVER: Final = -1
_LONGEST_TTL: Final = 2**31 - 1
# XML 1.0 has no other control characters, no surrogates, no U+FFFE and U+FFFF; and it reads every \r\n and \r as \n.
_NOT_IN_XML = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")
_XML_SPACE = re.compile("[ \t\r\n]+")
_PRINTABLE = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True, slots=True)
class Body:
    """The content of a message, and what it was in the queue: base64, or `text` that is shown as it is."""

    content: bytes
    encoding: Encoding

    @property
    def text(self) -> str | None:
        """The content as text, or None when it is not UTF-8."""
        try:
            return self.content.decode()
        except UnicodeDecodeError:
            return None


def encoding(name: str) -> Encoding:
    """Return the encoding of that name."""
    for known in ENCODINGS:
        if name == known:
            return known
    raise Usage(f"--encoding is not known: {name!r}", hint=" or ".join(ENCODINGS))


def from_argument(text: str, *, option: str) -> bytes:
    """Return the bytes that were typed; nothing at all is refused, for it is what an unset variable looks like."""
    if not text:
        raise Usage(f"{option} is empty", hint="is the variable set? An empty message is sent from stdin: -")
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise Usage(f"{option} is not text", hint="it holds half of a surrogate pair") from None


def most_bytes(encoding: Encoding) -> int:
    """Return how long a content may be."""
    return LIMIT if encoding == "text" else LIMIT // 4 * 3


def encoded(content: bytes, *, encoding: Encoding) -> str:
    """Return the text that the queue shall hold; `Usage` for what it cannot hold or give back unchanged."""
    if len(content) > most_bytes(encoding):
        raise Usage(
            f"the message is too large: more than {most_bytes(encoding)} bytes",
            hint="a message holds 64 KiB of text, or 48 KiB as base64",
        )
    if encoding == "base64":
        return base64.b64encode(content).decode()
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise Usage("the message is not UTF-8 text", hint="--encoding base64 sends any bytes") from None
    if found := _NOT_IN_XML.search(text):
        raise Usage(
            f"the message cannot be sent as text: character {found.start() + 1} is U+{ord(found[0]):04X}",
            hint="messages travel in XML, which loses or refuses it; --encoding base64 sends any bytes",
        )
    return text


def decoded(text: str, *, encoding: Encoding) -> Body:
    """Return the content of what a queue holds; what should be base64 and is not, exactly, stays as it is."""
    if encoding == "base64":
        # Line breaks between the digits are common, and every reader of the services skips them.
        digits = _XML_SPACE.sub("", text).encode("utf-8", "surrogatepass")
        content = _from_base64(digits)
        if base64.b64encode(content) == digits:
            return Body(content, "base64")
    return Body(text.encode("utf-8", "surrogatepass"), "text")


def _from_base64(digits: bytes) -> bytes:
    try:
        return base64.b64decode(digits)
    except binascii.Error:
        return b""


def message_id(text: str) -> str:
    """Return the id of a message in the form the service prints: a GUID in lower case."""
    if not text.strip():
        raise Usage("the message's id is empty", hint="is the variable set?")
    try:
        return str(UUID(text.strip()))
    except ValueError:
        raise Usage(f"not the id of a message: {text!r}", hint="a GUID, as printed by dequeue and send") from None


def pop_receipt(text: str) -> str:
    """Return a receipt as it is: opaque, but never empty."""
    if not text.strip():
        raise Usage("--pop-receipt is empty", hint="is the variable set? the newest one, as printed by dequeue or send")
    if _PRINTABLE.fullmatch(text) is None:
        raise Usage(f"--pop-receipt is not one receipt: {text!r}", hint="as printed by dequeue, send or update")
    return text


def hidden(text: str, *, low: int) -> int:
    """Return for how many seconds a message is hidden: `low` (1 to take it, 0 to give it back) to 7 days."""
    return whole_seconds(text, option="--visibility", low=low, high=LONGEST_HIDDEN, note="which are 7 days at most")


def ttl(text: str) -> int:
    """Return after how many seconds a message expires, or `NEVER`."""
    if text in {"never", str(NEVER)}:
        return NEVER
    return whole_seconds(text, option="--ttl", low=1, high=_LONGEST_TTL, note="or never")


def check_hidden_before_expiry(*, hidden: int | None, ttl: int | None) -> None:
    """Refuse a message that would expire before anybody could see it."""
    expires = DEFAULT_TTL if ttl is None else ttl
    if hidden is not None and expires != NEVER and hidden >= expires:
        raise Usage(
            f"--visibility {hidden}s is not shorter than the message lives: {expires}s",
            hint="it would expire before anybody could see it; a longer --ttl, or --ttl never",
        )

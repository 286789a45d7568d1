"""The HTTP headers that are stored with a blob and come back with its content."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from stcc.errors import Usage

DEFAULT_TYPE: Final = "application/octet-stream"
# Option -> the SDK's name. All six are set together: the service clears what a request leaves out.
NAMES: Final = {
    "--content-type": "content_type",
    "--content-encoding": "content_encoding",
    "--content-language": "content_language",
    "--content-disposition": "content_disposition",
    "--cache-control": "cache_control",
    "--content-md5": "content_md5",
}
_MD5_BYTES: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderEdit:
    """What is to become of the headers: SDK name -> new value, and the names to clear."""

    given: Mapping[str, str | bytes]
    cleared: frozenset[str]

    def applied_to(self, stored: Mapping[str, object]) -> dict[str, object]:
        """Return all headers as they are to be, by SDK name; a blob always has a content type."""
        kept = {name: value for name, value in stored.items() if value is not None and name not in self.cleared}
        return {"content_type": DEFAULT_TYPE, **kept, **self.given}


def header_edit(given: Mapping[str, str | None], *, clear: Sequence[str], replace: bool) -> HeaderEdit:
    """Parse the headers' options (None: not given), the names to clear, and whether the others go."""
    values = {option: text for option, text in given.items() if text is not None}
    if not values and not clear:
        raise Usage("no header is given", hint=f"one of {', '.join(NAMES)}, or --clear")
    if replace and clear:
        raise Usage("--replace clears every header that is not given; it excludes --clear")
    if replace and not values:
        raise Usage("--replace needs a header: a request without one changes nothing")
    for name in clear:
        if f"--{name}" in values:
            raise Usage(f"--clear {name} and --{name} exclude each other")
    parsed = {NAMES[option]: _value(option, text) for option, text in values.items()}
    return HeaderEdit(given=parsed, cleared=frozenset(NAMES[f"--{name}"] for name in clear))


def _value(option: str, text: str) -> str | bytes:
    if not text.strip():
        hint = "is the variable set?" + ("" if option == "--content-type" else f" --clear {option[2:]} clears it")
        raise Usage(f"{option} is empty", hint=hint)
    if not text.isascii() or not text.isprintable() or text != text.strip():
        raise Usage(f"{option} cannot be sent in a header: {text!r}", hint="printable ASCII, no space at either end")
    return _md5(text) if option == "--content-md5" else text


def _md5(text: str) -> bytes:
    try:
        digest = base64.b64decode(text, validate=True)
    except binascii.Error:
        digest = b""
    if len(digest) != _MD5_BYTES:
        raise Usage(f"--content-md5 is not 16 bytes in base64: {text!r}", hint="openssl md5 -binary FILE | base64")
    return digest

"""Text for two streams, and how text from storage is made harmless."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeGuard

# C0 and C1 controls, and what reorders or breaks a line (bidirectional controls, separators).
_HARMFUL = "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
_HARMFUL_BUT_LAYOUT = _HARMFUL.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f")
# What somebody may have pasted into the wrong place: signatures, keys by name, and 64 bytes of base64.
_SECRETS = (
    r"(?i)(?<=sig=)[^&;'\"\s]+|(?<=AccountKey=)[^&;'\"\s]+|(?<=SharedAccessSignature=)[^;'\"\s]+|[a-z0-9+/]{86}=="
)


class Text(NamedTuple):
    """What a script wants to read, and what a person wants to know; each whole lines, or empty."""

    out: str = ""
    err: str = ""


def visible(text: str) -> str:
    """Return text in which no control character can act on a terminal; line ends stay."""
    return "\n".join(re.sub(_HARMFUL, _escape, line) for line in text.split("\n"))


def on_terminal(text: str) -> str:
    """Return text for a terminal: as `visible`, but tabs still separate columns."""
    return re.sub(_HARMFUL_BUT_LAYOUT, _escape, text)


def cell(value: object) -> str:
    """Return one value on one line: control characters and line ends made visible, nothing as an empty text."""
    return re.sub(_HARMFUL, _escape, plain(value))


def without_secrets(text: str) -> str:
    """Return what goes to stderr or into the document of a failure: quoted input may be a secret in the wrong place."""
    return re.sub(_SECRETS, "...", text)


def plain(value: object) -> str:
    """Return one value as people write it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_mapping(value) and type(value).__str__ is object.__str__:  # unless it has a text of its own
        return " ".join(f"{name}={plain(one)}" for name, one in value.items())
    return str(value)


def is_mapping(value: object) -> TypeGuard[Mapping[str, object]]:
    """Tell a JSON object."""
    return isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[list[object]]:
    """Tell a JSON array."""
    return isinstance(value, list)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    short = {9: "\\t", 10: "\\n", 13: "\\r"}
    return short.get(code) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def pairs(fields: Mapping[str, object]) -> str:
    """Return `name  value` lines, names aligned; what is nothing is left out."""
    shown = {name.replace("_", " "): cell(value) for name, value in fields.items() if value not in (None, "", {})}
    width = max(map(len, shown), default=0)
    return "".join(f"{name:<{width}}  {value}\n" for name, value in shown.items())


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return aligned columns under a heading."""
    lines = [[name.replace("_", " ") for name in columns], *([cell(value) for value in row] for row in rows)]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    return "".join("  ".join(map(_padded, line, widths)).rstrip() + "\n" for line in lines)


def tsv_line(values: Iterable[object]) -> str:
    r"""Return one line of tab-separated values, with `\t \n \r \\` escaped in each."""
    return "\t".join(_tsv(plain(value)) for value in values) + "\n"


def _tsv(text: str) -> str:
    for raw, escaped in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(raw, escaped)
    return text


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _width(text: str) -> int:
    """Count terminal columns: East Asian wide characters take two, combining and invisible ones none."""
    if text.isascii():
        return len(text)
    import unicodedata

    def columns(char: str) -> int:
        if unicodedata.category(char) in {"Mn", "Me", "Cf"}:
            return 0
        return 2 if unicodedata.east_asian_width(char) in "WF" else 1

    return sum(map(columns, text))

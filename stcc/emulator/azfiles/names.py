"""Names of shares, directories and files: which are allowed, and how a path in a URL is taken apart.

A name is only ever a value in a table, never part of a path on this machine.
"""

import re
from typing import Final
from urllib.parse import unquote_to_bytes

from stcc.emulator.azfiles.refusals import Refusal

LONGEST: Final = 255
LONGEST_PATH: Final = 2048
DEEPEST: Final = 250
_SHARE: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FORBIDDEN: Final = re.compile(r'["\\:|<>*?\x00-\x1f\x7f\x81\ue000]')
_DEVICES: Final = frozenset(
    {"LPT", "COM", "PRN", "AUX", "NUL", "CON", "CLOCK$"}
    | {f"{port}{n}" for port in ("LPT", "COM") for n in range(1, 10)}
)


def decoded(raw: str) -> str:
    """Return what a part of the URL says: percent-encoded UTF-8."""
    try:
        return unquote_to_bytes(raw).decode()
    except UnicodeDecodeError:
        raise Refusal("InvalidUri") from None


def check_share(name: str) -> None:
    """Raise Refusal unless a share may have this name."""
    if not 3 <= len(name) <= 63:
        raise Refusal("OutOfRangeInput")
    if _SHARE.fullmatch(name) is None:
        raise Refusal("InvalidResourceName")


def path(text: str, *, keep_trailing_dots: bool) -> tuple[str, ...]:
    """Return the names of a path such as `a/b/c.txt`; one trailing slash does not count.

    Without `keep_trailing_dots` the service drops the dots at the end of a name, as Windows does.
    """
    text = text.removesuffix("/")
    if not text:
        return ()
    names = tuple(name if keep_trailing_dots else (name.rstrip(".") or name) for name in text.split("/"))
    if len(text) > LONGEST_PATH or len(names) > DEEPEST or not all(map(_allowed, names)):
        raise Refusal("InvalidFileOrDirectoryPathName")
    return names


def folded(name: str) -> str:
    """Return what is the same for two names that the service takes for one: case does not count.

    Letter by letter, as Windows does: the German sharp s is not two letters.
    """
    return "".join(upper if len(upper := letter.upper()) == 1 else letter for letter in name)


def _allowed(name: str) -> bool:
    if not 0 < len(name) <= LONGEST or not name.strip("."):
        return False
    return _FORBIDDEN.search(name) is None and name.upper() not in _DEVICES

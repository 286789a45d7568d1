"""Paths in a share: the service's own rules for the names of files and directories."""

import re
from typing import Final
from urllib.parse import unquote

from stcc.errors import Usage

# What no name may have: the same as on Windows.
_FORBIDDEN = r'["\\:|<>*?\x00-\x1f\x7f\x81\ue000]'
_DEVICES: Final = frozenset(
    {"LPT", "COM", "PRN", "AUX", "NUL", "CON", "CLOCK$"}
    | {f"{port}{number}" for port in ("LPT", "COM") for number in range(1, 10)}
)
# The service counts UTF-16 units.
_NAME_LIMIT: Final = 255
_PATH_LIMIT: Final = 2048
_DEEPEST: Final = 250


def path(text: str) -> str:
    """Return a path such as `a/b/c.txt`, which the service would accept; empty for the root directory."""
    names = text.split("/") if text else []
    for name in names:
        _check(name, of=text)
    if _units(text) > _PATH_LIMIT or len(names) > _DEEPEST:
        raise Usage(f"the path is longer than {_PATH_LIMIT} characters, or deeper than {_DEEPEST} directories")
    return text


def is_below(path: str, directory: str) -> bool:
    """Tell whether a path is somewhere in a directory, by its name alone."""
    return _folded(path).startswith(f"{_folded(directory)}/")


def _folded(path: str) -> str:
    """Return what is the same for two paths that the service takes for one: case does not count.

    Letter by letter, as Windows does: the German sharp s is not two letters.
    """
    return "".join(upper if len(upper := letter.upper()) == 1 else letter for letter in path)


def _check(name: str, *, of: str) -> None:
    if not name:
        raise Usage(f"the path has an empty name: {of!r}", hint="one slash between two names: SHARE/DIR/FILE")
    # An HTTP client normalises these away, and the request would reach something else.
    if not name.strip(".") or unquote(unquote(name)).replace("\\", "/").strip("/") in {".", ".."}:
        raise Usage(f"a segment '.' or '..' cannot be part of a path: {of!r}")
    if re.search(_FORBIDDEN, name) or name.upper() in _DEVICES:
        msg = f"not the name of a file or directory: {name!r}"
        raise Usage(msg, hint='no " \\ : | < > * ? or control character, and no device such as NUL')
    if _units(name) > _NAME_LIMIT:
        raise Usage(f"a name of the path is longer than {_NAME_LIMIT} characters")


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2

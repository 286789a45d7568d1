"""What a command takes its bytes from, and what kind of bytes they are."""

import re

from stcc import files
from stcc.errors import Usage
from stcc.runtime import Runtime

_RANGE = re.compile(r"(\d{1,18})-(\d{1,18})?", re.ASCII)


def source(name: str, runtime: Runtime) -> files.Opened:
    """Return a file to be sent, or stdin."""
    if name == "-":
        return files.already_open(runtime.bytes_in, name="stdin")
    if not name.strip():
        raise Usage("the source is empty", hint="is the variable set? - is stdin")
    return files.reading(name)


def whole(name: str, runtime: Runtime, *, most: int, what: str) -> bytes:
    """Return all bytes of a source that has to fit in one request; `Usage` when it does not, or is empty."""
    with source(name, runtime) as opened:
        data = opened.read(most + 1)
    if len(data) > most:
        raise Usage(f"{what} is larger than {most // 1024**2} MiB, the most that one request takes")
    if not data:
        raise Usage(f"{what} is empty", hint="the service takes no request without bytes for this")
    return data


def content_type(given: str | None, *names: str) -> str:
    """Return the media type that was given, else the one that the first name with a known ending suggests."""
    if given is None:
        import mimetypes

        guesses = (mimetypes.guess_type(name, strict=False) for name in names)
        return next((kind for kind, encoding in guesses if kind and encoding is None), "application/octet-stream")
    if not given.strip() or not given.isascii() or not given.isprintable():
        raise Usage(f"--content-type is not a media type: {given!r}")
    return given.strip()


def span_of(text: str | None) -> tuple[int, int | None]:
    """Return the first and the last byte that --range names, both counted from 0; None is the end."""
    if text is None:
        return 0, None
    match = _RANGE.fullmatch(text)
    first, last = (int(match[1]), None if match[2] is None else int(match[2])) if match else (0, None)
    if match is None or (last is not None and last < first):
        raise Usage(f"--range is not FIRST-LAST: {text!r}", hint="bytes counted from 0, both included: 0-99, or 100-")
    return first, last

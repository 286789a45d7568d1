"""A JSON document that a command takes from a file or from stdin."""

from pathlib import Path
from typing import Final

from stcc.errors import Usage
from stcc.runtime import Runtime

_LARGEST: Final = 16 * 1024 * 1024  # bytes; an entity of 1 MiB cannot be longer, however it is escaped


def document(runtime: Runtime, source: str, *, of: str) -> object:
    """Return what the file that --from names holds; `-` is stdin, and whatever is wrong with it is `Usage`.

    `of` says what it is a document of, for people ("an entity").
    """
    from stcc.values.strict_json import strict_json

    return strict_json(_text(runtime, source, of=of), what="--from")


def _text(runtime: Runtime, source: str, *, of: str) -> str:
    if not source.strip():
        raise Usage("--from is empty", hint="is the variable set? - is stdin")
    try:
        data = runtime.bytes_in.read(_LARGEST + 1) if source == "-" else _head(source)
        if len(data) > _LARGEST:
            raise Usage(f"--from is larger than {of} can be: {source!r}")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Usage(f"--from is not UTF-8: {source!r}", hint=f"byte {error.start} is the first that is not") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not the name of a file"
        raise Usage(f"--from cannot be read: {source!r}", hint=reason) from None


def _head(name: str) -> bytes:
    with Path(name).open("rb") as file:
        return file.read(_LARGEST + 1)

"""Where the next page of a listing begins, as an opaque text."""

import base64
import binascii
import json

from stcc.emulator.azfiles.refusals import bad_parameter


def written(*key: str) -> str:
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode()


def read(text: str, *, size: int) -> tuple[str, ...]:
    """Return the key that a marker stands for, empty texts without one; raise Refusal."""
    if not text:
        return ("",) * size
    try:
        key = json.loads(base64.urlsafe_b64decode(text.encode()))
    except (ValueError, binascii.Error):
        raise bad_parameter("marker", text) from None
    if not isinstance(key, list) or len(key) != size or not all(isinstance(part, str) for part in key):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # JSON
        raise bad_parameter("marker", text)
    return tuple(key)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # texts, as checked

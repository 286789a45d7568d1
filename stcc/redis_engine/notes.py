"""What stcc writes down beside the keys of others: one line of JSON for each holder."""

import json
import uuid
from typing import Any, Final, NamedTuple

from stcc.values.claims import Tenure

# What everybody who keeps fences can count to: the last one before that leaves room for the next ones.
_MOST: Final = 2**62


class Note(NamedTuple):
    """A tenure as it is written; `expires` in microseconds of the server's clock, None for never or not kept."""

    tenure: Tenure
    expires: int | None = None


def line(note: Note) -> bytes:
    """Return a note with a mark of its own, so that no other change leaves the same."""
    fields = note.tenure._asdict() | {"expires": note.expires, "op": uuid.uuid4().hex}
    return json.dumps(fields, separators=(",", ":")).encode("ascii")


def read(data: bytes | None, identity: str) -> Note | None:
    """Return the note about this identity, None for what is none: it may be about a former holder."""
    try:
        fields: Any = json.loads(data or b"")
        if fields["identity"] != identity:
            return None
        tenure = Tenure(
            identity=identity,
            ttl=None if fields["ttl"] is None else float(fields["ttl"]),
            since=str(fields["since"]),
            fence=int(fields["fence"]),
            note=None if fields["note"] is None else str(fields["note"]),
            leave=bool(fields["leave"]),
        )
        return Note(tenure, None if fields["expires"] is None else int(fields["expires"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def is_number(data: bytes | None) -> bool:
    """Tell whether this can be the last fence of a name; None is none yet."""
    return data is None or (data.isdigit() and int(data) < _MOST)


def number(data: bytes | None) -> int:
    """Return the last fence of a name; 0 where there is none."""
    return int(data or b"0")


def text(data: bytes) -> str:
    """Return an identity as text; what is not UTF-8 stays recognizable."""
    return data.decode("utf-8", "backslashreplace")

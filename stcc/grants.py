"""What was granted on this machine, one small file each: it saves a request, and is never needed.

A file is found by who holds what; it does not say who that is. It counts until the deadline on a clock that
runs on while the machine sleeps, and only for this boot of it.
"""

import contextlib
import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

from platformdirs import user_state_dir

from stcc.values.claims import Tenure

_NOTHING: Final = type(None)
_FIELDS: Final = {
    "ttl": (int, float, _NOTHING),
    "since": (str, _NOTHING),
    "fence": (int, _NOTHING),
    "note": (str, _NOTHING),
}
_OTHERS: Final = {"last": (int,), "etag": (str,), "deadline": (int, float, _NOTHING), "boot": (str,)}
_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")


class Remembered(NamedTuple):
    """A grant that may still be good: what was written, and the ETag under which it lies."""

    tenure: Tenure
    fence: int
    etag: str


def remember(place: str, tenure: Tenure, *, fence: int, etag: str, deadline: float | None) -> None:
    """Keep a grant; where that cannot be done, the next command asks once more."""
    document = {name: getattr(tenure, name) for name in _FIELDS}
    document |= {"last": fence, "etag": etag, "deadline": deadline, "boot": _boot()}
    path = _path(place, tenure.identity)
    draft = path.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(document, file)
        draft.replace(path)


def remembered(place: str, identity: str, *, now: float) -> Remembered | None:
    """Return the grant of this identity, unless its time is over or the file is not what it should be."""
    try:
        document: Any = json.loads(_path(place, identity).read_text(encoding="utf-8"))
        # A field of another type would be written into the record, and damage it.
        if not all(isinstance(document[name], types) for name, types in (_FIELDS | _OTHERS).items()):
            return None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    deadline = document["deadline"]
    if document["boot"] != _boot() or (deadline is not None and deadline <= now):
        return None
    tenure = Tenure(identity=identity, **{name: document[name] for name in _FIELDS})
    return Remembered(tenure, document["last"], document["etag"])


def forget(place: str, identity: str) -> None:
    """Forget a grant."""
    with contextlib.suppress(OSError):
        _path(place, identity).unlink()


def _path(place: str, identity: str) -> Path:
    name = hashlib.sha256(f"{place}\n{identity}".encode()).hexdigest()[:32]
    return Path(user_state_dir("stcc", appauthor=False)) / "grants" / f"{name}.json"


def _boot() -> str:
    """Name this boot of the machine: the deadline is on a clock that begins with it."""
    with contextlib.suppress(OSError):
        return _BOOT.read_text().strip()
    return str(int((time.time() - time.monotonic()) / 10))

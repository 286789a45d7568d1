"""Who wants a lock, a permit or the lead, for how long, and what is written down about it."""

import json
import re
import secrets
from typing import Final, NamedTuple

from stcc.errors import Usage
from stcc.values import times

DEFAULT_TTL: Final = "30s"
_SHORTEST: Final = 1.0
_LONGEST: Final = 366 * 86400.0
_IDENTITY_LIMIT: Final = 512
# Metadata and record are the same line, and the service takes 8 KiB of metadata.
_LONGEST_LINE: Final = 4096
_NOT_PLAIN: Final = re.compile(r"[\x00-\x1f\x7f]")


class Claim(NamedTuple):
    """What somebody asks for; `ttl` in seconds, None: until it is released."""

    identity: str
    ttl: float | None
    note: str | None = None


class Tenure(NamedTuple):
    """What is known of a hold: `since` is RFC 3339 by the service's clock.

    `since`, `fence` and `note` are None where the holder is a client that knows only identities.
    `leave` says that somebody has asked the leader to resign.
    """

    identity: str
    ttl: float | None
    since: str | None
    fence: int | None
    note: str | None = None
    leave: bool = False


def claim(identity: str | None, ttl: str, note: str | None = None) -> Claim:
    """Return what the options ask for; without an identity a random one, which nobody else can have."""
    chosen = secrets.token_hex(16) if identity is None else parse_identity(identity)
    if note is not None and (not note.strip() or not note.isprintable()):
        raise Usage("--note is empty, or has characters that cannot be shown", hint="a few words on one line")
    return Claim(identity=chosen, ttl=parse_ttl(ttl), note=note)


def parse_identity(text: str) -> str:
    """Check an identity: some text on one line, which every client must be able to send and to show."""
    if not text.strip():
        raise Usage("the identity is empty", hint="is the variable set?")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise Usage("the identity is not UTF-8 text") from None
    if _NOT_PLAIN.search(text):
        raise Usage("the identity contains a control character")
    if size > _IDENTITY_LIMIT:
        raise Usage(f"the identity is longer than {_IDENTITY_LIMIT} bytes")
    return text


def parse_ttl(text: str, *, option: str = "--ttl") -> float | None:
    """Return seconds, `none` as None: kept until it is released, also by somebody who has died."""
    if text == "none":
        return None
    seconds = times.duration(text, option=option)
    if not _SHORTEST <= seconds <= _LONGEST:
        raise Usage(f"{option} is out of range: {text!r}", hint="1s to 366d, or none: kept until it is released")
    return int(seconds) if seconds == int(seconds) else seconds


def record(tenure: Tenure | None, fence: int) -> dict[str, object]:
    """Return what is written down of a hold, or of nobody's; `fence` is the last number that was given."""
    if tenure is None:
        return {"fence": fence}
    leave = {"leave": True} if tenure.leave else {}
    return {
        "fence": fence,
        "identity": tenure.identity,
        "ttl": tenure.ttl,
        "since": tenure.since,
        "note": tenure.note,
        **leave,
    }


def check_size(kind: str, claim: Claim) -> None:
    """Refuse a claim whose record would be too long for the metadata in which a listing shows it."""
    tenure = Tenure(claim.identity, claim.ttl, "0000-00-00T00:00:00Z", 10**15, claim.note, leave=True)
    written = {"kind": kind, **record(tenure, 10**15), "op": "0" * 32}
    if len(json.dumps(written, separators=(",", ":"))) > _LONGEST_LINE:
        raise Usage("identity and note are too long together", hint="the record of a lock is one line of 4 KiB")

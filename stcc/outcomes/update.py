"""Answers about what was read, changed, and written back."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from stcc.outcomes import Reply


class Version(NamedTuple):
    """One state of a document: its bytes, and the ETag to write it back under; None for what is still to be made.

    `due`: it is to be written even if its content stays as it is.
    """

    content: bytes
    etag: str | None
    reply: Reply
    due: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Updated:
    """`changed` is False when nothing had to be written; `attempts` says how often it was read.

    `etag` is None for an entity whose ETag is not known, though it is written.
    """

    noun: ClassVar[str] = "update"
    kind: ClassVar[str] = "updated"

    reply: Reply
    target: str
    etag: str | None
    changed: bool
    attempts: int
    size: int

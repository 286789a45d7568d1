"""Answers about locks."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from stcc.outcomes import Reply

COLUMNS = {"locks-listed": ("name", "state", "holder", "since", "expires", "fence", "note")}


@dataclass(frozen=True, slots=True, kw_only=True)
class LockAcquired:
    """`ttl` in seconds, None: until it is released; `give_back` releases what could not be printed.

    Where the same identity held it before, there is nothing to give back.
    """

    noun: ClassVar[str] = "lock"
    kind: ClassVar[str] = "lock-acquired"

    reply: Reply
    target: str
    identity: str
    fence: int | None
    ttl: float | None
    since: str | None
    expires: str | None
    give_back: Callable[[], object] | None = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockRenewed:
    noun: ClassVar[str] = "lock"
    kind: ClassVar[str] = "lock-renewed"

    reply: Reply
    target: str
    identity: str
    fence: int | None
    ttl: float | None
    expires: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LockReleased:
    """`was` is `held`, or `free` or `expired`: then there was nothing to release any more."""

    noun: ClassVar[str] = "lock"
    kind: ClassVar[str] = "lock-released"

    reply: Reply | None
    target: str
    identity: str
    fence: int | None
    was: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LockShown:
    """`since`, `fence` and `note` are None for a holder that came without stcc; `expires` None: never."""

    noun: ClassVar[str] = "lock"
    kind: ClassVar[str] = "lock-shown"

    reply: Reply | None
    target: str
    identity: str
    since: str | None
    expires: str | None
    ttl: float | None
    fence: int | None
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LockBroken:
    """`identity` and `fence` are those of the holder who lost it."""

    noun: ClassVar[str] = "lock"
    kind: ClassVar[str] = "lock-broken"

    reply: Reply
    target: str
    identity: str
    fence: int | None


LockOutcome = LockAcquired | LockRenewed | LockReleased | LockShown | LockBroken

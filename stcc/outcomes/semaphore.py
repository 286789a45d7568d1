"""Answers about semaphores."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from stcc.outcomes import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class SemaphoreCreated:
    """`created` is False where it was there already, with the same maximum."""

    noun: ClassVar[str] = "semaphore"
    kind: ClassVar[str] = "semaphore-created"

    reply: Reply | None
    target: str
    max: int
    created: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SemaphoreResized:
    """`current` permits are held; while they are more than `max`, no new one is given."""

    noun: ClassVar[str] = "semaphore"
    kind: ClassVar[str] = "semaphore-resized"

    reply: Reply | None
    target: str
    max: int
    was: int
    current: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PermitAcquired:
    """`ttl` in seconds, None: until it is released; `give_back` releases what could not be printed."""

    noun: ClassVar[str] = "semaphore"
    kind: ClassVar[str] = "permit-acquired"

    reply: Reply
    target: str
    identity: str
    fence: int | None
    ttl: float | None
    expires: str | None
    max: int
    current: int
    give_back: Callable[[], object] = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PermitRenewed:
    noun: ClassVar[str] = "semaphore"
    kind: ClassVar[str] = "permit-renewed"

    reply: Reply
    target: str
    identity: str
    ttl: float | None
    expires: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PermitReleased:
    noun: ClassVar[str] = "semaphore"
    kind: ClassVar[str] = "permit-released"

    reply: Reply
    target: str
    identity: str
    max: int
    current: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SemaphoreShown:
    """`holders` in the order of their grants: identity, since, expires, fence, note; None is not known, or never."""

    noun: ClassVar[str] = "semaphore"
    kind: ClassVar[str] = "semaphore-shown"

    reply: Reply | None
    target: str
    max: int
    current: int
    holders: Sequence[Mapping[str, object]]


SemaphoreOutcome = (
    SemaphoreCreated | SemaphoreResized | PermitAcquired | PermitRenewed | PermitReleased | SemaphoreShown
)

"""Answers about leases."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from stcc.outcomes import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseAcquired:
    """`duration` in seconds, None for ever; `give_back` releases a lease whose id could not be printed."""

    noun: ClassVar[str] = "lease"
    kind: ClassVar[str] = "lease-acquired"

    reply: Reply
    target: str
    lease_id: str
    duration: int | None
    etag: str
    last_modified: str
    give_back: Callable[[], object] = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseRenewed:
    noun: ClassVar[str] = "lease"
    kind: ClassVar[str] = "lease-renewed"

    reply: Reply
    target: str
    lease_id: str
    etag: str
    last_modified: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseChanged:
    """`lease_id` is the new one."""

    noun: ClassVar[str] = "lease"
    kind: ClassVar[str] = "lease-changed"

    reply: Reply
    target: str
    lease_id: str
    etag: str
    last_modified: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseReleased:
    noun: ClassVar[str] = "lease"
    kind: ClassVar[str] = "lease-released"

    reply: Reply
    target: str
    etag: str
    last_modified: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseBroken:
    """`seconds_left` until others may acquire it, `free_at` the same as a moment; `waited` says that it is over."""

    noun: ClassVar[str] = "lease"
    kind: ClassVar[str] = "lease-broken"

    reply: Reply
    target: str
    seconds_left: int
    free_at: str
    waited: bool
    etag: str
    last_modified: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseShown:
    """`state` is available, leased, breaking, broken or expired; `duration` fixed or infinite, while leased."""

    noun: ClassVar[str] = "lease"
    kind: ClassVar[str] = "lease-shown"

    reply: Reply
    target: str
    state: str
    status: str
    duration: str | None
    etag: str
    last_modified: str


LeaseOutcome = LeaseAcquired | LeaseRenewed | LeaseChanged | LeaseReleased | LeaseBroken | LeaseShown

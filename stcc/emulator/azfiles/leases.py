"""Leases: what each action makes of one, for shares (15 to 60 seconds, or without end) and files (without end only)."""

import json
from dataclasses import asdict, dataclass, replace
from typing import Final, Literal
from uuid import uuid4

from stcc.emulator.azfiles.refusals import Refusal

State = Literal["available", "leased", "expired", "breaking", "broken"]
ENDLESS: Final = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """`until` is when a leased one expires or a breaking one is broken, in seconds since 1970; None for never.

    The id stays known after the end: release, renew and the refusals depend on it.
    """

    state: State = "available"
    id: str = ""
    duration: int = ENDLESS
    until: float | None = None

    def at(self, now: float) -> "Lease":
        """Return what time has made of it."""
        if self.until is None or now < self.until:
            return self
        return replace(self, state="expired" if self.state == "leased" else "broken", until=None)

    @property
    def is_active(self) -> bool:
        return self.state in {"leased", "breaking"}

    def left(self, now: float) -> int:
        """Return the whole seconds until the end, counted as the service does: upwards."""
        return 0 if self.until is None else max(0, -int(-(self.until - now) // 1))


NONE: Final = Lease()


def stored(lease: Lease) -> str:
    return "" if lease == NONE else json.dumps(asdict(lease))


def loaded(text: str) -> Lease:
    return Lease(**json.loads(text)) if text else NONE


def acquire(lease: Lease, *, proposed: str | None, duration: int, now: float) -> Lease:
    if lease.state == "breaking" and proposed == lease.id:
        raise Refusal("LeaseIsBreakingAndCannotBeAcquired")
    if lease.is_active and proposed != lease.id:
        raise Refusal("LeaseAlreadyPresent")
    return _leased(proposed or str(uuid4()), duration, now)


def renew(lease: Lease, *, given: str, now: float) -> Lease:
    if lease.state == "available" or given != lease.id:
        raise Refusal("LeaseIdMismatchWithLeaseOperation")
    if lease.state in {"breaking", "broken"}:
        raise Refusal("LeaseIsBrokenAndCannotBeRenewed")
    return _leased(lease.id, lease.duration, now)


def change(lease: Lease, *, given: str, proposed: str) -> Lease:
    """Give the lease another id; once more with the same pair is no error."""
    if not lease.is_active:
        raise Refusal("LeaseNotPresentWithLeaseOperation")
    if lease.state == "breaking" and given == lease.id:
        raise Refusal("LeaseIsBreakingAndCannotBeChanged")
    if lease.state == "breaking" or lease.id not in {given, proposed}:
        raise Refusal("LeaseIdMismatchWithLeaseOperation")
    return replace(lease, id=proposed)


def release(lease: Lease, *, given: str) -> Lease:
    if lease.state == "available" or given != lease.id:
        raise Refusal("LeaseIdMismatchWithLeaseOperation")
    return NONE


def broken(lease: Lease, *, period: int | None, now: float) -> Lease:
    """Break the lease, after `period` seconds but never later than it would have ended by itself."""
    if lease.state == "available":
        raise Refusal("LeaseNotPresentWithLeaseOperation")
    if not lease.is_active:
        return replace(lease, state="broken")
    ends = [moment for moment in (lease.until, None if period is None else now + period) if moment is not None]
    until = min(ends, default=now)
    return replace(lease, state="breaking", until=until).at(now)


def check_file_write(lease: Lease, given: str | None) -> None:
    """Raise Refusal unless this lease id, or none, may change the file."""
    if lease.is_active and given is None:
        raise Refusal("LeaseIdMissing")
    check_file_read(lease, given)


def check_file_read(lease: Lease, given: str | None) -> None:
    if given is None:
        return
    if not lease.is_active:
        raise Refusal("LeaseNotPresentWithFileOperation")
    if given != lease.id:
        raise Refusal("LeaseIdMismatchWithFileOperation")


def check_share_delete(lease: Lease, given: str | None) -> None:
    if lease.is_active and given is None:
        raise Refusal("LeaseIdMissing")
    check_share(lease, given)


def check_share(lease: Lease, given: str | None) -> None:
    """Raise Refusal when a lease id comes with a request that needs none, and is not the active one."""
    if given is None:
        return
    if lease.state == "available":
        raise Refusal("LeaseNotPresentWithContainerOperation")
    if given != lease.id:
        raise Refusal("LeaseIdMismatchWithContainerOperation")
    if not lease.is_active:
        raise Refusal("LeaseLost")


def described(lease: Lease) -> dict[str, str]:
    """Return the lease as properties show it."""
    locked = {"x-ms-lease-status": "locked" if lease.is_active else "unlocked", "x-ms-lease-state": lease.state}
    if lease.state == "leased":
        locked["x-ms-lease-duration"] = "infinite" if lease.duration == ENDLESS else "fixed"
    return locked


def _leased(chosen: str, duration: int, now: float) -> Lease:
    until = None if duration == ENDLESS else now + duration
    return Lease(state="leased", id=chosen, duration=duration, until=until)

"""Semaphores on Azure: one record with the maximum and every holder.

A holder's time begins with the Date of the read that its grant is based on, and on its own clock a moment
before that read, so the others are always the later ones.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from stcc.operations.locking import Overtaken
from stcc.operations.permits import Permit, PermitGranted, Permits
from stcc.operations.waiting import Clock, pauses
from stcc.outcomes import Refused, Reply
from stcc.storage.account import Account
from stcc.storage.locks import tenure_of
from stcc.storage.records import ROUNDING, SLACK, Found, Records, Stored, moment, rest
from stcc.values.claims import Claim, Tenure
from stcc.values.places import AzurePlace
from stcc.values.times import iso


class _Holder(NamedTuple):
    """A holder as the record has it; `date` is milliseconds of the service's clock."""

    tenure: Tenure
    date: int

    def left(self, now: int) -> float | None:
        """Return the seconds until others may have it, None for never."""
        return None if self.tenure.ttl is None else self.tenure.ttl + SLACK - (now - self.date) / 1000


class AzureSemaphore:
    """The semaphore of one name; waiting is polling, with pauses that grow up to `poll_max` seconds."""

    def __init__(self, account: Account, place: AzurePlace, *, clock: Clock, poll_max: float) -> None:
        self.target = str(place)
        self._records = Records(account, place, clock=clock)
        self._clock = clock
        self._pauses = pauses(longest=poll_max)

    def read(self) -> Permits | Refused:
        """Read the record, without the holders whose time is over for everybody."""
        found = self._records.read()
        if isinstance(found, Refused):
            return found
        return self._records.understood(found, _permits)

    def limit(self, over: Permits, most: int) -> Reply | Overtaken | Refused:
        """Write the maximum."""
        found = _token(over)
        if found.etag is None:
            begun = self._records.begin()
            if isinstance(begun, Refused):
                return begun
        return _reply(self._written(found, most, _holders(found), fence=_fence(found)))

    def take(self, over: Permits, claim: Claim) -> PermitGranted | Overtaken | Refused:
        """Add a holder to the record."""
        found = _token(over)
        fence = max(_fence(found) + 1, found.date)
        tenure = Tenure(claim.identity, claim.ttl, iso(moment(found.date)), fence, claim.note)
        return self._granted(over, found, tenure, fence=fence)

    def keep(self, over: Permits, tenure: Tenure) -> PermitGranted | Overtaken | Refused:
        """Give a holder of the record a new beginning."""
        found = _token(over)
        return self._granted(over, found, tenure, fence=_fence(found))

    def free(self, over: Permits, identity: str) -> Reply | Overtaken | Refused:
        """Take a holder out of the record."""
        found = _token(over)
        others = [one for one in _holders(found) if one.tenure.identity != identity]
        return _reply(self._written(found, over.max or 0, others, fence=_fence(found)))

    def wait(self, state: Permits, limit: float) -> None:
        """Sleep until the next look."""
        self._clock.sleep(rest(self._pauses, left=state.left, limit=limit))

    def _granted(
        self, over: Permits, found: Found, tenure: Tenure, *, fence: int
    ) -> PermitGranted | Overtaken | Refused:
        others = [one for one in _holders(found) if one.tenure.identity != tenure.identity]
        holders = [*others, _Holder(tenure, found.date)]
        stored = self._written(found, over.max or 0, holders, fence=fence)
        if not isinstance(stored, Stored):
            return stored
        permits = Permits(over.max, tuple(_permit(one, found.date) for one in holders), found, stored.reply)
        deadline = None if tenure.ttl is None else found.asked + tenure.ttl
        return PermitGranted(permits, tenure, deadline, stored.reply)

    def _written(self, found: Found, most: int, holders: list[_Holder], *, fence: int) -> Stored | Overtaken | Refused:
        held = {
            one.tenure.identity: {
                "ttl": one.tenure.ttl,
                "since": one.tenure.since,
                "date": one.date,
                "fence": one.tenure.fence,
                "note": one.tenure.note,
            }
            for one in holders
        }
        record = {"max": most, "fence": fence, "holders": held}
        return self._records.write(record, over=found.etag, listed={"max": most, "count": len(held)})


def _permits(found: Found) -> Permits:
    if found.record is None:
        return Permits(None, (), found, found.reply)
    holders = tuple(_permit(one, found.date) for one in _holders(found))
    return Permits(int(found.record["max"]), holders, found, found.reply)


def _token(permits: Permits) -> Found:
    assert isinstance(permits.token, Found)
    return permits.token


def _reply(stored: Stored | Overtaken | Refused) -> Reply | Overtaken | Refused:
    return stored.reply if isinstance(stored, Stored) else stored


def _fence(found: Found) -> int:
    return 0 if found.record is None else int(found.record.get("fence") or 0)


def _holders(found: Found) -> list[_Holder]:
    """Return the holders that count at the time of this answer."""
    if found.record is None:
        return []
    held: Mapping[str, Mapping[str, Any]] = found.record["holders"]
    everybody = [_holder(identity, facts) for identity, facts in held.items()]
    return [one for one in everybody if (left := one.left(found.date)) is None or left > 0]


def _holder(identity: str, facts: Mapping[str, Any]) -> _Holder:
    tenure = tenure_of({"identity": identity, **facts})
    assert tenure is not None
    return _Holder(tenure, int(facts["date"]))


def _permit(holder: _Holder, now: int) -> Permit:
    left = holder.left(now)
    if left is None or holder.tenure.ttl is None:
        return Permit(holder.tenure, None, None)
    expires = iso(moment(holder.date + int(holder.tenure.ttl * 1000)))
    return Permit(holder.tenure, expires, left, over=left <= SLACK - ROUNDING)

"""Locks and the lead on Azure: who holds it is in the record, until when follows from when it was written.

The record keeps how long it is held, not until when: nobody's clock but the service's is ever asked. It stays
when it is released, so that the fence only grows.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from stcc.operations.locking import Granted, Overtaken, State, facts
from stcc.operations.waiting import Clock, pauses
from stcc.outcomes import Listing, Refused, Reply
from stcc.outcomes.lock import COLUMNS
from stcc.storage.account import Account
from stcc.storage.answers import Rejected
from stcc.storage.listing import pages
from stcc.storage.records import MALFORMED, METADATA, ROUNDING, SLACK, Found, Records, Stored, moment, parsed, rest
from stcc.storage.refusals import refused
from stcc.values.claims import Claim, Tenure, record
from stcc.values.places import AzurePlace, Kind
from stcc.values.targets import ContainerTarget
from stcc.values.times import iso


class AzureLock:
    """The lock of one name; waiting is polling, with pauses that grow up to `poll_max` seconds."""

    def __init__(
        self,
        account: Account,
        place: AzurePlace,
        *,
        clock: Clock,
        poll_max: float,
        nap: Callable[[float], None] | None = None,
    ) -> None:
        self.target = str(place)
        self._records = Records(account, place, clock=clock)
        self._nap = nap or clock.sleep
        self._pauses = pauses(longest=poll_max)

    def read(self) -> State | Refused:
        """Read the record."""
        found = self._records.read()
        return found if isinstance(found, Refused) else self._records.understood(found, _state)

    def take(self, over: State, claim: Claim) -> Granted | Overtaken | Refused:
        """Write the claimant's record; its fence is more than any before, also if the record had been deleted."""
        token = _token(over)
        date = token.date if token.etag is not None else self._records.begin()
        if isinstance(date, Refused):
            return date
        fence = max(over.fence + 1, date)
        tenure = Tenure(claim.identity, claim.ttl, iso(moment(date)), fence, claim.note)
        return self._granted(tenure, fence, token)

    def keep(self, over: State, tenure: Tenure) -> Granted | Overtaken | Refused:
        """Write the same record again, which starts its time anew."""
        return self._granted(tenure, over.fence, _token(over))

    def free(self, over: State) -> Reply | Overtaken | Refused:
        """Write a record that names nobody."""
        stored = self._records.write(record(None, over.fence), over=_token(over).etag)
        return stored.reply if isinstance(stored, Stored) else stored

    def wait(self, state: State, limit: float) -> None:
        """Sleep until the next look."""
        self._nap(rest(self._pauses, left=state.left, limit=limit))

    def _granted(self, tenure: Tenure, fence: int, token: Found) -> Granted | Overtaken | Refused:
        stored = self._records.write(record(tenure, fence), over=token.etag)
        if not isinstance(stored, Stored):
            return stored
        return granted(tenure, fence, stored)


def granted(tenure: Tenure, fence: int, stored: Stored) -> Granted:
    """Return the grant of a record that was just written; its holder counts from before that was sent."""
    found = Found(None, stored.etag, 0.0, 0, stored.asked, stored.reply)
    if tenure.ttl is None:
        return Granted(State(tenure, None, over=False, expires=None, fence=fence, token=found), None, stored.reply)
    expires = iso(moment(stored.date + int(tenure.ttl * 1000)))
    state = State(tenure, tenure.ttl, over=False, expires=expires, fence=fence, token=found)
    return Granted(state, stored.asked + tenure.ttl, stored.reply)


def known(tenure: Tenure, fence: int, etag: str) -> State:
    """Return the state that an earlier grant left, as far as it is remembered."""
    found = Found(None, etag, 0.0, 0, 0.0, Reply(http_status=200))
    return State(tenure, None, over=False, expires=None, fence=fence, token=found)


def etag_of(state: State) -> str | None:
    """Return the ETag of what was read or granted."""
    return _token(state).etag


def listing(account: Account, container: ContainerTarget, kind: Kind, *, limit: int | None) -> Listing | Refused:
    """List the names of a kind and who holds them, by one listing of blobs, whose Date counts for all on a page."""
    target = f"{container}/{kind}"
    dates: list[datetime] = []

    def note(response: Any) -> None:
        dates.append(parsedate_to_datetime(response.http_response.headers["date"]))

    call = account.container(container.container).list_blobs
    options: dict[str, Any] = {"name_starts_with": f"{kind}/", "include": ["metadata"], "raw_response_hook": note}
    try:
        found = pages(call, target=target, limit=limit, **options)
    except Rejected as rejected:
        if rejected.code != "ContainerNotFound":
            return refused(rejected, target=target, doing="list")
        found = iter(())
    items = (_item(one, kind, date=dates[-1]) for one in found)
    return Listing(kind=f"{kind}s-listed", target=target, columns=COLUMNS["locks-listed"], items=items)


def _item(blob: Any, kind: Kind, *, date: datetime) -> Mapping[str, object]:
    """Return a line of a listing; what is no record of this kind is shown as foreign."""
    metadata: Mapping[str, str] = blob.metadata or {}
    found = parsed(metadata.get(METADATA, "").encode())
    name = str(blob.name).removeprefix(f"{kind}/")
    if found is None or found.get("kind") != kind:
        return dict.fromkeys(COLUMNS["locks-listed"]) | {"name": name, "state": "foreign"}
    age = (date - blob.last_modified).total_seconds()
    state = Found(found, None, age, int(date.timestamp() * 1000), 0.0, Reply(http_status=200))
    try:
        return {"name": name, **facts(_state(state))}
    except MALFORMED:
        return dict.fromkeys(COLUMNS["locks-listed"]) | {"name": name, "state": "damaged"}


def _token(state: State) -> Found:
    assert isinstance(state.token, Found)
    return state.token


def tenure_of(written: Mapping[str, Any]) -> Tenure | None:
    """Return who holds it by a record."""
    if written.get("identity") is None:
        return None
    ttl = written.get("ttl")
    return Tenure(
        identity=str(written["identity"]),
        ttl=None if ttl is None else ttl + 0,
        since=written.get("since"),
        fence=written.get("fence"),
        note=written.get("note"),
        leave=bool(written.get("leave")),
    )


def _state(found: Found) -> State:
    if found.record is None:
        return State(None, None, over=False, expires=None, fence=0, token=found, reply=found.reply)
    held = tenure_of(found.record)
    fence = int(found.record.get("fence") or 0)
    if held is None or held.ttl is None:
        return State(held, None, over=False, expires=None, fence=fence, token=found, reply=found.reply)
    return State(
        held,
        left=held.ttl + SLACK - found.age,
        over=found.age >= held.ttl + ROUNDING,
        expires=iso(moment(found.date + int((held.ttl - found.age) * 1000))),
        fence=fence,
        token=found,
        reply=found.reply,
    )

"""Leases on blobs, containers, files and shares: one request each.

The id is always chosen here, before the request, so that asking twice is
asking for the same lease; the id that comes back must be that one.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from stcc.errors import Interrupted, Unknown
from stcc.knowledge.refusals import BY_SMB
from stcc.outcomes import Refused
from stcc.outcomes.lease import LeaseAcquired, LeaseBroken, LeaseChanged, LeaseReleased, LeaseRenewed, LeaseShown
from stcc.storage.account import Account
from stcc.storage.answers import Lost, Rejected, Said, Unsent, ask, ask_properties, ask_tagged, modified
from stcc.storage.lease_subjects import subject
from stcc.storage.refusals import lease_facts, refused
from stcc.storage.settle import change, read
from stcc.values.conditions import Conditions
from stcc.values.leasable import Leasable, spelled
from stcc.values.targets import FileTarget
from stcc.values.times import iso


class Leases:
    """The lease of one thing."""

    def __init__(self, account: Account, target: Leasable) -> None:
        self._account = account
        self._subject = target
        self._target = spelled(target)
        self._diagnose = account.diagnose
        self._client, self._properties, self._lease = subject(account, target)

    def acquire(
        self, lease_id: str, *, seconds: int | None, conditions: Conditions, look: bool = True
    ) -> LeaseAcquired | Refused:
        """Acquire the lease under this id for 15 to 60 seconds, or for ever.

        Interrupted in between, it is given back; when it stays unknown, the id is told.
        """
        duration = -1 if seconds is None else seconds
        doing = "acquire the lease of"
        try:
            answer = self._changed("acquire", doing, lease_id, conditions, look=look, lease_duration=duration)
        except Interrupted as stop:
            stop.hint = (
                f"it was given back; its id was {lease_id}" if self._give_back(lease_id) else self._perhaps(lease_id)
            )
            raise
        except Unknown as unknown:
            unknown.hint = self._perhaps(lease_id)
            raise
        if isinstance(answer, Refused):
            return answer
        return LeaseAcquired(lease_id=lease_id, duration=seconds, give_back=lambda: self._give_back(lease_id), **answer)

    def renew(self, lease_id: str, *, conditions: Conditions) -> LeaseRenewed | Refused:
        """Start the lease's time anew."""
        answer = self._changed("renew", "renew the lease of", lease_id, conditions)
        return answer if isinstance(answer, Refused) else LeaseRenewed(lease_id=lease_id, **answer)

    def change(self, lease_id: str, proposed: str, *, conditions: Conditions) -> LeaseChanged | Refused:
        """Give the lease another id; harmless to repeat, because the new id is accepted as well."""
        answer = self._changed(
            "change", "change the lease of", lease_id, conditions, proposed_lease_id=proposed, expected=proposed
        )
        return answer if isinstance(answer, Refused) else LeaseChanged(lease_id=proposed, **answer)

    def release(self, lease_id: str, *, conditions: Conditions) -> LeaseReleased | Refused:
        """End the lease now; a refusal after a lost answer proves nothing and stays unknown."""
        answer = self._changed("release", "release the lease of", lease_id, conditions, expected=None)
        return answer if isinstance(answer, Refused) else LeaseReleased(**answer)

    def break_(self, *, period: int | None, conditions: Conditions) -> LeaseBroken | Refused:
        """End somebody's lease, after `period` seconds or what is left of it, whichever is less.

        Never sent twice: the second could break the lease of whoever acquired it in between.
        """
        lease = self._lease(self._client)
        at_once = isinstance(self._subject, FileTarget)

        def send() -> Said[Any]:
            said: Said[Any] = ask_tagged(lease.break_lease, lease_break_period=period, headers=conditions.headers())
            if said.value is None and not at_once:
                raise Lost("the answer does not say how long it takes")
            return said

        try:
            said, _ = change(
                send,
                target=self._target,
                repeat=False,
                look=self._look,
                meaning="the lease may or may not have been broken",
            )
        except Rejected as rejected:
            return self._refused(rejected, "break the lease of", conditions)
        left = int(said.value or 0)
        return LeaseBroken(
            seconds_left=left, free_at=_after(said.headers, left), waited=False, **self._facts(said, None)
        )

    def show(self) -> LeaseShown | Refused:
        """Look at the lease; nobody can read its id or its remaining time."""
        return self._shown("show the lease of")

    def named(self, answer: Refused, /) -> Refused:
        """Return the refusal of an acquisition because of SMB clients with who they are."""
        return self._named(answer, look=True, waits=True)

    def held(self, lease_id: str) -> LeaseShown | Refused:
        """Look whether the lease is still held under this id: a request that carries another one is refused."""
        return self._shown("look at", lease=lease_id)

    def _shown(self, doing: str, **arguments: Any) -> LeaseShown | Refused:
        try:
            said = read(lambda: ask_properties(self._properties, **arguments), target=self._target)
        except Rejected as rejected:
            return self._refused(rejected, doing, Conditions())
        lease = said.value.lease
        facts = self._facts(said, None)
        return LeaseShown(state=lease.state, status=lease.status, duration=lease.duration, **facts)

    def _perhaps(self, lease_id: str) -> str:
        return f"if it was granted, its id is {lease_id}: stcc lease release {self._target} --lease-id {lease_id}"

    def _give_back(self, lease_id: str) -> bool:
        """Release a lease that nobody will use, in one quick try; False when it may still be held."""
        quick = subject(self._account.hurried(), self._subject)
        try:
            ask(quick.lease(quick.client, lease_id=lease_id).release)
        except Rejected:
            return True  # it is not ours, or not any more
        except (Lost, Unsent):
            return False
        return True

    def _changed(
        self,
        verb: str,
        doing: str,
        lease_id: str,
        conditions: Conditions,
        *,
        expected: str | None = "",
        look: bool = True,
        **arguments: Any,
    ) -> dict[str, Any] | Refused:
        """Send one lease operation; the answer must name the id `expected` ("" for `lease_id`, None for none)."""
        awaited = lease_id if expected == "" else expected

        def send() -> Said[Any]:
            call = getattr(self._lease(self._client, lease_id=lease_id), verb)
            said = ask_tagged(call, headers=conditions.headers(), **arguments)
            if awaited is not None and said.headers.get("x-ms-lease-id", "").lower() != awaited:
                raise Lost("the answer names another lease")
            return said

        try:
            said, settled = change(send, target=self._target, look=self._look)
        except Rejected as rejected:
            return self._refused(rejected, doing, conditions, look=look, waits=verb == "acquire")
        return self._facts(said, settled)

    def _facts(self, said: Said[Any], settled: str | None) -> dict[str, Any]:
        return {
            "reply": said.reply(settled=settled),
            "target": self._target,
            "etag": said.headers.get("etag", ""),
            "last_modified": modified(said.headers),
        }

    @property
    def _look(self) -> Callable[[], Mapping[str, object]] | None:
        return (lambda: lease_facts(ask(self._properties).value)) if self._diagnose else None

    def _refused(
        self, rejected: Rejected, doing: str, conditions: Conditions, *, look: bool = True, waits: bool = False
    ) -> Refused:
        by_smb = rejected.code in BY_SMB
        seen = self._look if look and not by_smb else None
        answer = refused(rejected, target=self._target, doing=doing, look=seen, expected=conditions.expected_etag)
        return self._named(answer, look=look, waits=waits) if by_smb else answer

    def _named(self, answer: Refused, *, look: bool, waits: bool) -> Refused:
        if not isinstance(self._subject, FileTarget):
            return answer
        from stcc.storage.handles import named

        return named(answer, self._account, self._subject, look=look, waits=waits)


def _after(headers: Mapping[str, str], seconds: int) -> str:
    """Return the moment `seconds` after the service's answer, by the service's clock."""
    date = headers.get("date")
    answered = datetime.now(UTC) if date is None else parsedate_to_datetime(date)
    return iso(answered + timedelta(seconds=seconds)) or ""

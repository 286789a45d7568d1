"""A container's public access and stored access policies, which the service reads and sets all at once."""

from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from azure.storage.blob import AccessPolicy

from stcc.outcomes import Refused
from stcc.outcomes.acl import AclSet, AclShown
from stcc.storage.account import Account
from stcc.storage.answers import Lost, Rejected, Said, ask_tagged
from stcc.storage.containers import look_at
from stcc.storage.refusals import refused
from stcc.storage.settle import change, read
from stcc.values.conditions import Conditions
from stcc.values.policies import Acl, Policy
from stcc.values.targets import ContainerTarget
from stcc.values.times import http_date, iso


class Acls:
    """The ACL of one container; a lease id among the `conditions` travels with every request, the rest with writes."""

    def __init__(self, account: Account, target: ContainerTarget, *, conditions: Conditions) -> None:
        self._client = account.container(target.container)
        self._look = look_at(account, self._client)
        self._target = target
        self._conditions = conditions

    def show(self) -> AclShown | Refused:
        """Read public access and policies."""
        try:
            said = read(self._shown, target=self._target)
        except Rejected as rejected:
            return refused(rejected, target=self._target, doing="show the ACL of container", look=self._look)
        policies = tuple(_policy(one) for one in said.value["signed_identifiers"])
        modified = parsedate_to_datetime(said.headers["last-modified"])
        return AclShown(
            reply=said.reply(),
            target=str(self._target),
            public_access=said.value["public_access"] or "none",
            policies=[one.document() for one in policies],
            etag=said.headers["etag"],
            last_modified=iso(modified) or "",
            acl=Acl(public_access=said.value["public_access"] or "none", policies=policies),
            modified=modified,
            answered=_date(said),
        )

    def write(self, acl: Acl, *, unmodified_since: datetime) -> AclSet | Refused:
        """Set all of it if nobody has since; sent once, because whoever reads can tell whether it is still needed."""
        pin = {"If-Unmodified-Since": http_date(unmodified_since)}
        return self._set(acl, headers={**self._lease(), **pin}, repeat=False)

    def replace(self, acl: Acl) -> AclSet | Refused:
        """Set all of it, whatever is there, if the conditions are met."""
        return self._set(acl, headers=self._conditions.headers(), repeat=True)

    def _shown(self) -> Said[dict[str, Any]]:
        said = ask_tagged(self._client.get_container_access_policy, headers=self._lease())
        if _time(said.headers.get("last-modified")) is None:
            raise Lost("the answer was cut off before its Last-Modified")
        return said

    def _set(self, acl: Acl, *, headers: dict[str, str], repeat: bool) -> AclSet | Refused:
        access = None if acl.public_access == "none" else acl.public_access
        try:
            said, settled = change(
                lambda: ask_tagged(
                    self._client.set_container_access_policy,
                    {one.id: _as_written(one) for one in acl.policies},
                    public_access=access,
                    headers=dict(headers),
                ),
                target=self._target,
                repeat=repeat,
                look=self._look,
            )
        except Rejected as rejected:
            return refused(rejected, target=self._target, doing="set the ACL of container", look=self._look)
        return AclSet(
            reply=said.reply(settled=settled),
            target=str(self._target),
            public_access=acl.public_access,
            policies=[one.document() for one in acl.policies],
            etag=said.value["etag"],
            last_modified=iso(said.value["last_modified"]) or "",
            written=True,
        )

    def _lease(self) -> dict[str, str]:
        return {name: value for name, value in self._conditions.headers().items() if name == "x-ms-lease-id"}


class _AsWritten(AccessPolicy):
    """A policy whose times are sent as they are: the SDK would cut the fractions off, in those of others too."""

    def __bool__(self) -> bool:
        return False  # which is how the SDK asks whether there is anything to rewrite


def _as_written(policy: Policy) -> AccessPolicy | None:
    """Return what the SDK sends for a policy; one that says nothing has no document."""
    if (policy.permissions, policy.start, policy.expiry) == (None, None, None):
        return None
    return _AsWritten(policy.permissions, policy.expiry, policy.start)


def _policy(identifier: Any) -> Policy:
    policy = identifier.access_policy
    if policy is None:
        return Policy(id=identifier.id)
    return Policy(
        id=identifier.id,
        permissions=policy.permission or None,
        start=policy.start or None,
        expiry=policy.expiry or None,
    )


def _date(said: Said[Any]) -> datetime | None:
    return _time(said.headers.get("date"))


def _time(text: str | None) -> datetime | None:
    try:
        return None if text is None else parsedate_to_datetime(text)
    except ValueError:
        return None

"""Who may read a container, and its stored access policies: parsed, changed, compared, as a document."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeGuard

from stcc.errors import Usage
from stcc.values import times

PUBLIC: Final = ("none", "container", "blob")
MOST: Final = 5
_LONGEST_ID: Final = 64
_LETTERS: Final = "racwdxyltfmeopi"
_FIELDS: Final = ("permissions", "start", "expiry")
_SEPARATOR: Final = rf",(?=(?:{'|'.join(_FIELDS)})=)"  # a time may have a comma of its own
# Kept as it is, so that a policy of another tool goes back as it came.
_OF_THE_SERVICE: Final = r"(?a)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z"
_SHAPE: Final = '{"public_access": "none", "policies": [{"id": "...", "permissions": "rl", "expiry": "..."}]}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A stored access policy; times as the service writes them. What is None, a signature has to say itself."""

    id: str
    permissions: str | None = None
    start: str | None = None
    expiry: str | None = None

    def document(self) -> dict[str, str | None]:
        """Return the policy for programs."""
        return {"id": self.id, "start": self.start, "expiry": self.expiry, "permissions": self.permissions}

    def means(self) -> tuple[object, ...]:
        """Return what can be compared: the service may order letters and write times in its own way."""
        return self.id, frozenset(self.permissions or ""), _instant(self.start), _instant(self.expiry)


@dataclass(frozen=True, slots=True, kw_only=True)
class Acl:
    """All that Set Container ACL sets at once."""

    public_access: str
    policies: tuple[Policy, ...]

    def same_as(self, other: "Acl") -> bool:
        """Tell whether both mean the same; the order of the policies does not matter."""
        return self.means() == other.means()

    def means(self) -> tuple[object, ...]:
        """Return what can be compared."""
        return self.public_access, {policy.means() for policy in self.policies}


@dataclass(frozen=True, slots=True, kw_only=True)
class AclChange:
    """What is to become of an ACL; what it does not name stays as it is.

    `policies` are added, or take the place of the one with their id; with `complete` they are all there shall be.
    """

    public_access: str | None = None
    policies: tuple[Policy, ...] = ()
    removed: frozenset[str] = field(default_factory=frozenset[str])
    complete: bool = False

    def applied_to(self, acl: Acl) -> Acl:
        """Return the ACL after the change."""
        new = {policy.id: policy for policy in self.policies}
        kept = {} if self.complete else {one.id: one for one in acl.policies if one.id not in self.removed}
        return Acl(public_access=self.public_access or acl.public_access, policies=tuple((kept | new).values()))


def acl_change(
    policies: Sequence[str], *, removed: Sequence[str], public_access: str | None, now: datetime
) -> AclChange:
    """Return the change that the options ask for; `now` is what now+7d counts from."""
    parsed = tuple(policy(text, now=now) for text in policies)
    _check(parsed)
    gone = [_id(text, option="--remove") for text in removed]
    if both := {one.id for one in parsed} & {*gone}:
        raise Usage(f"--policy and --remove both name {min(both)!r}")
    if not parsed and not gone and public_access is None:
        raise Usage("nothing is to change", hint="--policy, --remove, --public-access, or --from for all of it")
    return AclChange(public_access=public_access, policies=parsed, removed=frozenset(gone))


def whole_acl(document: object, *, public_access: str | None, now: datetime) -> AclChange:
    """Return the change to what a JSON document says, such as get-acl prints; `public_access` takes precedence."""
    found = _object(document, what="--from")
    if "outcome" in found and "result" in found:
        found = _object(found["result"], what="the result of --from")
    _known(found, {"public_access", "policies", "etag", "last_modified"}, what="--from")
    access, listed = found.get("public_access"), found.get("policies")
    if access is not None and access not in PUBLIC:
        raise Usage(f"--from has a public_access that does not exist: {access!r}", hint="none, container or blob")
    if not _is_array(listed):
        raise Usage("--from has no list of policies", hint=_SHAPE)
    policies = tuple(_listed(one, now=now) for one in listed)
    _check(policies)
    said = public_access or (None if access is None else str(access))
    return AclChange(public_access=said, policies=policies, complete=True)


def policy(text: str, *, now: datetime) -> Policy:
    """Parse `ID:permissions=rl,start=TIME,expiry=TIME`; each field is optional, one is needed."""
    name, colon, rest = text.partition(":")
    fields: dict[str, str] = {}
    for part in re.split(_SEPARATOR, rest) if colon else ():
        key, equals, value = part.partition("=")
        if not equals or key not in _FIELDS or key in fields:
            raise Usage(f"--policy is not ID:permissions=...,start=...,expiry=...: {text!r}")
        if not value.strip():
            raise Usage(f"--policy has an empty {key}: {text!r}", hint="is the variable set?")
        fields[key] = value
    if not fields:
        raise Usage(f"--policy says nothing about {name!r}", hint="ID:permissions=rl,expiry=now+7d")
    return _policy(_id(name, option="--policy"), fields, option="--policy", now=now)


def _policy(name: str, fields: Mapping[str, str], *, option: str, now: datetime) -> Policy:
    return Policy(
        id=name,
        permissions=_permissions(fields["permissions"], option=option) if "permissions" in fields else None,
        start=_time(fields["start"], option=f"{option} start", now=now) if "start" in fields else None,
        expiry=_time(fields["expiry"], option=f"{option} expiry", now=now) if "expiry" in fields else None,
    )


def _id(text: str, *, option: str) -> str:
    if not text.strip():
        raise Usage(f"{option} has an empty id", hint="is the variable set?")
    if len(text) > _LONGEST_ID or not text.isprintable() or text != text.strip():
        raise Usage(f"{option} has no id of a policy: {text!r}", hint=f"1 to {_LONGEST_ID} characters that can be seen")
    return text


def _permissions(text: str, *, option: str) -> str:
    if not {*text} <= {*_LETTERS} or len({*text}) < len(text):
        raise Usage(f"{option} has permissions that do not exist: {text!r}", hint=f"of {_LETTERS}, each letter once")
    return "".join(letter for letter in _LETTERS if letter in text)


def _time(text: str, *, option: str, now: datetime) -> str:
    moment = times.moment(text, option=option, now=now)
    if re.fullmatch(_OF_THE_SERVICE, text):
        return text
    return str(times.iso(moment.replace(microsecond=0) if text.lstrip().startswith("now") else moment))


def _check(policies: Sequence[Policy]) -> None:
    names = [one.id for one in policies]
    if twice := {name for name in names if names.count(name) > 1}:
        raise Usage(f"the policy {min(twice)!r} is given twice")
    if len(names) > MOST:
        raise Usage(f"{len(names)} policies are given", hint=f"a container has at most {MOST}")


def _listed(item: object, *, now: datetime) -> Policy:
    found = _object(item, what="a policy of --from")
    _known(found, {"id", *_FIELDS}, what="a policy of --from")
    texts: dict[str, str] = {}
    for name, value in found.items():
        if value is not None and not isinstance(value, str):
            raise Usage(f"a policy of --from has a {name} that is no text: {value!r}")
        if value:
            texts[name] = value
    return _policy(_id(texts.get("id", ""), option="a policy of --from"), texts, option="a policy of --from", now=now)


def _object(value: object, *, what: str) -> Mapping[str, object]:
    if not _is_object(value):
        raise Usage(f"{what} is no JSON object", hint=_SHAPE)
    return value


def _is_object(value: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(value, Mapping)


def _is_array(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, list)


def _known(found: Mapping[str, object], names: set[str], *, what: str) -> None:
    if strange := found.keys() - names:
        raise Usage(f"{what} has a name that means nothing here: {min(strange)!r}", hint=_SHAPE)


def _instant(text: str | None) -> object:
    try:
        return None if not text else datetime.fromisoformat(text)
    except ValueError:
        return text

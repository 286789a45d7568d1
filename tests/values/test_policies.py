"""Stored access policies as people type them, as documents, and changed."""

from datetime import UTC, datetime

import pytest

from stcc.values.policies import Acl, AclChange, Policy, acl_change, policy, whole_acl
from tests.values.refusals import refusal

NOW = datetime(2026, 1, 31, 12, 0, 0, 123456, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("p:permissions=dlr", Policy(id="p", permissions="rdl")),
        ("a b:permissions=r,expiry=now+7d", Policy(id="a b", permissions="r", expiry="2026-02-07T12:00:00Z")),
        (
            "p:start=Sat, 31 Jan 2026 12:00:00 GMT,expiry=2026-01-31T14:00:00+02:00",
            Policy(id="p", start="2026-01-31T12:00:00Z", expiry="2026-01-31T12:00:00Z"),
        ),
        ("p:expiry=2026-01-31T12:00:00.1234567Z", Policy(id="p", expiry="2026-01-31T12:00:00.1234567Z")),
        ("p:expiry=2026-01-31T12:00:00.5Z", Policy(id="p", expiry="2026-01-31T12:00:00.500000Z")),
        ("x" * 64 + ":permissions=racwdxyltfmeopi", Policy(id="x" * 64, permissions="racwdxyltfmeopi")),
    ],
)
def test_a_policy_is_an_id_and_fields(text: str, parsed: Policy) -> None:
    assert policy(text, now=NOW) == parsed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p", "--policy says nothing about 'p'"),
        ("p:permissions=", "--policy has an empty permissions: 'p:permissions='"),
        (":permissions=r", "--policy has an empty id"),
        ("p:permissions=rz", "--policy has permissions that do not exist: 'rz'"),
        ("p:permissions=rr", "--policy has permissions that do not exist: 'rr'"),
        ("p:expiry=2026-01-31", "--policy expiry has no time zone: '2026-01-31'"),
        ("p:permissions=r,permissions=w", "--policy is not ID:permissions=...,start=...,expiry=...: {}"),
        ("p:r", "--policy is not ID:permissions=...,start=...,expiry=...: {}"),
    ],
)
def test_what_is_no_policy_is_refused(text: str, message: str) -> None:
    assert refusal(lambda: policy(text, now=NOW)) == message.replace("{}", repr(text))


KEPT = Policy(id="kept", permissions="r")
OLD = Policy(id="old", permissions="w")
THERE = Acl(public_access="blob", policies=(KEPT, OLD))


@pytest.mark.parametrize(
    ("change", "after"),
    [
        pytest.param(AclChange(public_access="none"), Acl(public_access="none", policies=(KEPT, OLD)), id="access"),
        pytest.param(
            AclChange(policies=(Policy(id="old", permissions="l"), Policy(id="new"))),
            Acl(public_access="blob", policies=(KEPT, Policy(id="old", permissions="l"), Policy(id="new"))),
            id="replaced and added",
        ),
        pytest.param(
            AclChange(removed=frozenset({"old", "nowhere"})), Acl(public_access="blob", policies=(KEPT,)), id="removed"
        ),
        pytest.param(
            AclChange(policies=(OLD,), complete=True), Acl(public_access="blob", policies=(OLD,)), id="complete"
        ),
    ],
)
def test_what_a_change_does_not_name_stays(change: AclChange, after: Acl) -> None:
    assert change.applied_to(THERE) == after


def test_the_same_policies_may_be_written_differently() -> None:
    ours = Policy(id="p", permissions="rl", start="2026-01-31T12:00:00Z")
    theirs = Policy(id="p", permissions="lr", start="2026-01-31T12:00:00.0000000Z")
    both = Acl(public_access="none", policies=(theirs, KEPT))

    assert both.same_as(Acl(public_access="none", policies=(KEPT, ours)))
    for other in (
        Acl(public_access="blob", policies=(KEPT, ours)),
        Acl(public_access="none", policies=(KEPT,)),
        Acl(public_access="none", policies=(KEPT, Policy(id="p", permissions="rl", expiry="2026-01-31T12:00:00Z"))),
        Acl(public_access="none", policies=(KEPT, Policy(id="p", permissions="r", start="2026-01-31T12:00:00Z"))),
        Acl(public_access="none", policies=(KEPT, Policy(id="p", permissions="rl", start="2026-01-31"))),
    ):
        assert not both.same_as(other)


def test_options_make_a_change() -> None:
    change = acl_change(["p:permissions=r"], removed=["old"], public_access=None, now=NOW)

    assert change == AclChange(policies=(Policy(id="p", permissions="r"),), removed=frozenset({"old"}))


@pytest.mark.parametrize("envelope", [False, True])
def test_a_document_says_all_of_it(envelope: bool) -> None:
    result: dict[str, object] = {
        "public_access": "blob",
        "policies": [{"id": "p", "start": None, "permissions": "lr"}, {"id": "bare"}],
        "etag": '"0x8D1"',
        "last_modified": "2026-01-31T12:00:00Z",
    }
    document: object = {"outcome": "container-acl-shown", "exit_code": 0, "result": result} if envelope else result
    policies = (Policy(id="p", permissions="rl"), Policy(id="bare"))

    assert whole_acl(document, public_access=None, now=NOW) == AclChange(
        public_access="blob", policies=policies, complete=True
    )
    assert whole_acl(document, public_access="none", now=NOW).public_access == "none"
    assert whole_acl({"policies": []}, public_access=None, now=NOW) == AclChange(complete=True)

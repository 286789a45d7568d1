"""A container's ACL that keeps the promises of the real one: all set at once, guarded by whole seconds."""

from datetime import UTC, datetime, timedelta

from stcc.errors import Unavailable, Unknown
from stcc.exits import Exit
from stcc.outcomes import Refused, Reply
from stcc.outcomes.acl import AclSet, AclShown
from stcc.values.policies import Acl, Policy
from stcc.values.times import iso
from tests.fakes import FakeClock, refused

REQUEST = 0.1  # seconds that one takes; it is answered in the middle of them
EMPTY = Acl(public_access="none", policies=())


class FakeAcl:
    """The ACL of a container created at `clock.now`; `dated` answers say when they were given.

    `faults` are what happens to the next writes: `lost` after it was applied, `refused` before it arrived;
    `gone` and `silent` as `refused`, and from then on there is no container, or nobody answers.
    """

    def __init__(self, clock: FakeClock, *, dated: bool = True, exists: bool = True) -> None:
        self.acl = EMPTY
        self.asked: list[str] = []
        self.faults: list[str] = []
        self.unreachable = False
        self.exists = exists
        self._clock = clock
        self._dated = dated
        self._modified = clock.now
        self._others: list[tuple[float, str]] = []

    def meanwhile(self, at: float, policy: str) -> None:
        """Let somebody else add a policy at a moment of the clock."""
        self._others = sorted([*self._others, (at, policy)])

    @property
    def ids(self) -> set[str]:
        return {policy.id for policy in self.acl.policies}

    def show(self) -> AclShown | Refused:
        self._arrives("show")
        if self.unreachable:
            raise Unavailable("nobody there")
        if not self.exists:
            return refused(404, "ContainerNotFound", Exit.ABSENT)
        answered = moment(self._clock.now) if self._dated else moment(self._modified)
        shown = AclShown(
            reply=Reply(http_status=200),
            target="c",
            public_access=self.acl.public_access,
            policies=[policy.document() for policy in self.acl.policies],
            etag=self._etag,
            last_modified=str(iso(moment(self._modified))),
            acl=self.acl,
            modified=moment(self._modified),
            answered=answered,
        )
        self._clock.now += REQUEST / 2
        return shown

    def write(self, acl: Acl, *, unmodified_since: datetime) -> AclSet | Refused:
        self._arrives("write")
        fault = self.faults.pop(0) if self.faults else ""
        self.exists = self.exists and fault != "gone"
        self.unreachable = self.unreachable or fault == "silent"
        if fault in {"refused", "gone", "silent"}:
            raise Unknown("lost")
        if not self.exists:
            return refused(404, "ContainerNotFound", Exit.ABSENT)
        self._clock.now += REQUEST / 2
        if moment(self._modified) > unmodified_since:
            return refused(412, "ConditionNotMet", Exit.PRECONDITION)
        self.acl, self._modified = acl, self._clock.now
        if fault == "lost":
            raise Unknown("lost")
        return AclSet(
            reply=Reply(http_status=200),
            target="c",
            public_access=acl.public_access,
            policies=[policy.document() for policy in acl.policies],
            etag=self._etag,
            last_modified=str(iso(moment(self._modified))),
            written=True,
        )

    @property
    def _etag(self) -> str:
        return f'"{self._modified}"'

    def _arrives(self, what: str) -> None:
        self.asked.append(what)
        self._clock.now += REQUEST / 2
        while self._others and self._others[0][0] <= self._clock.now:
            at, policy = self._others.pop(0)
            self.acl = Acl(
                public_access=self.acl.public_access,
                policies=(*self.acl.policies, Policy(id=policy, permissions="r")),
            )
            self._modified = at


def moment(seconds: float) -> datetime:
    """Return a moment of the fake clock as headers carry it: in whole seconds."""
    return datetime(2026, 1, 31, 12, tzinfo=UTC) + timedelta(seconds=int(seconds))

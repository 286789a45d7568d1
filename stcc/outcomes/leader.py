"""Answers about who leads."""

from dataclasses import dataclass
from typing import ClassVar

from stcc.outcomes import Reply

COLUMNS = {"leader-watched": ("at", "leader", "fence", "since", "note")}


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderShown:
    """`expires` None: the term has no end."""

    noun: ClassVar[str] = "leader"
    kind: ClassVar[str] = "leader-shown"

    reply: Reply | None
    target: str
    identity: str
    since: str | None
    expires: str | None
    fence: int | None
    note: str | None
    resigning: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderResigned:
    """The leader was asked to resign; `ended` says that its term is over by now."""

    noun: ClassVar[str] = "leader"
    kind: ClassVar[str] = "leader-resigned"

    reply: Reply | None
    target: str
    identity: str
    fence: int | None
    ended: bool


LeaderOutcome = LeaderShown | LeaderResigned

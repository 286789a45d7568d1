"""Answers about a container's public access and its stored access policies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from stcc.outcomes import Reply
from stcc.values.policies import Acl


@dataclass(frozen=True, slots=True, kw_only=True)
class AclShown:
    """`acl` is the same for the program; `modified` and `answered` are the container's and the answer's own time."""

    noun: ClassVar[str] = "acl"
    kind: ClassVar[str] = "container-acl-shown"

    reply: Reply
    target: str
    public_access: str
    policies: Sequence[Mapping[str, str | None]]
    etag: str
    last_modified: str
    acl: Acl = field(repr=False)
    modified: datetime = field(repr=False)
    answered: datetime | None = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AclSet:
    """What is there now; `written` is false when it was so already, and nothing was sent."""

    noun: ClassVar[str] = "acl"
    kind: ClassVar[str] = "container-acl-set"

    reply: Reply
    target: str
    public_access: str
    policies: Sequence[Mapping[str, str | None]]
    etag: str
    last_modified: str
    written: bool = field(repr=False)


AclOutcome = AclShown | AclSet

"""Answers about what is kept beside a blob's bytes: metadata, headers, tags, tier, snapshots."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from stcc.outcomes import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobMetadataSet:
    noun: ClassVar[str] = "attributes"
    kind: ClassVar[str] = "blob-metadata-set"

    reply: Reply
    target: str
    etag: str
    last_modified: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerMetadataSet:
    noun: ClassVar[str] = "attributes"
    kind: ClassVar[str] = "container-metadata-set"

    reply: Reply
    target: str
    etag: str
    last_modified: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobHeadersSet:
    noun: ClassVar[str] = "attributes"
    kind: ClassVar[str] = "blob-headers-set"

    reply: Reply
    target: str
    etag: str
    last_modified: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobTagsSet:
    noun: ClassVar[str] = "attributes"
    kind: ClassVar[str] = "blob-tags-set"

    reply: Reply
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobTagsShown:
    noun: ClassVar[str] = "attributes"
    kind: ClassVar[str] = "blob-tags-shown"

    reply: Reply
    target: str
    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobTierSet:
    """`pending`: it is on its way out of the archive, which takes hours; until then it cannot be read."""

    noun: ClassVar[str] = "attributes"
    kind: ClassVar[str] = "blob-tier-set"

    reply: Reply
    target: str
    tier: str
    pending: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobSnapshotTaken:
    """`snapshot` is the time that names it; ETag and time are those of the snapshot."""

    noun: ClassVar[str] = "attributes"
    kind: ClassVar[str] = "blob-snapshot-taken"

    reply: Reply
    target: str
    snapshot: str
    etag: str
    last_modified: str


AttributesOutcome = (
    BlobMetadataSet
    | ContainerMetadataSet
    | BlobHeadersSet
    | BlobTagsSet
    | BlobTagsShown
    | BlobTierSet
    | BlobSnapshotTaken
)

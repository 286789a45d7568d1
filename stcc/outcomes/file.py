"""Answers about files and directories."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from stcc.outcomes import Reply

Kind = Literal["file", "directory"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileGot:
    """`size` is what was written to `path`, in bytes."""

    noun: ClassVar[str] = "file"
    kind: ClassVar[str] = "file-got"

    reply: Reply
    target: str
    etag: str
    last_modified: str
    size: int
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileShown:
    """A directory has no size, content or lease; `written` is when the content was last written, as SMB has it."""

    noun: ClassVar[str] = "file"
    kind: ClassVar[str] = "file-shown"

    reply: Reply
    target: str
    type: Kind
    etag: str
    last_modified: str
    size: int | None
    content_type: str | None
    content_md5: str | None
    lease_state: str | None
    lease_status: str | None
    lease_duration: str | None
    attributes: str | None
    created: str | None
    written: str | None
    file_id: str | None
    permission_key: str | None
    metadata: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDeleted:
    noun: ClassVar[str] = "file"
    kind: ClassVar[str] = "file-deleted"

    reply: Reply
    target: str
    type: Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMetadataSet:
    noun: ClassVar[str] = "file"
    kind: ClassVar[str] = "file-metadata-set"

    reply: Reply
    target: str
    type: Kind
    etag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRenamed:
    """`target` is what it was called, `to` what it is called now; `replaced`: whatever was there is gone."""

    noun: ClassVar[str] = "file"
    kind: ClassVar[str] = "file-renamed"

    reply: Reply
    target: str
    to: str
    type: Kind
    etag: str
    last_modified: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryMade:
    """`made` are the directories that were not there before, from the top; none where all of them were."""

    noun: ClassVar[str] = "file"
    kind: ClassVar[str] = "directory-made"

    reply: Reply
    target: str
    etag: str
    last_modified: str
    made: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlesClosed:
    """`closed` and `failed` are how many; what was closed before it was asked for counts as neither."""

    noun: ClassVar[str] = "file"
    kind: ClassVar[str] = "handles-closed"

    reply: Reply
    target: str
    closed: int
    failed: int


FileOutcome = FileGot | FileShown | FileDeleted | FileMetadataSet | FileRenamed | DirectoryMade | HandlesClosed

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "files-listed": ("name", "type", "size", "last_modified", "etag", "note"),
    "handles-listed": ("id", "path", "client", "access", "opened", "last_reconnect"),
}

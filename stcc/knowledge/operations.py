"""What each REST operation honours: the table behind "every condition is sent or refused".

Sources: the REST pages of the operations, "Specifying conditional headers for
Blob service operations", and the requests that the SDKs' specifications allow.
A condition that is not in an operation's row is ignored by the service, so
stcc refuses it before anything is sent.
"""

from typing import Final, NamedTuple

DATES: Final = frozenset({"--if-modified-since", "--if-unmodified-since"})
ETAGS: Final = frozenset({"--if-match", "--if-none-match"})
TAGS: Final = frozenset({"--if-tags"})
LEASE: Final = frozenset({"--lease-id"})
CONDITIONS: Final = (
    "--if-match",
    "--if-none-match",
    "--if-modified-since",
    "--if-unmodified-since",
    "--if-tags",
    "--lease-id",
)
# Conditions that only a few operations know; elsewhere they are no options at all.
SOURCE: Final = (
    "--source-if-match",
    "--source-if-none-match",
    "--source-if-modified-since",
    "--source-if-unmodified-since",
    "--source-if-tags",
)
POSITION: Final = ("--append-position", "--max-size")
SEQUENCE: Final = ("--if-sequence-number-le", "--if-sequence-number-lt", "--if-sequence-number-eq")
EVERY_CONDITION: Final = (*CONDITIONS, *SOURCE, *POSITION, *SEQUENCE)
HEADERS: Final = {
    "--if-match": "If-Match",
    "--if-none-match": "If-None-Match",
    "--if-modified-since": "If-Modified-Since",
    "--if-unmodified-since": "If-Unmodified-Since",
    "--if-tags": "x-ms-if-tags",
    "--lease-id": "x-ms-lease-id",
    **{flag: "x-ms-" + flag.removeprefix("--") for flag in (*SOURCE, *SEQUENCE)},
    "--append-position": "x-ms-blob-condition-appendpos",
    "--max-size": "x-ms-blob-condition-maxsize",
}


class Operation(NamedTuple):
    """One row: which of `EVERY_CONDITION` it honours, and how.

    `reads`: the combinations of a read apply, and an unmet If-None-Match is 304.
    `creates`: If-None-Match: * means "only if there is none yet".
    `takes_lease`: `--lease-id` names the lease itself and is declared by the command.
    `says_force`: a change that needs a condition, a lease id, or `--force`.
    `weak_etags`: its ETags are those of table entities.
    `needs_lease`: while there is a lease, it is refused without its id.
    `covers`: other REST operations that answer no more than this one, so that no command needs them.
    """

    name: str
    honours: frozenset[str] = frozenset()
    reads: bool = False
    creates: bool = False
    takes_lease: bool = False
    says_force: bool = False
    returns_etag: bool = True
    weak_etags: bool = False
    needs_lease: bool = False
    covers: tuple[str, ...] = ()
    why_not: str = ""


_CONTAINER: Final = "the service ignores ETag and tag conditions on containers"
_ENTITY: Final = "the table service knows --if-match only"
_NONE: Final = "the service ignores every condition on this operation"
_TAGS: Final = "tags have no ETag: --if-tags or a lease can guard them"
_TIER: Final = "the tier has no ETag: --if-tags or a lease can guard it"
_BLOCK: Final = "a block is not visible before the commit; the conditions belong to `blob block commit`"
_NO_ETAGS: Final = "the service honours --if-tags alone here"
_ITSELF: Final = "it sends If-Match itself, with the ETag that it has read"
_FILES: Final = "the file service has none: it knows no conditions, only leases"
_QUEUES: Final = "queues have no ETags, leases or conditions"

_ALL: Final = ETAGS | DATES | TAGS | LEASE
PUT_BLOB: Final = Operation("Put Blob", _ALL, creates=True, says_force=True, needs_lease=True)
GET_BLOB: Final = Operation("Get Blob", _ALL, reads=True)
SHOW_BLOB: Final = Operation("Get Blob Properties", _ALL, reads=True, covers=("Get Blob Metadata",))
DELETE_BLOB: Final = Operation("Delete Blob", _ALL, says_force=True, returns_etag=False, needs_lease=True)
LIST_BLOBS: Final = Operation("List Blobs", reads=True, returns_etag=False, why_not=_NONE)
SET_METADATA: Final = Operation("Set Blob Metadata", _ALL, needs_lease=True)
SET_HEADERS: Final = Operation("Set Blob Properties", _ALL, needs_lease=True)
SET_TAGS: Final = Operation("Set Blob Tags", TAGS | LEASE, returns_etag=False, needs_lease=True, why_not=_TAGS)
GET_TAGS: Final = Operation("Get Blob Tags", TAGS | LEASE, reads=True, returns_etag=False, why_not=_TAGS)
SET_TIER: Final = Operation("Set Blob Tier", TAGS | LEASE, returns_etag=False, needs_lease=True, why_not=_TIER)
# Called a read in the documentation, and answered as a write when a condition is not met.
SNAPSHOT: Final = Operation("Snapshot Blob", _ALL)
COPY_BLOB: Final = Operation("Copy Blob", _ALL | {*SOURCE}, creates=True, says_force=True, needs_lease=True)
ABORT_COPY: Final = Operation("Abort Copy Blob", LEASE, why_not=_NONE, returns_etag=False)
APPEND: Final = Operation("Append Block", _ALL | {*POSITION}, needs_lease=True)
PUT_BLOCK: Final = Operation("Put Block", LEASE, returns_etag=False, needs_lease=True, why_not=_BLOCK)
PUT_BLOCK_LIST: Final = Operation("Put Block List", _ALL, creates=True, says_force=True, needs_lease=True)
GET_BLOCK_LIST: Final = Operation("Get Block List", TAGS | LEASE, reads=True, why_not=_NO_ETAGS)
CREATE_PAGES: Final = Operation("Put Blob (pages)", _ALL, creates=True, says_force=True, needs_lease=True)
PUT_PAGE: Final = Operation("Put Page", _ALL | {*SEQUENCE}, needs_lease=True)
CLEAR_PAGES: Final = Operation("Put Page (clear)", _ALL | {*SEQUENCE}, needs_lease=True)
PAGE_RANGES: Final = Operation("Get Page Ranges", _ALL, reads=True)

REWRITE_BLOB: Final = Operation("Get Blob, then Put Blob", LEASE, needs_lease=True, why_not=_ITSELF)

CREATE_CONTAINER: Final = Operation("Create Container", why_not=_NONE)
SHOW_CONTAINER: Final = Operation(
    "Get Container Properties", LEASE, reads=True, covers=("Get Container Metadata",), why_not=_CONTAINER
)
DELETE_CONTAINER: Final = Operation(
    "Delete Container", DATES | LEASE, returns_etag=False, needs_lease=True, why_not=_CONTAINER
)
LIST_CONTAINERS: Final = Operation("List Containers", reads=True, returns_etag=False, why_not=_NONE)
SET_CONTAINER_METADATA: Final = Operation(
    "Set Container Metadata",
    LEASE | {"--if-modified-since"},
    why_not="of all conditions, the service honours --if-modified-since alone here",
)
GET_ACL: Final = Operation("Get Container ACL", LEASE, reads=True, why_not=_CONTAINER)
SET_ACL: Final = Operation("Set Container ACL", DATES | LEASE, why_not=_CONTAINER)

# What leases are taken on decides: a blob's lease honours all of these, a container's the dates only.
LEASE_BLOB: Final = Operation("Lease Blob", ETAGS | DATES | TAGS, takes_lease=True)
LEASE_CONTAINER: Final = Operation("Lease Container", DATES, takes_lease=True, why_not=_CONTAINER)
SHOW_LEASE: Final = Operation("Get Properties", reads=True, why_not="a look at the lease takes no condition")

GET_ENTITY: Final = Operation("Get Entity", reads=True, why_not=_NONE)
QUERY_ENTITIES: Final = Operation("Query Entities", reads=True, why_not=_NONE)
INSERT_ENTITY: Final = Operation("Insert Entity", creates=True, why_not="an insert is refused by itself if it exists")
REPLACE_ENTITY: Final = Operation(
    "Update Entity", frozenset({"--if-match"}), says_force=True, weak_etags=True, why_not=_ENTITY
)
MERGE_ENTITY: Final = Operation(
    "Merge Entity", frozenset({"--if-match"}), says_force=True, weak_etags=True, why_not=_ENTITY
)
DELETE_ENTITY: Final = Operation(
    "Delete Entity",
    frozenset({"--if-match"}),
    says_force=True,
    returns_etag=False,
    weak_etags=True,
    why_not=_ENTITY,
)
UPSERT_ENTITY: Final = Operation(
    "Insert Or Replace Entity / Insert Or Merge Entity",
    why_not="an upsert writes whatever is there; entity replace and merge take --if-match",
)
REWRITE_ENTITY: Final = Operation("Get Entity, then Update Entity", why_not=_ITSELF)
TABLE: Final = Operation("tables themselves", returns_etag=False, why_not="tables have no ETags, leases or conditions")
QUEUE: Final = Operation("a queue", returns_etag=False, why_not=_QUEUES)

CREATE_SHARE: Final = Operation("Create Share", why_not=_FILES)
SHOW_SHARE: Final = Operation("Get Share Properties", LEASE, reads=True, covers=("Get Share Metadata",), why_not=_FILES)
LIST_SHARES: Final = Operation("List Shares", reads=True, returns_etag=False, why_not=_FILES)
DELETE_SHARE: Final = Operation("Delete Share", LEASE, returns_etag=False, needs_lease=True, why_not=_FILES)
SNAPSHOT_SHARE: Final = Operation("Snapshot Share", why_not=_FILES)
SET_SHARE_METADATA: Final = Operation("Set Share Metadata", LEASE, why_not=_FILES)
CREATE_DIRECTORY: Final = Operation("Create Directory", why_not=_FILES)
PUT_FILE: Final = Operation("Create File, Put Range", LEASE, needs_lease=True, why_not=_FILES)
GET_FILE: Final = Operation("Get File", LEASE, reads=True, why_not=_FILES)
SHOW_FILE: Final = Operation(
    "Get File Properties",
    LEASE,
    reads=True,
    covers=("Get File Metadata", "Get Directory Properties", "Get Directory Metadata"),
    why_not=_FILES,
)
LIST_FILES: Final = Operation("List Directories and Files", reads=True, returns_etag=False, why_not=_FILES)
DELETE_FILE: Final = Operation(
    "Delete File", LEASE, returns_etag=False, needs_lease=True, covers=("Delete Directory",), why_not=_FILES
)
SET_FILE_METADATA: Final = Operation(
    "Set File Metadata", LEASE, needs_lease=True, covers=("Set Directory Metadata",), why_not=_FILES
)
RENAME_FILE: Final = Operation(
    "Rename File",
    covers=("Rename Directory",),
    why_not="the file service has none; the two leases are --source-lease-id and --target-lease-id",
)
LIST_HANDLES: Final = Operation("List Handles", reads=True, returns_etag=False, why_not=_FILES)
CLOSE_HANDLES: Final = Operation("Force Close Handles", returns_etag=False, why_not=_FILES)
LEASE_FILE: Final = Operation("Lease File", takes_lease=True, why_not=_FILES)
LEASE_SHARE: Final = Operation("Lease Share", takes_lease=True, why_not=_FILES)

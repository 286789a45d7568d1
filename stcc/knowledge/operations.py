"""What each REST operation honours: the table behind "every condition is sent or refused".

Sources: the REST pages of the operations, "Specifying conditional headers for
Blob service operations", and the requests that the SDKs' specifications allow.
A condition that is not in an operation's row is ignored by the service, so
stcc refuses it before anything is sent.
"""

from dataclasses import dataclass
from typing import Final

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
HEADERS: Final = {
    "--if-match": "If-Match",
    "--if-none-match": "If-None-Match",
    "--if-modified-since": "If-Modified-Since",
    "--if-unmodified-since": "If-Unmodified-Since",
    "--if-tags": "x-ms-if-tags",
    "--lease-id": "x-ms-lease-id",
}


@dataclass(frozen=True, slots=True)
class Operation:
    """One row: which of `CONDITIONS` it honours, and how.

    `reads`: the combinations of a read apply, and an unmet If-None-Match is 304.
    `creates`: If-None-Match: * means "only if there is none yet".
    `takes_lease`: `--lease-id` names the lease itself and is declared by the command.
    `says_force`: a change that needs a condition, a lease id, or `--force`.
    `weak_etags`: its ETags are those of table entities.
    """

    name: str
    honours: frozenset[str] = frozenset()
    reads: bool = False
    creates: bool = False
    takes_lease: bool = False
    says_force: bool = False
    returns_etag: bool = True
    weak_etags: bool = False
    why_not: str = ""


_CONTAINER: Final = "the service ignores ETag and tag conditions on containers"
_ENTITY: Final = "the table service knows --if-match only"
_NONE: Final = "the service ignores every condition on this operation"
_QUEUES: Final = "queues have no ETags, leases or conditions"

PUT_BLOB: Final = Operation("Put Blob", ETAGS | DATES | TAGS | LEASE, creates=True, says_force=True)
GET_BLOB: Final = Operation("Get Blob", ETAGS | DATES | TAGS | LEASE, reads=True)
SHOW_BLOB: Final = Operation("Get Blob Properties", ETAGS | DATES | TAGS | LEASE, reads=True)
DELETE_BLOB: Final = Operation("Delete Blob", ETAGS | DATES | TAGS | LEASE, says_force=True, returns_etag=False)
LIST_BLOBS: Final = Operation("List Blobs", reads=True, returns_etag=False, why_not=_NONE)

CREATE_CONTAINER: Final = Operation("Create Container", why_not=_NONE)
SHOW_CONTAINER: Final = Operation("Get Container Properties", LEASE, reads=True, why_not=_CONTAINER)
DELETE_CONTAINER: Final = Operation("Delete Container", DATES | LEASE, returns_etag=False, why_not=_CONTAINER)
LIST_CONTAINERS: Final = Operation("List Containers", reads=True, returns_etag=False, why_not=_NONE)

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
TABLE: Final = Operation("tables themselves", returns_etag=False, why_not="tables have no ETags, leases or conditions")
QUEUE: Final = Operation("a queue", returns_etag=False, why_not=_QUEUES)

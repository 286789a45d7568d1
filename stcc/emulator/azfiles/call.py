"""One request with all that its operation needs, and the ways to what it is about."""

from dataclasses import dataclass

from stcc.emulator.azfiles import handles, nodes, shares
from stcc.emulator.azfiles.grants import Grant
from stcc.emulator.azfiles.moments import etag, http_date
from stcc.emulator.azfiles.nodes import Node
from stcc.emulator.azfiles.refusals import Refusal
from stcc.emulator.azfiles.request import Request
from stcc.emulator.azfiles.shares import Share
from stcc.emulator.azfiles.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request that may be served: its signature is right, and it is allowed what it asks for."""

    request: Request
    store: Store
    grant: Grant

    @property
    def share_name(self) -> str:
        return self.request.share or ""

    @property
    def lease_id(self) -> str | None:
        return self.request.guid("x-ms-lease-id")

    def share_to_read(self) -> Share:
        """Return the share, or the snapshot of it that the request names."""
        return shares.get(self.store, self.share_name, self.request.query.get("sharesnapshot", ""))

    def share_to_change(self) -> Share:
        if "sharesnapshot" in self.request.query:
            raise Refusal("ShareSnapshotOperationNotSupported")
        return shares.get(self.store, self.share_name)

    def node(self, share: Share) -> Node:
        """Return the directory or file, whether or not it is marked for deletion."""
        found = nodes.find(self.store, share, self.request.path)
        if found is None:
            raise Refusal("ResourceNotFound")
        return found

    def directory(self, share: Share) -> Node:
        """Return the directory; a file of that name is not found, on which clients rely to tell one from the other."""
        found = self.node(share)
        if not found.is_directory:
            raise Refusal("ResourceNotFound")
        handles.check_stays(found)
        return found

    def file(self, share: Share) -> Node:
        found = self.node(share)
        if found.is_directory:
            raise Refusal("ResourceNotFound")
        handles.check_stays(found)
        return found


def changed(moment: int) -> dict[str, str]:
    """Return the two headers that tell of the last change."""
    return {"etag": etag(moment), "last-modified": http_date(moment)}


def metadata_headers(node: Node | Share) -> dict[str, str]:
    return {f"x-ms-meta-{name}": value for name, value in node.metadata.items()}

"""The fence that a blob was written under."""

from stcc.operations.fencing import Mark, fence_in
from stcc.outcomes import Refused
from stcc.storage.account import Account
from stcc.storage.answers import Rejected, ask_properties
from stcc.storage.refusals import refused
from stcc.storage.settle import read
from stcc.values.targets import BlobTarget


def mark(account: Account, target: BlobTarget) -> Mark | Refused:
    """Return ETag and fence of a blob, nothing where there is none."""
    client = account.blob(target)
    try:
        said = read(lambda: ask_properties(client.get_blob_properties), target=target)
    except Rejected as rejected:
        if rejected.code == "BlobNotFound":
            return Mark(None, None)
        return refused(rejected, target=target, doing="look at")
    return Mark(said.value.etag, fence_in(said.value.metadata))

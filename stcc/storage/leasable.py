"""Something to lease, made where there is nothing."""

from collections.abc import Callable
from typing import Any

from stcc.outcomes import Refused
from stcc.storage.account import Account
from stcc.storage.answers import Rejected, Said, ask, ask_tagged
from stcc.storage.refusals import refused
from stcc.storage.settle import change
from stcc.values.targets import BlobTarget, ContainerTarget


def made(account: Account, target: BlobTarget | ContainerTarget, content: bytes) -> Refused | None:
    """Make the blob with this content, and its container, or the container alone; None when they are there."""
    container = account.container(target.container)
    try:
        if isinstance(target, BlobTarget):
            blob = account.blob(target)
            _unless_there(lambda: ask_tagged(container.create_container), container.get_container_properties, target)
            _unless_there(
                lambda: ask_tagged(
                    blob.upload_blob, content, length=len(content), overwrite=True, headers={"If-None-Match": "*"}
                ),
                blob.get_blob_properties,
                target,
            )
        else:
            _unless_there(lambda: ask_tagged(container.create_container), container.get_container_properties, target)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="create")
    return None


def _unless_there(send: Callable[[], Said[Any]], look: Callable[..., Any], target: object) -> None:
    """Make something; that it is there by now, whoever made it, is what was wanted."""
    try:
        change(send, target=target, evidence=lambda: ask(look))
    except Rejected as rejected:
        # A leased blob is there, too.
        if rejected.status not in {409, 412} or rejected.code == "ContainerBeingDeleted":
            raise

"""What is leased, as the SDKs know it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from stcc.storage.account import Account
from stcc.values.leasable import Leasable
from stcc.values.targets import BlobTarget, ContainerTarget, FileTarget


class Subject(NamedTuple):
    """The client, its method that reads the properties, and the class of its leases."""

    client: Any
    properties: Callable[..., Any]
    lease: Callable[..., Any]


def subject(account: Account, target: Leasable) -> Subject:
    """Return what the SDK has for a target; only its own SDK is imported."""
    if isinstance(target, (BlobTarget, ContainerTarget)):
        from azure.storage.blob import BlobLeaseClient

        if isinstance(target, BlobTarget):
            blob = account.blob(target)
            return Subject(blob, blob.get_blob_properties, BlobLeaseClient)
        container = account.container(target.container)
        return Subject(container, container.get_container_properties, BlobLeaseClient)
    from azure.storage.fileshare import ShareLeaseClient

    if isinstance(target, FileTarget):
        file = account.file(target)
        return Subject(file, file.get_file_properties, ShareLeaseClient)
    share = account.share(target)
    return Subject(share, share.get_share_properties, ShareLeaseClient)

"""What can be leased: a container, a blob, and, said by a prefix, a file share or a file."""

from stcc.errors import Usage
from stcc.values.targets import (
    BlobTarget,
    ContainerTarget,
    FileTarget,
    ShareTarget,
    file_target,
    lease_target,
    share_target,
)

Leasable = BlobTarget | ContainerTarget | FileTarget | ShareTarget


def leasable(text: str) -> Leasable:
    """Parse `CONTAINER`, `CONTAINER/BLOB`, `share:SHARE`, `file:SHARE/PATH`, or one of them with a URL."""
    kind, colon, name = text.partition(":")
    if not colon or kind not in {"file", "share"}:
        return lease_target(text)
    if kind == "share":
        share = share_target(name)
        if share.snapshot is not None:
            raise Usage("stcc leases no snapshots of shares")
        return share
    file = file_target(name)
    if file.snapshot is not None:
        raise Usage("a snapshot cannot be leased")
    if file.is_directory:
        raise Usage("a directory cannot be leased", hint="a file of it can, or the share: share:SHARE")
    return file


def spelled(target: Leasable) -> str:
    """Return the target as `leasable` reads it."""
    match target:
        case FileTarget():
            return f"file:{target}"
        case ShareTarget():
            return f"share:{target}"
        case _:
            return str(target)

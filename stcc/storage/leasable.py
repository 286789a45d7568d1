"""Something to lease, made where there is nothing."""

from collections.abc import Callable
from typing import Any, Final

from stcc.knowledge.refusals import BY_SMB
from stcc.outcomes import Refused
from stcc.storage.account import Account
from stcc.storage.answers import Rejected, Said, ask, ask_tagged
from stcc.storage.refusals import refused
from stcc.storage.settle import change, read
from stcc.values.leasable import Leasable
from stcc.values.targets import BlobTarget, ContainerTarget, FileTarget, ShareTarget

_THERE: Final = frozenset(
    {"BlobAlreadyExists", "ContainerAlreadyExists", "ShareAlreadyExists", "ResourceAlreadyExists"}
)


def made(account: Account, target: Leasable, content: bytes) -> Refused | None:
    """Make the blob with this content, and its container, or the container alone; None when they are there.

    A file is made empty, in its share, but not in a directory that is not there.
    """
    if isinstance(target, (BlobTarget, ContainerTarget)):
        return _made_blob(account, target, content)
    share = account.share(ShareTarget(share=target.share))
    try:
        _unless_there(lambda: ask_tagged(share.create_share), share.get_share_properties, target)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="create")
    if isinstance(target, ShareTarget):
        return None
    return make_empty(account, target)


def _made_blob(account: Account, target: BlobTarget | ContainerTarget, content: bytes) -> Refused | None:
    container = account.container(target.container)
    try:
        _unless_there(lambda: ask_tagged(container.create_container), container.get_container_properties, target)
        if isinstance(target, BlobTarget):
            blob = account.blob(target)
            sent: dict[str, Any] = {"length": len(content), "overwrite": True, "headers": {"If-None-Match": "*"}}
            _unless_there(lambda: ask_tagged(blob.upload_blob, content, **sent), blob.get_blob_properties, target)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="create")
    return None


def _unless_there(send: Callable[[], Said[Any]], look: Callable[..., Any], target: object) -> None:
    """Make something; that it is there by now, whoever made it, is what was wanted."""
    try:
        change(send, target=target, evidence=lambda: ask(look))
    except Rejected as rejected:
        # A leased blob is there, too (412).
        if rejected.status != 412 and rejected.code not in _THERE:
            raise


def make_empty(account: Account, target: FileTarget) -> Refused | None:
    """Make an empty file, unless there is one; never in the place of one that somebody has made meanwhile."""
    from stcc.storage.drafts import Draft

    draft, done = Draft(account, target), False
    try:
        draft.create(0)
        draft.become(overwrite=False, look=None)
        done = True
    except Rejected as rejected:
        return _not_made(account, target, rejected)
    finally:
        if not done:
            draft.discard()
    return None


def _not_made(account: Account, target: FileTarget, rejected: Rejected) -> Refused | None:
    """Return why there is no file: SMB clients are in the way, or a directory has the name; None when there is one."""
    from stcc.storage.files import look_at
    from stcc.storage.handles import named

    if rejected.code in _THERE:
        if not _is_directory(account, target):
            return None
        other, seen = Rejected(409, "ResourceTypeMismatch", "", rejected.headers), look_at(account, target)
        return refused(other, target=target, doing="create", before=f"seen after {rejected}", look=seen)
    answer = refused(rejected, target=target, doing="create")
    return named(answer, account, target, look=True, waits=False) if rejected.code in BY_SMB else answer


def _is_directory(account: Account, target: FileTarget) -> bool:
    try:
        read(lambda: ask(account.directory(target).get_directory_properties), target=target)
    except Rejected:
        return False
    return True

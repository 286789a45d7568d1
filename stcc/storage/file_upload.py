"""Putting a file: under another name, then in one step in the place of the old one; or into the old one itself.

The service knows no condition for files, so the last writer wins. What a reader sees is another matter: of a
rename, the old file or the new one; of a file that is written in place, perhaps a part of each.
"""

import dataclasses
from collections.abc import Callable
from typing import Protocol, TypeVar

from stcc.errors import Local
from stcc.outcomes import Refused
from stcc.outcomes.file_put import FilePut
from stcc.storage.account import Account
from stcc.storage.answers import Rejected
from stcc.storage.drafts import Draft, leftovers
from stcc.storage.putting import Progress, Put, Wanted
from stcc.storage.ranges import Content, Source
from stcc.values.targets import FileTarget

T = TypeVar("T")


class Persist(Protocol):
    """Asks again while SMB clients are in the way, for as long as the user wants to wait for it."""

    def __call__(self, attempt: Callable[[], T | Refused], /) -> T | Refused: ...


def put_by_rename(
    account: Account, target: FileTarget, source: Source, *, wanted: Wanted, progress: Progress, persist: Persist
) -> FilePut | Refused:
    """Put a file so that every reader sees all of the old one or all of the new one.

    It keeps permission, attributes and metadata of the old one. Whatever goes wrong leaves the old file alone.
    """
    put, draft, done = Put(account, target, wanted), Draft(account, target), False
    try:
        old = persist(lambda: put.looked(by_rename=True))
        if isinstance(old, Refused):
            return old
        size = put.drafted(draft, Content(source), old, progress=progress)
        if wanted.unchanged is not None and isinstance(now := put.looked(by_rename=True), Refused):
            return now
        answer = persist(lambda: put.renamed(draft, old, size=size))
        done = isinstance(answer, FilePut)
    except Rejected as rejected:
        return put.refused(rejected)
    finally:
        if not done:
            draft.discard()
    return _with_leftovers(account, target, answer)


def put_in_place(
    account: Account, target: FileTarget, source: Source, *, wanted: Wanted, progress: Progress, persist: Persist
) -> FilePut | Refused:
    """Put a file by writing into the one that is there, which keeps all that it has beside its content."""
    put = Put(account, target, wanted)
    old = persist(lambda: put.looked(by_rename=False))
    if isinstance(old, Refused):
        return old
    content = Content(source)
    opened = persist(lambda: put.opened(old, content))
    if isinstance(opened, Refused):
        return opened
    try:
        return _with_leftovers(account, target, put.written(old, content, progress=progress))
    except Rejected as rejected:
        return put.refused(rejected)
    except Local as local:  # the source changed, and is half sent by now
        why = local.message.partition(";")[0]
        raise Local(why, hint=f"{target} may hold a part of it", target=str(target)) from None


def _with_leftovers(account: Account, target: FileTarget, answer: FilePut | Refused) -> FilePut | Refused:
    if isinstance(answer, Refused) or not account.diagnose:
        return answer
    return dataclasses.replace(answer, leftovers=leftovers(account, target))

"""Putting a file: under another name, then in one step in the place of the old one; or into the old one itself.

The service knows no condition for files, so the last writer wins. What a reader sees is another matter: of a
rename, the old file or the new one; of a file that is written in place, perhaps a part of each.
"""

import dataclasses

from stcc.errors import Interrupted, Local, StccError, Unavailable, Unknown
from stcc.outcomes import Refused
from stcc.outcomes.file_put import FilePut
from stcc.storage.account import Account
from stcc.storage.answers import Rejected
from stcc.storage.drafts import Draft, leftovers
from stcc.storage.putting import Halted, Old, Persist, Progress, Put, Wanted, also
from stcc.storage.ranges import Content, Source
from stcc.values.targets import FileTarget


def put_by_rename(
    account: Account, target: FileTarget, source: Source, *, wanted: Wanted, progress: Progress, persist: Persist
) -> FilePut | Refused:
    """Put a file so that every reader sees all of the old one or all of the new one.

    It keeps permission, attributes and metadata of the old one. Whatever goes wrong leaves the old file alone, and a
    draft only where that is said.
    """
    put, draft = Put(account, target, wanted), Draft(account, target)
    try:
        answer = _renamed(put, draft, source, progress=progress, persist=persist)
    except StccError as error:
        error.hint = also(error.hint, draft.left_over())
        raise
    except KeyboardInterrupt as stop:
        interrupted = Interrupted(stop, f"{target} was not put", target=str(target))
        interrupted.hint = draft.left_over()
        raise interrupted from None
    if isinstance(answer, Refused):
        return dataclasses.replace(answer, hint=also(answer.hint, draft.left_over()))
    return _with_leftovers(account, target, answer)


def _renamed(put: Put, draft: Draft, source: Source, *, progress: Progress, persist: Persist) -> FilePut | Refused:
    """Write the draft and rename it; before every rename but the first one of a small file, look once more."""
    old = persist(lambda: put.looked(by_rename=True))
    if isinstance(old, Refused):
        return old
    content = Content(source)
    looks: list[Old | None] = [old] if content.is_small and not put.is_conditional else []

    def attempt() -> FilePut | Refused:
        now = looks.pop() if looks else put.looked(by_rename=True)
        return now if isinstance(now, Refused) else put.renamed(draft, now, size=size)

    try:
        size = put.drafted(draft, content, old, progress=progress)
    except Rejected as rejected:
        return put.refused(rejected)
    return persist(attempt)


def put_in_place(
    account: Account, target: FileTarget, source: Source, *, wanted: Wanted, progress: Progress, persist: Persist
) -> FilePut | Refused:
    """Put a file by writing into the one that is there, which keeps all that it has beside its content.

    What is refused or interrupted once a part of it is written says so: it is no longer what it was.
    """
    put = Put(account, target, wanted)
    old = persist(lambda: put.looked(by_rename=False))
    if isinstance(old, Refused):
        return old
    content = Content(source)
    opened = persist(lambda: put.opened(old, content))
    if isinstance(opened, Refused):
        return opened
    part = f"{target} may hold a part of it"
    try:
        return _with_leftovers(account, target, put.written(old, content, progress=progress, persist=persist))
    except Halted as halted:
        return halted.refusal
    except Local as local:  # the source changed, and is half sent by now
        raise Local(local.message.partition(";")[0], hint=part, target=str(target)) from None
    except Unknown as unknown:
        unknown.hint = also(unknown.hint, part)
        raise
    except Unavailable as unavailable:
        if not put.touched:
            raise
        raise Unknown(f"{unavailable.message}; {part}", hint="put it again", target=str(target)) from None
    except Interrupted as stop:
        stop.hint = part
        raise
    except KeyboardInterrupt as stop:
        raise Interrupted(stop, part, target=str(target)) from None


def _with_leftovers(account: Account, target: FileTarget, answer: FilePut | Refused) -> FilePut | Refused:
    if isinstance(answer, Refused) or not account.diagnose:
        return answer
    return dataclasses.replace(answer, leftovers=leftovers(account, target))

"""Open handles of SMB clients: listing them, and closing them by force."""

import dataclasses
from collections.abc import Iterator
from typing import Any, Final

from stcc.knowledge.refusals import BY_SMB
from stcc.outcomes import Listing, Refused
from stcc.outcomes.file import COLUMNS, HandlesClosed
from stcc.storage.account import Account
from stcc.storage.answers import Lost, Rejected, Said, Unsent, ask
from stcc.storage.listing import pages
from stcc.storage.refusals import refused
from stcc.storage.settle import change
from stcc.values.handles import Handle
from stcc.values.targets import FileTarget
from stcc.values.times import iso

# So many handles tell enough about who is in the way.
_ENOUGH: Final = 100
_COUNTS: Final = frozenset({"x-ms-number-of-handles-closed", "x-ms-number-of-handles-failed"})


def listing(account: Account, target: FileTarget, *, recursive: bool, limit: int | None) -> Listing | Refused:
    """List what is open of a file or directory, with `recursive` also of everything below it."""
    try:
        found = opened(account, target, recursive=recursive, limit=limit)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="list the open handles of")
    return Listing(
        kind="handles-listed",
        target=f"open handles of {target}",
        columns=COLUMNS["handles-listed"],
        items=(handle.facts() for handle in found),
    )


def opened(account: Account, target: FileTarget, *, recursive: bool, limit: int | None = None) -> Iterator[Handle]:
    """Return the open handles; `Rejected` comes at once, what fails after the first page out of the iterator.

    It works also on what is marked for deletion, which answers no other question.
    """
    client = account.directory(target) if recursive or not target.path else account.file(target)
    options = {"recursive": True} if recursive else {}
    return map(_handle, pages(client.list_handles, target=target, limit=limit, **options))


def close(account: Account, target: FileTarget, handle_id: str) -> HandlesClosed | Refused:
    """Close one handle."""
    client = _client(account, target)
    return _closed(client.close_handle, target, handle_id)


def close_all(account: Account, target: FileTarget, *, recursive: bool) -> HandlesClosed | Refused:
    """Close all handles."""
    options = {"recursive": True} if recursive else {}
    client = account.directory(target) if recursive else _client(account, target)
    return _closed(client.close_all_handles, target, **options)


class Opens:
    """The open handles of what an operation is about, as far as one page tells them; `recursive` with all below.

    In a directory that is marked for deletion nothing can be made: then its own handles are the ones that count.
    """

    def __init__(self, account: Account, *targets: FileTarget, recursive: bool = False) -> None:
        self._account = account
        self._targets = targets
        self._recursive = recursive

    def handles(self) -> tuple[Handle, ...] | None:
        """Return who has something open; None when nobody says."""
        try:
            return tuple(dict.fromkeys(handle for target in self._targets for handle in self._of(target)))
        except Rejected:
            return None

    def close(self, handle: Handle) -> HandlesClosed | Refused:
        """Close exactly this one."""
        return close(self._account, self._targets[0].beside(handle.path), handle.id)

    def _of(self, target: FileTarget) -> list[Handle]:
        try:
            return list(opened(self._account, target, recursive=self._recursive, limit=_ENOUGH))
        except Rejected as rejected:
            # A file has nothing below it, and the service says so; what is to be made need not exist.
            if rejected.status == 404 or rejected.code in BY_SMB:
                above = going_above(self._account, target)
                return [] if above is None else list(opened(self._account, above, recursive=False, limit=_ENOUGH))
            if rejected.status != 400 or not self._recursive:
                raise
            return list(opened(self._account, target, recursive=False, limit=_ENOUGH))


def going_above(account: Account, target: FileTarget) -> FileTarget | None:
    """Return the directory above the target, near or far, that is marked for deletion; None when there is none."""
    path = target.path
    while path := path.rpartition("/")[0]:
        try:
            ask(account.directory(target.beside(path)).get_directory_properties)
        except Rejected as rejected:
            if rejected.code in BY_SMB:
                return target.beside(path)
            if rejected.status == 404:
                continue
        except (Lost, Unsent):
            pass
        return None
    return None


def named(answer: Refused, account: Account, file: FileTarget, *, look: bool, waits: bool) -> Refused:
    """Return a refusal because of SMB clients, for a command that closes nothing itself: how to, and with a look, who.

    `waits`: the command takes --wait.
    """
    handles = Opens(account, file).handles() if look and account.diagnose else None
    at = file.beside(handles[0].path) if handles else file
    wait = "wait until it is closed (--wait 60s)" if waits else "wait until it is closed"
    return dataclasses.replace(
        answer,
        observed=None if handles is None else {"handles": [handle.facts() for handle in handles]},
        hint=f"{wait}, or take it from them: stcc file handles {at}, stcc file close-handles {at}",
    )


def _client(account: Account, target: FileTarget) -> Any:
    """Return a client of a file or directory: to questions about handles it is the same."""
    return account.file(target) if target.path else account.directory(target)


def _closed(call: Any, target: FileTarget, *args: str, **options: bool) -> HandlesClosed | Refused:
    """Close handles, once: a client may have come back in between, and would be cut off a second time."""

    def send() -> Said[dict[str, int]]:
        said: Said[dict[str, int]] = ask(call, *args, **options)
        if not said.headers.keys() >= _COUNTS:
            raise Lost("the answer was cut off before it said how many")
        return said

    meaning = "the handles may or may not have been closed"
    try:
        said, settled = change(send, target=target, repeat=False, meaning=meaning)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="close the handles of")
    return HandlesClosed(
        reply=said.reply(settled=settled),
        target=str(target),
        closed=int(said.value["closed_handles_count"]),
        failed=int(said.value["failed_handles_count"]),
    )


def _handle(found: Any) -> Handle:
    """Return what the SDK has read; a client is its address, and its name where the service knows it."""
    name = f" ({found.client_name})" if found.client_name else ""
    return Handle(
        id=str(found.id),
        path=str(found.path),
        client=f"{found.client_ip}{name}",
        access=" ".join(right.lower() for right in found.access_rights or ()) or "none",
        opened=iso(found.open_time),
        last_reconnect=iso(found.last_reconnect_time),
    )

"""Directories: making them, and listing what is in them."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, Final

from stcc.knowledge.refusals import BY_SMB
from stcc.outcomes import Listing, Refused
from stcc.outcomes.file import COLUMNS, DirectoryMade
from stcc.storage import handles
from stcc.storage.account import Account
from stcc.storage.answers import Lost, Rejected, Said, Unsent, ask, ask_tagged
from stcc.storage.files import refusal
from stcc.storage.listing import broken_off, pages
from stcc.storage.marker import left_in, marked, version
from stcc.storage.settle import change, read
from stcc.values.targets import FileTarget
from stcc.values.times import iso

_INCLUDE: Final = ("timestamps", "Etag", "Attributes")
_PENDING: Final = "delete pending: it goes when the last SMB client closes it"


def make(
    account: Account, target: FileTarget, *, metadata: Mapping[str, str], parents: bool, marker: bool
) -> DirectoryMade | Refused:
    """Make a directory; with `parents`, also those above it, and it is no matter if it is there already.

    A lost answer is settled by the operation id in the metadata.
    """
    missing, sent = [target], marked(metadata, marker=marker)
    try:
        if parents:
            return _made_with_parents(account, missing, sent)
        said, settled = _made(account, target, sent)
        made = (str(target),)
        return DirectoryMade(reply=said.reply(settled=settled), target=str(target), made=made, **version(said.value))
    except Rejected as rejected:
        return _refused(account, target, missing[-1], rejected)


def _made(account: Account, target: FileTarget, sent: Mapping[str, str]) -> tuple[Said[dict[str, Any]], str | None]:
    client = account.directory(target)
    return change(
        lambda: ask_tagged(client.create_directory, metadata=dict(sent)),
        target=target,
        evidence=lambda: left_in(client.get_directory_properties, sent, ask=ask_tagged),
    )


def _refused(account: Account, target: FileTarget, at: FileTarget, rejected: Rejected) -> Refused:
    """Return the refusal, which came when `at` was to be made: the target, or a directory above it.

    It is about that, then, or about what is marked for deletion above it.
    """
    if rejected.code in BY_SMB and account.diagnose:
        at = handles.going_above(account, at) or at
    where = "" if at == target else f" {target}: at"
    answer = refusal(account, at, rejected, doing=f"make the directory{where}")
    return dataclasses.replace(answer, target=str(target))


def _made_with_parents(account: Account, missing: list[FileTarget], sent: Mapping[str, str]) -> DirectoryMade:
    """Make the lowest first: mostly all above it are there, and it is one request.

    The last of the `missing` is what is being made; the first, what was asked for.
    """
    target, made = missing[0], list[str]()
    while True:
        try:
            said, settled = _made(account, missing[-1], sent if missing[-1] == target else {})
        except Rejected as rejected:
            above = missing[-1].path.rpartition("/")[0]
            if rejected.code == "ParentNotFound" and above:
                missing.append(target.beside(above))
                continue
            if rejected.code != "ResourceAlreadyExists":
                raise
            found = read(lambda: ask_tagged(account.directory(missing[-1]).get_directory_properties), target=target)
            said, settled = (
                Said({"etag": found.value.etag, "last_modified": found.value.last_modified}, *found[1:]),
                None,
            )
        else:
            made.append(str(missing[-1]))
        missing.pop()
        if not missing:
            reply = said.reply(settled=settled)
            return DirectoryMade(reply=reply, target=str(target), made=tuple(made), **version(said.value))


def listing(account: Account, target: FileTarget, *, recursive: bool, limit: int | None) -> Listing | Refused:
    """List what is in a directory, names as paths in the share; with `recursive`, all below it.

    The service leaves out what SMB clients have marked for deletion: their open handles tell of it.
    """
    try:
        first = _page_by_page(account, target, limit=limit)
    except Rejected as rejected:
        return refusal(account, target, rejected, doing="list")
    found = _Walk(account, target, recursive=recursive).items(first)
    items = found if limit is None else (item for item, _ in zip(found, range(limit), strict=False))
    return Listing(kind="files-listed", target=str(target), columns=COLUMNS["files-listed"], items=items)


def _page_by_page(account: Account, target: FileTarget, *, limit: int | None = None) -> Iterator[Any]:
    call = account.directory(target).list_directories_and_files
    return pages(call, target=target, limit=limit, include=list(_INCLUDE))


class _Walk:
    """What is below a directory, from the top, and what is only about to go."""

    def __init__(self, account: Account, top: FileTarget, *, recursive: bool) -> None:
        self._account = account
        self._top = top
        self._recursive = recursive
        self._open = self._opened()

    def items(self, first: Iterator[Any]) -> Iterator[Mapping[str, object]]:
        """Yield everything; `first` is what is directly in the top."""
        waiting = [(self._top, first)]
        while waiting:
            directory, found = waiting.pop()
            below = list[FileTarget]()
            for one in found:
                path = f"{directory.path}/{one.name}" if directory.path else str(one.name)
                self._open.discard(path)
                yield _item(path, one)
                if one.is_directory and self._recursive:
                    below.append(self._top.beside(path))
            waiting += [(inner, self._inside(inner)) for inner in reversed(below)]
        yield from (_going(path) for path in sorted(self._open) if self._is_pending(path))

    def _inside(self, directory: FileTarget) -> Iterator[Any]:
        """Yield what is in a directory, which may be gone by now, or about to go."""
        try:
            yield from _page_by_page(self._account, directory)
        except Rejected as rejected:
            if rejected.status != 404 and rejected.code not in BY_SMB:
                raise broken_off(rejected, directory) from rejected

    def _opened(self) -> set[str]:
        """Return the paths that SMB clients have open, as far as they are listed; none when nobody says."""
        start = f"{self._top.path}/" if self._top.path else ""
        try:
            found = {handle.path for handle in handles.opened(self._account, self._top, recursive=True)}
        except Rejected:
            return set()
        below = {path for path in found if path.startswith(start) and path != self._top.path}
        return below if self._recursive else {path for path in below if "/" not in path.removeprefix(start)}

    def _is_pending(self, path: str) -> bool:
        """Tell whether something open that was not listed is marked for deletion, not only new or gone."""
        try:
            ask(self._account.file(self._top.beside(path)).get_file_properties)
        except Rejected as rejected:
            return rejected.code in BY_SMB
        except (Lost, Unsent):
            pass
        return False


def _item(path: str, found: Any) -> Mapping[str, object]:
    return {
        "name": path,
        "type": "directory" if found.is_directory else "file",
        "size": None if found.is_directory else found.size,
        "last_modified": iso(found.last_modified),
        # As for blobs: listings may leave out the quotes that belong to the tag everywhere else.
        "etag": f'"{found.etag.strip(chr(34))}"' if found.etag else None,
        "attributes": found.file_attributes,
        "note": None,
    }


def _going(path: str) -> Mapping[str, object]:
    nothing = dict.fromkeys(("type", "size", "last_modified", "etag", "attributes"))
    return {"name": path, **nothing, "note": _PENDING}

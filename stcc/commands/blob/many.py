"""The folders of `blob put -r` and `blob get -r`."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from stcc import files, folders
from stcc.commands import sources
from stcc.errors import Usage
from stcc.exits import Exit
from stcc.operations.many import Many, Task
from stcc.outcomes import Answer, Listing, Refused
from stcc.outcomes.blob import BlobGot, BlobPut
from stcc.outcomes.transfers import COLUMNS
from stcc.runtime import Runtime
from stcc.storage import blobs, download, upload
from stcc.storage.account import Account
from stcc.values.attributes import Attributes
from stcc.values.conditions import Conditions
from stcc.values.targets import BlobTarget, ContainerTarget, blob_target, listing_target

# What is one thing's alone cannot be a condition for many.
_SINGLE: Final = ("--if-match", "--if-none-match", "--lease-id")


def put(
    runtime: Runtime, target: str, folder: str, *, kind: str | None, stored: Attributes, conditions: Conditions
) -> Answer:
    """Put every file below a folder; `kind` is the media type of all, else each has its own."""
    container, prefix = _place(target)
    _check(conditions, but={"--if-none-match"} if conditions.values.get("--if-none-match") == "*" else set())
    root = Path(_given(folder, "source"))
    if not root.is_dir():
        raise Usage(f"not a folder: {folder!r}", hint="-r puts every file below a folder")
    account = runtime.account(container.at)

    def tasks() -> Iterator[Task]:
        for entry in folders.below(root):
            name = f"{container}/{prefix}{entry.name}"
            one = partial(_put_one, account, container, f"{prefix}{entry.name}", entry, kind, stored, conditions)
            yield Task(name, str(entry.path), one)

    return _listing(Many(tasks(), done="blobs-put", failed="blobs-put-in-part"), "blobs-put", target)


def _put_one(
    account: Account,
    container: ContainerTarget,
    name: str,
    entry: folders.Entry,
    kind: str | None,
    stored: Attributes,
    conditions: Conditions,
) -> BlobPut | Refused:
    if entry.problem is not None:
        raise Usage(entry.problem)
    blob = _blob(container, name)
    attributes = Attributes(
        content_type=kind or sources.content_type(None, entry.name),
        metadata=stored.metadata,
        tags=stored.tags,
        marker=stored.marker,
    )
    with files.reading(str(entry.path)) as source:
        return upload.put(
            account, blob, source, attributes=attributes, conditions=conditions, progress=lambda _more: None
        )


def get(runtime: Runtime, target: str, folder: str | None, *, conditions: Conditions, force: bool) -> Answer:
    """Get every blob below a prefix, each in the state in which it was listed."""
    container, prefix = _place(target)
    _check(conditions, but=set())
    root = folders.Folder(Path("." if folder is None else _given(folder, "destination")))
    account = runtime.account(container.at)
    listed = blobs.listing(account, container, prefix=prefix, include=[], limit=None)
    if isinstance(listed, Refused):
        return listed

    def tasks() -> Iterator[Task]:
        for item in listed.items:
            name = str(item["name"])
            local = name.removeprefix(prefix)
            pinned = Conditions({"--if-match": str(item["etag"]), **conditions.values})
            one = partial(_get_one, account, container, name, root, local, pinned, force=force)
            yield Task(f"{container}/{name}", local, one)

    return _listing(
        Many(tasks(), done="blobs-got", failed="blobs-got-in-part", nothing=Exit.ABSENT), "blobs-got", target
    )


def _get_one(
    account: Account,
    container: ContainerTarget,
    name: str,
    root: folders.Folder,
    local: str,
    conditions: Conditions,
    *,
    force: bool,
) -> BlobGot | Refused:
    with root.new(local, force=force) as draft:
        found = download.get(
            account, _blob(container, name), conditions=conditions, span=None, progress=lambda _done, _total: None
        )
        answer = found if isinstance(found, Refused) else found.into(draft, path=local)
        if isinstance(answer, BlobGot):
            draft.keep(answer.size)
        return answer


def _given(folder: str, what: str) -> str:
    """Refuse an empty name, which would mean the current folder."""
    if not folder.strip():
        raise Usage(f"the {what} is empty", hint="is the variable set? . is the current folder")
    return folder


def _place(text: str) -> tuple[ContainerTarget, str]:
    """Return the container, and the prefix of all names with the slash that ends it."""
    container, prefix = listing_target(text)
    return container, f"{prefix.rstrip('/')}/" if prefix else ""


def _blob(container: ContainerTarget, name: str) -> BlobTarget:
    return blob_target(f"{container.container}/{name}")._replace(at=container.at)


def _check(conditions: Conditions, *, but: set[str]) -> None:
    for flag in _SINGLE:
        if flag in conditions.values and flag not in but:
            raise Usage(f"{flag} is one blob's alone: it cannot go with --recursive")


def _listing(many: Many, kind: str, target: str) -> Listing:
    return Listing(
        kind=kind,
        target=target.partition("?")[0],
        columns=COLUMNS[kind],
        items=many.items(),
        noun="transfers",
        ending=many.ending,
    )

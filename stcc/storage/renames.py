"""Renames within a share: one request, and every reader sees the old name or the new one."""

import dataclasses

from stcc.outcomes import Refused
from stcc.outcomes.file import FileRenamed, Kind
from stcc.storage.account import Account
from stcc.storage.answers import Rejected, ask_tagged, modified
from stcc.storage.files import either, look_at, refusal
from stcc.storage.refusals import refused
from stcc.storage.settle import change
from stcc.values.targets import FileTarget


def rename(
    account: Account,
    source: FileTarget,
    to: FileTarget,
    *,
    replace: bool,
    source_lease: str | None,
    target_lease: str | None,
) -> FileRenamed | Refused:
    """Rename a file or a directory; with `replace`, a file that is there makes way.

    Not what it is called now, and not what is there, proves after a lost answer who renamed it: that stays unknown.
    """
    leases = {"source_lease": source_lease, "destination_lease": target_lease}
    given = {name: lease for name, lease in leases.items() if lease is not None}

    def renamed(kind: Kind) -> FileRenamed:
        is_file = kind == "file"
        call = account.file(source).rename_file if is_file else account.directory(source).rename_directory
        options = given if is_file else {}
        said, settled = change(
            lambda: ask_tagged(call, to.path, overwrite=replace, **options),
            target=source,
            look=look_at(account, source),
            meaning=f"it may be {to} by now",
        )
        return FileRenamed(
            reply=said.reply(settled=settled),
            target=str(source),
            to=str(to),
            type=kind,
            etag=said.headers["etag"],
            last_modified=modified(said.headers),
        )

    try:
        return either(source, renamed, leased=bool(given))
    except Rejected as rejected:
        if rejected.code != "ResourceAlreadyExists":
            return refusal(account, source, rejected, doing="rename")
        answer = refused(rejected, target=source, doing="rename", look=look_at(account, to))
        summary = f"cannot rename {source}: there is something called {to} ({rejected})"
        return dataclasses.replace(answer, summary=summary, hint="--replace takes the place of a file that is there")

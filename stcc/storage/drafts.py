"""Drafts: files under a name that nobody else has, beside the one that they are to become."""

import re
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, Final, Literal

from stcc.errors import Interrupted, StccError, Unavailable, Unknown
from stcc.storage.account import Account
from stcc.storage.answers import Lost, Rejected, Said, Unsent, ask, ask_properties, ask_tagged
from stcc.storage.listing import pages
from stcc.storage.refusals import Look
from stcc.storage.settle import change, read
from stcc.values.targets import FileTarget
from stcc.values.times import iso

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
OLD: Final = timedelta(days=1)
_PREFIX: Final = ".stcc-"
_OURS: Final = re.compile(r"\.stcc-[0-9a-f]{32}~", re.ASCII)


class Draft:
    """A file that is being written; a rename, in one step, makes it what it is to be. The rest is as safe as a read."""

    def __init__(self, account: Account, target: FileTarget) -> None:
        self._account = account
        self._aim = target
        self.target = _beside(target, f"{_PREFIX}{uuid.uuid4().hex}~")
        self._client = account.file(self.target)
        self._file_id = ""
        self._metadata = _NOTHING
        self._may_be_there = False

    def create(self, size: int, *, metadata: Mapping[str, str] = _NOTHING, **stored: Any) -> None:
        """Make it, of this size; `stored` as the SDK's `create_file` has it."""
        self._may_be_there, self._metadata = True, metadata
        said = read(
            lambda: ask_tagged(self._client.create_file, size, metadata=dict(metadata), **stored), target=self._aim
        )
        self._file_id = said.headers.get("x-ms-file-id", "")

    def put(self, data: bytes, offset: int) -> None:
        """Write a range."""
        read(lambda: ask(self._client.upload_range, data, offset, len(data)), target=self._aim)

    def grow(self, size: int) -> None:
        """Make it longer."""
        read(lambda: ask(self._client.resize_file, size), target=self._aim)

    def finish(self, size: int, settings: Any) -> None:
        """Set its final size and headers."""
        read(lambda: ask(self._client.set_http_headers, settings, size=size), target=self._aim)

    def become(
        self, *, overwrite: bool, look: Look | None, metadata: Mapping[str, str] = _NOTHING, **stored: Any
    ) -> tuple[Said[Any], str | None]:
        """Rename it to what it is to be, with this metadata; raise as `change` does.

        A lost answer is settled by the id of the file that has the name now. If that does not help, the draft is
        deleted: when it was still there, then the rename has not happened, and never will.
        """
        if self._metadata and not metadata:  # no metadata in a rename means: keep it
            read(lambda: ask(self._client.set_file_metadata, {}), target=self._aim)
            self._metadata = metadata

        def send() -> Said[Any]:
            sent = {**stored, "metadata": dict(metadata)} if metadata else stored
            return ask_tagged(self._client.rename_file, self._aim.path, overwrite=overwrite, **sent)

        try:
            return change(
                send, target=self._aim, evidence=self._arrived, look=look, meaning="it may or may not have been put"
            )
        except Interrupted as stop:
            if self.discard() == "deleted":
                stop.hint = "it has not been put, and nothing was changed"
            raise
        except Unknown as unknown:
            if self.discard() != "deleted":
                raise
            msg = f"{self._aim}: the answer was lost; it has not been put, and nothing was changed"
            raise Unavailable(msg, target=str(self._aim), hint="try again later") from unknown

    def discard(self) -> Literal["deleted", "gone", "unknown"]:
        """Delete it, in one quick try; once it is known not to be there, nothing is asked."""
        if not self._may_be_there:
            return "gone"
        try:
            ask(self._account.hurried().file(self.target).delete_file)
        except Rejected as rejected:
            self._may_be_there = rejected.status != 404
            return "unknown" if self._may_be_there else "gone"
        except (Lost, Unsent):
            return "unknown"
        self._may_be_there = False
        return "deleted"

    def left_over(self) -> str:
        """Delete it, and return what is to be said when it may still be there; "" when it is not."""
        return f"what was written so far may be left over: {self.target}" if self.discard() == "unknown" else ""

    def _arrived(self) -> Said[Any] | None:
        """Return the answer that was lost, if the file of the name is this very one."""
        found = ask_properties(self._account.file(self._aim).get_file_properties)
        return found if self._file_id and found.value.file_id == self._file_id else None


def leftovers(account: Account, target: FileTarget) -> tuple[str, ...]:
    """Return the drafts beside a file that nobody has written for a day; none when they cannot be listed."""
    call = account.directory(_beside(target, "")).list_directories_and_files
    until = iso(datetime.now(UTC) - OLD) or ""
    try:
        found = list(pages(call, target=target, limit=None, name_starts_with=_PREFIX, include=["timestamps"]))
    except (Rejected, StccError):
        return ()
    names = [one.name for one in found if _OURS.fullmatch(one.name) and str(one.last_write_time or until) < until]
    return tuple(str(_beside(target, name)) for name in names)


def _beside(target: FileTarget, name: str) -> FileTarget:
    folder = target.path.rpartition("/")[0]
    return target.beside("/".join(filter(None, [folder, name])))

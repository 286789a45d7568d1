"""One put of one file: what is there before it, what speaks against it, and the steps of both ways."""

import dataclasses
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Final, NamedTuple

from azure.storage.fileshare import ContentSettings

from stcc.knowledge.refusals import BY_SMB
from stcc.outcomes import Refused
from stcc.outcomes.file_put import Checked, FilePut, How
from stcc.storage.account import Account
from stcc.storage.answers import Rejected, Said, ask_properties, ask_tagged
from stcc.storage.drafts import Draft
from stcc.storage.files import look_at
from stcc.storage.ranges import Content, write
from stcc.storage.refusals import refused
from stcc.storage.settle import change, read
from stcc.values.targets import FileTarget
from stcc.values.times import iso

Progress = Callable[[int], object]
_CHECKED_FIRST: Final = "checked before the write"
_OTHER_WAY: Final = "--in-place writes into it as it is, if they share writing"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a put makes: `metadata` None keeps the old file's; `unchanged` is the ETag that it must still have."""

    content_type: str
    metadata: Mapping[str, str] | None
    unchanged: str | None
    lease_id: str | None = None

    def settings(self, md5: bytes | None) -> ContentSettings:
        """Return the headers that are stored with the content."""
        return ContentSettings(content_type=self.content_type, content_md5=None if md5 is None else bytearray(md5))

    def stored(self, old: "Old | None") -> dict[str, str]:
        """Return the metadata that the file is to have."""
        if self.metadata is not None:
            return dict(self.metadata)
        return {} if old is None else dict(old.metadata)


class Old(NamedTuple):
    """The file that is there before a put."""

    etag: str
    size: int
    is_leased: bool
    attributes: str
    permission: str | None
    metadata: Mapping[str, str]


class Put:
    """One put of one file."""

    def __init__(self, account: Account, target: FileTarget, wanted: Wanted) -> None:
        self._target = target
        self._wanted = wanted
        self._client = account.file(target)
        self._held: dict[str, Any] = {} if wanted.lease_id is None else {"lease": wanted.lease_id}
        self._look = look_at(account, target)

    def looked(self, *, by_rename: bool) -> Old | Refused | None:
        """Return what is there, None when nothing is, and a refusal where that speaks against the put."""
        try:
            old = self._old()
        except Rejected as rejected:
            return self.refused(rejected)
        unchanged = self._wanted.unchanged
        if unchanged is not None and (old is None or old.etag != unchanged):
            return self._judged(412, "ConditionNotMet")
        if old is not None and "ReadOnly" in old.attributes:
            return self._judged(409, "ReadOnlyAttribute")
        if old is not None and old.is_leased and by_rename:  # what would become of the lease is documented nowhere
            no = self._judged(412, "LeaseIdMissing")
            return dataclasses.replace(no, hint="if the lease is yours, --lease-id ID writes in place; else wait")
        return old

    def drafted(self, draft: Draft, content: Content, old: Old | None, *, progress: Progress) -> int:
        """Write the whole draft, as the old file is beside its content, and return its size; raise Rejected."""
        wanted, room, is_small = self._wanted, content.size or 0, content.is_small
        stored: dict[str, Any] = {"content_settings": wanted.settings(content.md5), "metadata": wanted.stored(old)}
        if old is not None:
            stored |= {"file_attributes": old.attributes, "permission_key": old.permission}
        draft.create(room, **stored)
        done = write(content, room=room, put=draft.put, grow=draft.grow, progress=progress)
        if not is_small or done.size != done.room:
            draft.finish(done.size, wanted.settings(done.md5))
        return done.size

    def renamed(self, draft: Draft, old: Old | None, *, size: int) -> FilePut | Refused:
        """Give the draft the name."""
        stored: dict[str, Any] = {"content_type": self._wanted.content_type}
        if old is not None and old.permission:
            stored["permission_key"] = old.permission
        if metadata := self._wanted.stored(old):
            stored["metadata"] = metadata
        try:
            said, settled = draft.become(overwrite=True, look=self._look, **stored)
        except Rejected as rejected:
            return self.refused(rejected, hint=_OTHER_WAY if rejected.code in BY_SMB else "")
        return self._done(said, settled, size=size, how="renamed")

    def opened(self, old: Old | None, content: Content) -> FilePut | Refused:
        """Make the file, or make room in it: the first request that SMB clients can be in the way of."""
        size = content.size or 0
        try:
            if old is None:
                stored = {
                    "metadata": dict(self._wanted.metadata or {}),
                    "content_settings": self._wanted.settings(content.md5),
                }
                said, settled = self._change(self._client.create_file, size, **stored)
            else:
                said, settled = self._change(self._client.resize_file, max(size, old.size))
        except Rejected as rejected:
            return self.refused(rejected)
        return self._done(said, settled, size=size, how="in-place")

    def written(self, old: Old | None, content: Content, *, progress: Progress) -> FilePut:
        """Write the content into the file, and set what it is; raise Rejected."""
        settled: set[str | None] = set()

        def put(data: bytes, offset: int) -> None:
            settled.add(self._change(self._client.upload_range, data, offset, len(data))[1])

        done = write(
            content,
            room=max(content.size or 0, old.size if old is not None else 0),
            put=put,
            grow=lambda size: self._change(self._client.resize_file, size),
            progress=progress,
        )
        if old is not None and self._wanted.metadata is not None:
            self._change(self._client.set_file_metadata, dict(self._wanted.metadata))
        settings = self._wanted.settings(done.md5)
        said, last = self._change(self._client.set_http_headers, settings, size=done.size)
        return self._done(said, last or next(filter(None, settled), None), size=done.size, how="in-place")

    def refused(self, rejected: Rejected, *, before: str | None = None, hint: str = "") -> Refused:
        """Return a refusal of this put."""
        look = None if rejected.code in BY_SMB else self._look  # who has it open is what counts then
        expected = self._wanted.unchanged
        no = refused(rejected, target=self._target, doing="put", look=look, expected=expected, before=before)
        return dataclasses.replace(no, hint="; ".join(filter(None, [no.hint, hint])))

    def _old(self) -> Old | None:
        try:
            found = read(lambda: ask_properties(self._client.get_file_properties, **self._held), target=self._target)
        except Rejected as rejected:
            if rejected.status != 404 or rejected.code not in {None, "ResourceNotFound"}:
                raise
            return None
        value = found.value
        return Old(
            etag=value.etag,
            size=value.size,
            is_leased=value.lease.state == "leased",
            attributes=value.file_attributes,
            permission=value.permission_key,
            metadata=value.metadata or {},
        )

    def _judged(self, status: int, code: str) -> Refused:
        return self.refused(Rejected(status, code, "", {}), before=_CHECKED_FIRST)

    def _change(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Said[Any], str | None]:
        return change(lambda: ask_tagged(call, *args, **kwargs, **self._held), target=self._target, look=self._look)

    def _done(self, said: Said[Any], settled: str | None, *, size: int, how: How) -> FilePut:
        checked: Checked = "leased" if self._wanted.lease_id is not None else "before"
        return FilePut(
            reply=said.reply(settled=settled),
            target=str(self._target),
            etag=said.headers["etag"],
            last_modified=_moment(said.headers.get("last-modified")),
            size=size,
            how=how,
            checked=None if self._wanted.unchanged is None else checked,
        )


def _moment(text: str | None) -> str:
    return "" if text is None else iso(parsedate_to_datetime(text)) or ""

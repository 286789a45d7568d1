"""One put of one file: what is there before it, what speaks against it, and the steps of both ways."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from azure.storage.fileshare import ContentSettings

from stcc.errors import Unknown
from stcc.exits import Exit
from stcc.knowledge.refusals import BY_SMB
from stcc.outcomes import Refused
from stcc.outcomes.file_put import Checked, FilePut, How
from stcc.storage.account import Account
from stcc.storage.answers import Rejected, Said, ask_properties, ask_tagged, modified
from stcc.storage.drafts import Draft
from stcc.storage.files import look_at
from stcc.storage.ranges import Content, write
from stcc.storage.refusals import Look, refused
from stcc.storage.settle import change, read
from stcc.values.targets import FileTarget

Progress = Callable[[int], object]
T = TypeVar("T")
_CHECKED_FIRST: Final = "checked before the write"
_OTHER_WAY: Final = "--in-place writes into it as it is, if they share writing"
_NO_RENAME: Final = "a rename needs the permission to delete; --in-place needs none"
_TORN: Final = "look at it, and put it again"
_LEASE_LOST: Final = frozenset({"LeaseNotPresentWithFileOperation", "LeaseIdMismatchWithFileOperation", "LeaseLost"})


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a put makes: `metadata` None keeps the old file's; `unchanged` is the ETag that it must still have.

    `exclusive`: the lease is held for this put alone.
    """

    content_type: str
    metadata: Mapping[str, str] | None
    unchanged: str | None
    lease_id: str | None = None
    exclusive: bool = False

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


class Halted(Exception):
    """A write in place got this no on the way, and insisting did not help."""

    def __init__(self, refusal: Refused) -> None:
        super().__init__(refusal.summary)
        self.refusal = refusal


class Persist(Protocol):
    """Asks again while SMB clients are in the way, for as long as the user wants to wait for it."""

    def __call__(self, attempt: Callable[[], T | Refused], /) -> T | Refused: ...


class Put:
    """One put of one file; `touched`: the file that is there is not what it was before."""

    def __init__(self, account: Account, target: FileTarget, wanted: Wanted) -> None:
        self._target = target
        self._wanted = wanted
        self._client = account.file(target)
        self._held: dict[str, Any] = {} if wanted.lease_id is None else {"lease": wanted.lease_id}
        self._look = _without_lease(look_at(account, target)) if wanted.exclusive else look_at(account, target)
        self.touched = False

    @property
    def is_conditional(self) -> bool:
        """Whether somebody wants to know what is there right before the write."""
        return self._wanted.unchanged is not None

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
        stored: dict[str, Any] = {"content_settings": wanted.settings(content.md5)}
        if old is not None:
            stored |= {"file_attributes": old.attributes, "permission_key": old.permission}
        draft.create(room, metadata=wanted.stored(old), **stored)
        done = write(content, room=room, put=draft.put, grow=draft.grow, progress=progress)
        if not is_small or done.size != done.room:
            draft.finish(done.size, wanted.settings(done.md5))
        return done.size

    def renamed(self, draft: Draft, old: Old | None, *, size: int) -> FilePut | Refused:
        """Give the draft the name, and once more what the old file is beside its content: that may have changed."""
        stored: dict[str, Any] = {"content_type": self._wanted.content_type}
        if old is not None:
            stored |= {"file_attributes": old.attributes}
            stored |= {"permission_key": old.permission} if old.permission else {}
        try:
            said, settled = draft.become(overwrite=True, look=self._look, metadata=self._wanted.stored(old), **stored)
        except Rejected as rejected:
            if rejected.status == 403:
                no, summary = self.refused(rejected), f"cannot put {self._target}: not allowed to rename ({rejected})"
                return dataclasses.replace(no, summary=summary, hint=_NO_RENAME)
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
            self.touched = old is None or size > old.size
        except Rejected as rejected:
            return self.refused(rejected)
        return self._done(said, settled, size=size, how="in-place")

    def written(self, old: Old | None, content: Content, *, progress: Progress, persist: Persist) -> FilePut:
        """Write the content into the file, and set what it is; raise Halted."""
        self.touched |= not content.is_small  # other ranges may be under way when one is refused
        settled: set[str | None] = set()

        def put(data: bytes, offset: int) -> None:
            try:
                settled.add(self._change(self._client.upload_range, data, offset, len(data))[1])
            except Unknown:
                self.touched = True
                raise
            self.touched = True

        def insist(send: Callable[[], T], rejected: Rejected) -> T:
            return self._insisted(send, persist, known=rejected)

        done = write(
            content,
            room=max(content.size or 0, old.size if old is not None else 0),
            put=put,
            grow=lambda size: self._insisted(lambda: self._change(self._client.resize_file, size), persist),
            progress=progress,
            insist=insist,
        )
        if old is not None and (metadata := self._wanted.metadata) is not None:
            self._insisted(lambda: self._change(self._client.set_file_metadata, dict(metadata)), persist)
        settings = self._wanted.settings(done.md5)
        said, last = self._insisted(
            lambda: self._change(self._client.set_http_headers, settings, size=done.size), persist
        )
        return self._done(said, last or next(filter(None, settled), None), size=done.size, how="in-place")

    def _insisted(self, send: Callable[[], T], persist: Persist, *, known: Rejected | None = None) -> T:
        """Send a change, again and again where that is asked for; `known` is what has come of it already."""
        answers = [] if known is None else [known]

        def attempt() -> T | Refused:
            try:
                if answers:
                    raise answers.pop()
                return send()
            except Rejected as rejected:
                return self.refused(rejected)

        answer = persist(attempt)
        if isinstance(answer, Refused):
            raise Halted(self._halfway(answer))
        return answer

    def _halfway(self, refusal: Refused) -> Refused:
        """Return a refusal with what it means for a file that is written in place."""
        if not self.touched:
            return refusal
        summary = f"{refusal.summary}, and by now it may hold a part of the new content"
        if refusal.exit_code == Exit.LOST or (self._held and refusal.error_code in _LEASE_LOST):
            return dataclasses.replace(refusal, outcome="lost", exit_code=Exit.LOST, summary=summary, hint=_TORN)
        return dataclasses.replace(
            refusal, outcome="partly-written", exit_code=Exit.FAILED, summary=summary, hint=_TORN
        )

    def refused(self, rejected: Rejected, *, before: str | None = None, hint: str = "") -> Refused:
        """Return a refusal of this put."""
        look = None if rejected.code in BY_SMB else self._look  # who has it open is what counts then
        expected = self._wanted.unchanged
        no = refused(rejected, target=self._target, doing="put", look=look, expected=expected, before=before)
        if self._wanted.exclusive and rejected.code in _LEASE_LOST:
            summary = f"cannot put {self._target}: its lease was broken meanwhile ({rejected})"
            return dataclasses.replace(no, outcome="lost", exit_code=Exit.LOST, summary=summary, hint="")
        return dataclasses.replace(no, hint=also(no.hint, hint))

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
            last_modified=modified(said.headers),
            size=size,
            how=how,
            checked=None if self._wanted.unchanged is None else checked,
        )


def also(hint: str, more: str) -> str:
    """Return two hints as one."""
    return "; ".join(filter(None, [hint, more]))


def _without_lease(look: Look | None) -> Look | None:
    """Return a look that leaves the lease out: it is ours, and over before anybody reads of it."""
    if look is None:
        return None
    return lambda: {name: value for name, value in look().items() if not name.startswith("lease_")}

"""Copies that the service makes: begun, looked at, aborted."""

from collections.abc import Mapping
from typing import Any

from azure.storage.blob import StandardBlobTier

from stcc.outcomes import Refused
from stcc.outcomes.copies import BlobCopied, CopyAborted, CopyState
from stcc.storage.account import Account
from stcc.storage.answers import Rejected, Said, ask, ask_properties, ask_tagged
from stcc.storage.blobs import look_at
from stcc.storage.marker import left_in, marked, version
from stcc.storage.refusals import Look, as_write, refused
from stcc.storage.settle import change, read
from stcc.values.conditions import Conditions
from stcc.values.metadata import MARKER
from stcc.values.targets import BlobTarget
from stcc.values.times import iso


def url_of(account: Account, source: BlobTarget) -> str:
    """Return the URL under which the service itself can read a source; it may hold a signature, never show it."""
    url: str = account.blob(source).url
    credential = account.connection.credential
    if credential.kind != "sas":
        return url
    return f"{url}{'&' if '?' in url else '?'}{credential.secret}"


class Copies:
    """The copies to one blob."""

    def __init__(self, account: Account, target: BlobTarget) -> None:
        self._client = account.blob(target)
        self._look = _look(account, self._client)
        self._target = target

    def start(
        self,
        source: str,
        *,
        shown: str,
        at_once: bool,
        metadata: Mapping[str, str],
        tags: Mapping[str, str],
        tier: str | None,
        marker: bool,
        conditions: Conditions,
    ) -> BlobCopied | Refused:
        """Begin to copy from a URL, which is `shown` without its signature; `at_once` answers only when it is done.

        Without metadata, that of the source is copied, and there is no room for an operation id: after a lost
        answer only a second yes counts.
        """
        sent = marked(metadata, marker=marker) if metadata else {}
        options: dict[str, Any] = {"requires_sync": True} if at_once else {}
        options |= {"tags": dict(tags)} if tags else {}
        options |= {"standard_blob_tier": StandardBlobTier(tier)} if tier is not None else {}

        def send() -> Said[dict[str, Any]]:
            return ask_tagged(
                self._client.start_copy_from_url,
                source,
                metadata=dict(sent) or None,
                headers=conditions.headers(),
                **options,
            )

        try:
            said, settled = change(
                send,
                target=self._target,
                evidence=lambda: self._left(sent),
                look=self._look,
                meaning="the copy may or may not have begun",
            )
        except Rejected as rejected:
            return refused(
                rejected,
                target=self._target,
                doing=f"copy {shown} to",
                look=self._look,
                expected=conditions.expected_etag,
                judged=as_write(rejected),
            )
        return BlobCopied(
            reply=said.reply(settled=settled),
            target=str(self._target),
            copy_id=said.value["copy_id"],
            copy_status=str(said.value["copy_status"]),
            **version(said.value),
        )

    def state(self) -> CopyState | Refused:
        """Look how far the last copy is."""
        try:
            found = read(lambda: ask_properties(self._client.get_blob_properties), target=self._target).value
        except Rejected as rejected:
            return refused(rejected, target=self._target, doing="look at the copy to")
        copied, _, total = str(found.copy.progress or "").partition("/")
        return CopyState(
            copy_id=found.copy.id,
            status=found.copy.status,
            description=found.copy.status_description,
            copied=int(copied) if copied.isdecimal() else None,
            total=int(total) if total.isdecimal() else None,
            etag=found.etag,
            last_modified=iso(found.last_modified) or "",
        )

    def abort(self, copy_id: str, *, conditions: Conditions) -> CopyAborted | Refused:
        """End a copy that is under way; what is left is an empty blob.

        After a lost answer, a copy of this id that has been aborted is the one that was to be ended.
        """
        try:
            said, settled = change(
                lambda: ask(self._client.abort_copy, copy_id, headers=conditions.headers()),
                target=self._target,
                evidence=lambda: self._aborted(copy_id),
                look=self._look,
            )
        except Rejected as rejected:
            return refused(rejected, target=self._target, doing="abort the copy to", look=self._look)
        return CopyAborted(reply=said.reply(settled=settled), target=str(self._target), copy_id=copy_id)

    def _left(self, sent: Mapping[str, str]) -> Said[dict[str, Any]] | None:
        left = left_in(self._client.get_blob_properties, sent) if MARKER in sent else None
        if left is None:
            return None
        found = ask_properties(self._client.get_blob_properties).value
        if found.etag != left.value["etag"]:
            return None
        return left._replace(value={**left.value, "copy_id": found.copy.id, "copy_status": found.copy.status})

    def _aborted(self, copy_id: str) -> Said[Any] | None:
        found = ask_properties(self._client.get_blob_properties)
        return found if (found.value.copy.id, found.value.copy.status) == (copy_id, "aborted") else None


def _look(account: Account, client: Any) -> Look | None:
    """Return a look that also tells about the last copy, without its source, whose URL may hold a signature."""
    look = look_at(account, client)
    if look is None:
        return None

    def looking() -> Mapping[str, object]:
        copy = ask(client.get_blob_properties).value.copy
        return {**look(), "copy_id": copy.id, "copy_status": copy.status}

    return looking

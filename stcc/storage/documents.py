"""What can be read, changed and written back as a whole: a blob, its metadata, an entity."""

import dataclasses
import io
import json
from collections.abc import Mapping
from typing import Any, Final, cast

from stcc import files
from stcc.errors import StccError, Usage
from stcc.exits import Exit
from stcc.operations.fencing import FENCE, fence_in, too_old
from stcc.outcomes import Refused, Reply
from stcc.outcomes.blob import BlobPut
from stcc.outcomes.entity import EntityShown
from stcc.outcomes.update import Updated, Version
from stcc.storage import attributes, download, entities, upload
from stcc.storage.account import Account
from stcc.storage.answers import Rejected, ask_properties
from stcc.storage.refusals import refused
from stcc.storage.settle import read
from stcc.storage.tags import get_tags
from stcc.values.attributes import Attributes
from stcc.values.conditions import Conditions
from stcc.values.entities import EntityTarget
from stcc.values.entities import content as entity_content
from stcc.values.metadata import MARKER
from stcc.values.metadata import metadata as parsed_metadata
from stcc.values.properties import from_document
from stcc.values.strict_json import strict_json
from stcc.values.targets import BlobTarget

LARGEST: Final = 256 * 1024 * 1024
_KEPT: Final = ("content_encoding", "content_language", "content_disposition", "cache_control")
_NO_CONDITION: Final = Conditions()


class Unfit(StccError):
    """What is to be written back is no such document; nothing was changed."""

    kind = "unfit"


class BlobDocument:
    """The content of a block blob; headers, metadata and tags stay as they are.

    `create` are the attributes of a blob that is to be made where there is none; without them, it has to be there.
    With a `fence`, what was written under a later grant is not rewritten, and the number is stored.
    """

    def __init__(
        self,
        account: Account,
        target: BlobTarget,
        *,
        conditions: Conditions,
        create: Attributes | None,
        marker: bool,
        fence: int | None = None,
    ) -> None:
        self.target = str(target)
        self._account = account.without_looking()
        self._blob = target
        self._conditions = conditions
        self._create = create
        self._marker = marker
        self._fence = fence
        self._stored = create

    def read(self) -> Version | Refused:
        """Read the blob, up to 256 MiB of it, with all that a put would take away."""
        found = download.get(
            self._account, self._blob, conditions=_NO_CONDITION, span=None, progress=lambda _done, _total: None
        )
        if isinstance(found, Refused):
            if self._create is None or found.error_code != "BlobNotFound":
                return found
            self._stored = self._create
            return Version(b"", None, Reply(http_status=404))
        blob = found.found
        kind = str(getattr(blob.properties.blob_type, "value", blob.properties.blob_type))
        if kind != "BlockBlob" or blob.size > LARGEST:
            why = f"its type is {kind}" if kind != "BlockBlob" else "it is larger than 256 MiB"
            return _unsuited(self.target, f"only block blobs up to 256 MiB can be rewritten, and {why}", blob.reply)
        stored = fence_in(blob.properties.metadata)
        if self._fence is not None and stored is not None and stored > self._fence:
            return too_old(self.target, self._fence, stored, blob.etag)
        content = io.BytesIO()
        answer = found.poured(content.write, path="-")
        if isinstance(answer, Refused):
            return answer
        tags = self._tags(blob.properties.tag_count)
        if isinstance(tags, Refused):
            return tags
        self._stored = _attributes(blob.properties, tags, marker=self._marker)
        return Version(content.getvalue(), blob.etag, blob.reply, due=self._fence not in {None, stored})

    def write(self, content: bytes, over: Version) -> Updated | Refused:
        """Put the blob, if it is still this version, or still missing; only what was read can be written."""
        assert self._stored is not None  # set by every read that returns a version
        fence = {} if self._fence is None else {FENCE: str(self._fence)}
        attributes = dataclasses.replace(self._stored, metadata={**self._stored.metadata, **fence})
        answer = upload.put(
            self._account,
            self._blob,
            files.Source(io.BytesIO(content), name="the content", size=len(content)),
            attributes=attributes,
            conditions=_over(over, self._conditions),
            progress=lambda _more: None,
        )
        if not isinstance(answer, BlobPut):
            return answer
        return _updated(answer, etag=answer.etag, size=len(content))

    def _tags(self, count: int | None) -> Mapping[str, str] | Refused:
        if not count:
            return {}
        shown = get_tags(self._account, self._blob, conditions=_NO_CONDITION)
        return shown if isinstance(shown, Refused) else shown.tags


class MetadataDocument:
    """The metadata of a blob, as a JSON object of texts; stcc's own operation id is left out and renewed."""

    def __init__(self, account: Account, target: BlobTarget, *, conditions: Conditions, marker: bool) -> None:
        self.target = str(target)
        self._account = account.without_looking()
        self._blob = target
        self._conditions = conditions
        self._marker = marker

    def read(self) -> Version | Refused:
        """Read the metadata."""
        client = self._account.blob(self._blob)
        try:
            said = read(lambda: ask_properties(client.get_blob_properties), target=self.target)
        except Rejected as rejected:
            return refused(rejected, target=self.target, doing="read the metadata of")
        return Version(_json(_unmarked(said.value)), said.value.etag, said.reply())

    def write(self, content: bytes, over: Version) -> Updated | Refused:
        """Replace the metadata, if the blob is still this version."""
        given = _parsed(content, what="the metadata")
        pairs = cast("dict[str, object]", given) if isinstance(given, dict) else {"": None}
        if not all(isinstance(value, str) for value in pairs.values()):
            raise Unfit("the metadata is not a JSON object of texts; nothing was changed")
        try:
            metadata = parsed_metadata([f"{name}={value}" for name, value in pairs.items()], option="metadata")
        except Usage as error:
            raise Unfit(f"{error.message}; nothing was changed", hint=error.hint) from error
        conditions = _over(over, self._conditions)
        answer = attributes.set_metadata(
            self._account, self._blob, metadata=metadata, conditions=conditions, marker=self._marker
        )
        return answer if isinstance(answer, Refused) else _updated(answer, etag=answer.etag, size=len(content))


class EntityDocument:
    """The properties of an entity, as annotated JSON; `marker` names a property for the operation id."""

    def __init__(self, account: Account, target: EntityTarget, *, marker: str | None) -> None:
        self.target = str(target)
        self._account = account.without_looking()
        self._entity = target
        self._marker = marker

    def read(self) -> Version | Refused:
        """Read the entity."""
        shown = entities.get(self._account, self._entity)
        if not isinstance(shown, EntityShown):
            return shown
        hidden = {self._marker, f"{self._marker}@odata.type"}
        properties = {name: value for name, value in shown.properties.items() if name not in hidden}
        return Version(_json(properties), shown.etag, shown.reply)

    def write(self, content: bytes, over: Version) -> Updated | Refused:
        """Replace the entity, if it is still this version."""
        keys = {"partition_key": self._entity.partition_key, "row_key": self._entity.row_key}
        try:
            properties = from_document(_parsed(content, what="the entity"), **keys)
            written = entity_content(properties, target=self._entity, marker=self._marker)
        except Usage as error:
            raise Unfit(f"{error.message}; nothing was changed", hint=error.hint) from error
        conditions = _over(over, _NO_CONDITION)
        answer = entities.replace(self._account, self._entity, written, conditions=conditions)
        return answer if isinstance(answer, Refused) else _updated(answer, etag=answer.etag, size=len(content))


def _over(version: Version, conditions: Conditions) -> Conditions:
    """Return the condition that nobody has written since, beside the lease id that was given."""
    pin = {"--if-none-match": "*"} if version.etag is None else {"--if-match": version.etag}
    return Conditions({**pin, **conditions.values})


def _attributes(properties: Any, tags: Mapping[str, str], *, marker: bool) -> Attributes:
    settings, metadata = properties.content_settings, _unmarked(properties)
    headers = {name: getattr(settings, name) for name in _KEPT if getattr(settings, name)}
    kind = settings.content_type or "application/octet-stream"
    return Attributes(content_type=kind, metadata=metadata, tags=tags, marker=marker, headers=headers)


def _unmarked(properties: Any) -> dict[str, str]:
    """Return the metadata without our operation id."""
    found: dict[str, str] = properties.metadata or {}
    return {name: value for name, value in found.items() if name.lower() != MARKER}


def _updated(answer: Any, *, etag: str | None, size: int) -> Updated:
    return Updated(reply=answer.reply, target=answer.target, etag=etag, changed=True, attempts=1, size=size)


def _unsuited(target: str, summary: str, reply: Reply) -> Refused:
    return Refused(
        outcome="conflict",
        exit_code=Exit.CONFLICT,
        http_status=reply.http_status,
        request_id=reply.request_id,
        target=target,
        summary=f"cannot rewrite {target}: {summary}",
    )


def _json(document: Mapping[str, object]) -> bytes:
    """Return an object with one property a line, in order, so that changes of different ones merge."""
    return f"{json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False)}\n".encode()


def _parsed(content: bytes, *, what: str) -> object:
    try:
        return strict_json(content.decode(), what=what)
    except UnicodeDecodeError as error:
        raise Unfit(f"{what} is not UTF-8; nothing was changed") from error
    except Usage as error:
        raise Unfit(f"{error.message}; nothing was changed", hint=error.hint) from error

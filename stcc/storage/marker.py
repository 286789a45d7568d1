"""The operation id that a write leaves in metadata: the evidence that a lost answer was a yes."""

import uuid
from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from stcc.storage.answers import Said, ask_properties
from stcc.values.metadata import MARKER, is_exactly
from stcc.values.times import iso


class Version(TypedDict):
    """What a write made."""

    etag: str
    last_modified: str


def marked(metadata: Mapping[str, str], *, marker: bool) -> dict[str, str]:
    """Return the metadata to send, with a new operation id among it if one is wanted."""
    return {**metadata, MARKER: str(uuid.uuid4())} if marker else dict(metadata)


def left_in(
    properties: Callable[..., Any],
    sent: Mapping[str, str],
    *,
    md5: bytes | None = None,
    ask: Callable[..., Said[Any]] = ask_properties,
) -> Said[dict[str, Any]] | None:
    """Return the answer that was lost, if the metadata is all that was sent, operation id and all; else None.

    `properties` is the SDK's method that reads the properties of the blob or the container. Where content was
    sent, `md5` is its hash: somebody may have written another one since, and kept only our mark. `ask` asks for
    them: what has no lease, a directory, is asked for less.
    """
    if MARKER not in sent:
        return None
    found = ask(properties)
    if not is_exactly(found.value.metadata, sent):
        return None
    if md5 is not None and found.value.content_settings.content_md5 != md5:
        return None
    return Said({"etag": found.value.etag, "last_modified": found.value.last_modified}, found.status, found.headers)


def in_headers(metadata: Mapping[str, str]) -> dict[str, str]:
    """Return metadata as headers, for methods of the file SDK, which would send it a second time as one header."""
    return {f"x-ms-meta-{name}": value for name, value in metadata.items()}


def version(value: Mapping[str, Any]) -> Version:
    """Return ETag and time of a write, as outcomes have them, from the SDK's reading of its answer."""
    return Version(etag=value["etag"], last_modified=iso(value["last_modified"]) or "")

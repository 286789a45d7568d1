"""The commit of a block list: what settles a lost answer, and what a block means that is not there any more."""

import dataclasses
import re
from collections.abc import Sequence
from typing import Any, Final

from stcc.outcomes import Refused
from stcc.storage.answers import Rejected, Said, ask
from stcc.storage.refusals import refused
from stcc.values.conditions import Conditions

# An id that stcc makes up; nobody else can have chosen the same.
_OURS: Final = re.compile(r"[0-9a-f]{32}-[0-9]{5}", re.ASCII)


def committed_as(client: Any, blocks: Sequence[str]) -> Said[dict[str, Any]] | None:
    """Return the answer of a commit that was lost, if the blob is made of these very blocks, and all are ours."""
    if not blocks or not all(map(_OURS.fullmatch, blocks)):
        return None
    found: Said[Any] = ask(client.get_block_list, "committed")
    properties = ask(client.get_blob_properties).value
    if [block.id for block in found.value[0]] != list(blocks) or properties.etag != found.headers.get("etag"):
        return None
    return Said({"etag": properties.etag, "last_modified": properties.last_modified}, found.status, found.headers)


def commit_refused(rejected: Rejected, *, conditions: Conditions, **about: Any) -> Refused:
    """Return the refusal of a commit; a block that is not there any more means that another writer was faster.

    Every commit and every put drops the uncommitted blocks of all writers. `about` as in `refused`.
    """
    if rejected.code != "InvalidBlockList":
        return refused(rejected, expected=conditions.expected_etag, **about)
    created = conditions.values.get("--if-none-match") == "*"
    answer = refused(rejected, expected=conditions.expected_etag, judged=409 if created else 412, **about)
    return dataclasses.replace(answer, http_status=rejected.status)

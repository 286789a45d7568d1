"""Replacing all metadata of a blob, a container or a share."""

from collections.abc import Callable, Mapping
from typing import Any

from stcc.outcomes import Refused, Reply
from stcc.storage.answers import Rejected, ask_tagged
from stcc.storage.marker import Version, left_in, version
from stcc.storage.refusals import Look, refused
from stcc.storage.settle import change
from stcc.values.conditions import Conditions


class Replaced(Version):
    """What the outcomes tell of it."""

    reply: Reply


def replace(
    send: Callable[..., Any],
    properties: Callable[..., Any],
    sent: Mapping[str, str],
    *,
    target: object,
    conditions: Conditions,
    look: Look | None,
    doing: str,
) -> Replaced | Refused:
    """Send metadata in the place of what is there; a lost answer is settled by the operation id among it.

    `send` and `properties` are the SDK's methods that set it and that read it.
    """
    try:
        said, settled = change(
            lambda: ask_tagged(send, dict(sent), headers=conditions.headers()),
            target=target,
            evidence=lambda: left_in(properties, sent),
            look=look,
        )
    except Rejected as rejected:
        return refused(rejected, target=target, doing=doing, look=look, expected=conditions.expected_etag)
    return Replaced(reply=said.reply(settled=settled), **version(said.value))

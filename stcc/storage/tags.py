"""The index tags of a blob: a document of their own, which has no ETag and does not change the blob's."""

from collections.abc import Mapping

from stcc.outcomes import Refused
from stcc.outcomes.attributes import BlobTagsSet, BlobTagsShown
from stcc.storage.account import Account
from stcc.storage.answers import Lost, Rejected, Said, ask
from stcc.storage.blobs import look_at
from stcc.storage.refusals import refused
from stcc.storage.settle import change, read
from stcc.values.conditions import Conditions
from stcc.values.targets import BlobTarget


def set_tags(
    account: Account, target: BlobTarget, *, tags: Mapping[str, str], conditions: Conditions
) -> BlobTagsSet | Refused:
    """Replace a blob's tags; sending them again does no harm, unless the condition is no longer met by then."""
    client = account.blob(target)
    look = look_at(account, client)

    def send() -> Said[object]:
        said: Said[object] = ask(client.set_blob_tags, dict(tags), headers=conditions.headers())
        if said.reply().request_id is None:  # the answer has no body and no ETag that could be missed
            raise Lost("the answer was cut off inside of its headers")
        return said

    try:
        said, settled = change(send, target=target, look=look)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="set the tags of", look=look)
    return BlobTagsSet(reply=said.reply(settled=settled), target=str(target))


def get_tags(account: Account, target: BlobTarget, *, conditions: Conditions) -> BlobTagsShown | Refused:
    """Read a blob's tags.

    The SDK drops the headers of this call, and the hook that would tell the name of the request.
    """
    client = account.blob(target)
    sent = {"lease": conditions.lease_id, "if_tags_match_condition": conditions.values.get("--if-tags")}
    try:
        said = read(lambda: ask(client.get_blob_tags, **sent), target=target)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="get the tags of", look=look_at(account, client))
    return BlobTagsShown(reply=said.reply(), target=str(target), tags=said.value or {})

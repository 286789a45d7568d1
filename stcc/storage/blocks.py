"""Blocks: staged one by one, unseen by readers, and made a blob by one commit."""

from collections.abc import Mapping, Sequence
from typing import Any

from azure.storage.blob import BlobBlock, ContentSettings

from stcc.outcomes import Listing, Refused
from stcc.outcomes.block import COLUMNS, BlocksCommitted, BlockStaged
from stcc.storage.account import Account
from stcc.storage.answers import Rejected, Said, ask, ask_tagged
from stcc.storage.blobs import look_at
from stcc.storage.commits import commit_refused, committed_as
from stcc.storage.marker import left_in, marked, version
from stcc.storage.refusals import refused
from stcc.storage.settle import change, read
from stcc.values.attributes import Attributes
from stcc.values.conditions import Conditions
from stcc.values.targets import BlobTarget


def stage(
    account: Account, target: BlobTarget, data: bytes, *, block: str, conditions: Conditions
) -> BlockStaged | Refused:
    """Send one block; under the same id it can be sent again, so a lost answer is settled by doing so."""
    client = account.blob(target)
    try:
        said, settled = change(
            lambda: ask(client.stage_block, block, data, length=len(data), headers=conditions.headers()), target=target
        )
    except Rejected as rejected:
        return refused(rejected, target=target, doing="stage a block for", look=look_at(account, client))
    return BlockStaged(reply=said.reply(settled=settled), target=str(target), block=block, size=len(data))


def listing(account: Account, target: BlobTarget, *, which: str, conditions: Conditions) -> Listing | Refused:
    """List the blocks of a blob, committed ones in their order; `which` is `committed`, `uncommitted` or `all`."""
    client = account.blob(target)
    try:
        said: Said[Any] = read(lambda: ask(client.get_block_list, which, headers=conditions.headers()), target=target)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="list the blocks of", look=look_at(account, client))
    committed, uncommitted = said.value
    items = [*(_item("committed", one) for one in committed), *(_item("uncommitted", one) for one in uncommitted)]
    return Listing(
        kind="blocks-listed",
        target=str(target),
        columns=COLUMNS["blocks-listed"],
        items=iter(items),
        reply=said.reply(),
    )


def _item(state: str, block: Any) -> Mapping[str, object]:
    return {"state": state, "id": block.id, "size": block.size}


def commit(
    account: Account, target: BlobTarget, blocks: Sequence[str], *, attributes: Attributes, conditions: Conditions
) -> BlocksCommitted | Refused:
    """Make the blob of these blocks, in this order; `attributes` are stored beside them.

    A lost answer is settled by the operation id in the metadata, or by the list itself where every id of it
    was made up by stcc.
    """
    client = account.blob(target)
    look = look_at(account, client)
    metadata = marked(attributes.metadata, marker=attributes.marker)
    tags: dict[str, Any] = {"tags": dict(attributes.tags)} if attributes.tags else {}

    def send() -> Said[dict[str, Any]]:
        return ask_tagged(
            client.commit_block_list,
            [BlobBlock(block) for block in blocks],
            content_settings=ContentSettings(content_type=attributes.content_type),
            metadata=dict(metadata),
            headers=conditions.headers(),
            **tags,
        )

    def evidence() -> Said[dict[str, Any]] | None:
        return left_in(client.get_blob_properties, metadata) or committed_as(client, blocks)

    try:
        said, settled = change(send, target=target, evidence=evidence, look=look)
    except Rejected as rejected:
        return commit_refused(rejected, target=target, doing="commit", look=look, conditions=conditions)
    return BlocksCommitted(
        reply=said.reply(settled=settled), target=str(target), blocks=len(blocks), **version(said.value)
    )

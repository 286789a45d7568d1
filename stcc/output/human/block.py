"""Blocks, for people."""

from typing import assert_never

from stcc.outcomes.block import BlockOutcome, BlocksCommitted, BlockStaged
from stcc.output.text import Text, cell


def human(outcome: BlockOutcome) -> Text:
    """Return the block's id or the blob's ETag for stdout, and what happened for stderr."""
    target = cell(outcome.target)
    match outcome:
        case BlockStaged(block=block, size=size):
            story = f"staged a block of {size} bytes for {target}: nobody sees it before blob block commit\n"
            return Text(out=f"{cell(block)}\n", err=story)
        case BlocksCommitted(etag=etag, blocks=blocks):
            return Text(
                out=f"{etag}\n", err=f"committed {target}, made of {blocks} block{'' if blocks == 1 else 's'}\n"
            )
        case _:
            assert_never(outcome)

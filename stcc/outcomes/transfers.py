"""Answers about many blobs at once."""

from typing import Final

from stcc.outcomes.blob import BlobGot, BlobPut

# What one of many comes to when it is done.
Transferred = BlobPut | BlobGot

_COLUMNS: Final = (
    *("exit_code", "outcome", "target", "path", "etag", "size"),
    *("http_status", "error_code", "message"),
)
COLUMNS: Final[dict[str, tuple[str, ...]]] = {"blobs-put": _COLUMNS, "blobs-got": _COLUMNS}

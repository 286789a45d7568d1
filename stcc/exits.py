"""The exit codes: one table, documented in docs/exit-codes.md.

4, 9 and 12 are the last digits of the HTTP status they stand for.
"""

from enum import IntEnum
from typing import Final


class Exit(IntEnum):
    """What a process status of stcc means."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    DENIED = 3
    ABSENT = 4
    CONFLICT = 9
    PRECONDITION = 12
    NOT_MODIFIED = 30
    UNAVAILABLE = 69
    UNKNOWN = 70
    LOCAL = 74
    BUSY = 75
    LOST = 76
    INTERRUPTED = 130
    CLOSED_PIPE = 141


MEANINGS: Final[dict[Exit, str]] = {
    Exit.DONE: "done",
    Exit.FAILED: "failed: an answer of the service that stcc did not expect, a file that was refused when it was half "
    "written in place, or a bug; a prompt answered with no",
    Exit.USAGE: "refused before any request was sent",
    Exit.DENIED: "denied: 401 or 403",
    Exit.ABSENT: "absent: 404",
    Exit.CONFLICT: "conflict: 409 (lease already present, blob exists, not the holder, ...)",
    Exit.PRECONDITION: "precondition failed: 412, or a stale pop receipt",
    Exit.NOT_MODIFIED: "not modified: 304 on a read",
    Exit.UNAVAILABLE: "unavailable: nothing was changed (no connection, or only 429 and 503; or a read failed)",
    Exit.UNKNOWN: "unknown: the answer was lost; the change may or may not have been applied",
    Exit.LOCAL: "a local file or stdout could not be read or written after the start",
    Exit.BUSY: "busy: still held, full or empty",
    Exit.LOST: "lost: a lease, lock or permit was lost while held; the child was stopped",
    Exit.INTERRUPTED: "stopped by Ctrl-C (128+n: stopped by signal n)",
    Exit.CLOSED_PIPE: "the reader of stdout went away",
}

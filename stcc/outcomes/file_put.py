"""What came of putting a file."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from stcc.outcomes import Reply

# How a put got there: under another name first, then in one step; or into the file itself, piece by piece.
How = Literal["renamed", "in-place"]
# When --if-unchanged was checked: before the write, or under a lease that kept everybody else out until it was done.
Checked = Literal["before", "leased"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePut:
    """`size` in bytes; `leftovers` are drafts beside the file that other puts left behind, more than a day ago.

    `still_leased` is the id of the lease that was taken for the put and may not have been given back: it has no end.
    """

    noun: ClassVar[str] = "file_put"
    kind: ClassVar[str] = "file-put"

    reply: Reply
    target: str
    etag: str
    last_modified: str
    size: int
    how: How
    checked: Checked | None
    leftovers: tuple[str, ...] = ()
    still_leased: str | None = None

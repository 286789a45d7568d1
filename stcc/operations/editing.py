"""Editing a document as a person does: slowly, while others may write, and without ever losing a word."""

import dataclasses
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from stcc import files
from stcc.errors import Local
from stcc.exits import Exit
from stcc.operations import merging
from stcc.operations.updating import Document, overtaken, unchanged
from stcc.outcomes import Refused
from stcc.outcomes.update import Updated, Version

# Somebody who writes more often than this between two saves will not be merged with.
_ROUNDS: Final = 20


class Desk(NamedTuple):
    """Where the text lies, what opens it for the user (and says how that ended), and how to tell the user something.

    A failure of the file system is `Local`.
    """

    path: Path
    open: Callable[[], int]
    tell: Callable[[str], None]

    def lay(self, text: bytes) -> None:
        """Put a text there; one that is there already is replaced as a whole, or stays."""
        with files.replacing(self.path) as draft:
            draft.write(text, 0)
            draft.keep(len(text))

    def text(self) -> bytes:
        """Return what is there; an editor may have left something else, which could not even be opened in time."""
        try:
            if not stat.S_ISREG(self.path.stat().st_mode):
                raise Local(f"{str(self.path)!r} is no file any more; nothing was changed")
            return self.path.read_bytes()
        except OSError as error:
            raise Local(f"{str(self.path)!r} cannot be read: {files.why(error)}; nothing was changed") from error


def edit(document: Document, found: Version, desk: Desk) -> Updated | Refused:
    """Let the user change this version, and write it back; what others wrote meanwhile is merged.

    Afterwards, there is a text on the desk if the user has changed it and it was not written, whatever happened.
    """
    expendable = True
    try:
        desk.lay(found.content)
        expendable = False
        answer = _edited(document, found, desk)
        expendable = not isinstance(answer, Refused)
    finally:
        if expendable or _is_untouched(desk, found):
            desk.path.unlink(missing_ok=True)
    return answer


def _edited(document: Document, base: Version, desk: Desk) -> Updated | Refused:
    if (code := desk.open()) != 0:
        return _given_up(document, f"the editor ended with {code}")
    number = 0
    while True:
        number += 1
        mine = desk.text()
        if mine == base.content:
            return unchanged(document, base)
        answer = document.write(mine, base)
        if number == _ROUNDS or not overtaken(answer):
            return dataclasses.replace(answer, attempts=number) if isinstance(answer, Updated) else answer
        theirs = document.read()
        if isinstance(theirs, Refused):
            return theirs
        refusal = _merge(document, base, mine, theirs, desk)
        if refusal is not None:
            return refusal
        base = theirs


def _merge(document: Document, base: Version, mine: bytes, theirs: Version, desk: Desk) -> Refused | None:
    """Put both changes into the file, with the user's help where they touch; return why that was given up."""
    labels = merging.Labels(mine="yours", base=f"as you found it {base.etag}", theirs=f"somebody else's {theirs.etag}")
    try:
        merged = merging.merge(*(text.decode() for text in (base.content, mine, theirs.content)), labels=labels)
    except UnicodeDecodeError:
        return _conflicting(document, "somebody else has changed it too, and it is no text that could be merged")
    desk.lay(merged.text.encode())
    if merged.conflicts == 0:
        desk.tell(f"somebody else has changed {document.target} too, in other lines: merged")
        return None
    places = "once" if merged.conflicts == 1 else f"{merged.conflicts} times"
    desk.tell(f"somebody else has changed {document.target} too, {places} in the same lines")
    if (code := desk.open()) != 0:
        return _given_up(document, f"the editor ended with {code}")
    if merging.has_conflicts(desk.text().decode(errors="replace"), labels=labels):
        return _conflicting(document, "conflict marks are left in the text")
    return None


def _is_untouched(desk: Desk, found: Version) -> bool:
    try:
        return desk.text() == found.content
    except Local:
        return False


def _given_up(document: Document, why: str) -> Refused:
    return _refused(document, "given-up", Exit.FAILED, f"{document.target} was not changed: {why}")


def _conflicting(document: Document, why: str) -> Refused:
    summary = f"{document.target} was not changed: {why}"
    return _refused(document, "precondition-failed", Exit.PRECONDITION, summary)


def _refused(document: Document, outcome: str, code: Exit, summary: str) -> Refused:
    return Refused(
        outcome=outcome,
        exit_code=code,
        target=document.target,
        summary=summary,
    )

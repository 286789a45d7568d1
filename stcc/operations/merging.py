"""Two changes of one text made one, as `git merge-file` does it: where they touch the same lines, both are shown."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

_MARKS: Final = ("<<<<<<< ", "||||||| ", "=======", ">>>>>>> ")


class Merged(NamedTuple):
    """The text, and how many conflicts are marked in it."""

    text: str
    conflicts: int


class Labels(NamedTuple):
    """What the three versions are called in a conflict."""

    mine: str
    base: str
    theirs: str


def merge(base: str, mine: str, theirs: str, *, labels: Labels) -> Merged:
    """Merge two changes of `base`, line by line."""
    lines = base.splitlines(keepends=True), mine.splitlines(keepends=True), theirs.splitlines(keepends=True)
    parts: list[str] = []
    conflicts = at_base = at_mine = at_theirs = 0
    for start, end, mine_start, theirs_start in _common(*lines):
        was, one, other = (
            lines[0][at_base:start],
            lines[1][at_mine:mine_start],
            lines[2][at_theirs:theirs_start],
        )
        if other in (one, was):
            parts += one
        elif one == was:
            parts += other
        else:
            parts += _conflict(was, one, other, labels)
            conflicts += 1
        parts += lines[0][start:end]
        at_base, at_mine, at_theirs = end, mine_start + end - start, theirs_start + end - start
    return Merged("".join(parts), conflicts)


def has_conflicts(text: str) -> bool:
    """Tell whether conflict marks are left in a text."""
    starts = {mark for line in text.splitlines() for mark in _MARKS if line.startswith(mark)}
    return {_MARKS[0], _MARKS[3]} <= starts


def _common(base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the runs of lines that all three have: from, to in the base, and from in the two others; last, the ends."""
    ours, others = _matches(base, mine), _matches(base, theirs)
    one, other = next(ours, None), next(others, None)
    while one is not None and other is not None:
        start, end = max(one.a, other.a), min(one.a + one.size, other.a + other.size)
        if start < end:
            yield start, end, one.b + start - one.a, other.b + start - other.a
        if one.a + one.size < other.a + other.size:
            one = next(ours, None)
        else:
            other = next(others, None)
    yield len(base), len(base), len(mine), len(theirs)


def _matches(base: Sequence[str], changed: Sequence[str]) -> Iterator["_Match"]:
    for match in SequenceMatcher(None, base, changed, autojunk=False).get_matching_blocks():
        yield _Match(match.a, match.b, match.size)


class _Match(NamedTuple):
    a: int
    b: int
    size: int


def _conflict(base: list[str], mine: list[str], theirs: list[str], labels: Labels) -> Iterator[str]:
    for mark, label, lines in ((0, labels.mine, mine), (1, labels.base, base), (2, "", theirs)):
        yield f"{_MARKS[mark]}{label}\n"
        yield from _ended(lines)
    yield f"{_MARKS[3]}{labels.theirs}\n"


def _ended(lines: list[str]) -> Iterator[str]:
    """Yield lines, the last one with its end, so that a mark begins a line of its own."""
    for line in lines:
        yield line if line.endswith(("\n", "\r")) else f"{line}\n"

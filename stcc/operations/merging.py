"""Two changes of one text made one, as `git merge-file` does it: where they touch the same lines, both are shown."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

_BEGIN, _WAS, _OR, _END = "<<<<<<< ", "||||||| ", "=======", ">>>>>>> "
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")


class Merged(NamedTuple):
    """The text, and how many conflicts are marked in it."""

    text: str
    conflicts: int


class Labels(NamedTuple):
    """What the three versions are called in a conflict; what no text says by itself, so that it is known again."""

    mine: str
    base: str
    theirs: str


def merge(base: str, mine: str, theirs: str, *, labels: Labels) -> Merged:
    """Merge two changes of `base`, line by line."""
    lines = _LINE.findall(base), _LINE.findall(mine), _LINE.findall(theirs)
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


def has_conflicts(text: str, *, labels: Labels) -> bool:
    """Tell whether a mark with one of these labels is left; the marks of others may belong to the text."""
    marks = {f"{_BEGIN}{labels.mine}", f"{_WAS}{labels.base}", f"{_END}{labels.theirs}"}
    return not marks.isdisjoint(line.rstrip("\r\n") for line in _LINE.findall(text))


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
    """Yield the runs of lines that both have; in the middle alone, they take time as the square of its length."""
    head = _same(base, changed)
    tail = _same(base[head:][::-1], changed[head:][::-1])
    middle = base[head : len(base) - tail], changed[head : len(changed) - tail]
    yield _Match(0, 0, head)
    for match in SequenceMatcher(None, *middle, autojunk=False).get_matching_blocks():
        yield _Match(head + match.a, head + match.b, match.size)
    yield _Match(len(base) - tail, len(changed) - tail, tail)


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    """Return with how many same lines both begin."""
    different = (number for number, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(different, min(len(one), len(other)))


class _Match(NamedTuple):
    a: int
    b: int
    size: int


def _conflict(base: list[str], mine: list[str], theirs: list[str], labels: Labels) -> Iterator[str]:
    end = "\r\n" if any(line.endswith("\r\n") for line in (*mine, *theirs, *base)) else "\n"
    for mark, lines in ((f"{_BEGIN}{labels.mine}", mine), (f"{_WAS}{labels.base}", base), (_OR, theirs)):
        yield f"{mark}{end}"
        # The last line of a text may have no end, and a mark needs a line of its own.
        yield from (line if line.endswith("\n") else f"{line}{end}" for line in lines)
    yield f"{_END}{labels.theirs}{end}"

"""The log of those who were in, as intervals; and whether ever more of them were in than may be."""

from collections import defaultdict
from pathlib import Path
from typing import NamedTuple


class Stay(NamedTuple):
    """From the first to the last sign of a process, in nanoseconds."""

    process: int
    begin: int
    end: int


def stays(log: Path) -> list[Stay]:
    """Return who was in and when, in the order of their coming."""
    signs: dict[int, list[int]] = defaultdict(list)
    for line in log.read_text().splitlines() if log.exists() else ():
        process, moment = line.split()
        signs[int(process)].append(int(moment))
    return sorted((Stay(one, min(all_), max(all_)) for one, all_ in signs.items()), key=lambda stay: stay.begin)


def most_at_once(found: list[Stay]) -> int:
    """Return how many were in at once, at the worst moment."""
    moments = sorted([(stay.begin, 1) for stay in found] + [(stay.end, -1) for stay in found])
    inside = most = 0
    for _, change in moments:
        inside += change
        most = max(most, inside)
    return most

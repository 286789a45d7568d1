"""What may stand in a line that a terminal shows."""

import unicodedata
from typing import Final

_REORDERS: Final = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def harmless(line: str) -> bool:
    """Tell whether no character can act on a terminal, end the line or reorder it."""
    return not any(
        unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}
        or unicodedata.bidirectional(char) in _REORDERS
        or char in "\u061c\u200e\u200f"
        for char in line
    )

"""Many blobs, for people and for tsv: a line each."""

from collections.abc import Mapping

from stcc.outcomes.transfers import COLUMNS
from stcc.output.text import tsv_line


def line(item: Mapping[str, object]) -> str:
    """Return the fields of one blob, in the order of the columns; the first is its exit code."""
    return tsv_line(item.get(column) for column in COLUMNS["blobs-put"])

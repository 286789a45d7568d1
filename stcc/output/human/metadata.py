"""Metadata, for people: without the mark that stcc leaves for itself."""

from collections.abc import Mapping

from stcc.values.metadata import MARKER


def shown(metadata: Mapping[str, str]) -> dict[str, object]:
    """Return fields for a list of pairs, one for each name."""
    return {f"metadata {name}": value for name, value in metadata.items() if name.lower() != MARKER}

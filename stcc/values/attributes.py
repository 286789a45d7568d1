"""What is stored beside the bytes of a blob."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Attributes:
    """Media type, metadata and index tags; `marker` adds the operation id to the metadata."""

    content_type: str
    metadata: Mapping[str, str]
    tags: Mapping[str, str]
    marker: bool

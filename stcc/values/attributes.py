"""What is stored beside the bytes of a blob."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Attributes:
    """Media type, metadata and index tags; `marker` adds the operation id to the metadata.

    `headers` are the others that HTTP knows: `content_encoding`, `content_language`, `content_disposition`,
    `cache_control`.
    """

    content_type: str
    metadata: Mapping[str, str]
    tags: Mapping[str, str]
    marker: bool
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

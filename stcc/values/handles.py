"""What an SMB client has open, as the file service tells it."""

from typing import NamedTuple


class Handle(NamedTuple):
    """An open handle; `path` is that of the file in its share, `access` such as `read write`, times as printed."""

    id: str
    path: str
    client: str
    access: str
    opened: str | None
    last_reconnect: str | None

    def facts(self) -> dict[str, object]:
        """Return the fields by name."""
        return self._asdict()

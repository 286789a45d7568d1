"""The records of locks, semaphores and leaders, as somebody sees them who has only the blobs.

Written with the SDK: no command has to run before the one that is tested.
"""

import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from azure.core.exceptions import ResourceExistsError

from stcc.values.times import iso
from tests.situations import Situation

CONTAINER: Final = "stcc-locks"
ME: Final = "me"
YOU: Final = "you"
SINCE: Final = "2026-01-31T12:00:00Z"
# Smaller than any that the service's clock gives.
FENCE: Final = 7


class Record:
    """The record of one name; `put` writes it as another stcc would have."""

    def __init__(self, there: Situation, kind: str, name: str, *, container: str = CONTAINER) -> None:
        self.kind, self.name = kind, name
        self.container: Any = there.blobs.get_container_client(container)
        self.blob: Any = self.container.get_blob_client(f"{kind}/{name}")
        with suppress(ResourceExistsError):
            self.container.create_container()

    def put(self, **facts: object) -> None:
        """Write a record over whatever there is."""
        data = json.dumps({"kind": self.kind, **facts, "op": "0" * 32})
        self.put_bytes(data.encode(), shown=data)

    def put_bytes(self, data: bytes, *, shown: str = "{}") -> None:
        """Write something that need not be a record; `shown` is the metadata for listings."""
        self.blob.upload_blob(data, overwrite=True, metadata={"stcc": shown})

    def hold(self, identity: str = ME, *, ttl: float | None = 60, **facts: object) -> None:
        """Let an identity hold the lock, or lead."""
        self.put(**{"fence": FENCE, "identity": identity, "ttl": ttl, "since": SINCE, "note": None} | facts)

    def free(self) -> None:
        """Let nobody hold it, as after a release."""
        self.put(fence=FENCE)

    @property
    def content(self) -> bytes:
        """What the blob holds."""
        return bytes(self.blob.download_blob().readall())

    @property
    def facts(self) -> dict[str, Any]:
        """What is written, without what differs each time."""
        found: dict[str, Any] = json.loads(self.content)
        assert (found.pop("kind"), len(found.pop("op"))) == (self.kind, 32)
        return found

    @property
    def holder(self) -> str | None:
        """Who holds it."""
        return self.facts.get("identity")

    @property
    def fence(self) -> int:
        """The last number that was given."""
        return int(self.facts["fence"])

    @property
    def written(self) -> datetime:
        """When the service wrote it last."""
        found: datetime = self.blob.get_blob_properties().last_modified
        return found

    @property
    def expires(self) -> str:
        """Until when it is held."""
        return iso(self.written + timedelta(seconds=self.facts["ttl"])) or ""

    def permits(self, most: int, **holders: float | None) -> None:
        """Let these identities hold permits of a semaphore from now on, each for so many seconds."""
        now = int(datetime.now(UTC).timestamp()) * 1000
        held = {
            who: {"ttl": ttl, "since": SINCE, "date": now, "fence": FENCE + number, "note": None}
            for number, (who, ttl) in enumerate(holders.items())
        }
        data = json.dumps({"kind": self.kind, "max": most, "fence": FENCE + len(held), "holders": held, "op": "0" * 32})
        self.put_bytes(data.encode(), shown=json.dumps({"kind": self.kind, "max": most, "count": len(held)}))

    @property
    def holders(self) -> list[str]:
        """Who holds a permit, as it is written."""
        return list(self.facts["holders"])

    def until(self, who: str) -> str:
        """Until when a permit is held."""
        held = self.facts["holders"][who]
        return iso(datetime.fromtimestamp(held["date"] / 1000 + held["ttl"], UTC)) or ""

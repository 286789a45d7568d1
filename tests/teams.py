"""A share that nobody else has, seen through the SDK, and the SMB clients that have something of it open."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from uuid import uuid4

from azure.storage.fileshare import ShareClient, ShareLeaseClient

from stcc.emulator import smb
from stcc.emulator.instance import Instance
from tests.running import Stcc

HELD: Final = "0f8fad5b-d9cb-469f-a165-70867728950e"
OTHER: Final = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
THIRD: Final = "11111111-2222-4333-8444-555555555555"


@dataclass(frozen=True)
class Team:
    """A share on an emulator, and stcc on the same."""

    instance: Instance

    @cached_property
    def stcc(self) -> Stcc:
        return Stcc(connection_string=self.instance.connection_string)

    @cached_property
    def share(self) -> str:
        name = f"s{uuid4().hex}"
        self.at(name).create_share()
        return name

    @property
    def client(self) -> ShareClient:
        return self.at(self.share)

    def at(self, share: str) -> ShareClient:
        return ShareClient.from_connection_string(self.instance.connection_string, share, retry_total=0)

    def file(self, path: str) -> Any:
        return self.client.get_file_client(path)

    def put(self, path: str = "report.csv", content: bytes = b"old") -> str:
        """Store a file, and return its target."""
        self.file(path).upload_file(content)
        return f"{self.share}/{path}"

    def content(self, path: str = "report.csv") -> bytes:
        return bytes(self.file(path).download_file().readall())

    def properties(self, path: str = "report.csv") -> Any:
        return self.file(path).get_file_properties()

    def etag(self, path: str = "report.csv") -> str:
        return str(self.properties(path).etag)

    def names(self) -> list[str]:
        return [one.name for one in self.client.list_directories_and_files()]

    def lease(self, path: str | None = "report.csv", lease_id: str = HELD) -> ShareLeaseClient:
        """Return the lease of a file, or of the share."""
        return ShareLeaseClient(self.client if path is None else self.file(path), lease_id=lease_id)

    def open(
        self, path: str = "report.csv", access: str = "r", shared: str = "", locks: Sequence[Mapping[str, object]] = ()
    ) -> int:
        """Open a file as an SMB client, and return the handle."""
        asked = {"share": self.share, "path": path, "access": access, "shared": shared, "locks": list(locks)}
        return int(self._smb("open", asked | {"client": "10.0.0.4:50445"})["handle"])

    def lock(self, first: int, last: int) -> int:
        """Open a file as an SMB client that shares all of it, but for these bytes."""
        return self.open(access="rw", shared="rwd", locks=[{"start": first, "end": last, "exclusive": True}])

    def close(self, handle: int) -> None:
        self._smb("close", {"handle": handle})

    def mark_delete(self, handle: int) -> None:
        self._smb("mark-delete", {"handle": handle, "undo": False})

    def handles(self, path: str = "report.csv") -> list[int]:
        return [one["handle"] for one in self._smb("list", {"share": self.share, "path": path})["handles"]]

    def later(self, seconds: float, act: Callable[[], object]) -> threading.Timer:
        """Do something from another thread, after a while."""
        timer = threading.Timer(seconds, act)
        timer.start()
        return timer

    def _smb(self, act: str, asked: Mapping[str, object]) -> dict[str, Any]:
        return smb.ask(self.instance.file_port, act, asked)


def on_files_alone(port: int) -> Team:
    """Return a team where Azure Files is served on this port, and nothing else."""
    ports = {"blob_port": 1, "queue_port": 1, "table_port": 1, "file_port": port}
    return Team(Instance(pid=0, started="", data=None, file_pid=0, file_started="", **ports))

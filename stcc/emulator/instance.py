"""One running emulator, and the file that remembers the one which `start` left behind.

Imported by every command that is given --emulator: nothing heavy here.
"""

import contextlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from platformdirs import user_state_dir

from stcc.emulator import process
from stcc.errors import Local

ACCOUNT: Final = "devstoreaccount1"
# Not a secret: every Azurite has this account, and its documentation prints this key.
KEY: Final = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """An Azurite and an Azure Files process: `started` tells one from a later process with the same pid.

    `data` is the directory that outlives them; None when they keep everything in memory.
    """

    pid: int
    started: str
    blob_port: int
    queue_port: int
    table_port: int
    data: str | None
    file_port: int
    file_pid: int
    file_started: str

    @property
    def processes(self) -> tuple[tuple[int, str], ...]:
        """What runs: pid and moment of start."""
        return (self.pid, self.started), (self.file_pid, self.file_started)

    @property
    def is_running(self) -> bool:
        """Whether all of it runs; when one process has ended, the other soon does."""
        return all(started and process.identity(pid) == started for pid, started in self.processes)

    @property
    def connection_string(self) -> str:
        endpoints = {"Blob": self.blob_port, "Queue": self.queue_port, "Table": self.table_port, "File": self.file_port}
        account = f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};"
        return account + "".join(
            f"{service}Endpoint=http://127.0.0.1:{port}/{ACCOUNT};" for service, port in endpoints.items()
        )


def state_directory() -> Path:
    return Path(user_state_dir("stcc", appauthor=False))


def running() -> Instance | None:
    """Return what `start` started, if those very processes are still alive; raise Local."""
    recorded = remembered()
    return recorded if recorded is not None and recorded.is_running else None


def remembered() -> Instance | None:
    """Return what was recorded, alive or not, None when nothing was; raise Local for a record that cannot be read.

    An Azurite may still be running behind such a record: to take it for nothing would lose it for good.
    """
    try:
        return _instance(json.loads(_path().read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise Local(
            f"the record of the running emulator cannot be read: {_path()}",
            hint="end an Azurite that may still be running by hand (ps), then delete the file",
        ) from error


def record(instance: Instance) -> None:
    """Remember the instance for later commands, readable by this user only; raise Local."""
    path = _path()
    draft = path.with_suffix(f".{os.getpid()}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(asdict(instance), file)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise Local(f"{path} cannot be written: {error.strerror}") from error


def forget() -> None:
    with contextlib.suppress(FileNotFoundError):
        _path().unlink()


def _path() -> Path:
    return state_directory() / "emulator.json"


def _instance(document: Any) -> Instance:
    """Return what the document says; raise TypeError for anything but an instance, field by field."""
    instance = Instance(**document)
    ports = (instance.blob_port, instance.queue_port, instance.table_port, instance.file_port)
    numbers = (instance.pid, instance.file_pid, *ports)
    texts = (instance.started, instance.file_started, instance.data or "")
    if not (all(type(number) is int for number in numbers) and all(type(text) is str for text in texts)):
        raise TypeError("a field has the wrong type")
    return instance

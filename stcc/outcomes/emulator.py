"""Answers about the emulator on this machine."""

import signal
from dataclasses import dataclass
from typing import ClassVar

from stcc.outcomes import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class EmulatorStarted:
    """It runs until `stop`; `data` is the directory that outlives it, None when everything is in memory."""

    noun: ClassVar[str] = "emulator"
    kind: ClassVar[str] = "emulator-started"

    reply: Reply | None = None
    target: str = "emulator"
    connection_string: str
    blob_port: int
    queue_port: int
    table_port: int
    pid: int
    data: str | None
    version: str
    file_port: int
    file_pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EmulatorRunning:
    """What an earlier `start` left running."""

    noun: ClassVar[str] = "emulator"
    kind: ClassVar[str] = "emulator-running"

    reply: Reply | None = None
    target: str = "emulator"
    connection_string: str
    blob_port: int
    queue_port: int
    table_port: int
    pid: int
    data: str | None
    file_port: int
    file_pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EmulatorStopped:
    """`data` is what is left of it, None when everything was in memory."""

    noun: ClassVar[str] = "emulator"
    kind: ClassVar[str] = "emulator-stopped"

    reply: Reply | None = None
    target: str = "emulator"
    pid: int
    data: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandEnded:
    """A command ran to its end: `child_exit` is its exit code, None when `child_signal` ended it."""

    noun: ClassVar[str] = "emulator"
    kind: ClassVar[str] = "command-ended"

    reply: Reply | None = None
    target: str
    child_exit: int | None
    child_signal: str | None

    @property
    def exit_code(self) -> int:
        """The status that a shell would show."""
        if self.child_signal is not None:
            return 128 + signal.Signals[self.child_signal]
        return self.child_exit or 0


EmulatorOutcome = EmulatorStarted | EmulatorRunning | EmulatorStopped | CommandEnded

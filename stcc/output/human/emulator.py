"""The emulator, for people."""

from typing import assert_never

from stcc.outcomes.emulator import CommandEnded, EmulatorOutcome, EmulatorRunning, EmulatorStarted, EmulatorStopped
from stcc.output.text import Text, cell, pairs


def human(outcome: EmulatorOutcome) -> Text:
    """Return connection string or properties for stdout, and what happened for stderr."""
    match outcome:
        case EmulatorStarted():
            azurite = f"{outcome.blob_port} (blob), {outcome.queue_port} (queue), {outcome.table_port} (table)"
            return Text(
                out=f"{outcome.connection_string}\n",
                err=f"Azurite {outcome.version} is running on ports {azurite}, and Azure Files on port "
                f"{outcome.file_port}, {_kept(outcome.data)}; stcc emulator stop ends them\n",
            )
        case EmulatorRunning():
            return Text(out=pairs(_fields(outcome)))
        case EmulatorStopped(pid=pid, data=None):
            return Text(err=f"ended the emulator (pid {pid}); what it held in memory is gone\n")
        case EmulatorStopped(pid=pid, data=data):
            return Text(err=f"ended the emulator (pid {pid}); its data is in {cell(data)}\n")
        case CommandEnded():
            return Text()
        case _:
            assert_never(outcome)


def _kept(data: str | None) -> str:
    return "in memory" if data is None else f"with its data in {cell(data)}"


def _fields(running: EmulatorRunning) -> dict[str, object]:
    return {
        "pid": running.pid,
        "blob_port": running.blob_port,
        "queue_port": running.queue_port,
        "table_port": running.table_port,
        "file_port": running.file_port,
        "data": running.data or "in memory",
        "connection_string": running.connection_string,
    }

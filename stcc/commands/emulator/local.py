"""stcc emulator: start, stop, status, run."""

import dataclasses
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stcc.commands.options import StccCommand, group, runtime_of
from stcc.errors import Usage
from stcc.exits import Exit
from stcc.outcomes import Refused
from stcc.outcomes.emulator import CommandEnded, EmulatorRunning, EmulatorStarted, EmulatorStopped

if TYPE_CHECKING:
    from stcc.emulator.errors import AlreadyRunning
    from stcc.emulator.instance import Instance
    from stcc.emulator.launch import Setup

app = group("Azurite and Azure Files, started and stopped.")
BlobPort = Annotated[int, typer.Option("--blob-port", metavar="PORT", help="0 is any free one.")]
QueuePort = Annotated[int, typer.Option("--queue-port", metavar="PORT", help="0 is any free one.")]
TablePort = Annotated[int, typer.Option("--table-port", metavar="PORT", help="0 is any free one.")]
FilePort = Annotated[int, typer.Option("--file-port", metavar="PORT", help="0 is any free one.")]
Data = Annotated[str | None, typer.Option("--data", metavar="DIR", help="Keep the data there; else in memory.")]


class _WithCommand(StccCommand):
    """A command whose arguments are a command: from its name on, options are its own."""

    allow_interspersed_args = False


@app.command(cls=StccCommand)
def start(
    ctx: typer.Context,
    blob_port: BlobPort = 0,
    queue_port: QueuePort = 0,
    table_port: TablePort = 0,
    file_port: FilePort = 0,
    data: Data = None,
) -> EmulatorStarted | Refused:
    """Start Azurite and Azure Files and print their connection string; they run until stopped. 9 if some run already.

    export AZURE_STORAGE_CONNECTION_STRING="$(stcc emulator start)"
    """
    runtime = runtime_of(ctx)
    from stcc.emulator import background, install
    from stcc.emulator.errors import AlreadyRunning

    try:
        instance = background.start(_setup(blob_port, queue_port, table_port, file_port, data), progress=runtime.story)
    except AlreadyRunning as already:
        return _already_running(already)
    return EmulatorStarted(**_facts(instance), version=install.version())


@app.command(cls=StccCommand)
def stop(ctx: typer.Context) -> EmulatorStopped | Refused:
    """End what `start` started, and nothing else; 4 if that is not running.

    stcc emulator stop
    """
    runtime_of(ctx)
    from stcc.emulator import background

    ended = background.stop()
    return _not_running() if ended is None else EmulatorStopped(pid=ended.pid, data=ended.data)


@app.command(cls=StccCommand)
def status(ctx: typer.Context) -> EmulatorRunning | Refused:
    """Show ports and connection string of what `start` started; 4 if it is not running.

    stcc emulator status --query connection_string
    """
    runtime_of(ctx)
    from stcc.emulator import instance

    found = instance.running()
    return _not_running() if found is None else EmulatorRunning(**_facts(found))


@app.command(cls=_WithCommand)
def run(
    ctx: typer.Context,
    command: Annotated[list[str], typer.Argument(metavar="-- CMD...", help="The command and its arguments.")],
    blob_port: BlobPort = 0,
    queue_port: QueuePort = 0,
    table_port: TablePort = 0,
    file_port: FilePort = 0,
    data: Data = None,
) -> CommandEnded:
    """Run a command with emulators of its own, which end with it; the exit code is the command's.

    The command finds them in AZURE_STORAGE_CONNECTION_STRING; no other AZURE_STORAGE_... is passed on.

    stcc emulator run -- pytest -x
    """
    runtime = runtime_of(ctx)
    runtime.lends_stdout = True
    if not command[0].strip():
        raise Usage("the command is empty", hint="is the variable set?")
    from stcc.emulator import launch
    from stcc.operations import child

    launched = launch.launch(_setup(blob_port, queue_port, table_port, file_port, data), progress=runtime.story)
    runtime.opened.callback(launch.end, launched)
    environment = _surroundings(runtime.environment, launched.instance.connection_string)
    code = child.run(command, environment=environment)
    if code < 0:
        return CommandEnded(target=command[0], child_exit=None, child_signal=signal.Signals(-code).name)
    return CommandEnded(target=command[0], child_exit=code, child_signal=None)


def _setup(blob_port: int, queue_port: int, table_port: int, file_port: int, data: str | None) -> "Setup":
    from stcc.emulator.launch import Setup

    if data is not None and not data.strip():
        raise Usage("--data is empty", hint="is the variable set? without --data everything is in memory")
    directory = None if data is None else Path(data)
    return Setup(blob_port=blob_port, queue_port=queue_port, table_port=table_port, file_port=file_port, data=directory)


def _surroundings(inherited: Mapping[str, str], connection_string: str) -> dict[str, str]:
    """Return what the command inherits, with one account in it instead of any other."""
    kept = {name: value for name, value in inherited.items() if not name.startswith("AZURE_STORAGE_")}
    return kept | {"AZURE_STORAGE_CONNECTION_STRING": connection_string}


def _facts(instance: "Instance") -> dict[str, Any]:
    named = dataclasses.asdict(instance) | {"connection_string": instance.connection_string}
    del named["started"], named["file_started"]
    return named


def _already_running(error: "AlreadyRunning") -> Refused:
    return Refused(
        outcome=error.kind,
        exit_code=Exit.CONFLICT,
        target="emulator",
        summary=error.message,
        hint=error.hint,
        observed={name: value for name, value in _facts(error.instance).items() if name != "connection_string"},
    )


def _not_running() -> Refused:
    return Refused(
        outcome="absent",
        exit_code=Exit.ABSENT,
        target="emulator",
        summary="no emulator is running",
        hint="stcc emulator start",
    )

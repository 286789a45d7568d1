"""Start Azurite and Azure Files and wait until they answer; `launch` and `end` are for whoever stays beside it."""

import http.client
import os
import re
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from stcc.emulator import files, install, logs, node, process
from stcc.emulator.errors import PortTaken, StartFailed
from stcc.emulator.instance import Instance
from stcc.errors import Usage

PATIENCE: Final = 60.0
LISTENING: Final = re.compile(rb"Azurite (Blob|Queue|Table) service is successfully listening at \S+:(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How to run the emulators: port 0 is any free one, `data` None is memory, `flags` are Azurite's own."""

    blob_port: int = 0
    queue_port: int = 0
    table_port: int = 0
    file_port: int = 0
    data: Path | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Launched:
    """A running Azurite and a running Azure Files, children of this process."""

    instance: Instance
    child: subprocess.Popen[bytes]
    file_child: subprocess.Popen[bytes]


def launch(
    setup: Setup,
    *,
    environment: Mapping[str, str] | None = None,
    progress: Callable[[str], None],
) -> Launched:
    """Start both as children and return once the four services answer; `environment` is added to Azurite's.

    When one of them ends, so does the other.

    Raises Usage, PortTaken, NoNode, InstallFailed, StartFailed and Local.
    """
    arguments = command(setup, progress=progress)
    with tempfile.TemporaryFile() as log, ExitStack() as undo:
        with process.undisturbed():
            child = _child(arguments, log.fileno(), surroundings() | dict(environment or {}))
            undo.callback(_end, child)
            file_child = _child(file_command(setup, companion=child.pid), log.fileno(), surroundings())
            undo.callback(_end, file_child)
        threading.Thread(target=_end_after, args=(child, file_child), daemon=True).start()
        started, file_started = process.identity(child.pid), process.identity(file_child.pid)
        file_port = files.wait_until_ready(log.fileno(), alive=lambda: file_child.poll() is None)
        ports = wait_until_ready(log.fileno(), alive=lambda: child.poll() is None)
        undo.pop_all()
    instance = Instance(
        pid=child.pid,
        started=started or "",
        file_pid=file_child.pid,
        file_started=file_started or "",
        data=location(setup),
        file_port=file_port,
        **ports,
    )
    return Launched(instance=instance, child=child, file_child=file_child)


def end(launched: Launched) -> None:
    """End what `launch` started: SIGTERM, and SIGKILL when that is not enough."""
    # In this order: a second SIGTERM, from the one that ends Azurite after the other, would cut its saving short.
    for child in (launched.child, launched.file_child):
        _end(child)


def command(setup: Setup, *, progress: Callable[[str], None]) -> list[str]:
    """Return Azurite's command line, once ports, directory, Node.js and Azurite are known to be there."""
    ports = {"blob": setup.blob_port, "queue": setup.queue_port, "table": setup.table_port}
    _check_ports(ports | {"file": setup.file_port})
    _check_directory(setup.data)
    directory = location(setup)
    keep = ["--inMemoryPersistence"] if directory is None else ["--location", directory]
    listen = [word for service, port in ports.items() for word in (f"--{service}Port", str(port))]
    script = install.azurite(progress=progress)
    # stcc pins its API version; other programs, with newer SDKs, are welcome too.
    return [
        str(node.find().binary), str(script), *keep, *listen,
        "--silent", "--disableTelemetry", "--skipApiVersionCheck", *setup.flags,
    ]  # fmt: skip


def file_command(setup: Setup, *, companion: int) -> list[str]:
    """Return the command line of Azure Files, which ends with the process `companion`; raise NoServer."""
    return files.command(port=setup.file_port, data=location(setup), companion=companion)


def surroundings() -> dict[str, str]:
    """Return our environment without what would give Azurite other accounts or another database."""
    return {name: value for name, value in node.environment().items() if not name.startswith("AZURITE_")}


def location(setup: Setup) -> str | None:
    return None if setup.data is None else str(setup.data.absolute())


def wait_until_ready(log: int, *, alive: Callable[[], bool], kept: str | None = None) -> dict[str, int]:
    """Return the ports by field name, read from Azurite's log (a descriptor), once each answers HTTP.

    `kept` is the log's path, for the one who wants to read more of it; None when the log goes with the command.

    Azurite chooses its free ports itself and says which, so nobody can take one in between.
    """
    more = [] if kept is None else [f"its log: {kept}"]
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        ended = not alive()
        ports = {f"{name.decode().lower()}_port": int(port) for name, port in LISTENING.findall(logs.read(log))}
        if ended:
            repair = f"if its installation is damaged, delete {install.place()}: it is installed again"
            raise StartFailed(f"Azurite ended during its start: {logs.last_line(log)}", hint="; ".join([repair, *more]))
        if len(ports) == 3 and all(map(_answers, ports.values())):
            return ports
        time.sleep(process.TICK)
    raise StartFailed(
        f"Azurite did not answer within {PATIENCE:g} seconds: {logs.last_line(log)}", hint="; ".join(more)
    )


def _check_ports(ports: Mapping[str, int]) -> None:
    chosen = [port for port in ports.values() if port != 0]
    for service, port in ports.items():
        if not 0 <= port <= 65535:
            raise Usage(f"{port} is not a port for the {service} service (0 to 65535, 0 for any free one)")
    if len(set(chosen)) < len(chosen):
        raise Usage("the four services need four different ports")
    for service, port in ports.items():
        with socket.socket() as probe:
            # As Azurite does: connections of an earlier listener that are still closing do not count.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as error:
                reason = (error.strerror or "it cannot be opened").lower()
                raise PortTaken(
                    f"port {port} is not free for the {service} service: {reason}",
                    hint=f"choose another with --{service}-port, or 0 for any free one",
                ) from error


def _check_directory(data: Path | None) -> None:
    if data is None:
        return
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Usage(f"{data} cannot be the data directory: {(error.strerror or '').lower()}") from error
    if not os.access(data, os.W_OK | os.X_OK):
        raise Usage(f"{data} cannot be the data directory: it is not writable")


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/")
        connection.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True


def _child(arguments: list[str], log: int, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    # Its own process group: Ctrl-C is for the command beside it, and the one who launched it ends it.
    return subprocess.Popen(  # noqa: S603
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        cwd="/",
        env=environment,
        process_group=0,
    )


def _end_after(child: subprocess.Popen[bytes], other: subprocess.Popen[bytes]) -> None:
    """End a child as soon as another has ended."""
    other.wait()
    child.terminate()


def _end(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    try:
        child.wait(process.GRACE)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()

"""The process that serves: a socket, a store, and an end when it is told or when its companion is gone."""

import asyncio
import shutil
import signal
import socket
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import Final

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from stcc.emulator import process
from stcc.emulator.azfiles.app import App
from stcc.emulator.azfiles.store import Store, is_in_use

WATCH: Final = 0.5
_TEMPORARY: Final = "stcc-files-"


class Protocol(HttpToolsProtocol):
    """HTTP, but names of metadata come as they were written: the service gives them back so."""

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        if name[:10].lower() == b"x-ms-meta-":
            self.headers[-1] = (name, value)


class Server(uvicorn.Server):
    """A server that tells, once it listens, where: who started us reads it."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen on the sockets."""
        await super().startup(sockets)
        for listener in sockets or ():
            host, port = listener.getsockname()
            sys.stderr.write(f"stcc File service is successfully listening at http://{host}:{port}\n")
        sys.stderr.flush()


def serve(*, port: int, data: Path | None, companion: int | None) -> None:
    """Serve until a signal comes or the process `companion` has ended; raise OSError and store.Unusable."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        directory = data or _fresh_directory(stack)
        store = stack.enter_context(Store(directory, clock=time.time, durable=data is not None))
        # The server puts back what was there before and repeats the signal: that is to end us in good order.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _end_in_good_order)
        configured = configuration(App(store))
        with asyncio.Runner(loop_factory=configured.get_loop_factory()) as runner:
            runner.run(_run(Server(configured), listener, companion))


def _fresh_directory(stack: ExitStack) -> Path:
    """Return a directory that goes with the stack, and remove those of servers that were killed."""
    for left in Path(tempfile.gettempdir()).glob(f"{_TEMPORARY}*"):
        if not is_in_use(left):
            shutil.rmtree(left, ignore_errors=True)
    return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=_TEMPORARY)))


def configuration(app: App) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=Protocol,
        ws="none",
        lifespan="off",
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=120,
        timeout_graceful_shutdown=2,
        headers=[("server", "Windows-Azure-File/1.0 (emulated by stcc)")],
    )


def _end_in_good_order(_: int, __: FrameType | None) -> None:
    """Do nothing: the server has stopped already when this is called."""


async def _run(server: Server, listener: socket.socket, companion: int | None) -> None:
    started = None if companion is None else process.identity(companion)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not serving.done():
        await asyncio.wait([serving], timeout=WATCH)
        if companion is not None and process.identity(companion) != started:
            server.should_exit = True
    await serving

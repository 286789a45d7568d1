"""A TCP proxy in front of a redis-server that cuts a connection at a command: before the server sees it, or after.

What a client sends together arrives together here, so a command that begins a batch stands for the batch.
"""

import select
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Final, Literal, NamedTuple, Self

_SIZE: Final = 1 << 16


class Cut(NamedTuple):
    """Cut at a batch with this word: the `request` never arrives, or the `reply` never comes back.

    `meanwhile` is called before the client notices.
    """

    word: bytes
    what: Literal["request", "reply"]
    meanwhile: Callable[[], object]
    down: bool


class Cutting:
    """The proxy; `port` is where it listens. While it is `down` it ends every connection at once."""

    def __init__(self, port: int) -> None:
        self.batches: list[bytes] = []
        self._to = port
        self._cuts: list[Cut] = []
        self._down = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]

    def cut(
        self,
        word: bytes,
        what: Literal["request", "reply"],
        *,
        times: int = 1,
        meanwhile: Callable[[], object] = lambda: None,
        down: bool = False,
    ) -> None:
        """Cut at the next batches with this word; `down` after the cut, for good."""
        self._cuts += [Cut(word, what, meanwhile, down)] * times

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self._to)) as server:
            try:
                while not self._down and self._passed(client, server):
                    pass
            except OSError:
                return

    def _passed(self, client: socket.socket, server: socket.socket) -> bool:
        """Pass on what comes from either side; False when the connection is over."""
        ready, _, _ = select.select([client, server], [], [])
        if server in ready:
            data = server.recv(_SIZE)
            client.sendall(data)
            return bool(data)
        data = client.recv(_SIZE)
        self.batches.append(data)
        cut = next((one for one in self._cuts if one.word in data), None)
        if cut is None:
            server.sendall(data)
            return bool(data)
        self._cuts.remove(cut)
        if cut.what == "reply":
            server.sendall(data)
            server.recv(_SIZE)
        cut.meanwhile()
        self._down = cut.down
        return False

"""Servers that say one thing to everybody: bytes, nothing, or a broken handshake."""

import re
import socket
import struct
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

Behaviour = Callable[[socket.socket], None]


@dataclass(kw_only=True)
class Canned:
    """A server on `port`; `heard` is what came over each connection: a request, if it is HTTP."""

    port: int
    heard: list[bytes] = field(default_factory=list[bytes])


@contextmanager
def server(behave: Behaviour) -> Generator[Canned]:
    """Do the same with every connection, once its first request has come, until the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        canned = Canned(port=listener.getsockname()[1])

        def serve() -> None:
            with suppress(OSError):  # the listener is shut down in the end
                while True:
                    connection, _ = listener.accept()
                    with connection, suppress(OSError):
                        canned.heard.append(_request(connection))
                        behave(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield canned
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def saying(text: bytes) -> Behaviour:
    """Say this, whatever was asked, and close."""
    return lambda connection: connection.sendall(text)


def answer(status: str, *headers: str, body: bytes = b"") -> bytes:
    """Return an HTTP answer with its length."""
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "", ""]).encode() + body


def silent(connection: socket.socket) -> None:
    """Say nothing until the other side goes away."""
    while connection.recv(65536):
        pass


def reset(connection: socket.socket) -> None:
    """Break off with a TCP reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _request(connection: socket.socket) -> bytes:
    """Read one request whole: closing a socket with something unread in it would be a reset."""
    text = connection.recv(65536)
    length = re.search(rb"content-length: (\d+)", text, re.IGNORECASE)
    while (
        length is not None and len(text.partition(b"\r\n\r\n")[2]) < int(length[1]) and (more := connection.recv(65536))
    ):
        text += more
    return text

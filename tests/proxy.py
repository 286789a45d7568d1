"""A loopback HTTP/1.1 proxy in front of one service port, which records every request and breaks some on purpose.

Requests and answers are read whole before they are passed on, so a fault knows exactly what the service has seen.
"""

import asyncio
import socket
import struct
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Final, Self

import h11

from tests.wire import (
    Answer,
    CutBody,
    Delay,
    Drop,
    Fault,
    Late,
    Predicate,
    Recorded,
    Refuse,
    Reset,
    Stall,
    Status,
    Truncate,
    Wire,
    every,
)

HEAD_LIMIT: Final = 1 << 18  # bytes; a URL with a SAS and long names outgrows h11's default of 16 KiB


@dataclass(frozen=True, slots=True)
class Peer:
    """One end of a connection: whole messages in, bytes out."""

    http: h11.Connection
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def event(self) -> object:
        """Return the next event of h11; h11.RemoteProtocolError when the other side breaks off or speaks no HTTP."""
        while (event := self.http.next_event()) is h11.NEED_DATA:
            if self.http.they_are_waiting_for_100_continue:
                await self.write(self.http.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")
            self.http.receive_data(await self.reader.read(65536))
        return event

    async def body(self, *, until: float = float("inf")) -> bytes:
        """Read the rest of the message, or its first `until` bytes if it is longer."""
        parts: list[bytes] = []
        size = 0
        while size < until and isinstance(event := await self.event(), h11.Data):
            parts.append(bytes(event.data))
            size += len(event.data)
        whole = b"".join(parts)
        return whole if size <= until else whole[: int(until)]

    def serialize(self, head: h11.Request | h11.Response, body: bytes) -> bytes:
        events = (head, h11.Data(data=body), h11.EndOfMessage()) if body else (head, h11.EndOfMessage())
        return b"".join(self.http.send(event) or b"" for event in events)

    async def write(self, octets: bytes) -> None:
        self.writer.write(octets)
        await self.writer.drain()

    def reset(self) -> None:
        connection: socket.socket = self.writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


class Proxy:
    """Forwards 127.0.0.1:`port` to 127.0.0.1:`upstream_port` from `__enter__` to `__exit__`, in a thread of its own.

    A request that arrives while the proxy stops is cut off; a `Late` one that is still waiting is never sent.
    """

    port: int

    def __init__(self, upstream_port: int, *, wire: Wire | None = None) -> None:
        self.wire = wire or Wire()
        self._upstream_port = upstream_port
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="proxy")

    def __enter__(self) -> Self:
        started: Future[tuple[int, Callable[[], object]]] = Future()
        self._ended = self._thread.submit(asyncio.run, self._serve(started))
        self.port, self._stop = started.result(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(RuntimeError):  # the loop has ended already, for the reason that the last line raises
            self._stop()
        self._thread.shutdown()
        self._ended.result()  # a mistake in a predicate, or here, fails the test

    @property
    def requests(self) -> list[Recorded]:
        return self.wire.requests

    def clear(self) -> None:
        self.wire.clear()

    def fail(self, fault: Fault, *, when: Predicate = every, times: int = 1) -> None:
        self.wire.fail(fault, when=when, times=times)

    async def _serve(self, started: Future[tuple[int, Callable[[], object]]]) -> None:
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        try:
            async with asyncio.TaskGroup() as group:

                def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                    connections[group.create_task(self._connection(reader, writer))] = writer

                server = await asyncio.start_server(connected, "127.0.0.1", 0)
                started.set_result((server.sockets[0].getsockname()[1], lambda: loop.call_soon_threadsafe(stop.set)))
                with closing(server):  # also when a connection ends with a mistake, which interrupts this
                    try:
                        await stop.wait()
                    finally:
                        # Accept no more, and let what has been accepted become a connection: else it would be lost.
                        loop.remove_reader(server.sockets[0].fileno())
                        await asyncio.sleep(0.01)
                for connection in connections:
                    connection.cancel()
        finally:
            for writer in connections.values():  # one that is cancelled before it has begun closes nothing
                await closed(writer)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = Peer(h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT), reader, writer)
        try:
            while await self._exchange(client):
                client.http.start_next_cycle()
        except (ConnectionError, h11.RemoteProtocolError):
            pass  # the client or the service broke off: the other one is told by the closed connection
        finally:
            await closed(writer)

    async def _exchange(self, client: Peer) -> bool:
        """Pass on one request and its answer, or do what the fault says; return whether the connection goes on."""
        head = await client.event()
        if not isinstance(head, h11.Request):
            return False
        request = recorded(head)
        if isinstance(cut := self.wire.take(request, body_read=False), CutBody):
            self.wire.record(replace(request, body=await client.body(until=cut.size)))
            client.reset()
            return False
        request = replace(request, body=await client.body())
        number = self.wire.record(request)
        fault = self.wire.take(request, body_read=True)
        match fault:
            case Refuse():
                return False
            case Stall():
                await client.reader.read()
                return False
            case Late(seconds=seconds):
                client.writer.close()
                with self.wire.late():
                    await asyncio.sleep(seconds)
                    await self._forward(head, request.body, number=number)
                return False
            case Answer(code=code, headers=headers, body=body):
                answer, body = made_up(code, headers, body, method=request.method)
            case _:
                answer, body = await self._forward(head, request.body, number=number)
        return await self._answer(client, answer, body, fault=fault, method=request.method)

    async def _forward(self, head: h11.Request, body: bytes, *, number: int) -> tuple[h11.Response, bytes]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._upstream_port)
        service = Peer(h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_LIMIT), reader, writer)
        try:
            await service.write(service.serialize(head, body))
            while isinstance(answer := await service.event(), h11.InformationalResponse):
                pass  # 100 Continue: the body is on its way already
            if not isinstance(answer, h11.Response):
                raise ConnectionResetError("the service closed the connection without an answer")
            content = await service.body()
        finally:
            await closed(writer)
        self.wire.answered(number, answer.status_code)
        # Built anew because h11 sends no other version than 1.1, whatever the service spoke.
        headers = answer.headers.raw_items()
        return h11.Response(status_code=answer.status_code, headers=headers, reason=answer.reason), content

    async def _answer(
        self, client: Peer, answer: h11.Response, body: bytes, *, fault: Fault | None, method: str
    ) -> bool:
        match fault:
            case Drop():
                return False
            case Reset():
                client.reset()
                return False
            case Truncate(size=size):
                await client.write(client.serialize(answer, body)[:size])
                return False
            case Delay(seconds=seconds):
                await asyncio.sleep(seconds)
            case Status(code=code):
                answer, body = made_up(code, *error(code), method=method)
            case _:
                pass
        await client.write(client.serialize(answer, body))
        return client.http.our_state is h11.DONE and client.http.their_state is h11.DONE


async def closed(writer: asyncio.StreamWriter) -> None:
    """Close a connection for good, so that the end of the loop finds none that is still closing."""
    writer.close()
    try:
        async with asyncio.timeout(2):
            # All who wait for it wait for one future, which one that is cancelled would take along.
            await asyncio.shield(writer.wait_closed())
    except (TimeoutError, OSError):
        writer.transport.abort()
        await asyncio.sleep(0)


def recorded(head: h11.Request) -> Recorded:
    """Read the head of a request; the body is still empty."""
    path, _, query = head.target.decode("latin-1").partition("?")
    headers: dict[str, str] = {}
    for name, value in head.headers:
        key, text = name.decode("ascii"), value.decode("latin-1")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return Recorded(method=head.method.decode("ascii"), path=path, query=query, headers=headers, body=b"")


def made_up(code: int, headers: Mapping[str, str], body: bytes, *, method: str) -> tuple[h11.Response, bytes]:
    """Build an answer that no service gave, without a body where HTTP has none."""
    fields = {name.lower(): (name, value) for name, value in headers.items()}
    if code in {204, 304}:
        body = b""
    else:
        fields.setdefault("content-length", ("Content-Length", str(len(body))))
    return h11.Response(status_code=code, headers=list(fields.values())), b"" if method == "HEAD" else body


def error(code: int) -> tuple[dict[str, str], bytes]:
    """Write the headers and the body that the service gives with an error of this status."""
    name = {408: "RequestTimeout", 429: "TooManyRequests", 503: "ServerBusy"}.get(code, "InternalError")
    text = f"<Code>{name}</Code><Message>Made up by the proxy.</Message>"
    xml = f'<?xml version="1.0" encoding="utf-8"?><Error>{text}</Error>'
    return {"Content-Type": "application/xml", "x-ms-error-code": name}, xml.encode()

"""The ASGI application: reads one request, does it in one transaction, writes the answer."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from typing import Any, Final
from uuid import uuid4

from stcc.emulator.azfiles import range_requests as ranges
from stcc.emulator.azfiles import reply, request, routes, signatures, smb
from stcc.emulator.azfiles.call import Call
from stcc.emulator.azfiles.moments import from_unix, iso
from stcc.emulator.azfiles.refusals import Refusal, bad_header
from stcc.emulator.azfiles.reply import Reply
from stcc.emulator.azfiles.request import Request
from stcc.emulator.azfiles.store import Store

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_READING: Final = frozenset({"GET", "HEAD"})


class _Gone(Exception):
    """The client left before its request was complete: it is as if it had never been made."""


class App:
    """Serves one store; every request is done in one go, so that none sees half of another."""

    def __init__(self, store: Store) -> None:
        self._store: Final = store

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        if scope["type"] != "http":
            raise NotImplementedError(scope["type"])
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        named = {name.lower(): value for name, value in headers}
        try:
            answer = self._answer(scope, headers, await _body(scope["method"], named, receive))
        except Refusal as refusal:
            answer = self._refused(refusal, named)
        except _Gone:
            return
        await _send(answer, send, receive, is_head=scope["method"] == "HEAD")

    def _answer(self, scope: Scope, headers: list[tuple[str, str]], body: bytes) -> Reply:
        raw_path = scope["raw_path"].decode("latin-1")
        client = (scope.get("client") or ("127.0.0.1", 0))[0]
        named = {name.lower(): value for name, value in headers}
        if raw_path.startswith(smb.PREFIX):
            return smb.answer(self._store, scope["method"], raw_path, named, body)
        asked = request.parsed(
            method=scope["method"],
            raw_path=raw_path,
            raw_query=scope["query_string"].decode("latin-1"),
            headers=headers,
            body=body,
            client=client,
        )
        return self._with_common(self._done(asked), named)

    def _done(self, asked: Request) -> Reply:
        with self._store.transaction(changing=asked.method not in _READING):
            grant = signatures.grant(asked, self._store)
            operation = routes.operation(asked)
            grant.check(operation.level, operation.needs)
            return operation.run(Call(request=asked, store=self._store, grant=grant))

    def _refused(self, refusal: Refusal, named: Mapping[str, str]) -> Reply:
        request_id = str(uuid4())
        time = iso(from_unix(self._store.now))
        return self._with_common(reply.refused(refusal, request_id=request_id, time=time), named, request_id)

    def _with_common(self, answer: Reply, named: Mapping[str, str], request_id: str = "") -> Reply:
        common = {"x-ms-request-id": request_id or str(uuid4())}
        for header in ("x-ms-version", "x-ms-client-request-id"):
            if named.get(header):
                common[header] = named[header]
        return Reply(
            status=answer.status,
            headers={**answer.headers, **common},
            body=answer.body,
            pieces=answer.pieces,
            length=answer.length,
        )


async def _body(method: str, named: Mapping[str, str], receive: Receive) -> bytes:
    """Return what the request carries; raise Refusal when that is too much, or its length is not said."""
    if "transfer-encoding" in named or (method == "PUT" and "content-length" not in named):
        raise Refusal("MissingContentLengthHeader")
    length = named.get("content-length", "0")
    if not length.isdecimal():
        raise bad_header("content-length", length)
    if int(length) > ranges.LARGEST:
        raise Refusal("RequestBodyTooLarge")
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


async def _send(answer: Reply, send: Send, receive: Receive, *, is_head: bool) -> None:
    length = len(answer.body) if answer.length is None else answer.length
    headers = {**answer.headers, "content-length": str(length)}
    start = {"type": "http.response.start", "status": answer.status, "headers": _encoded(headers)}
    await send(start)
    if answer.pieces is not None and not is_head:
        await _pour(answer.pieces, send, receive)
    await send({"type": "http.response.body", "body": b"" if is_head else answer.body})


async def _pour(pieces: Iterator[bytes], send: Send, receive: Receive) -> None:
    """Send piece by piece, until the last one or until nobody takes them any more."""
    leaving = asyncio.ensure_future(receive())
    try:
        for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            await asyncio.sleep(0)  # others get their turn, and we hear of a client that left
            if leaving.done():
                return
    finally:
        leaving.cancel()


class _Spelled(bytes):
    """A header name that stays as it is spelled, though the server writes all names in lower case.

    To a program that looks for its metadata, `Owner` is not `owner`.
    """

    def lower(self) -> "_Spelled":
        return self


def _encoded(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(_Spelled(name, "latin-1"), value.encode("latin-1", "replace")) for name, value in headers.items()]

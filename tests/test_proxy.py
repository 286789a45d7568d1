"""The faults do what they say, seen by the SDK on one side and by Azurite on the other."""

import threading
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, RemoteDisconnected
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import create_connection

import pytest
from azure.core.exceptions import AzureError, HttpResponseError
from azure.data.tables import TableServiceClient
from azure.storage.blob import BlobClient, BlobServiceClient, ContainerClient
from azure.storage.queue import QueueServiceClient

from stcc.emulator.instance import Instance
from tests.azurite import ProxiedAccount
from tests.proxy import Proxy
from tests.wire import (
    Answer,
    CutBody,
    Delay,
    Drop,
    Fault,
    Late,
    Recorded,
    Refuse,
    Reset,
    Stall,
    Status,
    Truncate,
    writes,
)

API = "2021-12-02"


def container_of(connection_string: str, name: str) -> ContainerClient:
    service = BlobServiceClient.from_connection_string(
        connection_string, api_version=API, retry_total=0, read_timeout=1
    )
    return service.get_container_client(name)


@pytest.fixture
def direct(azurite: Instance, names: Callable[[], str]) -> Iterator[ContainerClient]:
    with container_of(azurite.connection_string, names()) as container:
        container.create_container()
        yield container


@pytest.fixture
def broken(proxied: ProxiedAccount, direct: ContainerClient) -> Iterator[ContainerClient]:
    """Reach the container of `direct` through the proxies."""
    with container_of(proxied.connection_string, direct.container_name) as container:
        yield container


def outcome(blob: BlobClient, content: bytes = b"text") -> str:
    """Upload, and name what the SDK made of it."""
    try:
        blob.upload_blob(content)
    except HttpResponseError as error:
        return f"{type(error).__name__} {error.status_code}"
    except AzureError as error:
        return type(error).__name__
    return "done"


@pytest.mark.parametrize(
    ("fault", "reported", "landed", "status"),
    [
        pytest.param(Drop(), "ServiceResponseError", True, 201, id="drop"),
        pytest.param(Reset(), "ServiceResponseError", True, 201, id="reset"),
        pytest.param(Truncate(0), "ServiceResponseError", True, 201, id="truncate to nothing"),
        pytest.param(Truncate(7), "ServiceResponseError", True, 201, id="truncate in the status line"),
        pytest.param(Truncate(40), "done", True, 201, id="truncate in the headers"),
        pytest.param(Delay(0.1), "done", True, 201, id="a short delay"),
        pytest.param(Delay(1.5), "ServiceResponseTimeoutError", True, 201, id="a delay past the read timeout"),
        pytest.param(Status(500), "HttpResponseError 500", True, 201, id="a made-up 500 after the commit"),
        pytest.param(Refuse(), "ServiceResponseError", False, None, id="refuse"),
        pytest.param(Answer(503), "HttpResponseError 503", False, None, id="a 503 of the proxy"),
        pytest.param(Stall(), "ServiceResponseTimeoutError", False, None, id="stall"),
        pytest.param(CutBody(2), "ServiceResponseError", False, None, id="cut body"),
    ],
)
def test_a_fault_hits_one_request(
    *,
    proxied: ProxiedAccount,
    broken: ContainerClient,
    direct: ContainerClient,
    fault: Fault,
    reported: str,
    landed: bool,
    status: int | None,
) -> None:
    proxied.fail(fault, when=writes)

    first = outcome(broken.get_blob_client("blob"))

    assert (first, direct.get_blob_client("blob").exists()) == (reported, landed)
    assert [request.status for request in proxied.requests] == [status]
    assert outcome(broken.get_blob_client("other")) == "done"


def test_a_late_request_lands_after_the_connection_is_gone(
    proxied: ProxiedAccount, broken: ContainerClient, direct: ContainerClient
) -> None:
    proxied.fail(Late(0.5))

    reported = outcome(broken.get_blob_client("blob"))
    before = direct.get_blob_client("blob").exists()
    proxied.wire.wait_for_late()

    assert (reported, before, direct.get_blob_client("blob").exists()) == ("ServiceResponseError", False, True)
    assert [request.status for request in proxied.requests] == [201]


def test_waiting_for_a_late_request_ends(proxied: ProxiedAccount, broken: ContainerClient) -> None:
    proxied.fail(Late(60))
    outcome(broken.get_blob_client("blob"))

    with pytest.raises(TimeoutError, match="1 late requests"):
        proxied.wire.wait_for_late(seconds=0.1)


def test_a_cut_body_interrupts_a_large_upload(
    proxied: ProxiedAccount, broken: ContainerClient, direct: ContainerClient
) -> None:
    proxied.fail(CutBody(1000))

    reported = outcome(broken.get_blob_client("blob"), bytes(32 << 20))

    assert (reported, direct.get_blob_client("blob").exists()) == ("ServiceResponseError", False)
    assert [(len(request.body), request.status) for request in proxied.requests] == [(1000, None)]


def test_faults_wait_for_the_requests_that_they_are_for(proxied: ProxiedAccount, broken: ContainerClient) -> None:
    proxied.fail(Status(500), when=lambda request: request.path.endswith("/b"), times=2)
    proxied.fail(Answer(429), when=lambda request: request.path.endswith("/b"))

    reported = [outcome(broken.get_blob_client(name)) for name in "abbbb"]

    assert reported == [
        "done",
        "HttpResponseError 500",
        "HttpResponseError 500",
        "HttpResponseError 429",
        "ResourceExistsError 409",
    ]


def test_an_account_records_its_three_services_in_order(proxied: ProxiedAccount, names: Callable[[], str]) -> None:
    name = names()
    with (
        BlobServiceClient.from_connection_string(proxied.connection_string, api_version=API) as blobs,
        QueueServiceClient.from_connection_string(proxied.connection_string, api_version=API) as queues,
        TableServiceClient.from_connection_string(proxied.connection_string) as tables,
    ):
        queues.create_queue(name)
        tables.create_table(name)  # pyright: ignore[reportUnknownMemberType] - the SDK leaves it untyped
        blobs.get_container_client(name).create_container()

    seen = [(r.headers["host"], r.method, r.path, r.query, r.status) for r in proxied.requests]
    assert seen == [
        (f"127.0.0.1:{proxied.queue.port}", "PUT", f"/devstoreaccount1/{name}", "", 201),
        (f"127.0.0.1:{proxied.table.port}", "POST", "/devstoreaccount1/Tables", "", 201),
        (f"127.0.0.1:{proxied.blob.port}", "PUT", f"/devstoreaccount1/{name}", "restype=container", 201),
    ]
    proxied.clear()
    assert proxied.requests == []


class Echo(BaseHTTPRequestHandler):
    """Answers in chunks what it was sent; /204 and /304 without a body; /silent not at all."""

    protocol_version = "HTTP/1.1"

    def do_PUT(self) -> None:
        if self.path == "/silent":
            self.close_connection = True
            return
        code = int(self.path[1:]) if self.path in {"/204", "/304"} else 200
        self.send_response(code)
        self.send_header("ETag", '"1"')
        if code != 200:
            self.end_headers()
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if self.command != "HEAD":
            body = self._body()
            self.wfile.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if body else b"0\r\n\r\n")

    do_GET = do_HEAD = do_PUT  # noqa: N815 - the names that the base class calls

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def echo() -> Iterator[Proxy]:
    """A proxy in front of `Echo`."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            with Proxy(server.server_port) as proxy:
                yield proxy
        finally:
            server.shutdown()
            thread.join()


def talk(connection: HTTPConnection, method: str, path: str, body: bytes | Iterator[bytes] | None = None) -> object:
    connection.request(method, path, body, encode_chunked=True)
    answer = connection.getresponse()
    return answer.status, answer.getheader("ETag"), answer.read()


def test_one_connection_carries_every_kind_of_message(echo: Proxy) -> None:
    connection = HTTPConnection("127.0.0.1", echo.port, timeout=30)
    connection.connect()
    port = connection.sock.getsockname()[1]

    answers = [
        talk(connection, "PUT", "/a", b"length"),
        talk(connection, "PUT", "/a", iter([b"chu", b"nks"])),
        talk(connection, "HEAD", "/a"),
        talk(connection, "GET", "/204"),
        talk(connection, "GET", "/304"),
        talk(connection, "GET", "/a"),
    ]

    assert answers == [
        (200, '"1"', b"length"),
        (200, '"1"', b"chunks"),
        (200, '"1"', b""),
        (204, '"1"', b""),
        (304, '"1"', b""),
        (200, '"1"', b""),
    ]
    assert connection.sock.getsockname()[1] == port
    connection.close()


def test_the_record_is_what_the_client_sent(echo: Proxy) -> None:
    connection = HTTPConnection("127.0.0.1", echo.port, timeout=30)
    connection.request("PUT", "/c/%2e%2E/a%20b//?x=%41&y", b"body", {"X-Ms-Name": " Umlaut ", "If-Match": '"0x8D"'})
    connection.getresponse().read()
    connection.close()

    headers = {
        "host": f"127.0.0.1:{echo.port}",
        "accept-encoding": "identity",
        "content-length": "4",
        "x-ms-name": "Umlaut",
        "if-match": '"0x8D"',
    }
    assert echo.requests == [Recorded("PUT", "/c/%2e%2E/a%20b//", "x=%41&y", headers, b"body", 200)]


def test_a_client_that_expects_continue_gets_it(echo: Proxy) -> None:
    head = b"PUT /a HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
    with create_connection(("127.0.0.1", echo.port), timeout=30) as connection, connection.makefile("rb") as answers:
        connection.sendall(head)
        first = answers.readline()
        connection.sendall(b"body")
        rest = answers.read()

    assert (first.split()[1], rest.endswith(b"4\r\nbody\r\n0\r\n\r\n")) == (b"100", True)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("code", [200, 204, 304, 429, 599])
def test_a_made_up_answer_keeps_the_connection_in_order(echo: Proxy, method: str, code: int) -> None:
    echo.fail(Answer(code, {"ETag": '"2"'}, b"no"))
    connection = HTTPConnection("127.0.0.1", echo.port, timeout=30)

    answers = [talk(connection, method, "/a"), talk(connection, "GET", "/a")]

    body = b"" if method == "HEAD" or code in {204, 304} else b"no"
    assert answers == [(code, '"2"', body), (200, '"1"', b"")]
    connection.close()


def test_truncation_counts_the_bytes_of_the_answer(echo: Proxy) -> None:
    echo.fail(Truncate(20))
    with create_connection(("127.0.0.1", echo.port), timeout=30) as connection, connection.makefile("rb") as answer:
        connection.sendall(b"GET /a HTTP/1.1\r\nHost: here\r\n\r\n")

        assert answer.read() == b"HTTP/1.1 200 OK\r\nSer"


def test_a_delay_holds_the_answer_back(echo: Proxy) -> None:
    echo.fail(Delay(0.3))
    connection = HTTPConnection("127.0.0.1", echo.port, timeout=30)
    started = time.monotonic()

    answer = talk(connection, "GET", "/a")

    assert (answer, time.monotonic() - started >= 0.3) == ((200, '"1"', b""), True)
    connection.close()


def test_a_service_that_closes_the_connection_closes_the_client_s(echo: Proxy) -> None:
    connection = HTTPConnection("127.0.0.1", echo.port, timeout=30)

    with pytest.raises(RemoteDisconnected):
        talk(connection, "GET", "/silent")
    assert [request.status for request in echo.requests] == [None]


def test_a_mistake_in_a_predicate_fails_the_test() -> None:
    def misled() -> None:
        with Proxy(1) as proxy:
            proxy.fail(Drop(), when=lambda request: request.headers["x-missing"] == "")
            with pytest.raises(ConnectionError):
                talk(HTTPConnection("127.0.0.1", proxy.port, timeout=30), "GET", "/a")

    with pytest.raises(ExceptionGroup) as failure:
        misled()

    assert [repr(error) for error in failure.value.exceptions] == ["KeyError('x-missing')"]


def test_a_proxy_stops_with_connections_open_and_requests_held(echo: Proxy) -> None:
    idle = HTTPConnection("127.0.0.1", echo.port, timeout=30)
    talk(idle, "GET", "/a")
    with Proxy(1) as proxy:
        proxy.fail(Stall())
        held = HTTPConnection("127.0.0.1", proxy.port, timeout=30)
        held.request("GET", "/a")
        while not proxy.requests:
            time.sleep(0.01)

    with pytest.raises(ConnectionError):
        held.getresponse()
    idle.close()


def test_a_short_lease_ends_ten_times_sooner_in_hurried_time(fast_azurite: Instance, names: Callable[[], str]) -> None:
    with container_of(fast_azurite.connection_string, names()) as container:
        container.create_container()
        started = time.monotonic()
        container.acquire_lease(15)
        while container.get_container_properties().lease.state == "leased" and time.monotonic() - started < 14:
            time.sleep(0.05)

        assert 1 < time.monotonic() - started < 14

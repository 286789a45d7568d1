"""What an answer, or the lack of one, means: told from real sockets, not from what the SDK raises."""

import contextlib
import json
import socket
import ssl
import threading
import time
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from stcc.connection import SERVICES, Connection, Credential
from stcc.errors import Usage
from stcc.storage.account import Account
from stcc.storage.answers import Lost, Rejected, Unsent, ask
from stcc.values.targets import BlobTarget
from tests.canned import Behaviour, answer, reset, saying, server, silent

ETAG = ('ETag: "0x1"', "Last-Modified: Sat, 31 Jan 2026 12:00:00 GMT")


def client(endpoint: str, *, timeout: float = 0.4) -> Any:
    """Return the SDK's client of a blob at an endpoint, as stcc makes it."""
    connection = Connection(
        account="devstoreaccount1", endpoints=dict.fromkeys(SERVICES, endpoint), credential=Credential("key", "Zm9v")
    )
    return Account(connection, timeout=timeout, diagnose=True, trace=None).blob(BlobTarget("data", "a"))


def outcome(endpoint: str, *, timeout: float = 0.4) -> tuple[type, str]:
    """Return what came of putting a blob, and its words."""
    try:
        said = ask(client(endpoint, timeout=timeout).upload_blob, b"x", overwrite=True)
    except (Rejected, Unsent, Lost, Usage) as failure:
        return type(failure), str(failure)
    return type(said), str(said.status)


def of(behave: Behaviour, *, scheme: str = "http", timeout: float = 0.4) -> tuple[type, str]:
    with server(behave) as canned:
        return outcome(f"{scheme}://127.0.0.1:{canned.port}/devstoreaccount1", timeout=timeout)


def test_a_refused_connection_is_nothing_sent() -> None:
    assert outcome("http://127.0.0.1:1/devstoreaccount1") == (Unsent, "connection refused")


def test_an_unknown_host_is_nothing_sent() -> None:
    assert outcome("http://h.invalid/devstoreaccount1") == (Unsent, "the host name is not known")


def test_tls_to_a_port_that_speaks_none_is_nothing_sent() -> None:
    assert of(saying(b"HTTP/1.1 400 Bad Request\r\n\r\n"), scheme="https") == (Unsent, "TLS: WRONG_VERSION_NUMBER")


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    """Make a certificate that nobody vouches for."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now).not_valid_after(now + timedelta(hours=1))
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    path = tmp_path_factory.mktemp("tls") / "pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


@contextlib.contextmanager
def tls_server(context: ssl.SSLContext) -> Generator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with contextlib.suppress(OSError):
                connection, _ = listener.accept()
                with contextlib.suppress(OSError), context.wrap_socket(connection, server_side=True) as secure:
                    secure.recv(65536)

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_a_certificate_that_nobody_knows_is_nothing_sent(tls: ssl.SSLContext) -> None:
    with tls_server(tls) as port:
        said = outcome(f"https://127.0.0.1:{port}/devstoreaccount1", timeout=2)
    assert said == (Unsent, "TLS: CERTIFICATE_VERIFY_FAILED")


@pytest.fixture
def proxies(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    return monkeypatch


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_refuses_the_connection_is_nothing_sent(proxies: pytest.MonkeyPatch, scheme: str) -> None:
    proxies.setenv(f"{scheme.upper()}_PROXY", "http://127.0.0.1:1")
    assert outcome(f"{scheme}://acme.example/devstoreaccount1") == (Unsent, "connection refused")


@pytest.mark.parametrize("status", ["407 Proxy Authentication Required", "403 Forbidden", "502 Bad Gateway"])
def test_a_proxy_that_lets_nothing_through_is_nothing_sent(proxies: pytest.MonkeyPatch, status: str) -> None:
    with server(saying(answer(status))) as canned:
        proxies.setenv("HTTPS_PROXY", f"http://127.0.0.1:{canned.port}")
        assert outcome("https://acme.example/devstoreaccount1") == (Unsent, "the proxy does not let it through")
        assert canned.heard[0].startswith(b"CONNECT acme.example:443 ")


def test_a_proxy_that_read_the_request_and_closed_may_have_passed_it_on(proxies: pytest.MonkeyPatch) -> None:
    with server(saying(b"")) as canned:
        proxies.setenv("HTTP_PROXY", f"http://127.0.0.1:{canned.port}")
        assert outcome("http://acme.example/devstoreaccount1")[0] is Lost


@pytest.mark.parametrize("url", ["http://127.0.0.1:99999", "http://[", "socks5://127.0.0.1:1"])
def test_a_proxy_that_cannot_be_used_is_bad_input(proxies: pytest.MonkeyPatch, url: str) -> None:
    proxies.setenv("HTTP_PROXY", url)
    assert outcome("http://acme.example/devstoreaccount1")[0] is Usage


@pytest.mark.parametrize("host", ["a" * 64 + ".example", "a..example", ".example"])
def test_a_host_name_that_cannot_be_is_bad_input(host: str) -> None:
    assert outcome(f"http://{host}/devstoreaccount1")[0] in {Usage, Unsent}


CLOSED = "the connection was closed before the whole answer came"


@pytest.mark.parametrize(
    ("behave", "words"),
    [
        pytest.param(saying(b""), CLOSED, id="closed without a word"),
        pytest.param(reset, "connection reset by peer", id="reset"),
        pytest.param(silent, "no answer in time", id="silent"),
        pytest.param(saying(b"SSH-2.0-OpenSSH_9.2\r\n"), CLOSED, id="no HTTP"),
        pytest.param(saying(b"HTTP/1.1 20"), CLOSED, id="cut in the status line"),
        pytest.param(saying(b"HTTP/1.1 201 Created\r\n"), CLOSED, id="cut after the status line"),
        pytest.param(saying(b'HTTP/1.1 201 Created\r\nContent-Length: 0\r\nETag: "0x'), CLOSED, id="cut in the ETag"),
        pytest.param(saying(b"HTTP/1.1 412 Precondition Failed\r\nContent-Length: 100\r\n\r\n<Err"), CLOSED,
            id="cut in a refusal"),
        pytest.param(saying(answer("500 Internal Server Error", "x-ms-error-code: InternalError")),
                     "the service answered 500 InternalError", id="500"),
        pytest.param(saying(answer("502 Bad Gateway")), "the service answered 502", id="502 of something on the way"),
        pytest.param(saying(answer("408 Request Timeout")), "the service answered 408", id="408"),
        pytest.param(saying(answer("201 Created", 'ETag: "0x1"', "Last-Modified: yesterday")),
                     "the answer could not be read", id="a date that is none"),
    ],
)  # fmt: skip
def test_an_answer_that_is_not_whole_is_lost(behave: Behaviour, words: str) -> None:
    assert of(behave) == (Lost, words)


XML = (
    b'<?xml version="1.0"?><Error><Code>LeaseIdMissing</Code><Message>There is a lease.\nRequestId:1</Message></Error>'
)
ODATA = json.dumps(
    {"odata.error": {"code": "EntityTooLarge", "message": {"lang": "en", "value": "Too large.\nx"}}}
).encode()
FRONT = json.dumps({"error": {"code": "AuthorizationFailure", "message": "No."}}).encode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(answer("412 Precondition Failed", body=XML), (412, "LeaseIdMissing", "There is a lease."),
            id="XML"),
        pytest.param(answer("413 Too Large", body=ODATA), (413, "EntityTooLarge", "Too large."), id="OData"),
        pytest.param(answer("403 Forbidden", body=FRONT), (403, "AuthorizationFailure", "No."),
            id="JSON of a front end"),
        pytest.param(answer("409 Conflict", "x-ms-error-code: LeaseAlreadyPresent", body=b""),
                     (409, "LeaseAlreadyPresent", ""), id="a header"),
        pytest.param(answer("400 Bad Request", body=b"<html>no</html>"), (400, None, ""), id="a page"),
        pytest.param(answer("429 Too Many Requests", "Retry-After: 1"), (429, None, ""), id="throttled"),
        pytest.param(answer("503 Server Busy", "x-ms-error-code: ServerBusy"), (503, "ServerBusy", ""), id="busy"),
    ],
)  # fmt: skip
def test_a_no_has_status_code_and_message(text: bytes, expected: tuple[int, str | None, str]) -> None:
    with server(saying(text)) as canned, pytest.raises(Rejected) as caught:
        ask(client(f"http://127.0.0.1:{canned.port}/devstoreaccount1").upload_blob, b"x", overwrite=True)
    assert (caught.value.status, caught.value.code, caught.value.message) == expected
    assert len(canned.heard) == 1


def test_a_yes_has_status_and_headers() -> None:
    with server(saying(answer("201 Created", *ETAG, "x-ms-request-id: r1"))) as canned:
        said = ask(client(f"http://127.0.0.1:{canned.port}/devstoreaccount1").upload_blob, b"x", overwrite=True)
    assert (said.status, said.value["etag"], said.reply().request_id) == (201, '"0x1"', "r1")
    assert len(canned.heard) == 1


@pytest.mark.parametrize(
    "status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"]
)
def test_no_redirect_is_followed(status: str) -> None:
    with server(saying(answer("201 Created", *ETAG))) as other:
        location = f"Location: http://127.0.0.1:{other.port}/elsewhere"
        with server(saying(answer(status, location))) as canned:
            write = outcome(f"http://127.0.0.1:{canned.port}/devstoreaccount1")
            with pytest.raises(Rejected):
                ask(client(f"http://127.0.0.1:{canned.port}/devstoreaccount1").get_blob_properties)
    assert (write, other.heard) == ((Rejected, status[:3]), [])


def test_nobody_waits_longer_than_told() -> None:
    started = time.monotonic()
    assert of(silent, timeout=0.2)[0] is Lost
    assert time.monotonic() - started < 20

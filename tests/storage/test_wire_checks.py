"""The last step before the network: paths, redirects, throttling, and what -v shows."""

import time
from typing import Any

import pytest
from azure.core.rest import HttpRequest

from stcc.emulator.instance import Instance
from stcc.errors import Usage
from stcc.storage.wire import Exchange, Wire, without_secrets
from tests.azurite import ProxiedAccount
from tests.canned import answer, saying, server
from tests.conftest import Names
from tests.running import Result, Stcc
from tests.wire import Answer, Recorded


def transport(exchanges: list[Exchange] | None = None) -> Any:
    """Return the transport that every client of the SDKs is given; its base class has no types."""
    return Wire(timeout=1, trace=None if exchanges is None else exchanges.append)


@pytest.mark.parametrize(
    "path",
    ["a/../b", "a/./b", "a/..", "..", "a/%2e%2e/b", "a/%2E/b", "a/.%2e/b", "%2e"],
)
def test_a_path_that_would_become_another_one_is_never_sent(path: str) -> None:
    with server(saying(answer("200 OK"))) as canned, transport() as wire:
        with pytest.raises(Usage) as caught:
            wire.send(HttpRequest("GET", f"http://127.0.0.1:{canned.port}/data/{path}?comp=list"))
        assert (caught.value.message, canned.heard) == (
            "the name cannot be sent: the HTTP library would turn its path into another one",
            [],
        )


@pytest.mark.parametrize(
    "path",
    [
        "a/b",
        "a//b",
        "a%2Fb",
        "a%20b",
        "a%25b",
        "...",
        "a/...",
        ".a",
        "a%C3%A4",
        "a+b~",
        "a;b=c",
        "%2e%2ea",
        "a%5Cb",
        "%23%3F",
    ],
)
def test_every_other_path_is_sent_as_it_is(path: str) -> None:
    with server(saying(answer("200 OK"))) as canned, transport() as wire:
        wire.send(HttpRequest("GET", f"http://127.0.0.1:{canned.port}/data/{path}?comp=list"))
    [heard] = canned.heard
    sent = heard.split(b" ")[1].decode().removeprefix("/data/").removesuffix("?comp=list")
    assert sent in {path, path.replace("%2e%2ea", "..a")}


def test_a_trace_tells_the_exchange_without_secrets() -> None:
    exchanges: list[Exchange] = []
    headers = {
        "If-Match": '"0x1"',
        "x-ms-lease-id": "U0VDUkVU",
        "x-ms-proposed-lease-id": "U0VDUkVU",
        "x-ms-lease-action": "change",
        "Authorization": "SharedKey acme:U0VDUkVU",
        "x-ms-meta-owner": "U0VDUkVU",
    }
    said = saying(answer("412 Precondition Failed", "x-ms-error-code: ConditionNotMet", "x-ms-request-id: r1"))
    with server(said) as canned, transport(exchanges) as wire:
        url = f"http://127.0.0.1:{canned.port}/acme/data/a"
        wire.send(HttpRequest("PUT", f"{url}?comp=lease&sv=1&sig=U0VDUkVU", headers=headers))
        port = canned.port
    with pytest.raises(Exception, match="refused"), transport(exchanges) as wire:
        wire.send(HttpRequest("HEAD", f"http://127.0.0.1:{port}/acme/data/a"))

    assert [exchange._replace(seconds=0) for exchange in exchanges] == [
        Exchange(
            method="PUT", url=f"{url}?comp=lease&...",
            conditions=('if-match: "0x1"', "x-ms-lease-action: change", "x-ms-lease-id: (given)",
                        "x-ms-proposed-lease-id: (given)"),
            status=412, code="ConditionNotMet", request_id="r1", seconds=0,
        ),
        Exchange(method="HEAD", url=url, conditions=(), status=None, code=None, request_id=None, seconds=0),
    ]  # fmt: skip
    assert "U0VDUkVU" not in repr(exchanges)


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", ""),
        ("comp=list&prefix=a%20b", "?comp=list&prefix=a%20b"),
        ("sv=1&sig=x", "?..."),
        ("SIG=x&comp=lease", "?comp=lease&..."),
        ("%73ig=x", "?..."),
        ("restype=container&se=1&sp=r&sig=a%3D", "?restype=container&..."),
        ("unknown=x", "?..."),
        ("x", "?..."),
    ],
)
def test_only_parameters_that_are_known_to_be_harmless_are_shown(query: str, shown: str) -> None:
    url = "https://acme.blob.core.windows.net/data/a"
    assert without_secrets(f"{url}?{query}" if query else url) == f"{url}{shown}"


def test_verbose_shows_each_request_on_one_line(azurite: Instance, stcc: Stcc, names: Names) -> None:
    name = names()
    stcc("container", "create", name)
    code, _, err = stcc("blob", "put", f"{name}/a b", "-", "-v", stdin=b"x")
    lines = [line for line in err.splitlines() if line.startswith("* ")]

    assert (code, len(lines)) == (0, 1)
    assert lines[0].startswith(
        f"* PUT http://127.0.0.1:{azurite.blob_port}/devstoreaccount1/{name}/a%20b [if-none-match: *] -> 201 (request "
    )


def puts(request: Recorded) -> bool:
    return request.method == "PUT"


@pytest.mark.parametrize("status", [429, 503])
def test_a_throttled_change_is_sent_again(
    proxied_stcc: Stcc, proxied: ProxiedAccount, names: Names, status: int
) -> None:
    name = names()
    proxied.fail(Answer(status, headers={"Retry-After": "0"}), when=puts, times=2)
    code, etag, story = proxied_stcc("container", "create", name)

    assert (code, etag[:3], story) == (0, '"0x', f"created container {name}\n")
    assert [request.status for request in proxied.requests] == [None, None, 201]


def test_the_pause_that_the_service_asks_for_is_made(proxied_stcc: Stcc, proxied: ProxiedAccount, names: Names) -> None:
    proxied.fail(Answer(503, headers={"Retry-After": "1"}), when=puts)
    started = time.monotonic()

    assert proxied_stcc("container", "create", names()).code == 0
    assert time.monotonic() - started >= 1


def test_a_change_that_is_only_throttled_is_unavailable(
    proxied_stcc: Stcc, proxied: ProxiedAccount, names: Names
) -> None:
    name = names()
    proxied.fail(Answer(503, headers={"x-ms-error-code": "ServerBusy"}), when=puts, times=4)

    assert proxied_stcc("container", "create", name) == Result(
        69, "", f"stcc: {name}: the service answered 503 ServerBusy\n  nothing was changed; try again later\n"
    )
    assert len(proxied.requests) == 4


def test_a_redirect_is_an_answer_that_is_not_expected(
    proxied_stcc: Stcc, proxied: ProxiedAccount, names: Names
) -> None:
    with server(saying(answer("201 Created"))) as other:
        location = {"Location": f"http://127.0.0.1:{other.port}/x"}
        proxied.fail(Answer(307, headers=location), when=puts)
        proxied.fail(Answer(302, headers=location))
        written, shown = (
            proxied_stcc("container", "create", names(), "-q"),
            proxied_stcc("container", "show", names(), "-q"),
        )

    assert (written.code, written.out, shown.code, shown.out, other.heard) == (1, "", 1, "", [])
    assert (written.err.count("\n"), "(307)" in written.err, "(302)" in shown.err) == (1, True, True)


def test_a_proxy_that_refuses_is_unavailable_and_named_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    stcc = Stcc(connection_string="AccountName=acme;AccountKey=Zm9v;BlobEndpoint=http://acme.example")

    assert stcc("container", "create", "data") == Result(
        69, "", "stcc: data: connection refused\n  nothing was changed; try again later\n"
    )

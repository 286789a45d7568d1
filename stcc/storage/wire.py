"""The last step before the network: what is sent is what was asked for, and can be looked at."""

import re
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from azure.core.exceptions import ServiceResponseError
from azure.core.pipeline.transport import RequestsTransport
from requests import Request

from stcc.errors import Usage
from stcc.values.targets import is_loopback

CONNECT_TIMEOUT: Final = 5.0
# As the SDK sets it for its own transport; with the library's 4 KiB, large downloads take three times as long.
_READ_AT_ONCE: Final = 256 * 1024
# What `-v` may show of a request: its conditions. Lease ids are keys, and stay hidden.
_SHOWN: Final = (
    "if-match",
    "if-none-match",
    "if-modified-since",
    "if-unmodified-since",
    "x-ms-if-tags",
    "x-ms-source-if-match",
    "x-ms-source-if-none-match",
    "x-ms-source-if-modified-since",
    "x-ms-source-if-unmodified-since",
    "x-ms-source-if-tags",
    "x-ms-blob-condition-appendpos",
    "x-ms-blob-condition-maxsize",
    "x-ms-if-sequence-number-le",
    "x-ms-if-sequence-number-lt",
    "x-ms-if-sequence-number-eq",
    "x-ms-lease-action",
    "x-ms-lease-duration",
    "x-ms-lease-break-period",
    "range",
    "x-ms-range",
    "x-ms-write",
    "x-ms-handle-id",
    "x-ms-recursive",
    "x-ms-file-rename-replace-if-exists",
)
_KEYS: Final = (
    "x-ms-lease-id",
    "x-ms-proposed-lease-id",
    "x-ms-source-lease-id",
    "x-ms-destination-lease-id",
)
# Query parameters that are not part of a signature.
_PLAIN: Final = frozenset(
    [
        *(
            "comp",
            "restype",
            "prefix",
            "delimiter",
            "marker",
            "maxresults",
            "include",
            "snapshot",
            "sharesnapshot",
            "timeout",
            "blockid",
            "prevsnapshot",
            "copyid",
        ),
        *("blocklisttype", "numofmessages", "visibilitytimeout", "messagettl", "peekonly"),
        *("$filter", "$select", "$top", "$format", "nexttablename", "nextpartitionkey", "nextrowkey"),
    ]
)
_CONTENT_RANGE = re.compile(r"bytes (?:\d+-\d+|\*)/\d+", re.ASCII)


class Exchange(NamedTuple):
    """One request and its answer, without secrets; `status` is None when no answer came."""

    method: str
    url: str
    conditions: tuple[str, ...]
    status: int | None
    code: str | None
    request_id: str | None
    seconds: float


class Wire(RequestsTransport):  # type: ignore[misc]  # exported lazily, which mypy takes for untyped
    """The HTTP transport of every client, which refuses to send anything to another path than the one asked for."""

    def __init__(self, *, timeout: float, trace: Callable[[Exchange], None] | None) -> None:
        options: Any = {
            "connection_timeout": min(CONNECT_TIMEOUT, timeout),
            "read_timeout": timeout,
            "connection_data_block_size": _READ_AT_ONCE,
        }
        super().__init__(**options)  # pyright: ignore[reportUnknownMemberType]  # untyped in the SDK
        self._trace = trace

    def send(self, request: Any, **kwargs: Any) -> Any:
        """Send one request; `Usage` when the HTTP library would normalise its path into another one."""
        _check_path(request.url)
        if is_loopback(str(urlsplit(str(request.url)).hostname)):
            kwargs["proxies"] = dict.fromkeys(("http", "https", "all"))  # a proxy has no way to this machine
        started = time.monotonic()
        http: Any = super()
        response: Any = None
        try:
            response = http.send(request, **kwargs)
        except ValueError as error:
            if type(error) is not ValueError:  # a URL or a header that cannot be sent
                raise
            raise CutOff("half a Content-Length") from error
        except OSError as error:
            if "CA certificate" not in str(error):
                raise
            msg = "the certificates of the authorities cannot be read"
            raise Usage(msg, hint="REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE names the file") from error
        finally:
            if self._trace is not None:
                self._trace(_exchange(request, response, seconds=time.monotonic() - started))
        try:
            _check_whole(request.method, response)
        except CutOff:
            response.internal_response.close()
            raise
        return response


def _check_path(url: str) -> None:
    prepared = Request("GET", url).prepare()
    # %2e would be sent as a dot, and the other side would take the segment away.
    dots = any(unquote(segment) in {".", ".."} for segment in urlsplit(url).path.split("/"))
    if dots or unquote(urlsplit(prepared.url or "").path) != unquote(urlsplit(url).path):
        msg = "the name cannot be sent: the HTTP library would turn its path into another one"
        raise Usage(msg)


class CutOff(ServiceResponseError):
    """The answer broke off inside of its headers: the HTTP library takes the end of the stream for their end."""


def _check_whole(method: str, response: Any) -> None:
    headers = response.headers
    no_body = method == "HEAD" or response.status_code in {204, 304}
    if not no_body and "content-length" not in headers and "transfer-encoding" not in headers:
        raise CutOff("no end of the headers")
    if not headers.get("content-length", "0").isdigit():
        raise CutOff("half a Content-Length")
    if not _CONTENT_RANGE.fullmatch(headers.get("content-range", "bytes */0")):
        raise CutOff("half a Content-Range")
    if headers.get("etag", '""').count('"') != 2:
        raise CutOff("half an ETag")


def _exchange(request: Any, response: Any, *, seconds: float) -> Exchange:
    headers = {name.lower(): value for name, value in request.headers.items()}
    conditions = [f"{name}: {headers[name]}" for name in _SHOWN if name in headers]
    conditions += [f"{name}: (given)" for name in _KEYS if name in headers]
    answered: Mapping[str, str] = {} if response is None else response.headers
    return Exchange(
        method=request.method,
        url=without_secrets(request.url),
        conditions=tuple(conditions),
        status=None if response is None else response.status_code,
        code=answered.get("x-ms-error-code"),
        request_id=answered.get("x-ms-request-id"),
        seconds=seconds,
    )


def without_secrets(url: str) -> str:
    """Return the URL with every query parameter that could be part of a signature left out."""
    path, question, query = url.partition("?")
    if not question:
        return url
    kept = [part for part in query.split("&") if unquote(part.partition("=")[0]).lower() in _PLAIN]
    left_out = len(kept) < len(query.split("&"))
    return path + ("?" + "&".join([*kept, *(["..."] if left_out else [])]) if kept or left_out else "")

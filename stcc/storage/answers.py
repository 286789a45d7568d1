"""One question to the service: its answer, its refusal, or the two ways of getting neither."""

import json
import re
import ssl
from collections.abc import Callable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Final, Generic, NamedTuple, TypeVar
from xml.etree.ElementTree import ParseError

from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    DecodeError,
    HttpResponseError,
)
from requests.exceptions import ConnectTimeout, InvalidHeader, InvalidSchema, InvalidURL, RequestException
from urllib3.exceptions import ConnectTimeoutError, HTTPError, LocationParseError, NewConnectionError

from stcc.errors import Denied, Usage
from stcc.outcomes import Reply
from stcc.values.times import iso

T = TypeVar("T")
THROTTLED: Final = frozenset({429, 503})
_TIMED_OUT: Final = 408
_XML_CODE = re.compile(rb"<(?:\w+:)?[Cc]ode>([^<]+)</")
_XML_MESSAGE = re.compile(rb"<(?:\w+:)?[Mm]essage[^>]*>([^<]+)</")
# How the SDKs stumble over an answer that was cut off inside of its headers or its body.
_UNREADABLE = (ValueError, AttributeError, LookupError, TypeError, ParseError)
_LEASE_STATES: Final = frozenset({"available", "leased", "expired", "breaking", "broken"})
# The TLS failures of a handshake: not a byte of the request has left yet.
_HANDSHAKE = re.compile(r"CERTIFICATE_VERIFY_FAILED|WRONG_VERSION_NUMBER|HANDSHAKE|UNKNOWN_CA|UNSUPPORTED_PROTOCOL")


class Said(NamedTuple, Generic[T]):
    """A yes: the SDK's reading of the answer, and the answer's envelope (header names in lower case)."""

    value: T
    status: int
    headers: Mapping[str, str]

    def reply(self, *, settled: str | None = None) -> Reply:
        """Return the envelope for an outcome."""
        return Reply(http_status=self.status, request_id=self.headers.get("x-ms-request-id"), settled=settled)


class Rejected(Exception):
    """A no: the service answered with an error status."""

    def __init__(self, status: int, code: str | None, message: str, headers: Mapping[str, str]) -> None:
        super().__init__(f"{status} {code}" if code else str(status))
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers

    @property
    def request_id(self) -> str | None:
        """The service's name for this request."""
        return self.headers.get("x-ms-request-id")


class Unsent(Exception):
    """No byte of the request left this machine; the text says why."""


class Lost(Exception):
    """The request left, and no answer that can be trusted came back; the text says why."""


def ask(call: Callable[..., T], *args: Any, **kwargs: Any) -> Said[T]:
    """Call a method of an SDK client once; raise `Rejected`, `Unsent` or `Lost` when it is not a yes."""
    seen: list[tuple[int, dict[str, str]]] = []

    def note(response: Any) -> None:
        answer = response.http_response
        seen.append((answer.status_code, {name.lower(): value for name, value in answer.headers.items()}))

    try:
        value = attempt(lambda: call(*args, raw_response_hook=note, **kwargs))
    except _UNREADABLE as error:
        if not seen:
            raise
        raise Lost("the answer could not be read") from error
    status, headers = seen[-1] if seen else (200, {})
    return Said(value, status, headers)


def ask_tagged(call: Callable[..., T], *args: Any, **kwargs: Any) -> Said[T]:
    """Ask for something whose every yes carries an ETag; without one the answer was cut off (`Lost`)."""
    said = ask(call, *args, **kwargs)
    if not said.headers.get("etag"):
        raise Lost("the answer was cut off before its ETag")
    return said


def modified(headers: Mapping[str, str]) -> str:
    """Return the time of the last change that an answer tells, empty where it was cut off before it."""
    told = headers.get("last-modified")
    try:
        return "" if told is None else iso(parsedate_to_datetime(told)) or ""
    except ValueError:
        return ""


def ask_properties(call: Callable[..., T], *args: Any, **kwargs: Any) -> Said[T]:
    """Ask for the properties of a blob or a container: headers only, so a cut shows in what is missing (`Lost`)."""
    said = ask_tagged(call, *args, **kwargs)
    properties: Any = said.value
    if properties.lease.state not in _LEASE_STATES:
        raise Lost("the answer was cut off before the lease")
    return said


def attempt_to_read(call: Callable[[], T]) -> T:
    """As `attempt`, for an answer that the SDK reads as it comes: what makes it stumble was cut off (`Lost`)."""
    try:
        return attempt(call)
    except _UNREADABLE as error:
        raise Lost("the answer could not be read") from error


def attempt(call: Callable[[], T]) -> T:
    """Run a piece of SDK code; raise `Rejected`, `Unsent` or `Lost` for what goes wrong with its request."""
    try:
        return call()
    except (AzureError, RequestException, HTTPError) as error:
        raise classified(error) from error


def classified(error: Exception) -> Exception:
    """Tell what an exception of the SDK means: the service's no, a request that never left, or a lost answer."""
    if isinstance(error, DecodeError) or getattr(error, "response", None) is None:
        return _without_answer(error)
    if isinstance(error, HttpResponseError):
        return _rejected(error)
    return Lost(_reason(error))


def _rejected(error: HttpResponseError) -> Exception:
    response: Any = error.response
    headers = {name.lower(): value for name, value in response.headers.items()}
    status = int(response.status_code)
    if 200 <= status < 300:
        return Lost(f"the answer {status} was cut off or could not be read")
    body = _body(response)
    code, message = _parsed(body)
    named = getattr(error, "error_code", None)  # added by most methods of the SDKs, not by all
    stated = headers.get("x-ms-error-code") or code or getattr(named, "value", named)
    if (status >= 500 or status == _TIMED_OUT) and status not in THROTTLED:
        return Lost(f"the service answered {status}" + (f" {stated}" if stated else ""))
    return Rejected(status, stated, message, headers)


def _body(response: Any) -> bytes:
    try:
        return bytes(response.body() if callable(getattr(response, "body", None)) else response.content)
    except (AzureError, RequestException, HTTPError, AttributeError):
        return b""


def _parsed(body: bytes) -> tuple[str | None, str]:
    """Return code and message of an error body: XML (blob, queue) or JSON (table, and some front ends)."""
    if body.lstrip().startswith(b"{"):
        try:
            document: Any = json.loads(body)
            error: Any = document.get("odata.error") or document.get("error") or {}
            message: Any = error.get("message", "")
            text: str = message.get("value", "") if hasattr(message, "get") else str(message)
            return error.get("code"), text.partition("\n")[0]
        except (ValueError, AttributeError):
            return None, ""
    code, message = _XML_CODE.search(body), _XML_MESSAGE.search(body)
    return (
        code[1].decode("utf-8", "replace") if code else None,
        message[1].decode("utf-8", "replace").partition("\n")[0] if message else "",
    )


def _without_answer(error: Exception) -> Exception:
    causes = list(_causes(error))
    if any(isinstance(cause, (InvalidHeader, InvalidURL, InvalidSchema, LocationParseError)) for cause in causes):
        return Usage(
            "the request cannot be sent: the endpoint or a proxy setting is not valid, or a value fits no header"
        )
    if isinstance(error, ClientAuthenticationError):
        return Denied(
            "no credential could be had for --auth-mode login",
            hint="sign in with `az login`, or set AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET",
        )
    if any(isinstance(cause, (NewConnectionError, ConnectTimeoutError, ConnectTimeout)) for cause in causes):
        return Unsent(_reason(error))
    if any(isinstance(cause, OSError) and "Tunnel connection failed" in str(cause) for cause in causes):
        return Unsent("the proxy does not let it through")
    if any(isinstance(c, ssl.SSLError) and _HANDSHAKE.search(str(c.reason or c).upper()) for c in causes):
        return Unsent(_reason(error))
    return Lost(_reason(error))


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield everything an exception was made from: causes, contexts, and what libraries keep in their arguments."""
    waiting: list[BaseException] = [error]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        inside = [one.__cause__, one.__context__, getattr(one, "inner_exception", None), getattr(one, "reason", None)]
        waiting += [part for part in (*inside, *one.args) if isinstance(part, BaseException)]


def _reason(error: Exception) -> str:
    """Say in a few words what went wrong, from the innermost system error; never a URL: it may hold a signature."""
    words = "no answer came"
    for cause in _causes(error):
        name = type(cause).__name__
        if isinstance(cause, ssl.SSLError):
            return f"TLS: {cause.reason or name}"
        if "Timeout" in name or isinstance(cause, TimeoutError):
            return "no connection in time" if "Connect" in name else "no answer in time"
        if name in {"NameResolutionError", "gaierror"}:
            return "the host name is not known"
        if isinstance(cause, OSError) and cause.strerror and not isinstance(cause, RequestException):
            words = cause.strerror.lower()
        elif name in {"RemoteDisconnected", "IncompleteRead", "BadStatusLine", "CutOff"}:
            words = "the connection was closed before the whole answer came"
    return words

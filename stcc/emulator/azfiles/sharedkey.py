"""Requests signed with the account's key."""

import base64
import hashlib
import hmac
from collections.abc import Callable, Iterable
from email.utils import parsedate_to_datetime
from typing import Any, Final

from stcc.emulator.azfiles.refusals import Refusal
from stcc.emulator.azfiles.request import Request

SKEW: Final = 15 * 60
_SIGNED: Final = (
    "content-encoding",
    "content-language",
    "content-length",
    "content-md5",
    "content-type",
    "date",
    "if-modified-since",
    "if-match",
    "if-none-match",
    "if-unmodified-since",
    "range",
)
# How Windows sorts: punctuation, digits, letters; apostrophe and hyphen only count where all else is equal.
_FIRST: Final = {letter: place for place, letter in enumerate("!#$%&*.^_`|~+0123456789abcdefghijklmnopqrstuvwxyz")}
_SECOND: Final = {"'": 0, "-": 1}


def signature(key: str, text: str) -> str:
    return base64.b64encode(hmac.digest(base64.b64decode(key), text.encode(), hashlib.sha256)).decode()


def check(request: Request, *, account: str, key: str, now: float) -> None:
    """Raise Refusal unless the request's signature was made with this key, and lately."""
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "sharedkey":
        raise Refusal("InvalidAuthenticationInfo")
    name, _, given = credentials.partition(":")
    if not given:
        raise Refusal("InvalidAuthenticationInfo")
    _check_date(request, now)
    texts = [_string_to_sign(request, order) for order in (_collated, str)]
    expected = [signature(key, text) for text in dict.fromkeys(texts)]
    if name != account or not any(hmac.compare_digest(given.encode(), one.encode()) for one in expected):
        raise failed(
            f"The MAC signature found in the HTTP request '{given}' is not the same as any computed signature."
        )


def failed(detail: str) -> Refusal:
    return Refusal("AuthenticationFailed", facts={"AuthenticationErrorDetail": detail})


def _check_date(request: Request, now: float) -> None:
    text = request.headers.get("x-ms-date") or request.headers.get("date", "")
    try:
        moment = parsedate_to_datetime(text).timestamp()
    except ValueError:
        raise failed(f"The Date header in the request is incorrect: '{text}'.") from None
    if abs(moment - now) > SKEW:
        raise failed(f"The date header in the request is too far from the present: '{text}'.")


def _string_to_sign(request: Request, order: Callable[[str], Any]) -> str:
    headers = dict(request.headers)
    if headers.get("content-length") == "0":
        del headers["content-length"]
    if "x-ms-date" in headers:
        headers.pop("date", None)
    extended: Iterable[str] = sorted((name for name in headers if name.startswith("x-ms-")), key=order)
    return "\n".join(
        [
            request.method,
            *(headers.get(name, "") for name in _SIGNED),
            *(f"{name}:{headers[name]}" for name in extended),
            f"/{request.account}{request.raw_path}",
            *(f"{name}:{value}" for name, value in sorted(request.query.items())),
        ]
    )


def _collated(name: str) -> tuple[list[int], list[int]]:
    return [_FIRST[letter] for letter in name if letter in _FIRST], [_SECOND[x] for x in name if x in _SECOND]

"""The parts of a connection: account names, keys, signatures, endpoints.

None of them is ever quoted back: people paste a key where a name belongs.
"""

import base64
import binascii
import re
from urllib.parse import parse_qsl, urlsplit

from stcc.errors import Usage

_ACCOUNT = re.compile(r"[a-z0-9]{3,24}(-secondary)?", re.ASCII)
_SUFFIX = re.compile(r"[A-Za-z0-9\-]+(\.[A-Za-z0-9\-]+)*(:\d{1,5})?", re.ASCII)
_ENDPOINT = re.compile(r"[Hh][Tt][Tt][Pp][Ss]?://[A-Za-z0-9.\-:\[\]]+(/(?!\.{1,2}(/|$))[A-Za-z0-9._~\-]+)*/?", re.ASCII)
_SAS = re.compile(r"[\x21-\x7e]+")


def check_account_name(text: str, *, what: str) -> None:
    """Refuse what is not the name of a storage account."""
    if _ACCOUNT.fullmatch(text) is None:
        msg = f"{what} is not the name of a storage account"
        raise Usage(msg, hint="3 to 24 lower-case letters and digits")


def account_key(text: str, *, what: str) -> str:
    """Return an account key, in base64."""
    try:
        decoded = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError):
        decoded = b""
    if not decoded:
        msg = f"{what} is not an account key"
        raise Usage(msg, hint="base64, 88 characters")
    return text.strip()


def sas_token(text: str, *, what: str) -> str:
    """Return a SAS without its question mark, or refuse what has no signature; the text is never quoted back."""
    token = text.strip().removeprefix("?")
    signed = any(name == "sig" and value for name, value in parse_qsl(token))
    if not signed or "?" in token or "://" in token or _SAS.fullmatch(token) is None:
        msg = f"{what} is not a shared access signature"
        raise Usage(msg, hint="sv=...&sig=...")
    return token


def endpoint_url(text: str, *, what: str) -> str:
    """Return the URL of a service without a slash at its end."""
    try:
        split = urlsplit(text.strip())
        usable = _ENDPOINT.fullmatch(text.strip()) is not None and bool(split.hostname) and split.port != 0
    except ValueError:
        usable = False
    if not usable:
        msg = f"{what} is not an endpoint"
        raise Usage(msg, hint="https://ACCOUNT.blob.core.windows.net, or http://127.0.0.1:10000/devstoreaccount1")
    return text.strip().rstrip("/")


def endpoint_suffix(text: str | None, *, what: str) -> str:
    """Return what follows account and service in the name of a host; the public cloud's when none is given."""
    if text is None:
        return "core.windows.net"
    if _SUFFIX.fullmatch(text) is None:
        msg = f"{what} is not the end of a host name"
        raise Usage(msg, hint="core.windows.net, core.chinacloudapi.cn, ...")
    return text

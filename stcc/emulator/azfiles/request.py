"""One request, taken apart: account, share and path from the URL, headers and parameters by name."""

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from stcc.emulator.azfiles import names
from stcc.emulator.azfiles.refusals import Refusal, bad_header, bad_parameter, missing_header

MOST_METADATA: Final = 8192
_IDENTIFIER: Final = re.compile(r"(?a)[A-Za-z_][A-Za-z0-9_]*")
_GUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_TRUTH: Final = {"true": True, "false": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was asked; header and parameter names are lower case; `named` is metadata, its names as they were written.

    `share` is None for the account itself, `path` is empty for the share and for its root directory.
    """

    method: str
    raw_path: str
    account: str
    share: str | None
    path: tuple[str, ...]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    named: Mapping[str, str]
    body: bytes
    client: str

    @property
    def metadata(self) -> Mapping[str, str]:
        """The metadata; raises Refusal when it is too much or has names that the service does not take."""
        for name, value in self.named.items():
            if _IDENTIFIER.fullmatch(name) is None or not value.isprintable():
                raise Refusal("InvalidMetadata")
        if sum(len(name) + len(value) for name, value in self.named.items()) > MOST_METADATA:
            raise Refusal("MetadataTooLarge")
        return self.named

    def required(self, header: str) -> str:
        value = self.headers.get(header)
        if not value:
            raise missing_header(header)
        return value

    def flag(self, header: str, *, default: bool = False) -> bool:
        value = self.headers.get(header)
        if not value:
            return default
        if value.lower() not in _TRUTH:
            raise bad_header(header, value)
        return _TRUTH[value.lower()]

    def number(self, header: str, *, least: int, most: int) -> int | None:
        value = self.headers.get(header)
        return None if not value else _number(header, value, least=least, most=most)

    def guid(self, header: str) -> str | None:
        """Return the lease id in a header, None without one."""
        value = self.headers.get(header)
        if not value:
            return None
        if _GUID.fullmatch(value) is None:
            raise bad_header(header, value)
        return value.lower()

    def md5(self, header: str) -> bytes | None:
        value = self.headers.get(header)
        if not value:
            return None
        try:
            digest = base64.b64decode(value, validate=True)
        except binascii.Error:
            raise bad_header(header, value) from None
        if len(digest) != 16:
            raise bad_header(header, value)
        return digest

    def most_results(self) -> int:
        """Return how many items a page may have."""
        value = self.query.get("maxresults")
        if not value:
            return 5000
        if not re.fullmatch(r"\d{1,9}", value):
            raise bad_parameter("maxresults", value)
        if not 1 <= int(value) <= 5000:
            raise Refusal("OutOfRangeQueryParameterValue", facts={"QueryParameterName": "maxresults"})
        return int(value)

    @property
    def included(self) -> frozenset[str]:
        return frozenset(self.query.get("include", "").lower().split(",")) - {""}

    @property
    def trailing_dots(self) -> bool:
        return self.flag("x-ms-allow-trailing-dot")


def parsed(
    *, method: str, raw_path: str, raw_query: str, headers: Sequence[tuple[str, str]], body: bytes, client: str
) -> Request:
    """Return a request; header names come as they were written, `raw_path` and `raw_query` as they were sent."""
    named = {name.lower(): value for name, value in headers}
    account, _, rest = raw_path.removeprefix("/").partition("/")
    share, _, path = names.decoded(rest).partition("/")
    dots = named.get("x-ms-allow-trailing-dot", "").lower() == "true"
    return Request(
        method=method,
        raw_path=raw_path,
        account=account,
        share=share or None,
        path=names.path(path, keep_trailing_dots=dots),
        query=parameters(raw_query),
        headers=named,
        named={name[10:]: value for name, value in headers if name[:10].lower() == "x-ms-meta-"},
        body=body,
        client=client,
    )


def parameters(raw_query: str) -> dict[str, str]:
    """Return the parameters of a URL, names in lower case; values of the same name joined by commas."""
    found: dict[str, list[str]] = {}
    for part in filter(None, raw_query.split("&")):
        name, _, value = part.partition("=")
        # No form: a plus is a plus.
        found.setdefault(names.decoded(name).lower(), []).append(names.decoded(value))
    return {name: ",".join(sorted(values)) for name, values in found.items()}


def _number(name: str, value: str, *, least: int, most: int) -> int:
    if not re.fullmatch(r"-?\d{1,19}", value) or not least <= int(value) <= most:
        raise bad_header(name, value)
    return int(value)

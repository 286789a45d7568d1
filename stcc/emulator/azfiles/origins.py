"""Where a copy or a rename comes from: a URL in a header, which must be of this very account."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from stcc.emulator.azfiles import names, nodes, shares
from stcc.emulator.azfiles.call import Call
from stcc.emulator.azfiles.nodes import Node
from stcc.emulator.azfiles.refusals import Refusal, bad_header, unsupported
from stcc.emulator.azfiles.request import parameters
from stcc.emulator.azfiles.shares import Share
from stcc.emulator.azfiles.signatures import verified

_HERE: Final = frozenset({"127.0.0.1", "localhost"})
_CLOUD: Final = ".file.core.windows.net"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What is at the source; `url` is without its signature."""

    share: Share
    node: Node
    url: str


def find(call: Call, header: str, *, needs: str) -> Origin:
    """Return what the URL in a header names; raise Refusal when it is not there or may not be used for this."""
    text = call.request.required(header)
    try:
        url = urlsplit(text)
        host, port = url.hostname, url.port
    except ValueError:
        raise bad_header(header, text) from None
    account = call.request.account
    # The Azure CLI names sources so, whatever endpoint it was given.
    place = "/" if host == f"{account}{_CLOUD}" else f"/{account}/"
    if not (url.path.startswith(place) and (place == "/" or _is_here(call, host, port))):
        raise unsupported(f"sources outside of this account and of Azure Files ({header})")
    resource = names.decoded(url.path.removeprefix(place))
    share_name, _, path = resource.partition("/")
    query = parameters(url.query)
    _authorize(call, query, share_name, f"/{account}/{resource}", needs)
    dots = call.request.flag("x-ms-source-allow-trailing-dot")
    share = shares.get(call.store, share_name, query.get("sharesnapshot", ""))
    node = nodes.find(call.store, share, names.path(path, keep_trailing_dots=dots))
    if node is None:
        raise Refusal("ResourceNotFound")
    shown = text.partition("?")[0]
    return Origin(share=share, node=node, url=shown)


def _is_here(call: Call, host: str | None, port: int | None) -> bool:
    named, _, listening = call.request.headers.get("host", "").rpartition(":")
    return host in {*_HERE, named} and str(port) == listening


def _authorize(call: Call, query: dict[str, str], share: str, resource: str, needs: str) -> None:
    if "sig" in query:
        grant = verified(call.store, query, share=share, resource=resource, client=call.request.client)
        grant.check("o", needs)
    elif call.grant.kind != "key":
        raise Refusal("CannotVerifyCopySource")

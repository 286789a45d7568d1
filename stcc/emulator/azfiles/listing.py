"""Listings: the shares of the account, and what is in a directory."""

import re
from functools import partial
from typing import Final
from urllib.parse import quote

from stcc.emulator.azfiles import leases, markers, moments, nodes, shares
from stcc.emulator.azfiles.call import Call
from stcc.emulator.azfiles.moments import etag, http_date
from stcc.emulator.azfiles.names import folded
from stcc.emulator.azfiles.nodes import Node
from stcc.emulator.azfiles.refusals import bad_parameter
from stcc.emulator.azfiles.reply import Reply, document, element
from stcc.emulator.azfiles.request import Request
from stcc.emulator.azfiles.shares import Share

_BEYOND_XML: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_OF_SHARES: Final = frozenset({"metadata", "snapshots", "deleted"})
_OF_FILES: Final = frozenset({"timestamps", "etag", "attributes", "permissionkey"})
# Since this version ids are listed without being asked for.
_WITH_IDS: Final = "2020-10-02"


def list_shares(call: Call) -> Reply:
    request = call.request
    include = _included(request, _OF_SHARES)
    after = markers.read(request.query.get("marker", ""), size=2)
    found, has_more = shares.page(
        call.store,
        prefix=request.query.get("prefix", ""),
        after=(after[0], after[1]),
        most=request.most_results(),
        with_snapshots="snapshots" in include,
    )
    items = "".join(_share(share, with_metadata="metadata" in include) for share in found)
    following = markers.written(found[-1].name, found[-1].snapshot or "~") if has_more else ""
    return document(
        200,
        f'<EnumerationResults ServiceEndpoint="{_endpoint(request)}">{_asked(request)}'
        + _group("Shares", items)
        + f"{element('NextMarker', following)}</EnumerationResults>",
    )


def list_directory(call: Call) -> Reply:
    request = call.request
    include = _included(request, _OF_FILES)
    share = call.share_to_read()
    top = call.directory(share)
    (after,) = markers.read(request.query.get("marker", ""), size=1)
    found, has_more = nodes.children(
        call.store, top, prefix=request.query.get("prefix", ""), after=after, most=request.most_results()
    )
    with_ids = request.headers.get("x-ms-version", _WITH_IDS) >= _WITH_IDS
    items = "".join(_entry(node, include, with_id=with_ids) for node in found)
    following = markers.written(folded(found[-1].name)) if has_more else ""
    snapshot = f' ShareSnapshot="{share.snapshot}"' if share.snapshot else ""
    place = f'ShareName="{share.name}"{snapshot} {_directory_path("/".join(request.path))}'
    return document(
        200,
        f'<EnumerationResults ServiceEndpoint="{_endpoint(request)}" {place}>{_asked(request)}'
        + (element("DirectoryId", top.shown_id) if with_ids else "")
        + _group("Entries", items)
        + f"{element('NextMarker', following)}</EnumerationResults>",
    )


def named(tag: str, name: str) -> str:
    """Return a name as an element; what XML cannot have is percent-encoded, and said to be."""
    if _is_beyond_xml(name):
        return f'<{tag} Encoded="true">{quote(name, safe="")}</{tag}>'
    return element(tag, name)


def _directory_path(path: str) -> str:
    if _is_beyond_xml(path):
        return f'DirectoryPath="{quote(path)}" Encoded="true"'
    return f'DirectoryPath="{_quoted(path)}"'


def _is_beyond_xml(name: str) -> bool:
    return _BEYOND_XML.search(name) is not None


def _included(request: Request, known: frozenset[str]) -> frozenset[str]:
    include = request.included
    if not include <= known:
        raise bad_parameter("include", request.query["include"])
    return include


def _asked(request: Request) -> str:
    """Return what the request asked for, which the answer repeats."""
    told = {
        "prefix": partial(named, "Prefix"),
        "marker": partial(element, "Marker"),
        "maxresults": partial(element, "MaxResults"),
    }
    return "".join(tell(request.query[name]) for name, tell in told.items() if request.query.get(name))


def _endpoint(request: Request) -> str:
    return _quoted(f"http://{request.headers.get('host', '127.0.0.1')}/{request.account}/")


def _quoted(text: str) -> str:
    for letter, entity in {"&": "&amp;", "<": "&lt;", '"': "&quot;"}.items():
        text = text.replace(letter, entity)
    return text


def _group(tag: str, inside: str) -> str:
    return f"<{tag}>{inside}</{tag}>" if inside else f"<{tag} />"


def _share(share: Share, *, with_metadata: bool) -> str:
    snapshot = element("Snapshot", share.snapshot) if share.snapshot else ""
    lease = leases.described(share.lease)
    properties = {
        "Last-Modified": http_date(share.etag),
        "Etag": etag(share.etag),
        "Quota": share.quota,
        "AccessTier": share.tier,
        "AccessTierChangeTime": http_date(share.tier_changed),
        "LeaseStatus": lease["x-ms-lease-status"],
        "LeaseState": lease["x-ms-lease-state"],
        "LeaseDuration": lease.get("x-ms-lease-duration", ""),
    }
    inside = "".join(element(name, value) for name, value in properties.items() if value != "")
    metadata = "".join(element(name, value) for name, value in share.metadata.items())
    return (
        f"<Share>{element('Name', share.name)}{snapshot}<Properties>{inside}</Properties>"
        + (_group("Metadata", metadata) if with_metadata else "")
        + "</Share>"
    )


def _entry(node: Node, include: frozenset[str], *, with_id: bool) -> str:
    tag = "Directory" if node.is_directory else "File"
    parts = [named("Name", node.name)]
    if with_id:
        parts.insert(0, element("FileId", node.shown_id))
    parts.append(_group("Properties", "".join(element(name, value) for name, value in _facts(node, include).items())))
    if "attributes" in include:
        parts.append(element("Attributes", node.attributes))
    if "permissionkey" in include:
        parts.append(element("PermissionKey", node.permission))
    return f"<{tag}>{''.join(parts)}</{tag}>"


def _facts(node: Node, include: frozenset[str]) -> dict[str, object]:
    facts: dict[str, object] = {} if node.is_directory else {"Content-Length": node.length}
    if "timestamps" in include:
        facts |= {
            "CreationTime": moments.iso(node.created),
            "LastAccessTime": moments.iso(node.written),
            "LastWriteTime": moments.iso(node.written),
            "ChangeTime": moments.iso(node.changed),
            "Last-Modified": http_date(node.etag),
        }
    if "etag" in include:
        facts["Etag"] = etag(node.etag)
    return facts

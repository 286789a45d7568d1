"""What a command acts on: `CONTAINER`, `CONTAINER/BLOB`, `QUEUE`, `TABLE`, `SHARE`, `SHARE/PATH`, or a full URL.

A URL names its endpoint too, and may carry its own SAS, which is never printed
(`str()` of a target is its plain name).
"""

import ipaddress
import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from stcc.errors import Usage

_CONTAINER = r"(?a)(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]|\$root|\$web|\$logs|\$blobchangefeed"
_QUEUE = r"(?a)(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]"
_TABLE = r"(?a)[A-Za-z][A-Za-z0-9]{2,62}"
_PATH_ACCOUNT = r"(?a)[A-Za-z0-9][A-Za-z0-9-]*"
_URL = r"(?a)[A-Za-z][A-Za-z0-9+.\-]*://"
_SIGNATURE = r"(?i)[?&]sig="
_NOT_IN_URLS = r"[\x00-\x20\x7f]"
_SHARE = _QUEUE
_SNAPSHOTS: Final = frozenset({"snapshot", "sharesnapshot"})
_SNAPSHOT = r"(?a)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z"
# The service counts UTF-16 units, up to 1,024 of them.
_BLOB_NAME_LIMIT: Final = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """The endpoint that a URL target names, and the SAS that came with it."""

    endpoint: str
    sas: str | None = field(default=None, repr=False)


class ContainerTarget(NamedTuple):
    """A container."""

    container: str
    at: Location | None = None

    def __str__(self) -> str:
        return self.container


class BlobTarget(NamedTuple):
    """A blob, or one snapshot of it."""

    container: str
    blob: str
    snapshot: str | None = None
    at: Location | None = None

    def __str__(self) -> str:
        return f"{self.container}/{self.blob}" + (f"?snapshot={self.snapshot}" if self.snapshot else "")


class QueueTarget(NamedTuple):
    """A queue."""

    queue: str
    at: Location | None = None

    def __str__(self) -> str:
        return self.queue


class TableTarget(NamedTuple):
    """A table."""

    table: str
    at: Location | None = None

    def __str__(self) -> str:
        return self.table


class ShareTarget(NamedTuple):
    """A file share, or one snapshot of it."""

    share: str
    snapshot: str | None = None
    at: Location | None = None

    def __str__(self) -> str:
        return self.share + (f"?sharesnapshot={self.snapshot}" if self.snapshot else "")


class FileTarget(NamedTuple):
    """A file or a directory in a share, or in one snapshot of it; the path is empty for the root directory.

    `is_directory`: it was written with a slash at its end, so it can be nothing else.
    """

    share: str
    path: str
    snapshot: str | None = None
    is_directory: bool = False
    at: Location | None = None

    def __str__(self) -> str:
        shown = f"{self.share}/{self.path}" if self.path else self.share
        return shown + (f"?sharesnapshot={self.snapshot}" if self.snapshot else "")

    @property
    def name(self) -> str:
        """The last name of the path."""
        return self.path.rpartition("/")[2]

    def beside(self, path: str) -> "FileTarget":
        """Return something else in the same share."""
        return self._replace(path=path, is_directory=False)


def container_target(text: str) -> ContainerTarget:
    """Parse `CONTAINER` or its URL."""
    at, path = _split(text)
    _no_snapshot(text, at)
    return ContainerTarget(container=_name(path, _CONTAINER, what="container"), at=at)


def queue_target(text: str) -> QueueTarget:
    """Parse `QUEUE` or its URL."""
    at, path = _split(text)
    _no_snapshot(text, at)
    return QueueTarget(queue=_name(path, _QUEUE, what="queue"), at=at)


def table_target(text: str) -> TableTarget:
    """Parse `TABLE` or its URL."""
    at, path = _split(text)
    _no_snapshot(text, at)
    if path.lower() == "tables":
        raise Usage("a table cannot be called 'tables': the service keeps that name")
    return TableTarget(table=_name(path, _TABLE, what="table"), at=at)


def blob_target(text: str, *, snapshot: str | None = None) -> BlobTarget:
    """Parse `CONTAINER/BLOB` or its URL (which may name a snapshot itself)."""
    at, path = _split(text)
    container, slash, blob = path.partition("/")
    if not slash:
        msg = f"no blob is named: {_shown(text)!r}"
        raise Usage(msg, hint="CONTAINER/BLOB, for example data/report.csv")
    asked = snapshot if snapshot is not None else _snapshot_of(text, at)
    return BlobTarget(
        container=_name(container, _CONTAINER, what="container"),
        blob=_blob_name(blob, text),
        snapshot=None if asked is None else snapshot_time(asked),
        at=at,
    )


def lease_target(text: str) -> ContainerTarget | BlobTarget:
    """Parse what can be leased: a container, or a blob when there is a slash."""
    _, path = _split(text)
    return blob_target(text) if "/" in path else container_target(text)


def listing_target(text: str) -> tuple[ContainerTarget, str]:
    """Parse `CONTAINER[/PREFIX]` into the container and the (possibly empty) prefix."""
    at, path = _split(text)
    _no_snapshot(text, at)
    container, _, prefix = path.partition("/")
    _check_text(prefix)
    return ContainerTarget(container=_name(container, _CONTAINER, what="container"), at=at), prefix


def share_target(text: str, *, snapshot: str | None = None) -> ShareTarget:
    """Parse `SHARE` or its URL (which may name a snapshot itself)."""
    at, path = _split(text, snapshot="sharesnapshot")
    return ShareTarget(share=_name(path, _SHARE, what="share"), snapshot=_share_snapshot(text, at, snapshot), at=at)


def file_target(text: str, *, snapshot: str | None = None) -> FileTarget:
    """Parse `SHARE/PATH` or its URL (which may name a snapshot of the share); a slash at the end says "directory"."""
    target = directory_target(text, snapshot=snapshot)
    if not target.path:
        msg = f"no file is named: {_shown(text)!r}"
        raise Usage(msg, hint="SHARE/PATH, for example team/reports/2026.csv")
    return target


def directory_target(text: str, *, snapshot: str | None = None) -> FileTarget:
    """Parse `SHARE[/PATH]` or its URL, where the root directory of the share can be meant, too."""
    from stcc.values import paths  # the commands of other services start without it

    at, whole = _split(text, snapshot="sharesnapshot")
    share, _, path = whole.partition("/")
    return FileTarget(
        share=_name(share, _SHARE, what="share"),
        path=paths.path(path.removesuffix("/")),
        snapshot=_share_snapshot(text, at, snapshot),
        is_directory=not path or path.endswith("/"),
        at=at,
    )


def name_prefix(text: str) -> str:
    """Check what the names in a listing shall start with; it may be empty."""
    _check_text(text, what="--prefix")
    return text


def snapshot_time(text: str) -> str:
    """Check the opaque timestamp of a snapshot, which must be sent back as it was given."""
    if re.fullmatch(_SNAPSHOT, text) is None:
        msg = f"not the time of a snapshot: {text!r}"
        raise Usage(msg, hint="as printed when it was made: 2026-01-31T12:00:00.1234567Z")
    return text


def _split(text: str, *, snapshot: str = "snapshot") -> tuple[Location | None, str]:
    if not text.strip():
        msg = "the target is empty"
        raise Usage(msg, hint="is the variable set?")
    _check_text(text)
    if re.match(_URL, text):
        return _from_url(text, snapshot)
    if re.search(_SIGNATURE, text):
        msg = "a SAS goes with a full URL, not with a name"
        raise Usage(msg, hint="https://ACCOUNT.blob.core.windows.net/CONTAINER/BLOB?SAS")
    return None, text


def _from_url(text: str, snapshot: str) -> tuple[Location, str]:
    if re.search(_NOT_IN_URLS, text):  # urlsplit leaves some of them out, and another name would remain
        msg = "the URL of the target contains a space or a control character"
        raise Usage(msg, hint="percent-encode it: %20 is a space")
    try:
        url = urlsplit(text)
        host, port = url.hostname or "", url.port
    except ValueError:
        raise Usage("the target is not a URL that can be read") from None
    if url.scheme not in {"https", "http"} or not host or url.username is not None or url.fragment:
        msg = f"not the URL of a storage account: {url.scheme}://{host}"
        raise Usage(msg, hint="https://ACCOUNT.blob.core.windows.net/CONTAINER/BLOB, with or without a SAS")
    netloc = f"[{host}]" if ":" in host else host
    endpoint = f"{url.scheme}://{netloc}" + (f":{port}" if port else "")
    path = url.path.removeprefix("/")
    if path_style(host):
        account, _, path = path.partition("/")
        if re.fullmatch(_PATH_ACCOUNT, account) is None:
            raise Usage("the URL names no account: it comes before the container where the host has no domain")
        endpoint += f"/{account}"
    return Location(endpoint=endpoint, sas=_sas_of(url.query, snapshot)), unquote(path, errors="surrogateescape")


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def path_style(host: str) -> bool:
    """Tell whether the account is the first segment of the path (an emulator), not part of the host name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return "." not in host
    return True


def _sas_of(query: str, snapshot: str) -> str | None:
    """Return the signature in a query, without the parameter that names a snapshot."""
    rest = "&".join(part for part in query.split("&") if part and part.partition("=")[0].lower() != snapshot)
    named = {name.lower(): value for name, value in parse_qsl(rest, keep_blank_values=True)}
    if rest and (not named.get("sig") or named.keys() & _SNAPSHOTS):
        raise Usage("the query of the URL is neither a SAS nor a snapshot")
    return rest or None


def _snapshot_of(text: str, at: Location | None) -> str | None:
    return None if at is None else _in_query(text, "snapshot")


def _in_query(text: str, wanted: str) -> str | None:
    query = parse_qsl(urlsplit(text).query, keep_blank_values=True)
    return next((value for name, value in query if name.lower() == wanted), None)


def _share_snapshot(text: str, at: Location | None, asked: str | None) -> str | None:
    """Return the snapshot of the share that an option or the URL names; the two must not differ."""
    named = None if at is None else _in_query(text, "sharesnapshot")
    if asked is not None and named is not None and asked != named:
        raise Usage("--snapshot and the URL name two snapshots")
    found = named if asked is None else asked
    return None if found is None else snapshot_time(found)


def _no_snapshot(text: str, at: Location | None) -> None:
    """Refuse the URL of a snapshot where only the whole can be meant."""
    if _snapshot_of(text, at) is not None:
        raise Usage("the URL names a snapshot; only a blob has snapshots")


def _name(text: str, form: str, *, what: str) -> str:
    if re.fullmatch(form, text) is None:
        rule = (
            "3 to 63 letters and digits, a letter first"
            if what == "table"
            else "3 to 63 lower-case letters, digits and single hyphens"
        )
        msg = f"not the name of a {what}: {text!r}"
        raise Usage(msg, hint=rule)
    return text


def _blob_name(name: str, text: str) -> str:
    if not name:
        msg = f"the blob's name is empty: {_shown(text)!r}"
        raise Usage(msg, hint="is the variable set? CONTAINER/BLOB")
    _check_text(name)
    if len(name) * 2 > _BLOB_NAME_LIMIT and len(name.encode("utf-16-le")) // 2 > _BLOB_NAME_LIMIT:
        raise Usage(f"the blob's name is longer than {_BLOB_NAME_LIMIT} characters")
    # An HTTP client normalises these away, and the request would reach another blob or container.
    if any(segment in {".", ".."} for segment in unquote(unquote(name)).replace("\\", "/").split("/")):
        raise Usage(f"a segment '.' or '..' cannot be part of a blob's name: {name!r}")
    return name


def _check_text(text: str, *, what: str = "the target") -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Usage(f"{what} is not UTF-8 text") from None
    if "\0" in text:
        raise Usage(f"{what} contains a NUL character")


def _shown(text: str) -> str:
    return text.partition("?")[0]

"""Where a lock, a semaphore or the lead is kept: a name in a container, or a key of a Redis server."""

import re
from typing import Final, Literal, NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from stcc.errors import Usage
from stcc.values.targets import BlobTarget, Location, blob_target

Kind = Literal["lock", "semaphore", "leader", "table"]
CONTAINER: Final = "stcc-locks"
_REDIS: Final = ("redis", "rediss", "unix")
_FORM: Final = "redis://HOST[:PORT]/DB/NAME, rediss://..., or unix:///PATH.sock?db=0&name=NAME"
_PORT: Final = 6379
# The keys that are kept beside those of the locks.
_OURS: Final = ("stcc::", "semaphore::")
_NAME_LIMIT: Final = 512
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


class AzurePlace(NamedTuple):
    """A small blob whose record is changed by compare-and-swap."""

    kind: Kind
    name: str
    blob: BlobTarget

    def __str__(self) -> str:
        return self.name


class RedisServer(NamedTuple):
    """How to reach a Redis database; `path` is a Unix socket, else there is a host."""

    host: str
    port: int
    db: int
    tls: bool
    path: str | None
    username: str | None
    password: str | None

    def __str__(self) -> str:
        if self.path is not None:
            return f"unix://{self.path}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'rediss' if self.tls else 'redis'}://{host}:{self.port}"

    def __repr__(self) -> str:
        return str(self)


class RedisPlace(NamedTuple):
    """A name in a Redis database."""

    kind: Kind
    name: str
    server: RedisServer

    def __str__(self) -> str:
        if self.server.path is not None:
            return f"{self.server}?db={self.server.db}&name={self.name}"
        return f"{self.server}/{self.server.db}/{self.name}"


Place = AzurePlace | RedisPlace


def place(text: str, kind: Kind, *, container: str | None = None) -> Place:
    """Parse `NAME`, or the URL of a name on a Redis server, which is split here so that its database counts."""
    if not text.strip():
        raise Usage(f"the name of the {kind} is empty", hint="is the variable set?")
    if re.match(r"(?a)[A-Za-z][A-Za-z0-9+.\-]*://", text):
        if container is not None:
            raise Usage("--container belongs to Azure: a Redis server has none")
        return redis_place(text, kind)
    return azure_place(text, kind, container=container)


def azure_place(name: str, kind: Kind, *, container: str | None = None, at: Location | None = None) -> AzurePlace:
    """Return the blob that keeps a name: `KIND/NAME` in the container of the locks."""
    if "\\" in name:  # two spellings of one blob, of which nobody would know that they are one
        raise Usage(
            f"a backslash cannot be part of the name of a {kind} on Azure: {name!r}", hint="there it is a slash"
        )
    found = blob_target(f"{container or CONTAINER}/{kind}/{_checked(name, kind)}")
    return AzurePlace(kind, name, found._replace(at=at))


def redis_place(text: str, kind: Kind) -> RedisPlace:
    """Parse `redis[s]://[USER:PASSWORD@]HOST[:PORT]/DB/NAME` or `unix:///PATH.sock?db=N&name=NAME`."""
    server, name = _redis(text, named=True)
    if name.startswith(_OURS):
        raise Usage(f"names that start with {_OURS[0]!r} or {_OURS[1]!r} are kept for what stcc notes beside the locks")
    return RedisPlace(kind, _checked(name, kind), server)


def redis_server(text: str) -> RedisServer:
    """Parse the URL of a database, without a name."""
    return _redis(text, named=False)[0]


def _redis(text: str, *, named: bool) -> tuple[RedisServer, str]:
    url, port, path, query = _parts(text)
    if url.scheme not in _REDIS:
        raise Usage(f"not the URL of a Redis server: {url.scheme}://{url.hostname or ''}", hint=_FORM)
    if "#" in text:
        raise Usage("a '#' is no part of the URL", hint="in a name it is written %23")
    host = url.hostname or ""
    if url.scheme == "unix":
        db, name = query.pop("db", "0"), query.pop("name", "")
        missing = bool(host) or path in {"", "/"} or bool(query)
    else:
        db, _, name = path.removeprefix("/").partition("/")
        missing = not host or bool(url.query)
    if missing or not port or not re.fullmatch(r"(?a)\d{1,5}", db) or named != bool(name):
        wanted = "a server, a database and a name" if named else "a server and a database, and nothing else"
        raise Usage(f"the URL does not name {wanted}", hint=_FORM)
    server = RedisServer(
        host=host,
        port=port,
        db=int(db),
        tls=url.scheme == "rediss",
        path=path if url.scheme == "unix" else None,
        username=None if not url.username else unquote(url.username),
        password=None if url.password is None else unquote(url.password),
    )
    return server, name


def _parts(text: str) -> tuple[SplitResult, int, str, dict[str, str]]:
    """Return a URL, its port, its path and its query as text; what the parser would silently drop is refused."""
    if _CONTROL.search(text):
        raise Usage("the URL contains a control character")
    try:
        url = urlsplit(text)
        port = _PORT if url.port is None else url.port
        path = unquote(url.path, errors="strict")
        pairs = parse_qsl(url.query, keep_blank_values=True, strict_parsing=bool(url.query), errors="strict")
    except ValueError:
        raise Usage("the target is not a URL that can be read", hint=_FORM) from None
    if len(pairs) != len(query := dict(pairs)) or _CONTROL.search(path):
        raise Usage("the target is not a URL that can be read", hint=_FORM)
    return url, port, path, query


def _checked(name: str, kind: Kind) -> str:
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        raise Usage(f"the name of the {kind} is not UTF-8 text") from None
    if size > _NAME_LIMIT:
        raise Usage(f"the name of the {kind} is longer than {_NAME_LIMIT} bytes")
    if _CONTROL.search(name):
        raise Usage(f"the name of the {kind} contains a control character")
    return name

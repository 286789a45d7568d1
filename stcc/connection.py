"""Which account, with which credential: flags, environment, profile, each as a whole.

The first of the three that names an account or a connection string supplies
everything, so that a key of one account never meets the name of another.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal
from urllib.parse import parse_qsl, urlsplit

from stcc.errors import Usage

Service = Literal["blob", "queue", "table"]
SERVICES: Final[tuple[Service, ...]] = ("blob", "queue", "table")

# The published credentials of every local emulator; not a secret.
DEVELOPMENT_ACCOUNT: Final = "devstoreaccount1"
DEVELOPMENT_KEY: Final = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
_DEVELOPMENT_PORTS: Final[dict[Service, int]] = {"blob": 10000, "queue": 10001, "table": 10002}
_ACCOUNT = re.compile(r"[a-z0-9]{3,24}(-secondary)?", re.ASCII)

WAYS: Final = (
    "set AZURE_STORAGE_CONNECTION_STRING; or AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN "
    "or --auth-mode login; or give --connection-string, --account-name or --profile; or a URL with a SAS as the "
    "target; or, for a local one, `stcc emulator start` and --emulator"
)


Kind = Literal["key", "sas", "login", "anonymous"]


@dataclass(frozen=True, slots=True)
class Credential:
    """How to prove who asks: an account key (base64), a SAS (no question mark), whoever is signed in, or not at all."""

    kind: Kind
    secret: str = field(default="", repr=False)


LOGIN: Final = Credential("login")
ANONYMOUS: Final = Credential("anonymous")


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """An account: its name, an endpoint for each service, and the credential for all of them."""

    account: str
    endpoints: Mapping[Service, str]
    credential: Credential

    def endpoint(self, service: Service) -> str:
        """Return the endpoint of a service; a connection string may leave some out."""
        if service not in self.endpoints:
            msg = f"the connection string names no {service} endpoint"
            raise Usage(msg)
        return self.endpoints[service]


def at_endpoint(endpoint: str, *, sas: str | None, known: Connection | None) -> Connection:
    """Return what a URL target connects to: its own SAS, else the credential of the account whose endpoint it names."""
    if sas is None and known is not None and endpoint.rstrip("/") in (e.rstrip("/") for e in known.endpoints.values()):
        return known
    split = urlsplit(endpoint)
    account = split.path.strip("/") or (split.hostname or "").partition(".")[0]
    credential = ANONYMOUS if sas is None else Credential("sas", sas)
    return Connection(account=account, endpoints=dict.fromkeys(SERVICES, endpoint), credential=credential)


def choose(
    *, flags: Mapping[str, str], environment: Mapping[str, str], profile: Mapping[str, str], login: bool
) -> Connection | None:
    """Return the connection of the first source that names one, or None when none does.

    Each source maps `connection-string`, `account-name`, `account-key`, `sas-token`, `blob-endpoint`,
    `queue-endpoint`, `table-endpoint`, `endpoint-suffix` to its text.
    """
    for source, name in ((flags, "flags"), (environment, "environment"), (profile, "profile")):
        for key, value in source.items():
            if not value.strip():
                msg = f"{_spelled(key, name)} is empty"
                raise Usage(msg, hint="is the variable set?")
        if source.keys() & {"connection-string", "account-name", "blob-endpoint", "queue-endpoint", "table-endpoint"}:
            return _resolve(source, name=name, login=login)
        if name == "flags" and source:
            msg = f"{_spelled(next(iter(source)), name)} without --account-name"
            raise Usage(msg, hint="a credential is never combined with an account from elsewhere")
    return None


def _spelled(key: str, source: str) -> str:
    match source:
        case "flags":
            return f"--{key}"
        case "environment":
            return f"AZURE_STORAGE_{key.upper().replace('-', '_').removesuffix('_NAME').replace('ACCOUNT_KEY', 'KEY')}"
        case _:
            return f"{key} in the profile"


def _resolve(source: Mapping[str, str], *, name: str, login: bool) -> Connection:
    if "connection-string" in source:
        connection = from_connection_string(source["connection-string"])
        account = source.get("account-name")
        if account is not None and account != connection.account:
            msg = f"two accounts in the {name}: {account!r} and the connection string's {connection.account!r}"
            raise Usage(msg, hint="unset one of them")
        extra = source.keys() - {"connection-string", "account-name"}
        if name == "flags" and extra:
            msg = f"--connection-string excludes --{min(extra)}"
            raise Usage(msg)
        return connection if not login else _with_login(connection)
    return _from_parts(source, name=name, login=login)


def _with_login(connection: Connection) -> Connection:
    return Connection(account=connection.account, endpoints=connection.endpoints, credential=LOGIN)


def _from_parts(source: Mapping[str, str], *, name: str, login: bool) -> Connection:
    endpoints: dict[Service, str] = {}
    for service in SERVICES:
        if f"{service}-endpoint" in source:
            endpoints[service] = _endpoint(source[f"{service}-endpoint"], what=_spelled(f"{service}-endpoint", name))
    account = source.get("account-name") or _account_of(next(iter(endpoints.values())))
    if _ACCOUNT.fullmatch(account) is None:
        msg = f"not the name of a storage account: {account!r}"
        raise Usage(msg, hint="3 to 24 lower-case letters and digits")
    suffix = source.get("endpoint-suffix", "core.windows.net")
    for service in SERVICES:
        endpoints.setdefault(service, f"https://{account}.{service}.{suffix}")
    return Connection(account=account, endpoints=endpoints, credential=_credential(source, account, name, login=login))


def _account_of(endpoint: str) -> str:
    split = urlsplit(endpoint)
    return split.path.strip("/") or (split.hostname or "").partition(".")[0]


def _credential(source: Mapping[str, str], account: str, name: str, *, login: bool) -> Credential:
    if login:
        return LOGIN
    if "account-key" in source:
        return Credential("key", _key(source["account-key"], what=_spelled("account-key", name)))
    if "sas-token" in source:
        return Credential("sas", sas_token(source["sas-token"], what=_spelled("sas-token", name)))
    msg = f"no credential for account {account!r} in the {name}"
    raise Usage(
        msg,
        hint="a key, a SAS, or --auth-mode login; the credential must come from the same place as the account's name",
    )


def _key(text: str, *, what: str) -> str:
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
    if not any(name == "sig" and value for name, value in parse_qsl(token)) or not token.isascii() or " " in token:
        msg = f"{what} is not a shared access signature"
        raise Usage(msg, hint="sv=...&sig=...")
    return token


def _endpoint(text: str, *, what: str) -> str:
    try:
        split = urlsplit(text.strip())
        usable = split.scheme in {"http", "https"} and bool(split.hostname) and split.port != 0
    except ValueError:
        usable, split = False, urlsplit("")
    if not usable or split.query or split.fragment or split.username is not None:
        msg = f"{what} is not an endpoint"
        raise Usage(msg, hint="https://ACCOUNT.blob.core.windows.net, or http://127.0.0.1:10000/devstoreaccount1")
    return text.strip().rstrip("/")


def from_connection_string(text: str) -> Connection:
    """Parse a connection string; its text is never quoted back."""
    settings: dict[str, str] = {}
    for part in text.strip().strip(";").split(";"):
        name, equals, value = part.partition("=")
        if not equals or not name.strip() or name.strip().lower() in settings:
            msg = "the connection string is malformed"
            raise Usage(msg, hint="AccountName=...;AccountKey=...;EndpointSuffix=core.windows.net")
        settings[name.strip().lower()] = value.strip()
    if settings.get("usedevelopmentstorage", "").lower() == "true":
        return development(proxy=settings.get("developmentstorageproxyuri"))
    return _from_settings(settings)


def development(*, proxy: str | None = None, ports: Mapping[Service, int] = _DEVELOPMENT_PORTS) -> Connection:
    """Return the well-known development account on this host, or on the host of `DevelopmentStorageProxyUri`."""
    base = "http://127.0.0.1"
    if proxy is not None:
        split = urlsplit(_endpoint(proxy, what="DevelopmentStorageProxyUri in the connection string"))
        base = f"{split.scheme}://{split.hostname}"
    endpoints: dict[Service, str] = {s: f"{base}:{ports[s]}/{DEVELOPMENT_ACCOUNT}" for s in SERVICES}
    key = Credential("key", DEVELOPMENT_KEY)
    return Connection(account=DEVELOPMENT_ACCOUNT, endpoints=endpoints, credential=key)


def _from_settings(settings: Mapping[str, str]) -> Connection:
    endpoints: dict[Service, str] = {}
    for service in SERVICES:
        if given := settings.get(f"{service}endpoint"):
            endpoints[service] = _endpoint(given, what=f"{service.title()}Endpoint in the connection string")
    account = settings.get("accountname")
    if account is None and not endpoints:
        msg = "the connection string names no account and no endpoint"
        raise Usage(msg, hint="AccountName=...;AccountKey=...;EndpointSuffix=core.windows.net")
    if account is not None:
        if _ACCOUNT.fullmatch(account) is None:
            msg = f"the connection string's AccountName is not the name of a storage account: {account!r}"
            raise Usage(msg, hint="3 to 24 lower-case letters and digits")
        scheme = settings.get("defaultendpointsprotocol", "https")
        if scheme not in {"http", "https"}:
            msg = "the connection string's DefaultEndpointsProtocol is neither http nor https"
            raise Usage(msg)
        suffix = settings.get("endpointsuffix", "core.windows.net")
        for service in SERVICES:
            endpoints.setdefault(service, f"{scheme}://{account}.{service}.{suffix}")
    return Connection(
        account=account or _account_of(next(iter(endpoints.values()))),
        endpoints=endpoints,
        credential=_credential_in(settings),
    )


def _credential_in(settings: Mapping[str, str]) -> Credential:
    if "accountkey" in settings:
        return Credential("key", _key(settings["accountkey"], what="AccountKey in the connection string"))
    if "sharedaccesssignature" in settings:
        return Credential(
            "sas", sas_token(settings["sharedaccesssignature"], what="SharedAccessSignature in the connection string")
        )
    msg = "the connection string has neither AccountKey nor SharedAccessSignature"
    raise Usage(msg)

"""Which account, with which credential: flags, environment, profile, each as a whole.

The first of the three that names an account or a connection string supplies
everything, so that a key of one account never meets the name of another.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal
from urllib.parse import urlsplit

from stcc.errors import Usage
from stcc.values.accounts import account_key, check_account_name, endpoint_suffix, endpoint_url, sas_token

Service = Literal["blob", "queue", "table", "file"]
SERVICES: Final[tuple[Service, ...]] = ("blob", "queue", "table", "file")

# The published credentials of every local emulator; not a secret.
DEVELOPMENT_ACCOUNT: Final = "devstoreaccount1"
DEVELOPMENT_KEY: Final = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
_DEVELOPMENT_PORTS: Final[dict[Service, int]] = {"blob": 10000, "queue": 10001, "table": 10002, "file": 10003}

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
            msg = f"no {service} endpoint is known: the connection names others only"
            raise Usage(msg, hint=f"--{service}-endpoint, or {service.title()}Endpoint in the connection string")
        return self.endpoints[service]


def at_endpoint(endpoint: str, *, sas: str | None, known: Connection | None) -> Connection:
    """Return what a URL target connects to: its own SAS, else the credential of the account whose endpoint it names."""
    account = _account_of(endpoint)
    credential = ANONYMOUS if sas is None else Credential("sas", sas)
    if sas is None and known is not None and _place(endpoint) in map(_place, known.endpoints.values()):
        account, credential = known.account, known.credential
    return Connection(account=account, endpoints=dict.fromkeys(SERVICES, endpoint), credential=credential)


def _place(endpoint: str) -> tuple[str, str | None, int, str]:
    """Return what two spellings of the same endpoint have in common."""
    split = urlsplit(endpoint)
    return split.scheme, split.hostname, split.port or {"http": 80}.get(split.scheme, 443), split.path.strip("/")


def choose(
    *, flags: Mapping[str, str], environment: Mapping[str, str], profile: Mapping[str, str], login: bool
) -> Connection | None:
    """Return the connection of the first source that names one, or None when none does.

    Each source maps `connection-string`, `account-name`, `account-key`, `sas-token`, `blob-endpoint`,
    `queue-endpoint`, `table-endpoint`, `file-endpoint`, `endpoint-suffix` to its text.
    """
    for source, name in ((flags, "flags"), (environment, "environment"), (profile, "profile")):
        for key, value in source.items():
            if not value.strip():
                msg = f"{_spelled(key, name)} is empty"
                raise Usage(msg, hint="is the variable set?")
        if names_account(source):
            return _resolve(source, name=name, login=login)
        if name == "flags" and source:
            msg = f"{_spelled(next(iter(source)), name)} without --account-name"
            raise Usage(msg, hint="a credential is never combined with an account from elsewhere")
    return None


def names_account(source: Mapping[str, str]) -> bool:
    """Tell whether a source says which account, not only how to prove who asks."""
    return bool(source.keys() & {"connection-string", "account-name", *(f"{s}-endpoint" for s in SERVICES)})


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
            msg = f"two accounts in the {name}: {_spelled('account-name', name)} and the connection string's"
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
            endpoints[service] = endpoint_url(source[f"{service}-endpoint"], what=_spelled(f"{service}-endpoint", name))
    account = source.get("account-name") or _account_of(next(iter(endpoints.values())))
    check_account_name(account, what=_spelled("account-name", name))
    if "account-name" in source:
        suffix = endpoint_suffix(source.get("endpoint-suffix"), what=_spelled("endpoint-suffix", name))
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
        return Credential("key", account_key(source["account-key"], what=_spelled("account-key", name)))
    if "sas-token" in source:
        return Credential("sas", sas_token(source["sas-token"], what=_spelled("sas-token", name)))
    msg = f"no credential for account {account!r} in the {name}"
    raise Usage(
        msg,
        hint="a key, a SAS, or --auth-mode login; the credential must come from the same place as the account's name",
    )


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
        split = urlsplit(endpoint_url(proxy, what="DevelopmentStorageProxyUri in the connection string"))
        host = split.hostname or ""
        base = f"{split.scheme}://[{host}]" if ":" in host else f"{split.scheme}://{host}"
    endpoints: dict[Service, str] = {s: f"{base}:{ports[s]}/{DEVELOPMENT_ACCOUNT}" for s in SERVICES}
    key = Credential("key", DEVELOPMENT_KEY)
    return Connection(account=DEVELOPMENT_ACCOUNT, endpoints=endpoints, credential=key)


def _from_settings(settings: Mapping[str, str]) -> Connection:
    endpoints: dict[Service, str] = {}
    for service in SERVICES:
        if f"{service}endpoint" in settings:
            given = settings[f"{service}endpoint"]
            endpoints[service] = endpoint_url(given, what=f"{service.title()}Endpoint in the connection string")
    account = settings.get("accountname")
    if account is None and not endpoints:
        msg = "the connection string names no account and no endpoint"
        raise Usage(msg, hint="AccountName=...;AccountKey=...;EndpointSuffix=core.windows.net")
    if account is not None:
        check_account_name(account, what="AccountName in the connection string")
        scheme = settings.get("defaultendpointsprotocol", "https")
        if scheme not in {"http", "https"}:
            msg = "the connection string's DefaultEndpointsProtocol is neither http nor https"
            raise Usage(msg)
        suffix = endpoint_suffix(settings.get("endpointsuffix"), what="EndpointSuffix in the connection string")
        for service in SERVICES:
            endpoints.setdefault(service, f"{scheme}://{account}.{service}.{suffix}")
    return Connection(
        account=account or _account_of(next(iter(endpoints.values()))),
        endpoints=endpoints,
        credential=_credential_in(settings),
    )


def _credential_in(settings: Mapping[str, str]) -> Credential:
    if "accountkey" in settings:
        return Credential("key", account_key(settings["accountkey"], what="AccountKey in the connection string"))
    if "sharedaccesssignature" in settings:
        return Credential(
            "sas", sas_token(settings["sharedaccesssignature"], what="SharedAccessSignature in the connection string")
        )
    msg = "the connection string has neither AccountKey nor SharedAccessSignature"
    raise Usage(msg)

"""Flags, environment and config file, read once, into frozen values."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from stcc.errors import Usage

if TYPE_CHECKING:
    from stcc.connection import Connection

Format = Literal["human", "json", "ndjson", "tsv", "none"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)

_FLAGS: Final = (
    "connection-string",
    "account-name",
    "account-key",
    "sas-token",
    "blob-endpoint",
    "queue-endpoint",
    "table-endpoint",
    "file-endpoint",
)
_VARIABLES: Final = {
    "connection-string": "AZURE_STORAGE_CONNECTION_STRING",
    "account-name": "AZURE_STORAGE_ACCOUNT",
    "account-key": "AZURE_STORAGE_KEY",
    "sas-token": "AZURE_STORAGE_SAS_TOKEN",
}
CONNECTION_FLAGS: Final = frozenset({*_FLAGS, "account-key-file", "auth-mode", "profile"})
_PROFILE_KEYS: Final = frozenset({*_FLAGS, "account-key-file", "auth-mode", "endpoint-suffix"})
DEFAULT_TIMEOUT: Final = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to ask and how to answer; `timeout` is the seconds that one answer may take."""

    output: Format = "human"
    query: str | None = None
    quiet: bool = False
    verbose: bool = False
    diagnose: bool = True
    timeout: float = DEFAULT_TIMEOUT


def settings(flags: Mapping[str, str]) -> Settings:
    """Return what the shared options say; flags map an option's name (`no-diagnose`) to its text."""
    return Settings(
        output=output_format(flags.get("output", "human")),
        query=flags.get("query"),
        quiet="quiet" in flags,
        verbose="verbose" in flags,
        diagnose="no-diagnose" not in flags,
        timeout=_timeout(flags.get("timeout")),
    )


def output_format(text: str) -> Format:
    """Return the name of an output format."""
    for name in FORMATS:
        if text == name:
            return name
    msg = f"--output is not a format: {text!r}"
    raise Usage(msg, hint="one of " + ", ".join(FORMATS))


def _timeout(text: str | None) -> float:
    if text is None:
        return DEFAULT_TIMEOUT
    # Imported late: only the few who set it pay for the regular expressions.
    from stcc.values.times import duration

    seconds = duration(text, option="--timeout")
    if not 0.05 <= seconds <= 3600:
        msg = f"--timeout is out of range: {text!r}"
        raise Usage(msg, hint="50ms to 1h")
    return seconds


def chosen_connection(flags: Mapping[str, str], environment: Mapping[str, str]) -> "Connection | None":
    """Return the account that flags, environment or profile name, or None."""
    from stcc import connection

    given = {name: flags[name] for name in _FLAGS if name in flags}
    _check_one_credential(flags)
    if "account-key-file" in flags:
        given["account-key"] = _from_file(flags["account-key-file"], option="--account-key-file")
    variables = {name: environment[variable] for name, variable in _VARIABLES.items() if variable in environment}
    if "profile" in flags:
        if given:
            msg = f"--profile excludes --{next(iter(given))}"
            raise Usage(msg)
        profile = _profile(flags["profile"], environment)
        return connection.choose(flags={}, environment={}, profile=profile, login=_login(flags, {}, profile))
    named = not given and connection.names_account(variables)
    profile = {} if given or named else _profile(environment.get("STCC_PROFILE"), environment)
    login = _login(flags, environment if named else {}, profile)
    return connection.choose(flags=given, environment=variables, profile=profile, login=login)


def _login(flags: Mapping[str, str], environment: Mapping[str, str], profile: Mapping[str, str]) -> bool:
    said = flags.get("auth-mode"), environment.get("AZURE_STORAGE_AUTH_MODE"), profile.get("auth-mode")
    mode = next((mode for mode in said if mode is not None), "key")
    if mode not in {"key", "login"}:
        msg = f"--auth-mode is not a way to sign in: {mode!r}"
        raise Usage(msg, hint="key or login")
    return mode == "login"


def config_file(environment: Mapping[str, str]) -> Path:
    """Return where profiles live: `STCC_CONFIG`, or `config.toml` in the user's configuration directory."""
    if named := environment.get("STCC_CONFIG"):
        return Path(named)
    import platformdirs

    return platformdirs.user_config_path("stcc") / "config.toml"


def _profile(name: str | None, environment: Mapping[str, str]) -> dict[str, str]:
    """Return one `[profiles.NAME]` table; without a name, `[profiles.default]` if there is one."""
    import tomllib

    path = config_file(environment)
    try:
        profiles: Any = tomllib.loads(path.read_text(encoding="utf-8")).get("profiles", {}) if path.exists() else {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        msg = f"the configuration {os.fspath(path)!r} cannot be read"
        raise Usage(msg, hint=str(error).partition("\n")[0]) from error
    table: Any = profiles.get("default" if name is None else name) if hasattr(profiles, "get") else None
    if table is None and name is None:
        return {}
    if table is None or not hasattr(table, "items"):
        msg = f"there is no profile {name!r}"
        raise Usage(msg, hint=f"a table [profiles.{name}] in {os.fspath(path)}")
    return _checked_profile({str(key).replace("_", "-"): value for key, value in table.items()}, name or "default")


def _checked_profile(table: Mapping[str, object], name: str) -> dict[str, str]:
    profile: dict[str, str] = {}
    for key, value in table.items():
        if key not in _PROFILE_KEYS or not isinstance(value, str):
            msg = f"profile {name!r}: {key!r} is not a setting of a profile, or not text"
            raise Usage(msg, hint=", ".join(sorted(key.replace("-", "_") for key in _PROFILE_KEYS)))
        profile[key] = value
    if "account-key-file" in profile:
        profile["account-key"] = _from_file(profile.pop("account-key-file"), option="account_key_file")
    return profile


def _from_file(name: str, *, option: str) -> str:
    try:
        return Path(name).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: ~nobody
        msg = f"{option} cannot be read"  # the name is not quoted: it may be the key itself
        raise Usage(msg, hint=getattr(error, "strerror", None) or "it is not the name of a text file") from error


def _check_one_credential(flags: Mapping[str, str]) -> None:
    credentials = [f"--{name}" for name in ("account-key", "account-key-file", "sas-token") if name in flags]
    if len(credentials) > 1:
        msg = f"{' and '.join(credentials)} exclude each other"
        raise Usage(msg)

"""Flags, environment and config file: which of them is heard."""

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcc.connection import LOGIN, Connection, Credential
from stcc.settings import Settings, chosen_connection, config_file, settings
from tests.running import Result, Stcc
from tests.values.refusals import parsed_or_refused, refusal

KEY = base64.b64encode(b"SECRET" * 10).decode()
SAS = "sv=2021-12-02&sig=U0VDUkVU"
ENVIRONMENT = {"AZURE_STORAGE_ACCOUNT": "environment", "AZURE_STORAGE_KEY": KEY}
NAMED = {"STCC_CONFIG": "/nonexistent"}
CONFIG = f"""
[profiles.default]
account_name = "fallback"
account_key = "{KEY}"

[profiles.work]
account-name = "work"
auth_mode = "login"

[profiles.string]
connection_string = "AccountName=string;AccountKey={KEY}"

[profiles.file]
account_name = "file"
account_key_file = "KEYFILE"

[profiles.china]
account_name = "china"
sas_token = "{SAS}"
endpoint_suffix = "core.chinacloudapi.cn"

[profiles.colour]
account_name = "acme"
colour = "red"

[profiles.number]
account_name = 12345

[profiles.nothing]
"""


@pytest.fixture
def config(tmp_path: Path) -> dict[str, str]:
    """Write a config file with a key file beside it, and return the environment that names it."""
    key = tmp_path / "key"
    key.write_text(f"{KEY}\n")
    file = tmp_path / "config.toml"
    file.write_text(CONFIG.replace("KEYFILE", str(key)))
    return {"STCC_CONFIG": str(file)}


def summary(connection: Connection | None) -> tuple[str, str, str] | None:
    if connection is None:
        return None
    return connection.account, connection.credential.kind, connection.endpoint("blob")


@pytest.mark.parametrize(
    ("flags", "more", "expected"),
    [
        pytest.param({}, {}, ("fallback", "key", "https://fallback.blob.core.windows.net"), id="the default profile"),
        pytest.param({"profile": "work"}, {}, ("work", "login", "https://work.blob.core.windows.net"),
            id="a named one"),
        pytest.param({}, {"STCC_PROFILE": "work"}, ("work", "login", "https://work.blob.core.windows.net"),
            id="by variable"),
        pytest.param({"profile": "string"}, {}, ("string", "key", "https://string.blob.core.windows.net"), id="string"),
        pytest.param({"profile": "file"}, {}, ("file", "key", "https://file.blob.core.windows.net"), id="key file"),
        pytest.param({"profile": "china"}, {}, ("china", "sas", "https://china.blob.core.chinacloudapi.cn"),
            id="suffix"),
        pytest.param({}, ENVIRONMENT, ("environment", "key", "https://environment.blob.core.windows.net"),
                     id="environment before the default profile"),
        pytest.param({"profile": "china"}, ENVIRONMENT, ("china", "sas", "https://china.blob.core.chinacloudapi.cn"),
                     id="a profile that is asked for before the environment"),
        pytest.param({"account-name": "flags", "sas-token": SAS}, ENVIRONMENT,
                     ("flags", "sas", "https://flags.blob.core.windows.net"), id="flags before all"),
        pytest.param({}, {"AZURE_STORAGE_KEY": KEY}, ("fallback", "key", "https://fallback.blob.core.windows.net"),
                     id="a key alone names no account"),
        pytest.param({"auth-mode": "login"}, ENVIRONMENT, ("environment", "login", "https://environment.blob.core.windows.net"),
                     id="login by flag"),
        pytest.param({}, {"AZURE_STORAGE_ACCOUNT": "environment", "AZURE_STORAGE_AUTH_MODE": "login"},
                     ("environment", "login", "https://environment.blob.core.windows.net"), id="login by variable"),
        pytest.param({"account-name": "flags", "account-key": KEY}, {"AZURE_STORAGE_AUTH_MODE": "login"},
                     ("flags", "key", "https://flags.blob.core.windows.net"), id="the variable is not for flags"),
        pytest.param({}, {"AZURE_STORAGE_AUTH_MODE": "login"}, ("fallback", "key", "https://fallback.blob.core.windows.net"),
                     id="nor for a profile"),
        pytest.param({"auth-mode": "key", "profile": "string"}, {}, ("string", "key", "https://string.blob.core.windows.net"),
                     id="a mode beside a profile"),
    ],
)  # fmt: skip
def test_one_source_supplies_the_connection(
    config: dict[str, str], flags: dict[str, str], more: dict[str, str], expected: tuple[str, str, str]
) -> None:
    assert summary(chosen_connection(flags, config | more)) == expected


def test_nothing_is_nothing() -> None:
    assert chosen_connection({}, NAMED) is None


@pytest.mark.parametrize(
    ("flags", "more", "message"),
    [
        ({"profile": "absent"}, {}, "there is no profile 'absent'"),
        ({"profile": ""}, {}, "there is no profile ''"),
        ({}, {"STCC_PROFILE": ""}, "there is no profile ''"),
        ({}, {"STCC_PROFILE": "absent"}, "there is no profile 'absent'"),
        ({"profile": "colour"}, {}, "profile 'colour': 'colour' is not a setting of a profile, or not text"),
        ({"profile": "number"}, {}, "profile 'number': 'account-name' is not a setting of a profile, or not text"),
        ({"profile": "work", "account-name": "a"}, {}, "--profile excludes --account-name"),
        ({"auth-mode": "token"}, ENVIRONMENT, "--auth-mode is not a way to sign in: 'token'"),
        ({"auth-mode": ""}, ENVIRONMENT, "--auth-mode is not a way to sign in: ''"),
        ({}, ENVIRONMENT | {"AZURE_STORAGE_AUTH_MODE": ""}, "--auth-mode is not a way to sign in: ''"),
        ({}, {"AZURE_STORAGE_CONNECTION_STRING": ""}, "AZURE_STORAGE_CONNECTION_STRING is empty"),
        ({}, {"AZURE_STORAGE_ACCOUNT": " "}, "AZURE_STORAGE_ACCOUNT is empty"),
        ({}, {"AZURE_STORAGE_KEY": ""}, "AZURE_STORAGE_KEY is empty"),
        ({"account-key": KEY}, ENVIRONMENT, "--account-key without --account-name"),
        ({"account-name": "acme"}, ENVIRONMENT, "no credential for account 'acme' in the flags"),
        ({"account-name": "acme", "account-key": KEY, "sas-token": SAS}, {},
         "--account-key and --sas-token exclude each other"),
        ({"account-name": "acme", "account-key": KEY, "account-key-file": "/k"}, {},
         "--account-key and --account-key-file exclude each other"),
        ({"account-name": "acme", "account-key-file": "/nonexistent"}, {}, "--account-key-file cannot be read"),
        ({"account-name": "acme", "account-key-file": ""}, {}, "--account-key-file cannot be read"),
        ({"account-name": "acme", "account-key-file": "/"}, {}, "--account-key-file cannot be read"),
        ({"account-name": "acme", "account-key-file": "~nobody-of-that-name/key"}, {},
            "--account-key-file cannot be read"),
        ({"account-name": "acme", "account-key-file": "/bin/sh"}, {}, "--account-key-file cannot be read"),
        ({"account-name": "acme", "account-key-file": "/dev/null"}, {}, "--account-key is empty"),
    ],
)  # fmt: skip
def test_what_contradicts_itself_is_refused(
    config: dict[str, str], flags: dict[str, str], more: dict[str, str], message: str
) -> None:
    assert refusal(lambda: chosen_connection(flags, config | more)) == message


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[profiles", id="broken"),
        pytest.param(f'[profiles.default]\naccount_key = "{KEY}\n', id="an open string"),
        pytest.param(f"[profiles.default]\naccount_key = {KEY}\n", id="no quotes"),
        pytest.param("[profiles.default]\n[profiles.default]\n", id="a table twice"),
    ],
)
def test_a_broken_config_file_is_refused_and_not_repeated(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)

    answer = Stcc(environment={"STCC_CONFIG": str(file)})("container", "list")
    first, second, *rest = answer.err.split("\n")

    assert (answer.code, answer.out, first, rest) == (
        2,
        "",
        f"stcc: the configuration {str(file)!r} cannot be read",
        [""],
    )
    assert "U0VDUkVU" not in second


@pytest.mark.parametrize(
    "text", ["profiles = 1", "profiles = []", "[profiles]\nwork = 1", "[other]\nx = 1", ""], ids=repr
)
def test_a_config_file_of_another_shape_has_no_profile(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)

    assert (
        refusal(lambda: chosen_connection({"profile": "work"}, {"STCC_CONFIG": str(file)}))
        == "there is no profile 'work'"
    )
    assert chosen_connection({}, {"STCC_CONFIG": str(file)}) is None


def test_a_config_file_has_to_be_text(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    for path in (tmp_path, tmp_path / "binary"):
        environment = {"STCC_CONFIG": str(path)}
        message = refusal(lambda environment=environment: chosen_connection({}, environment))  # type: ignore[misc]  # bound now
        assert message == f"the configuration {str(path)!r} cannot be read"


def test_a_profile_whose_key_file_is_gone_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[profiles.default]\naccount_name = "acme"\naccount_key_file = "/nonexistent"\n')

    assert refusal(lambda: chosen_connection({}, {"STCC_CONFIG": str(file)})) == "account_key_file cannot be read"


def test_a_profile_may_be_empty(config: dict[str, str]) -> None:
    assert chosen_connection({"profile": "nothing"}, config | ENVIRONMENT) is None


def test_the_config_file_is_where_the_system_keeps_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert config_file({}) == tmp_path / "stcc" / "config.toml"
    assert config_file({"STCC_CONFIG": "/etc/stcc.toml"}) == Path("/etc/stcc.toml")


def test_login_takes_the_place_of_a_key() -> None:
    connection = chosen_connection({"auth-mode": "login"}, NAMED | ENVIRONMENT)
    assert connection is not None
    assert connection.credential == LOGIN != Credential("key", KEY)


def test_with_nothing_set_the_ways_are_listed() -> None:
    assert Stcc()("container", "list") == Result(
        2,
        "",
        "stcc: no storage account is named\n"
        "  set AZURE_STORAGE_CONNECTION_STRING; or AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY, "
        "AZURE_STORAGE_SAS_TOKEN or --auth-mode login; or give --connection-string, --account-name or --profile; or a "
        "URL with a SAS as the target; or, for a local one, `stcc emulator start` and --emulator\n",
    )


@pytest.mark.parametrize(
    "flag",
    ["connection-string", "account-name", "account-key", "account-key-file", "sas-token", "auth-mode", "profile",
     "blob-endpoint", "queue-endpoint", "table-endpoint", "file-endpoint"],
)  # fmt: skip
def test_the_emulator_excludes_every_other_way(flag: str) -> None:
    assert Stcc()("container", "list", "--emulator", f"--{flag}", "x") == Result(
        2, "", f"stcc: --emulator excludes --{flag}\n"
    )


def test_without_an_emulator_there_is_none_to_use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert Stcc()("container", "list", "--emulator") == Result(
        2, "", "stcc: no emulator is running\n  stcc emulator start\n"
    )


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ({}, Settings()),
        ({"output": "json", "query": "etag", "timeout": "1m"}, Settings(output="json", query="etag", timeout=60)),
        (
            {"quiet": "True", "verbose": "True", "no-diagnose": "True"},
            Settings(quiet=True, verbose=True, diagnose=False),
        ),
        ({"timeout": "50ms"}, Settings(timeout=0.05)),
        ({"timeout": "1h"}, Settings(timeout=3600)),
    ],
)
def test_shared_options_are_settings(flags: dict[str, str], expected: Settings) -> None:
    assert settings(flags) == expected


@pytest.mark.parametrize("text", ["", "0", "49ms", "3601", "-1", "forever", "soon"])
def test_other_timeouts_are_refused(text: str) -> None:
    assert refusal(lambda: settings({"timeout": text})).startswith("--timeout is ")


@given(st.dictionaries(st.sampled_from(["output", "timeout", "query"]), st.text()))
def test_any_settings_are_read_or_refused(flags: dict[str, str]) -> None:
    parsed_or_refused(lambda: settings(flags))

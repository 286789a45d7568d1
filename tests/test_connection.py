"""Connections: what connection strings, flags, variables and URLs say, and that secrets stay where they are."""

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcc.connection import (
    ANONYMOUS,
    DEVELOPMENT_KEY,
    LOGIN,
    Connection,
    Credential,
    at_endpoint,
    choose,
    from_connection_string,
)
from stcc.errors import Usage
from stcc.values.accounts import sas_token
from tests.values.refusals import parsed_or_refused, refusal

KEY = base64.b64encode(b"SECRET" * 10).decode()
SAS = "sv=2021-12-02&sig=U0VDUkVU"
DEFAULT: dict[Any, str] = {s: f"https://acme.{s}.core.windows.net" for s in ("blob", "queue", "table", "file")}
LOCAL: dict[Any, str] = {
    s: f"http://127.0.0.1:{10000 + n}/devstoreaccount1" for n, s in enumerate(("blob", "queue", "table", "file"))
}
ACME = Connection(account="acme", endpoints=DEFAULT, credential=Credential("key", KEY))


def chosen(
    *, login: bool = False, flags: dict[str, str] | None = None, environment: dict[str, str] | None = None,
    profile: dict[str, str] | None = None
) -> Connection | None:  # fmt: skip
    return choose(flags=flags or {}, environment=environment or {}, profile=profile or {}, login=login)


@pytest.mark.parametrize(
    ("text", "connection"),
    [
        pytest.param(f"AccountName=acme;AccountKey={KEY}", ACME, id="name and key"),
        pytest.param(f"DefaultEndpointsProtocol=https;AccountName=acme;AccountKey={KEY};EndpointSuffix=core.windows.net",
                     ACME, id="as the portal shows it"),
        pytest.param(f" ;accountname = acme; ACCOUNTKEY={KEY} ;; ".replace(";; ", ";"), ACME, id="spaces and case"),
        pytest.param(f"AccountName=acme;AccountKey={KEY};EndpointSuffix=example.org;DefaultEndpointsProtocol=http",
                     Connection(account="acme", credential=Credential("key", KEY), endpoints={
                         "blob": "http://acme.blob.example.org", "queue": "http://acme.queue.example.org",
                         "table": "http://acme.table.example.org", "file": "http://acme.file.example.org"}),
                     id="suffix and protocol"),
        pytest.param(f"AccountName=acme;SharedAccessSignature=?{SAS}",
                     Connection(account="acme", endpoints=DEFAULT, credential=Credential("sas", SAS)),
                         id="name and SAS"),
        pytest.param(f"BlobEndpoint=https://acme.blob.core.windows.net/;SharedAccessSignature={SAS}",
                     Connection(account="acme", endpoints={"blob": DEFAULT["blob"]}, credential=Credential("sas", SAS)),
                     id="an endpoint and a SAS only"),
        pytest.param(f"AccountName=acme;AccountKey={KEY};BlobEndpoint=https://blobs.example.org",
                     Connection(account="acme", credential=Credential("key", KEY),
                                endpoints={**DEFAULT, "blob": "https://blobs.example.org"}), id="a custom endpoint"),
        pytest.param(f"BlobEndpoint={LOCAL['blob']};AccountKey={KEY}",
                     Connection(account="devstoreaccount1", endpoints={"blob": LOCAL["blob"]},
                                credential=Credential("key", KEY)), id="path style: the account is in the path"),
        pytest.param("UseDevelopmentStorage=true",
                     Connection(account="devstoreaccount1", endpoints=LOCAL,
                                credential=Credential("key", DEVELOPMENT_KEY)), id="development storage"),
        pytest.param("usedevelopmentstorage=True;DevelopmentStorageProxyUri=http://azurite",
                     Connection(account="devstoreaccount1", credential=Credential("key", DEVELOPMENT_KEY),
                                endpoints={s: url.replace("127.0.0.1", "azurite") for s, url in LOCAL.items()}),
                     id="development storage elsewhere"),
        pytest.param("UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://[::1]",
                     Connection(account="devstoreaccount1", credential=Credential("key", DEVELOPMENT_KEY),
                                endpoints={s: url.replace("127.0.0.1", "[::1]") for s, url in LOCAL.items()}),
                     id="development storage on IPv6"),
    ],
)  # fmt: skip
def test_a_connection_string_is_understood(text: str, connection: Connection) -> None:
    assert from_connection_string(text) == connection


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("SECRET", id="no pairs"),
        pytest.param(f"AccountName=acme;{KEY}", id="a part without a name"),
        pytest.param(f"AccountName=acme;={KEY}", id="an empty name"),
        pytest.param(f"AccountKey={KEY}", id="a key without an account"),
        pytest.param("AccountName=acme", id="an account without a key"),
        pytest.param("AccountName=acme;AccountKey=", id="an empty key"),
        pytest.param("AccountName=acme;AccountKey=SECRET!", id="a key that is not base64"),
        pytest.param("AccountName=acme;AccountKey=SECRETÄ", id="a key beyond ASCII"),
        pytest.param(f"AccountName=acme;AccountName=acme;AccountKey={KEY}", id="a name twice"),
        pytest.param(f"AccountName=;AccountKey={KEY}", id="an empty account"),
        pytest.param(f"AccountName={KEY};AccountKey=acme", id="key and name the wrong way round"),
        pytest.param(f"AccountName=acme;AccountKey={KEY};DefaultEndpointsProtocol=SECRET", id="no protocol"),
        pytest.param(f"AccountName=acme;AccountKey={KEY};EndpointSuffix=SECRET/x?", id="no suffix"),
        pytest.param(f"AccountName=acme;AccountKey={KEY};EndpointSuffix=", id="an empty suffix"),
        pytest.param(f"AccountName=acme;AccountKey={KEY};BlobEndpoint=SECRET", id="no endpoint"),
        pytest.param(f"AccountName=acme;AccountKey={KEY};BlobEndpoint=https://SECRET@x", id="a user in an endpoint"),
        pytest.param(f"BlobEndpoint=https://acme.blob.core.windows.net?{SAS}", id="a SAS in an endpoint"),
        pytest.param("AccountName=acme;SharedAccessSignature=SECRET", id="a SAS without a signature"),
        pytest.param("AccountName=acme;SharedAccessSignature=sig=SECRET SECRET", id="a SAS with a space"),
        pytest.param("UseDevelopmentStorage=false", id="no development storage"),
        pytest.param("UseDevelopmentStorage=true;DevelopmentStorageProxyUri=SECRET", id="no proxy"),
        pytest.param("AccountName=acme\nAccountKey=SECRET", id="line ends"),
    ],
)
def test_a_broken_connection_string_is_not_repeated(text: str) -> None:
    message = refusal(lambda: from_connection_string(text))
    assert not any(secret in message for secret in ("SECRET", KEY))


@pytest.mark.parametrize(
    "endpoint",
    ["https://a b", "https://a\nb", "https://a\x1b", "https://ä.org", "https://\ud800", "https://a:0", "https://a:99999",
     "https://", "//acme", "acme.blob.core.windows.net", "https://a/b?c", "https://a/b#c", "https://a/../b c", "ftp://a",
     "https://[::1", "https://a/%2e%2e", "https://a/..", "https://a/./b"],
    ids=repr,
)  # fmt: skip
def test_what_is_no_endpoint_is_refused(endpoint: str) -> None:
    message = refusal(lambda: chosen(flags={"blob-endpoint": endpoint, "account-key": KEY}))
    assert message == "--blob-endpoint is not an endpoint"


def test_the_first_source_that_names_an_account_supplies_all() -> None:
    flags = {"account-name": "flags", "account-key": KEY}
    environment = {"account-name": "acme", "account-key": KEY, "sas-token": SAS}
    profile = {"account-name": "profile", "sas-token": SAS}

    def account(**sources: dict[str, str]) -> tuple[str, str] | None:
        found = chosen(**sources)  # type: ignore[arg-type]  # three sources of text
        return None if found is None else (found.account, found.credential.kind)

    assert account(flags=flags, environment=environment, profile=profile) == ("flags", "key")
    assert account(environment=environment, profile=profile) == ("acme", "key")
    assert account(profile=profile) == ("profile", "sas")
    assert account(environment={"account-key": KEY}, profile=profile) == ("profile", "sas")
    assert account(environment={"account-key": KEY}) is None
    assert account() is None


@pytest.mark.parametrize("credential", ["account-key", "sas-token"])
@pytest.mark.parametrize("source", ["flags", "environment", "profile"])
def test_a_credential_never_meets_the_account_of_another_source(source: str, credential: str) -> None:
    secret = {"account-key": KEY, "sas-token": SAS}[credential]
    for other in {"flags", "environment", "profile"} - {source}:
        given: dict[str, Any] = {source: {"account-name": "acme"}, other: {credential: secret}}
        with pytest.raises(Usage) as caught:
            chosen(**given)
        assert caught.value.message in {
            f"no credential for account 'acme' in the {source}",
            f"--{credential} without --account-name",
        }


@pytest.mark.parametrize("source", ["flags", "environment", "profile"])
def test_two_different_accounts_in_one_source_are_refused(source: str) -> None:
    text = {"connection-string": f"AccountName=acme;AccountKey={KEY}"}
    same: dict[str, Any] = {source: text | {"account-name": "acme"}}
    two: dict[str, Any] = {source: text | {"account-name": "other"}}

    assert chosen(**same) == ACME
    assert refusal(lambda: chosen(**two)).startswith(f"two accounts in the {source}: ")


@pytest.mark.parametrize("extra", ["account-key", "sas-token", "blob-endpoint"])
def test_a_connection_string_in_a_flag_excludes_parts(extra: str) -> None:
    flags = {"connection-string": f"AccountName=acme;AccountKey={KEY}", extra: "x"}
    assert refusal(lambda: chosen(flags=flags)) == f"--connection-string excludes --{extra}"


@pytest.mark.parametrize(
    ("source", "name", "spelled"),
    [
        ("flags", "connection-string", "--connection-string"),
        ("flags", "sas-token", "--sas-token"),
        ("environment", "connection-string", "AZURE_STORAGE_CONNECTION_STRING"),
        ("environment", "account-name", "AZURE_STORAGE_ACCOUNT"),
        ("environment", "account-key", "AZURE_STORAGE_KEY"),
        ("environment", "sas-token", "AZURE_STORAGE_SAS_TOKEN"),
        ("profile", "account-name", "account-name in the profile"),
    ],
)
@pytest.mark.parametrize("text", ["", " ", "\n"], ids=repr)
def test_an_empty_setting_is_an_unset_variable(source: str, name: str, spelled: str, text: str) -> None:
    given: dict[str, Any] = {source: {name: text}}
    assert refusal(lambda: chosen(**given)) == f"{spelled} is empty"


def test_parts_make_a_connection() -> None:
    here = {"account-name": "acme", "account-key": KEY}
    assert chosen(flags=here) == ACME
    assert chosen(flags={"account-name": "acme"}, login=True) == Connection(
        account="acme", endpoints=DEFAULT, credential=LOGIN
    )
    assert chosen(flags=here | {"blob-endpoint": LOCAL["blob"]}) == Connection(
        account="acme", endpoints={**DEFAULT, "blob": LOCAL["blob"]}, credential=Credential("key", KEY)
    )


def test_an_endpoint_alone_is_the_only_one() -> None:
    local = chosen(flags={"blob-endpoint": LOCAL["blob"], "account-key": KEY})
    assert local == Connection(
        account="devstoreaccount1", endpoints={"blob": LOCAL["blob"]}, credential=Credential("key", KEY)
    )
    assert refusal(lambda: local and local.endpoint("queue")).startswith("no queue endpoint is known")


@pytest.mark.parametrize(
    "account", ["AB", "a", "Acme", "ac-me", "a" * 25, KEY, f"AccountName=acme;AccountKey={KEY}", "ä"]
)
def test_what_is_no_account_is_refused_and_not_repeated(account: str) -> None:
    message = refusal(lambda: chosen(environment={"account-name": account, "account-key": KEY}))
    assert message == "AZURE_STORAGE_ACCOUNT is not the name of a storage account"


@pytest.mark.parametrize(
    ("endpoint", "sas", "credential"),
    [
        pytest.param(DEFAULT["blob"], None, ACME.credential, id="the same endpoint: its credential"),
        pytest.param(DEFAULT["blob"] + "/", None, ACME.credential, id="with a slash"),
        pytest.param(DEFAULT["blob"] + ":443", None, ACME.credential, id="with its port"),
        pytest.param(DEFAULT["blob"], SAS, Credential("sas", SAS), id="the same endpoint with a SAS: the SAS"),
        pytest.param("https://other.blob.core.windows.net", None, ANONYMOUS, id="another account: nothing"),
        pytest.param("http://acme.blob.core.windows.net", None, ANONYMOUS, id="without TLS: nothing"),
        pytest.param(
            "http://acme.blob.core.windows.net:443", None, ANONYMOUS, id="without TLS, the same port: nothing"
        ),
        pytest.param("https://acme.blob.core.windows.net:8443", None, ANONYMOUS, id="another port: nothing"),
        pytest.param("https://acme.blob.core.windows.net.evil.org", None, ANONYMOUS, id="a longer name: nothing"),
        pytest.param("https://acme.blob.core.windows.net/x", None, ANONYMOUS, id="below it: nothing"),
        pytest.param("https://other.blob.core.windows.net", SAS, Credential("sas", SAS), id="another account, SAS"),
    ],
)
def test_a_url_brings_its_own_sas_or_nothing(endpoint: str, sas: str | None, credential: Credential) -> None:
    connection = at_endpoint(endpoint, sas=sas, known=ACME)

    assert (connection.endpoint("blob"), connection.credential) == (endpoint, credential)
    assert at_endpoint(endpoint, sas=sas, known=None).credential == (
        ANONYMOUS if sas is None else Credential("sas", SAS)
    )


def test_a_secret_shows_in_no_text_of_a_connection() -> None:
    for connection in (ACME, from_connection_string(f"AccountName=acme;SharedAccessSignature={SAS}")):
        shown = f"{connection!r} {connection} {connection.credential!r}"
        assert (KEY in shown, "U0VDUkVU" in shown) == (False, False)


@pytest.mark.parametrize(
    "text",
    ["", "?", "sv=1", "sig=", "sig", "SIG=x", "sig=x\ny", "sig=x y", "sig=ä", "sig=\ud800", "sig=\x1b"],
    ids=repr,
)
def test_what_is_no_sas_is_refused(text: str) -> None:
    assert refusal(lambda: sas_token(text, what="--sas-token")) == "--sas-token is not a shared access signature"


@given(st.text() | st.text("AccountNameKyEdpis=;:/.?&%@#[] \n\ud800", max_size=60))
def test_any_text_is_a_connection_string_or_refused(text: str) -> None:
    parsed_or_refused(lambda: from_connection_string(text))
    parsed_or_refused(lambda: from_connection_string(f"AccountName=acme;AccountKey={KEY};BlobEndpoint={text}"))


NAMES = ["connection-string", "account-name", "account-key", "sas-token", "blob-endpoint", "queue-endpoint",
         "table-endpoint", "endpoint-suffix"]  # fmt: skip
SOURCES = st.dictionaries(st.sampled_from(NAMES), st.text() | st.sampled_from(["acme", KEY, SAS, DEFAULT["blob"]]))


@given(SOURCES, SOURCES, SOURCES, st.booleans())
def test_any_sources_make_a_connection_or_are_refused(
    flags: dict[str, str], environment: dict[str, str], profile: dict[str, str], login: bool
) -> None:
    connection = parsed_or_refused(lambda: chosen(flags=flags, environment=environment, profile=profile, login=login))
    if connection is not None and connection.credential.secret:
        sources = [
            source for source in (flags, environment, profile) if connection.credential.secret in source.values()
        ]
        assert any(
            source.keys() & {"account-name", "blob-endpoint", "queue-endpoint", "table-endpoint"} for source in sources
        )

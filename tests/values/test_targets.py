"""Targets: names and URLs, and what never reaches another blob than the one that was named."""

from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stcc.values.targets import (
    BlobTarget,
    ContainerTarget,
    Location,
    QueueTarget,
    TableTarget,
    blob_target,
    container_target,
    lease_target,
    listing_target,
    name_prefix,
    queue_target,
    table_target,
)
from tests.values.refusals import parsed_or_refused, refusal

SAS = "sv=2021-12-02&sp=r&sig=c2VjcmV0%2B"
ACME = "https://acme.blob.core.windows.net"
TIME = "2026-01-31T12:00:00.1234567Z"
PARSERS: list[Any] = [blob_target, container_target, lease_target, listing_target, queue_target, table_target]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        pytest.param("data/a.csv", BlobTarget("data", "a.csv"), id="a blob"),
        pytest.param("data/2026/01/a.csv", BlobTarget("data", "2026/01/a.csv"), id="slashes in the name"),
        pytest.param("data//a", BlobTarget("data", "/a"), id="a slash first"),
        pytest.param("data/a b?c#d%20e", BlobTarget("data", "a b?c#d%20e"), id="a name is taken as it is"),
        pytest.param("data/http://x", BlobTarget("data", "http://x"), id="a URL in a name"),
        pytest.param("data/...", BlobTarget("data", "..."), id="three dots"),
        pytest.param("data/.a/b.", BlobTarget("data", ".a/b."), id="dots beside letters"),
        pytest.param("data/Ä漢\u0301", BlobTarget("data", "Ä漢\u0301"), id="any script"),
        pytest.param("data/" + "x" * 1024, BlobTarget("data", "x" * 1024), id="1,024 characters"),
        pytest.param("$root/a", BlobTarget("$root", "a"), id="the root container"),
        pytest.param(f"{ACME}/data/a", BlobTarget("data", "a", at=Location(endpoint=ACME)), id="URL"),
        pytest.param(f"{ACME}/data/a%20b%2Fc", BlobTarget("data", "a b/c", at=Location(endpoint=ACME)), id="decoded"),
        pytest.param(f"{ACME}/data/a?{SAS}", BlobTarget("data", "a", at=Location(endpoint=ACME, sas=SAS)), id="SAS"),
        pytest.param(
            f"{ACME}/data/a?snapshot={TIME}&{SAS}",
            BlobTarget("data", "a", TIME, at=Location(endpoint=ACME, sas=SAS)),
            id="snapshot and SAS",
        ),
        pytest.param(
            "http://127.0.0.1:10000/devstoreaccount1/data/a",
            BlobTarget("data", "a", at=Location(endpoint="http://127.0.0.1:10000/devstoreaccount1")),
            id="path style, address",
        ),
        pytest.param(
            "http://[::1]:10000/dev/data/a",
            BlobTarget("data", "a", at=Location(endpoint="http://[::1]:10000/dev")),
            id="path style, IPv6",
        ),
        pytest.param(
            "http://azurite:10000/dev/data/a",
            BlobTarget("data", "a", at=Location(endpoint="http://azurite:10000/dev")),
            id="path style, host without dots",
        ),
        pytest.param(
            "https://files.example.org:8443/data/a",
            BlobTarget("data", "a", at=Location(endpoint="https://files.example.org:8443")),
            id="a domain of one's own",
        ),
        pytest.param("HTTPS://ACME.blob.core.windows.net/data/a", BlobTarget("data", "a", at=Location(endpoint=ACME)),
                     id="upper case"),
    ],
)  # fmt: skip
def test_a_blob_is_named_or_addressed(text: str, target: BlobTarget) -> None:
    assert blob_target(text) == target


@pytest.mark.parametrize("parse", [container_target, queue_target], ids=lambda parse: parse.__name__)
@pytest.mark.parametrize("name", ["abc", "a1b", "a-b", "0-9", "a" * 63])
def test_containers_and_queues_share_their_rules(parse: Any, name: str) -> None:
    assert parse(name) in {ContainerTarget(name), QueueTarget(name)}
    assert parse(f"{ACME}/{name}").at == Location(endpoint=ACME)


@pytest.mark.parametrize("parse", [container_target, queue_target], ids=lambda parse: parse.__name__)
@pytest.mark.parametrize(
    "name", ["ab", "a" * 64, "Abc", "-ab", "ab-", "a--b", "a_b", "a.b", "äbc", "abc\n", "abc/", "a/b", "a\x00c", "..."]
)
def test_other_names_are_refused(parse: Any, name: str) -> None:
    assert refusal(lambda: parse(name)).startswith(("not the name of a ", "the target contains a NUL"))


@pytest.mark.parametrize("name", ["abc", "Abc9", "a" * 63])
def test_a_table_has_letters_and_digits(name: str) -> None:
    assert table_target(name) == TableTarget(name)


@pytest.mark.parametrize("name", ["ab", "1abc", "a-b", "a_b", "a" * 64, "tables", "Tables", "äbc", "abc\n"])
def test_other_tables_are_refused(name: str) -> None:
    assert "table" in refusal(lambda: table_target(name))


@pytest.mark.parametrize("parse", PARSERS, ids=lambda parse: parse.__name__)
@pytest.mark.parametrize("text", ["", " ", "\n"], ids=repr)
def test_an_empty_target_is_an_unset_variable(parse: Any, text: str) -> None:
    assert refusal(lambda: parse(text)) == "the target is empty"


DOTS = [".", "..", "./a", "../a", "a/.", "a/..", "a/../b", "a/./b", "%2e", "%2E%2e", "a/%2e%2e/b", ".%2e", "a%2f..%2fb",
        "%252e%252e", "..\\a", "a\\..\\b", "a%5c..%5cb", "\\.", "a/.\\b"]  # fmt: skip


@pytest.mark.parametrize("name", DOTS)
def test_dots_never_reach_another_blob(name: str) -> None:
    for text in (f"data/{name}", f"{ACME}/data/{name}", f"{ACME}/data/{quote(name, safe='')}?{SAS}"):
        assert refusal(lambda text=text: blob_target(text)).startswith("a segment '.' or '..'")  # type: ignore[misc]  # bound now


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("data/a?sv=1&sig=SECRET", id="a SAS behind a name"),
        pytest.param("data?sig=SECRET", id="a SAS behind a container"),
        pytest.param(f"{ACME}/data/a b?sig=SECRET", id="a space in a URL"),
        pytest.param(f"{ACME}/data/a\nb?sig=SECRET", id="a line end in a URL"),
        pytest.param(f"{ACME}/data/a\tb?sig=SECRET", id="a tab in a URL"),
        pytest.param(f" {ACME}/data/a?sig=SECRET", id="a space before a URL"),
        pytest.param(f"{ACME}/data/a?sig=SECRET#part", id="a fragment"),
        pytest.param("https://user:SECRET@acme.blob.core.windows.net/data/a", id="a password"),
        pytest.param("ftp://acme/data/a?sig=SECRET", id="another scheme"),
        pytest.param("https:///data/a?sig=SECRET", id="no host"),
        pytest.param("https://acme.blob.core.windows.net:99999/data/a?sig=SECRET", id="no such port"),
        pytest.param("https://[acme/data/a?sig=SECRET", id="no such address"),
        pytest.param(f"{ACME}/data/a?SECRET", id="a query without names"),
        pytest.param(f"{ACME}/data/a?sv=1&sig%3DSECRET", id="an encoded equals sign"),
        pytest.param(f"{ACME}/data/a?comp=SECRET", id="a query that is no SAS"),
        pytest.param(f"{ACME}/data/a?sig=", id="an empty signature"),
        pytest.param(f"{ACME}/data/a?snapshot=&sig=SECRET", id="an empty snapshot is not the blob"),
        pytest.param(f"{ACME}/data/a?snapshot=yesterday&sig=SECRET", id="no time of a snapshot"),
        pytest.param(f"{ACME}/data/%ff?sig=SECRET", id="not UTF-8"),
        pytest.param(f"{ACME}/data/%00?sig=SECRET", id="NUL"),
        pytest.param(f"{ACME}/data/?sig=SECRET", id="no blob"),
        pytest.param(f"{ACME}/data?sig=SECRET", id="a container"),
        pytest.param(f"{ACME}?sig=SECRET", id="nothing"),
        pytest.param("http://127.0.0.1:10000/../data/a?sig=SECRET", id="dots for an account"),
        pytest.param("http://127.0.0.1:10000//data/a?sig=SECRET", id="an empty account"),
        pytest.param("data/\ud800", id="surrogate"),
        pytest.param("data/a\x00", id="NUL in a name"),
        pytest.param("data/", id="an empty name"),
        pytest.param("data/" + "x" * 1025, id="1,025 characters"),
        pytest.param("data/" + "😀" * 513, id="1,026 UTF-16 units"),
    ],
)
def test_what_names_no_blob_is_refused_and_no_secret_repeated(text: str) -> None:
    assert "SECRET" not in refusal(lambda: blob_target(text))


@pytest.mark.parametrize("parse", [container_target, queue_target, table_target, listing_target, lease_target])
def test_the_snapshot_of_a_container_is_refused(parse: Any) -> None:
    message = refusal(lambda: parse(f"{ACME}/data?snapshot={TIME}"))
    assert message == "the URL names a snapshot; only a blob has snapshots"


def test_a_flag_names_the_snapshot() -> None:
    assert blob_target("data/a", snapshot=TIME) == BlobTarget("data", "a", TIME)
    assert refusal(lambda: blob_target("data/a", snapshot="")) == "not the time of a snapshot: ''"


def test_a_lease_is_on_a_container_or_a_blob() -> None:
    assert lease_target("data") == ContainerTarget("data")
    assert lease_target("data/a") == BlobTarget("data", "a")
    assert refusal(lambda: lease_target("data/")) == "the blob's name is empty: 'data/'"


def test_a_listing_has_a_prefix() -> None:
    assert listing_target("data") == listing_target("data/") == (ContainerTarget("data"), "")
    assert listing_target("data/2026/") == (ContainerTarget("data"), "2026/")
    assert refusal(lambda: listing_target(f"{ACME}/data/%ff")) == "the target is not UTF-8 text"
    assert refusal(lambda: name_prefix("\udcff")) == "--prefix is not UTF-8 text"


@pytest.mark.parametrize("parse", [blob_target, lease_target, listing_target])
def test_a_signature_shows_in_no_text_of_a_target(parse: Any) -> None:
    target = parse(f"{ACME}/data/a?{SAS}")
    assert "c2VjcmV0" not in f"{target} {target!r}"


CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
BLOBS = st.text(CHARACTERS, min_size=1, max_size=60)


@given(BLOBS)
def test_a_printed_blob_is_read_as_itself(name: str) -> None:
    target = parsed_or_refused(lambda: blob_target(f"data/{name}"))
    assume(target is not None)
    assert target is not None
    assert (target.container, target.blob, target.at) == ("data", name, None)
    assert blob_target(str(target)) == target
    assert blob_target(f"{ACME}/data/{quote(name, safe='')}") == target._replace(at=Location(endpoint=ACME))


@given(
    st.sampled_from(PARSERS),
    st.text()
    | st.builds(
        "{}{}".format,
        st.sampled_from([f"{ACME}/", "http://", "data/"]),
        st.text("ab./\\%2e?&=sigSECRET:@[]#\n\x00\ud800", max_size=20),
    ),
)
def test_any_text_is_a_target_or_refused(parse: Any, text: str) -> None:
    target = parsed_or_refused(lambda: parse(text))
    assert target is None or str(target).encode()

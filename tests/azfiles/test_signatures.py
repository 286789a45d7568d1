"""Who may ask: the account's key, and shared access signatures of the account, of a share, of a file."""

import base64
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from typing import Any, Final

import pytest
from azure.core.exceptions import HttpResponseError
from azure.storage.fileshare import (
    AccessPolicy,
    AccountSasPermissions,
    FileSasPermissions,
    ResourceTypes,
    ShareClient,
    ShareFileClient,
    ShareSasPermissions,
    ShareServiceClient,
    generate_account_sas,
    generate_file_sas,
    generate_share_sas,
)

from stcc.emulator.instance import ACCOUNT, KEY
from tests.azfiles.conftest import Files
from tests.azfiles.serving import Answer

OTHER_KEY: Final = base64.b64encode(b"another").decode()
FAILED: Final = (403, "AuthenticationFailed")
UNGRANTED: Final = (403, "AuthorizationPermissionMismatch")


def in_hours(hours: float) -> datetime:
    return datetime.now(UTC) + timedelta(hours=hours)


def of_account(permissions: str, *, key: str = KEY, types: str = "sco", hours: float = 1, **options: Any) -> str:
    kinds = ResourceTypes(service="s" in types, container="c" in types, object="o" in types)
    words = {"r": "read", "w": "write", "d": "delete", "l": "list", "c": "create"}
    granted = AccountSasPermissions(**{word: letter in permissions for letter, word in words.items()})
    return generate_account_sas(ACCOUNT, key, kinds, granted, in_hours(hours), **options)


def with_sas(files: Files, sas: str, method: str, target: str, headers: dict[str, str] | None = None) -> Answer:
    url = f"/{ACCOUNT}/{files.share}{target}"
    return files.service.send(
        method, f"{url}{'&' if '?' in url else '?'}{sas}", {"x-ms-version": "2021-12-02", **(headers or {})}
    )


def test_the_wrong_key_opens_nothing(files: Files) -> None:
    answer = files.service.ask("GET", f"/{files.share}?restype=share", key=OTHER_KEY)

    assert (answer.brief, answer.xml.findtext("AuthenticationErrorDetail") is not None) == (FAILED, True)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        pytest.param({}, (401, "NoAuthenticationInformation"), id="nothing"),
        pytest.param({"Authorization": "SharedKey"}, (400, "InvalidAuthenticationInfo"), id="no credentials"),
        pytest.param({"Authorization": f"SharedKey {ACCOUNT}"}, (400, "InvalidAuthenticationInfo"), id="no signature"),
        pytest.param({"Authorization": "Basic eDp5"}, (400, "InvalidAuthenticationInfo"), id="another scheme"),
        pytest.param({"Authorization": "Bearer x"}, (501, "NotImplemented"), id="a token"),
        pytest.param({"Authorization": f"SharedKeyLite {ACCOUNT}:x"}, (501, "NotImplemented"), id="lite"),
        pytest.param({"Authorization": f"SharedKey {ACCOUNT}:é"}, FAILED, id="no base64"),
    ],
)
def test_unsigned_requests_are_refused(files: Files, headers: dict[str, str], expected: tuple[int, str]) -> None:
    sent = {"x-ms-date": formatdate(files.service.clock(), usegmt=True), "x-ms-version": "2021-12-02", **headers}

    answer = files.service.send("GET", f"/{ACCOUNT}/{files.share}?restype=share", sent)

    assert answer.brief == expected


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        pytest.param(-14 * 60, (200, None), id="a little late"),
        pytest.param(-16 * 60, FAILED, id="too old"),
        pytest.param(16 * 60, FAILED, id="too early"),
        pytest.param(None, FAILED, id="no date"),
    ],
)
def test_a_signature_is_good_for_a_quarter_of_an_hour(
    files: Files, date: float | None, expected: tuple[int, str | None]
) -> None:
    text = "yesterday" if date is None else formatdate(files.service.clock() + date, usegmt=True)

    assert files.ask("GET", "?restype=share", {"x-ms-date": text}).brief == expected


@pytest.mark.parametrize("change", ["method", "path", "query", "header", "length"])
def test_nothing_that_is_signed_can_be_changed(files: Files, change: str) -> None:
    files.create("/f")
    files.create("/g")
    signed = files.service.signed("PUT", f"/{files.share}/f?comp=metadata", {"x-ms-meta-a": "1"})
    method = "DELETE" if change == "method" else "PUT"
    path = f"/{ACCOUNT}/{files.share}/{'g' if change == 'path' else 'f'}"
    query = "" if change == "query" else "?comp=metadata"
    headers = signed | ({"x-ms-meta-a": "2"} if change == "header" else {})
    body = b"x" if change == "length" else b""

    assert files.service.send("PUT", f"/{ACCOUNT}/{files.share}/f?comp=metadata", signed).status == 200
    assert files.service.send(method, path + query, headers, body).brief == FAILED


@pytest.mark.parametrize("names", [["a_b", "ab", "aa", "a1"], ["x1", "x_1", "X2", "x__"], ["b", "B_1", "b1"]])
def test_headers_are_sorted_as_the_sdk_does(files: Files, names: list[str]) -> None:
    metadata = {name: str(place) for place, name in enumerate(names)}
    with ShareClient.from_connection_string(files.service.connection_string, files.share) as share:
        share.set_share_metadata(metadata)

        found = share.get_share_properties().metadata

    assert {name.lower(): value for name, value in found.items()} == {n.lower(): v for n, v in metadata.items()}


def test_hyphens_are_sorted_as_the_sdk_does(files: Files) -> None:
    """The service takes no hyphens in names; but that it says only of a request whose signature is right."""
    with (
        ShareClient.from_connection_string(files.service.connection_string, files.share) as share,
        pytest.raises(HttpResponseError) as failure,
    ):
        share.set_share_metadata({"a-b": "1", "ab": "2", "a-c": "3", "aa": "4"})

    error: Any = failure.value
    assert (error.status_code, error.response.headers["x-ms-error-code"]) == (400, "InvalidMetadata")


Ask = Callable[[Files, str], Answer]
# Operation -> how it is asked for with a signature, what it needs, and of what type the resource is.
OPERATIONS: Final[dict[str, tuple[Ask, str, str]]] = {
    "show share": (lambda files, sas: with_sas(files, sas, "GET", "?restype=share"), "r", "c"),
    "share metadata": (lambda files, sas: with_sas(files, sas, "PUT", "?restype=share&comp=metadata"), "w", "c"),
    "delete share": (lambda files, sas: with_sas(files, sas, "DELETE", "?restype=share"), "d", "c"),
    "list": (lambda files, sas: with_sas(files, sas, "GET", "?restype=directory&comp=list"), "l", "c"),
    "read": (lambda files, sas: with_sas(files, sas, "GET", "/f"), "r", "o"),
    "properties": (lambda files, sas: with_sas(files, sas, "HEAD", "/f"), "r", "o"),
    "metadata": (lambda files, sas: with_sas(files, sas, "PUT", "/f?comp=metadata"), "w", "o"),
    "delete": (lambda files, sas: with_sas(files, sas, "DELETE", "/f"), "d", "o"),
    "create": (
        lambda files, sas: with_sas(files, sas, "PUT", "/n", {"x-ms-type": "file", "x-ms-content-length": "1"}),
        "cw",
        "o",
    ),
    "range": (
        lambda files, sas: with_sas(
            files, sas, "PUT", "/f?comp=range", {"x-ms-write": "clear", "x-ms-range": "bytes=0-0"}
        ),
        "w",
        "o",
    ),
    "directory": (lambda files, sas: with_sas(files, sas, "PUT", "/d?restype=directory"), "cw", "o"),
    "handles": (lambda files, sas: with_sas(files, sas, "GET", "/f?comp=listhandles"), "rl", "o"),
    "close": (
        lambda files, sas: with_sas(files, sas, "PUT", "/f?comp=forceclosehandles", {"x-ms-handle-id": "*"}),
        "w",
        "o",
    ),
}


@pytest.mark.parametrize("permission", "rwdlc")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_account_signature_allows_what_it_names(files: Files, operation: str, permission: str) -> None:
    files.create("/f")
    ask, needs, _ = OPERATIONS[operation]

    answer = ask(files, of_account(permission))

    allowed = permission in needs
    assert (answer.status < 300, answer.code) == (allowed, None if allowed else UNGRANTED[1])


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_account_signature_is_for_the_types_that_it_names(files: Files, operation: str) -> None:
    files.create("/f")
    ask, _, kind = OPERATIONS[operation]
    others = "sco".replace(kind, "")

    refused = ask(files, of_account("rwdlc", types=others))
    allowed = ask(files, of_account("rwdlc", types=kind))

    assert (refused.brief, allowed.status < 300) == ((403, "AuthorizationResourceTypeMismatch"), True)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param({"hours": 1}, (200, None), id="now"),
        pytest.param({"hours": -1}, FAILED, id="expired"),
        pytest.param({"start": in_hours(1), "hours": 2}, FAILED, id="not yet"),
        pytest.param({"start": in_hours(-1)}, (200, None), id="begun"),
        pytest.param({"key": OTHER_KEY}, FAILED, id="another key"),
        pytest.param({"protocol": "https"}, (403, "AuthorizationProtocolMismatch"), id="https only"),
        pytest.param({"protocol": "https,http"}, (200, None), id="http, too"),
        pytest.param({"ip": "127.0.0.1"}, (200, None), id="our address"),
        pytest.param({"ip": "127.0.0.0-127.0.0.9"}, (200, None), id="our range"),
        pytest.param({"ip": "10.0.0.1"}, (403, "AuthorizationSourceIPMismatch"), id="another address"),
    ],
)
def test_an_account_signature_holds_where_and_when_it_says(
    files: Files, options: dict[str, Any], expected: tuple[int, str | None]
) -> None:
    files.create("/f")

    assert with_sas(files, of_account("r", **options), "GET", "/f").brief == expected


@pytest.mark.parametrize("change", [("sp=r", "sp=rwd"), ("srt=sco", "srt=o"), ("se=2", "se=3"), ("ss=f", "ss=fb")])
def test_a_signature_cannot_be_widened(files: Files, change: tuple[str, str]) -> None:
    files.create("/f")
    sas = of_account("r")

    answer = with_sas(files, sas.replace(*change), "GET", "/f")

    assert change[0] in sas
    assert answer.brief == FAILED


def share_sas(files: Files, permissions: str, **options: Any) -> str:
    expiry = options.pop("expiry", in_hours(1))
    found: Any = ShareSasPermissions.from_string(permissions) if permissions else None
    return generate_share_sas(ACCOUNT, files.share, KEY, found, expiry, **options)


def file_sas(files: Files, path: list[str], permissions: str, **options: Any) -> str:
    found: Any = FileSasPermissions.from_string(permissions)
    return generate_file_sas(ACCOUNT, files.share, path, KEY, permission=found, expiry=in_hours(1), **options)


@pytest.mark.parametrize("permission", "rwdlc")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_share_signature_is_for_what_is_in_the_share(files: Files, operation: str, permission: str) -> None:
    files.create("/f")
    ask, needs, kind = OPERATIONS[operation]

    answer = ask(files, share_sas(files, permission))

    if kind == "c" and operation != "list":
        assert answer.brief == (403, "AuthorizationFailure")
    else:
        allowed = permission in needs
        assert (answer.status < 300, answer.code) == (allowed, None if allowed else UNGRANTED[1])


def test_a_share_signature_is_for_one_share(files: Files) -> None:
    files.create("/f")
    other = Files(service=files.service, share=f"{files.share[:20]}other")

    assert with_sas(files, share_sas(other, "r"), "GET", "/f").brief == FAILED


def test_a_file_signature_is_for_one_file(files: Files) -> None:
    files.ask("PUT", "/d?restype=directory")
    files.create("/d/%C3%BC%20f")
    files.create("/g")
    sas = file_sas(files, ["d", "ü f"], "r", content_type="a/b", cache_control="no-store")

    own = with_sas(files, sas, "GET", "/d/%C3%BC%20f")
    answers = [with_sas(files, sas, *ask).brief for ask in (("GET", "/g"), ("DELETE", "/d/%C3%BC%20f"))]

    assert (own.brief, own.headers["content-type"], own.headers["cache-control"]) == ((200, None), "a/b", "no-store")
    assert answers == [FAILED, UNGRANTED]


def test_a_stored_policy_says_what_its_signatures_allow_until_it_is_taken_back(files: Files) -> None:
    files.create("/f")
    sas = share_sas(files, "", expiry=None, policy_id="readers")
    with ShareClient.from_connection_string(files.service.connection_string, files.share) as share:
        before = with_sas(files, sas, "GET", "/f").brief
        policy = AccessPolicy(permission=ShareSasPermissions(read=True), expiry=in_hours(1))
        share.set_share_access_policy({"readers": policy})
        during = [with_sas(files, sas, method, "/f").brief for method in ("GET", "DELETE")]
        share.set_share_access_policy({})
        after = with_sas(files, sas, "GET", "/f").brief

    assert (before, during, after) == (FAILED, [(200, None), UNGRANTED], FAILED)


def test_the_sdk_works_with_a_signature_only(files: Files) -> None:
    url = f"http://127.0.0.1:{files.service.port}/{ACCOUNT}"
    with ShareServiceClient(url, of_account("rwdlc")) as account:
        share: Any = account.get_share_client(files.share)
        share.get_file_client("f").upload_file(b"content")
        copied: Any = share.get_file_client("g")
        copied.start_copy_from_url(share.get_file_client("f").url)
        moved: Any = copied.rename_file("h")

        assert (moved.download_file().readall(), [one.name for one in account.list_shares(files.share)]) == (
            b"content",
            [files.share],
        )


@pytest.mark.parametrize(
    ("source", "code"),
    [
        pytest.param("", "CannotVerifyCopySource", id="unsigned"),
        pytest.param("w", "AuthorizationPermissionMismatch", id="without reading"),
        pytest.param("r", None, id="with reading"),
    ],
)
def test_a_copy_with_a_signature_needs_one_of_the_source(files: Files, source: str, code: str | None) -> None:
    files.create("/f")
    url = files.service.url(f"/{files.share}/f")
    target = ShareFileClient(files.service.url(""), files.share, "g", credential=file_sas(files, ["g"], "cw"))
    signed = f"{url}?{file_sas(files, ['f'], source)}" if source else url

    with target:
        if code is None:
            assert target.start_copy_from_url(signed)["copy_status"] == "success"
            return
        with pytest.raises(HttpResponseError) as failure:
            target.start_copy_from_url(signed)
    error: Any = failure.value
    assert (error.status_code, str(getattr(error.error_code, "value", error.error_code))) == (403, code)


def test_an_unknown_account_has_nothing(files: Files) -> None:
    answer = files.service.send("GET", f"/other/{files.share}?restype=share&{of_account('r')}", {})

    assert answer.brief == FAILED

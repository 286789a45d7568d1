"""Headers that are stored with a blob: what is sent back with those that are changed."""

import pytest

from stcc.values.headers import HeaderEdit, header_edit
from tests.values.refusals import refusal

MD5 = "HLJR7A1WjeapKbUgxK7Y0Q=="


def test_what_is_neither_given_nor_cleared_stays() -> None:
    edit = header_edit({"--content-language": "de", "--cache-control": None}, clear=["content-md5"], replace=False)

    assert edit == HeaderEdit(given={"content_language": "de"}, cleared=frozenset({"content_md5"}))
    assert edit.applied_to(
        {"content_type": "a/b", "content_language": "fr", "content_md5": b"x", "cache_control": "no-store"}
    ) == {"content_type": "a/b", "content_language": "de", "cache_control": "no-store"}


def test_a_blob_always_has_a_type() -> None:
    edit = header_edit({}, clear=["cache-control"], replace=False)

    assert edit.applied_to({"content_type": None, "cache_control": "x"}) == {"content_type": "application/octet-stream"}


def test_a_digest_is_sixteen_bytes() -> None:
    edit = header_edit({"--content-md5": MD5}, clear=[], replace=True)

    assert edit.given == {"content_md5": bytes.fromhex("1cb251ec0d568de6a929b520c4aed8d1")}
    assert refusal(lambda: header_edit({"--content-md5": "Zm9v"}, clear=[], replace=True)) == (
        "--content-md5 is not 16 bytes in base64: 'Zm9v'"
    )


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("", "--content-encoding is empty"),
        ("gzip\r\nX: y", "--content-encoding cannot be sent in a header: 'gzip\\r\\nX: y'"),
        (" gzip", "--content-encoding cannot be sent in a header: ' gzip'"),
        ("ä", "--content-encoding cannot be sent in a header: 'ä'"),
    ],
)
def test_what_fits_no_header_is_refused(value: str, message: str) -> None:
    assert refusal(lambda: header_edit({"--content-encoding": value}, clear=[], replace=True)) == message

"""What comes over the wire and is not as it should be; and every name that may be."""

import socket
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pytest
from azure.storage.fileshare import ShareClient

from stcc.emulator.instance import ACCOUNT
from tests.azfiles.conftest import Files
from tests.azfiles.serving import serving

SIZED: Final = {"x-ms-type": "file", "x-ms-content-length": "8"}
HEADER: Final = (400, "InvalidHeaderValue")
MISSING: Final = (400, "MissingRequiredHeader")
QUERY: Final = (400, "InvalidQueryParameterValue")
UPDATE: Final = {"x-ms-write": "update"}


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        pytest.param({"x-ms-range": "bytes=0-3"}, b"1234", (201, None), id="good"),
        pytest.param({"Range": "bytes=0-3"}, b"1234", (201, None), id="the standard header"),
        pytest.param({}, b"1234", MISSING, id="no range"),
        pytest.param({"x-ms-range": "bytes=0-3"}, b"123", HEADER, id="too short a body"),
        pytest.param({"x-ms-range": "bytes=0-3"}, b"12345", HEADER, id="too long a body"),
        pytest.param({"x-ms-range": "bytes=3-0"}, b"1234", HEADER, id="backwards"),
        pytest.param({"x-ms-range": "bytes=0-"}, b"1234", HEADER, id="no end"),
        pytest.param({"x-ms-range": "bytes=-4"}, b"1234", HEADER, id="a suffix"),
        pytest.param({"x-ms-range": "bytes=0-1,2-3"}, b"1234", HEADER, id="two"),
        pytest.param({"x-ms-range": "chars=0-3"}, b"1234", HEADER, id="another unit"),
        pytest.param({"x-ms-range": "bytes=0-٣"}, b"1234", HEADER, id="other digits"),
        pytest.param({"x-ms-range": "bytes=6-9"}, b"1234", (416, "InvalidRange"), id="over the end"),
        pytest.param({"x-ms-range": "bytes=0-3", "Content-MD5": "AAAA"}, b"1234", HEADER, id="no MD5"),
        pytest.param(
            {"x-ms-range": "bytes=0-3", "Content-MD5": "AAAAAAAAAAAAAAAAAAAAAA=="},
            b"1234",
            (400, "Md5Mismatch"),
            id="another MD5",
        ),
        pytest.param({"x-ms-range": "bytes=0-3", "x-ms-write": "append"}, b"1234", HEADER, id="neither way"),
        pytest.param({"x-ms-range": "bytes=0-3", "x-ms-write": "clear"}, b"1234", HEADER, id="a clear with a body"),
    ],
)
def test_a_range_is_written_as_it_is_said_or_not_at_all(
    files: Files, headers: dict[str, str], body: bytes, expected: tuple[int, str | None]
) -> None:
    files.create("/f", b"01234567")
    latin = {name: value.encode().decode("latin-1") for name, value in headers.items()}

    answer = files.ask("PUT", "/f?comp=range", UPDATE | latin, body)

    written = b"12344567" if expected[0] == 201 else b"01234567"
    assert (answer.brief, files.ask("GET", "/f").body) == (expected, written)


@pytest.mark.parametrize(
    ("range_", "status", "body"),
    [
        ("bytes=0-3", 206, b"0123"),
        ("bytes=4-", 206, b"4567"),
        ("bytes=4-99999999999", 206, b"4567"),
        ("bytes=7-7", 206, b"7"),
        ("bytes=8-9", 416, None),
        ("bytes=x-9", 400, None),
    ],
)
def test_a_range_is_read(files: Files, range_: str, status: int, body: bytes | None) -> None:
    files.create("/f", b"01234567")

    answer = files.ask("GET", "/f", {"x-ms-range": range_})

    assert (answer.status, answer.body if body else None) == (status, body)


def test_a_body_of_more_than_four_mebibytes_is_refused_unread(files: Files) -> None:
    files.create("/f", b"")
    head = (
        f"PUT /{ACCOUNT}/{files.share}/f?comp=range HTTP/1.1\r\nHost: x\r\nContent-Length: 4194305\r\n"
        "x-ms-write: update\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", files.service.port)) as connection:
        connection.sendall(head.encode())

        assert connection.recv(100).partition(b"\r\n")[0] == b"HTTP/1.1 413 Request Entity Too Large"


def test_a_body_that_breaks_off_changes_nothing(files: Files) -> None:
    files.create("/f", b"01234567")
    target = f"/{files.share}/f?comp=range"
    span = {"x-ms-write": "update", "x-ms-range": "bytes=0-3"}
    signed = files.service.signed("PUT", target, span, length=4)
    head = f"PUT /{ACCOUNT}{target} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n"
    text = head + "".join(f"{name}: {value}\r\n" for name, value in signed.items()) + "\r\n12"
    with socket.create_connection(("127.0.0.1", files.service.port)) as connection:
        connection.sendall(text.encode())

    assert files.ask("GET", "/f").body == b"01234567"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        pytest.param({"x-ms-content-length": "8"}, MISSING, id="no type"),
        pytest.param({"x-ms-type": "block"}, HEADER, id="another type"),
        pytest.param({"x-ms-type": "file"}, MISSING, id="no length"),
        pytest.param({**SIZED, "x-ms-content-length": "-1"}, HEADER, id="a negative length"),
        pytest.param({**SIZED, "x-ms-content-length": "1e3"}, HEADER, id="no number"),
        pytest.param({**SIZED, "x-ms-content-length": "4398046511105"}, HEADER, id="over four tebibytes"),
        pytest.param({**SIZED, "x-ms-file-attributes": "Fast"}, HEADER, id="an unknown attribute"),
        pytest.param({**SIZED, "x-ms-file-creation-time": "yesterday"}, HEADER, id="no time"),
        pytest.param({**SIZED, "x-ms-file-creation-time": "2020-13-01T00:00:00Z"}, HEADER, id="an impossible time"),
        pytest.param({**SIZED, "x-ms-file-permission": "rwx"}, (400, "FileInvalidPermission"), id="no descriptor"),
        pytest.param({**SIZED, "x-ms-file-permission-key": "1*2"}, HEADER, id="an unknown key"),
        pytest.param({**SIZED, "x-ms-lease-id": "mine"}, HEADER, id="no lease id"),
        pytest.param({**SIZED, "x-ms-content-md5": "x"}, HEADER, id="no MD5"),
    ],
)
def test_a_file_is_created_as_it_is_said_or_not_at_all(
    files: Files, headers: dict[str, str], expected: tuple[int, str]
) -> None:
    assert (files.ask("PUT", "/f", headers).brief, files.ask("HEAD", "/f").status) == (expected, 404)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("?restype=directory&comp=list&maxresults=0", (400, "OutOfRangeQueryParameterValue")),
        ("?restype=directory&comp=list&maxresults=5001", (400, "OutOfRangeQueryParameterValue")),
        ("?restype=directory&comp=list&maxresults=x", QUERY),
        ("?restype=directory&comp=list&include=everything", QUERY),
        ("?restype=directory&comp=list&marker=nonsense", QUERY),
        ("?restype=directory&comp=list&marker=WyJhIiwgImIiXQ%3D%3D", QUERY),
        ("?restype=directory&comp=list&sharesnapshot=2020", (404, "ShareSnapshotNotFound")),
        ("/%FF", (400, "InvalidUri")),
    ],
)
def test_parameters_that_mean_nothing_are_refused(files: Files, target: str, expected: tuple[int, str]) -> None:
    assert files.ask("GET", target).brief == expected


@pytest.mark.parametrize(
    "body",
    [
        b"<",
        b"no markup",
        b"<Other/>",
        b"<SignedIdentifiers><SignedIdentifier/></SignedIdentifiers>",
        b"<SignedIdentifiers><Other><Id>a</Id></Other></SignedIdentifiers>",
        b"<SignedIdentifiers>" + b"<SignedIdentifier><Id>a</Id></SignedIdentifier>" * 6 + b"</SignedIdentifiers>",
        b'<!DOCTYPE x [<!ENTITY e "eeeeeeee">]><SignedIdentifiers>&e;</SignedIdentifiers>',
        b"\xff\xfe<",
    ],
)
def test_a_document_that_is_not_well_formed_is_refused(files: Files, body: bytes) -> None:
    assert files.ask("PUT", "?restype=share&comp=acl", body=body).brief == (400, "InvalidXmlDocument")


@pytest.mark.parametrize("body", [b"{", b"[]", b"7", b"{}", b'{"permission": 7}', b'{"permission": "x"}'])
def test_a_permission_that_is_none_is_refused(files: Files, body: bytes) -> None:
    assert files.ask("PUT", "?restype=share&comp=filepermission", body=body).brief == (400, "FileInvalidPermission")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ab", (400, "OutOfRangeInput")),
        ("a" * 64, (400, "OutOfRangeInput")),
        ("Upper", (400, "InvalidResourceName")),
        ("two--hyphens", (400, "InvalidResourceName")),
        ("-first", (400, "InvalidResourceName")),
        ("last-", (400, "InvalidResourceName")),
        ("with_line", (400, "InvalidResourceName")),
        ("..%2F..%2Fetc", (400, "InvalidFileOrDirectoryPathName")),
        ("...", (400, "InvalidResourceName")),
    ],
)
def test_a_share_has_a_plain_name(files: Files, name: str, expected: tuple[int, str]) -> None:
    assert files.service.ask("PUT", f"/{name}?restype=share").brief == expected


OUTSIDE: Final = [
    "..",
    "../escaped",
    "../../../../../../../../tmp/escaped",
    "d/../../escaped",
    "./escaped",
    "%2e%2e/escaped",
    "..%2fescaped",
    "..%5cescaped",
    "..\\escaped",
    "d\\..\\..\\escaped",
    "%00",
    "a%00b",
    "a%0ab",
    "a//b",
    "/etc/passwd",
    "C:%5Cescaped",
    "...",
    "d/.../e",
    "NUL",
    "com1",
    'a"b',
    "a%3Ab",
    "a|b",
    "a%3Cb",
    "a%3Eb",
    "a*b",
    "a%3Fb",
    "x" * 256,
    "/".join("d" * 251),
    "/".join(["d" * 200] * 11),
]


@pytest.mark.parametrize("name", OUTSIDE, ids=lambda name: name[:40])
def test_no_name_leads_outside(tmp_path: Path, name: str) -> None:
    data = tmp_path / "deep/data"
    data.mkdir(parents=True)
    with serving(data) as service:
        service.ask("PUT", "/share?restype=share")
        service.ask("PUT", "/share/d?restype=directory")
        before = sorted(path.name for path in tmp_path.rglob("*"))
        answers = [
            service.ask("PUT", f"/share/{name}", SIZED),
            service.ask("PUT", f"/share/{name}?restype=directory"),
            service.ask("GET", f"/share/{name}"),
            service.ask("DELETE", f"/share/{name}"),
            service.ask("PUT", "/share/ok?comp=rename", {"x-ms-file-rename-source": service.url(f"/share/{name}")}),
        ]
        after = sorted(path.name for path in tmp_path.rglob("*"))

    assert [answer.brief for answer in answers] == [(400, "InvalidFileOrDirectoryPathName")] * 5
    assert before == after == ["data", "deep", "files.lock", "files.sqlite", "files.sqlite-shm", "files.sqlite-wal"]


ALLOWED: Final = [
    "plain.txt",
    " leading and trailing ",
    "ü-ß-\u0130-\u0131-\u017f-\ufb01",  # letters whose upper case is something special
    "日本語.txt",
    "😀",
    "a%b%20c",
    "a+b&c=d;e,f",
    "#hash@at!bang",
    "$~`^()[]{}'",
    "a.b..c",
    ".hidden",
    "x" * 255,
    "\ufffe",
    "e\u0301",
]


@pytest.mark.parametrize("name", ALLOWED, ids=ascii)
def test_every_allowed_name_is_kept_as_it_is(files: Files, name: str) -> None:
    with ShareClient.from_connection_string(files.service.connection_string, files.share) as share:
        directory = share.create_directory(name)
        file: Any = directory.get_file_client(name)
        file.upload_file(name.encode())
        copied: Any = share.get_file_client("copy")
        copied.start_copy_from_url(file.url)
        listed = [one["name"] for one in directory.list_directories_and_files()]
        roots = [one["name"] for one in share.get_directory_client().list_directories_and_files(name)]
        moved: Any = file.rename_file(f"{name}/moved")

        assert (listed, roots, copied.download_file().readall(), moved.download_file().readall()) == (
            [name],
            [name],
            name.encode(),
            name.encode(),
        )


def test_dots_at_the_end_count_only_when_that_is_asked_for(files: Files) -> None:
    keeping = {"x-ms-allow-trailing-dot": "true"}
    answers = [
        files.ask("PUT", "/a...", SIZED).status,
        files.ask("HEAD", "/a").status,
        files.ask("HEAD", "/a.").status,
        files.ask("HEAD", "/a.", keeping).status,
        files.ask("PUT", "/a.", SIZED | keeping).status,
        files.ask("HEAD", "/a.", keeping).status,
    ]
    listed = files.ask("GET", "?restype=directory&comp=list").xml.findall("Entries/File/Name")

    assert (answers, [one.text for one in listed]) == ([201, 200, 200, 404, 201, 200], ["a", "a."])


def test_markup_in_a_name_stays_text(files: Files) -> None:
    files.create(f"/{quote('a&amp;b')}", b"")

    listed = files.ask("GET", "?restype=directory&comp=list&prefix=a%26").xml

    assert (listed.findtext("Prefix"), listed.findtext("Entries/File/Name")) == ("a&", "a&amp;b")


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("a1_B", "v", (200, None)),
        ("a", "", (200, None)),
        ("a", "x" * 8191, (200, None)),
        ("a", "x" * 8192, (400, "MetadataTooLarge")),
        ("a-b", "v", (400, "InvalidMetadata")),
        ("1a", "v", (400, "InvalidMetadata")),
        ("a", "a\tb", (400, "InvalidMetadata")),
    ],
)
def test_metadata_has_plain_names_and_a_size(
    files: Files, name: str, value: str, expected: tuple[int, str | None]
) -> None:
    files.create("/f", b"")

    answer = files.ask("PUT", "/f?comp=metadata", {f"x-ms-meta-{name}": value})

    kept = files.ask("GET", "/f").headers.get(f"x-ms-meta-{name.lower()}")
    assert (answer.brief, kept) == (expected, value if expected[0] == 200 else None)


READ_ONLY: Final[dict[str, tuple[str, str, dict[str, str], tuple[int, str | None]]]] = {
    "write": ("PUT", "/f?comp=range", {"x-ms-write": "clear", "x-ms-range": "bytes=0-1"}, (409, "ReadOnlyAttribute")),
    "delete": ("DELETE", "/f", {}, (409, "ReadOnlyAttribute")),
    "create": ("PUT", "/f", SIZED, (409, "ReadOnlyAttribute")),
    "read": ("GET", "/f", {}, (200, None)),
    "rename": ("PUT", "/g?comp=rename", {"x-ms-file-rename-source": "URL/f"}, (200, None)),
    "copy onto it": ("PUT", "/f", {"x-ms-copy-source": "URL/other"}, (409, "ReadOnlyAttribute")),
    "copy, told to": (
        "PUT",
        "/f",
        {"x-ms-copy-source": "URL/other", "x-ms-file-copy-ignore-readonly": "true"},
        (202, None),
    ),
    "become writable": ("PUT", "/f?comp=properties", {"x-ms-file-attributes": "none"}, (200, None)),
}


@pytest.mark.parametrize("what", READ_ONLY)
def test_a_read_only_file_stays_as_it_is(files: Files, what: str) -> None:
    files.create("/f")
    files.create("/other")
    files.ask("PUT", "/f?comp=properties", {"x-ms-file-attributes": "ReadOnly|Hidden"})
    method, target, headers, expected = READ_ONLY[what]
    url = files.service.url(f"/{files.share}")

    answer = files.ask(method, target, {name: value.replace("URL", url) for name, value in headers.items()})

    assert answer.brief == expected


def test_what_xml_cannot_have_is_encoded(files: Files) -> None:
    listed = files.ask("GET", "?restype=directory&comp=list&prefix=%01%EF%BF%BE").xml

    assert [(one.get("Encoded"), one.text) for one in listed.findall("Prefix")] == [("true", "%01%EF%BF%BE")]


def test_a_reader_that_leaves_is_not_served_to_the_end(files: Files) -> None:
    files.create("/f", b"")
    files.ask("PUT", "/f?comp=properties", {"x-ms-content-length": str(1 << 41)})
    signed = files.service.signed("GET", f"/{files.share}/f", {})
    head = f"GET /{ACCOUNT}/{files.share}/f HTTP/1.1\r\nHost: x\r\n"
    with socket.create_connection(("127.0.0.1", files.service.port)) as connection:
        connection.sendall((head + "".join(f"{name}: {value}\r\n" for name, value in signed.items()) + "\r\n").encode())
        begun = connection.recv(15)

    assert (begun, files.ask("HEAD", "/f").headers["content-length"]) == (b"HTTP/1.1 200 OK", str(1 << 41))

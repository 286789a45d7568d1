"""What was recorded from the service, compared with the emulator's answers: status, headers, documents."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

import pytest

from tests.azfiles.conftest import Files
from tests.azfiles.serving import Answer

RECORDED: Final[dict[str, dict[str, Any]]] = json.loads(Path(__file__).with_name("wire_recorded.json").read_text())
OLD: Final = {"x-ms-version": "2019-02-02"}
NEW: Final = {"x-ms-version": "2020-02-10"}
LEASE: Final = "3d3cd0a5-9ed4-4b3e-9a8e-54c04a3e8e8f"
ACQUIRE: Final = {"x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1", "x-ms-proposed-lease-id": LEASE}
SMB: Final = {
    "x-ms-file-attributes": "none",
    "x-ms-file-creation-time": "now",
    "x-ms-file-last-write-time": "now",
    "x-ms-file-permission": "inherit",
}
POLICIES: Final = (
    b"<SignedIdentifiers><SignedIdentifier><Id>testid</Id><AccessPolicy><Start>2020-09-11T01:44:09.0000000Z</Start>"
    b"<Expiry>2020-09-11T02:44:09.0000000Z</Expiry><Permission>r</Permission></AccessPolicy></SignedIdentifier>"
    b"</SignedIdentifiers>"
)
SDDL: Final = "O:S-1-5-21-1G:S-1-5-21-2D:AI(A;;FA;;;SY)(A;;FA;;;BA)S:NO_ACCESS_CONTROL"
# Not the operation's own: the transport's, and CORS.
ASIDE: Final = {"content-length", "transfer-encoding", "vary", "x-ms-version"}
# Headers of recordings that are there in some situations only.
SOMETIMES: Final = {
    "access-control-allow-origin",
    "access-control-expose-headers",
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-md5",
    "x-ms-content-md5",
    "x-ms-lease-duration",
    "x-ms-enabled-protocols",
    "x-ms-root-squash",
    "x-ms-access-tier-transition-state",
}
SOMETIMES_STARTING: Final = ("x-ms-copy-", "x-ms-meta-", "x-ms-share-provisioned-", "x-ms-share-next-")
# What the emulator says beyond the recordings, which are of old versions.
MORE: Final = {
    "PUT comp=range write=update": {"x-ms-file-last-write-time"},
    "PUT comp=range write=clear": {"x-ms-file-last-write-time"},
    "GET restype=share comp=stats": {"etag", "last-modified"},
    "GET restype=share comp=filepermission": {"content-type"},
}
NOT_EMULATED: Final = {
    "PUT comp=range write=update copysrc",
    "GET restype=service comp=properties",
    "PUT restype=service comp=properties",
    "PUT restype=share comp=undelete",
}
Ask = Callable[[Files], Answer]


def of_share(query: str, method: str = "PUT", body: bytes = b"", **headers: str) -> Ask:
    named = NEW | {f"x-ms-{name.replace('_', '-')}": value for name, value in headers.items()}
    return lambda files: files.ask(method, f"?restype=share{query}", named, body)


def leased(target: str, action: str, **headers: str) -> Ask:
    def ask(files: Files) -> Answer:
        files.ask("PUT", target, NEW | {**ACQUIRE, "x-ms-lease-duration": "-1"})
        named = {f"x-ms-{name.replace('_', '-')}": value for name, value in headers.items()}
        return files.ask("PUT", target, NEW | {"x-ms-lease-action": action, **named})

    return ask


def permission(files: Files) -> Answer:
    made = of_share("&comp=filepermission", body=json.dumps({"permission": SDDL}).encode())(files)
    return of_share("&comp=filepermission", "GET", file_permission_key=made.headers["x-ms-file-permission-key"])(files)


FILE_LEASE: Final = "/d/f?comp=lease"
SHARE_LEASE: Final = "?restype=share&comp=lease"
# Every share has a directory d with a file f of 1024 bytes, the first 512 written, and a directory e in it.
ASKED: Final[dict[str, Ask]] = {
    "PUT restype=share": lambda files: files.service.ask("PUT", f"/{files.share}x?restype=share", OLD),
    "PUT restype=directory": lambda files: files.ask("PUT", "/n?restype=directory", OLD | SMB),
    "GET restype=directory": lambda files: files.ask("GET", "/d?restype=directory", OLD),
    "PUT create-file": lambda files: files.ask(
        "PUT", "/n", OLD | SMB | {"x-ms-type": "file", "x-ms-content-length": "8"}
    ),
    "PUT comp=range write=update": lambda files: files.put("/d/f", 0, b"x" * 512, **OLD),
    "GET": lambda files: files.ask("GET", "/d/f", OLD | {"x-ms-range": "bytes=0-33554431"}),
    "DELETE restype=directory": lambda files: files.ask("DELETE", "/d/e?restype=directory", OLD),
    "DELETE": lambda files: files.ask("DELETE", "/d/f", OLD),
    "PUT restype=share comp=snapshot": of_share("&comp=snapshot"),
    "PUT restype=directory comp=metadata": lambda files: files.ask(
        "PUT", "/d?restype=directory&comp=metadata", OLD | {"x-ms-meta-a": "1"}
    ),
    "GET restype=directory comp=list": lambda files: files.ask("GET", "/d?restype=directory&comp=list", OLD),
    "PUT restype=directory comp=properties": lambda files: files.ask(
        "PUT", "/d?restype=directory&comp=properties", OLD | SMB
    ),
    "PUT copysrc": lambda files: files.ask(
        "PUT", "/d/copy", OLD | {"x-ms-copy-source": files.service.url(f"/{files.share}/d/f")}
    ),
    "PUT comp=lease acquire": lambda files: files.ask("PUT", FILE_LEASE, NEW | ACQUIRE),
    "PUT comp=range write=clear": lambda files: files.ask(
        "PUT", "/d/f?comp=range", NEW | {"x-ms-write": "clear", "x-ms-range": "bytes=0-511"}
    ),
    "HEAD": lambda files: files.ask("HEAD", "/d/f", OLD),
    "PUT comp=lease change": leased(FILE_LEASE, "change", lease_id=LEASE, proposed_lease_id=LEASE.replace("3", "4")),
    "PUT comp=metadata": lambda files: files.ask("PUT", "/d/f?comp=metadata", OLD | {"x-ms-meta-a": "1"}),
    "GET comp=rangelist": lambda files: files.ask("GET", "/d/f?comp=rangelist", NEW),
    "PUT comp=properties": lambda files: files.ask("PUT", "/d/f?comp=properties", OLD | SMB),
    "PUT restype=share comp=acl": of_share("&comp=acl", body=POLICIES),
    "PUT comp=lease break": leased(FILE_LEASE, "break"),
    "GET comp=listhandles": lambda files: files.ask("GET", "?comp=listhandles", NEW | {"x-ms-recursive": "true"}),
    "PUT comp=forceclosehandles": lambda files: files.ask(
        "PUT", "?comp=forceclosehandles", NEW | {"x-ms-handle-id": "*", "x-ms-recursive": "true"}
    ),
    "PUT restype=share comp=lease acquire": lambda files: files.ask("PUT", SHARE_LEASE, NEW | ACQUIRE),
    "PUT restype=share comp=lease release": leased(SHARE_LEASE, "release", lease_id=LEASE),
    "GET comp=list": lambda files: files.service.ask("GET", f"?comp=list&prefix={files.share}", NEW),
    "DELETE restype=share": of_share("", "DELETE"),
    "PUT restype=share comp=filepermission": of_share(
        "&comp=filepermission", body=json.dumps({"permission": SDDL}).encode()
    ),
    "GET restype=share comp=filepermission": permission,
    "GET restype=share": of_share("", "GET"),
    "GET restype=share comp=acl": lambda files: (
        of_share("&comp=acl", body=POLICIES)(files) and of_share("&comp=acl", "GET")(files)
    ),
    "PUT restype=share comp=metadata": of_share("&comp=metadata", meta_a="1"),
    "PUT restype=share comp=lease break": leased(SHARE_LEASE, "break", lease_break_period="5"),
    "GET restype=share comp=stats": of_share("&comp=stats", "GET"),
    "PUT restype=share comp=lease renew": leased(SHARE_LEASE, "renew", lease_id=LEASE),
    "PUT restype=share comp=lease change": leased(
        SHARE_LEASE, "change", lease_id=LEASE, proposed_lease_id=LEASE.replace("3", "4")
    ),
    "PUT restype=share comp=properties": of_share("&comp=properties", share_quota="3"),
}


@pytest.fixture
def tree(files: Files) -> Files:
    files.ask("PUT", "/d?restype=directory")
    files.ask("PUT", "/d/e?restype=directory")
    files.create("/d/f", b"")
    files.ask("PUT", "/d/f?comp=properties", {"x-ms-content-length": "1024"})
    files.put("/d/f", 0, b"x" * 512)
    files.open("d/f", client="167.220.2.92:27553")
    files.open("d", client="167.220.2.92:27553")
    return files


# What another client has open would be in the way of these.
ALONE: Final = {"DELETE", "PUT comp=lease acquire", "PUT comp=lease change", "PUT comp=lease break", "GET"} | {
    operation for operation in ASKED if operation.startswith(("PUT comp=range", "PUT comp=m", "PUT comp=p", "PUT copy"))
}


@pytest.mark.parametrize("operation", ASKED)
def test_an_answer_has_the_recorded_status_and_headers(tree: Files, operation: str) -> None:
    if operation in ALONE or operation == "GET comp=rangelist":
        tree.ask("PUT", "?comp=forceclosehandles", {"x-ms-handle-id": "*", "x-ms-recursive": "true"})
    recorded = RECORDED[operation]

    answer = ASKED[operation](tree)

    sent = set(answer.headers) - ASIDE - {"date", "server", "x-ms-request-id"}
    known = {name for name in recorded["response_headers"] if name not in ASIDE}
    always = {name for name in known - SOMETIMES if not name.startswith(SOMETIMES_STARTING)}
    assert answer.status in recorded["status"], answer
    assert (always - sent, sent - known - MORE.get(operation, set())) == (set(), set())


def test_every_recorded_operation_is_asked_for_or_known_not_to_be_emulated() -> None:
    assert set(RECORDED) == set(ASKED) | NOT_EMULATED


def shape(element: ET.Element) -> Any:
    """Return tags and attributes of a document without its values; of several of a kind, the first."""
    parts: dict[str, Any] = {}
    for part in element:
        parts.setdefault(part.tag, shape(part))
    return (sorted(element.attrib), parts) if element.attrib else parts


# Elements that came with later versions, or that are there when they were asked for.
LATER: Final = {
    "GET comp=listhandles": {"ClientName", "AccessRightList"},
    "GET comp=list": {"AccessTierChangeTime", "LeaseStatus", "LeaseState", "Prefix"},
}
# Of premium shares, and of the page that the recorded request asked for.
EARLIER: Final = {
    "GET comp=listhandles": {"Marker"},
    "GET comp=list": {
        "EnabledProtocols",
        "RootSquash",
        "ProvisionedIops",
        "ProvisionedIngressMBps",
        "ProvisionedEgressMBps",
        "NextAllowedQuotaDowngradeTime",
        "DefaultEncryptionScope",
        "DenyEncryptionScopeOverride",
    },
}


def without(found: Any, tags: set[str]) -> Any:
    if isinstance(found, tuple):
        return found[0], without(found[1], tags)
    return {tag: without(inside, tags) for tag, inside in found.items() if tag not in tags}


@pytest.mark.parametrize("operation", [name for name in ASKED if RECORDED[name]["body"]])
def test_a_document_has_the_recorded_shape(tree: Files, operation: str) -> None:
    if operation == "GET comp=rangelist":
        tree.ask("PUT", "?comp=forceclosehandles", {"x-ms-handle-id": "*", "x-ms-recursive": "true"})
    recorded = ET.fromstring(RECORDED[operation]["body"].removeprefix("\ufeff"))
    for cleared in recorded.findall("ClearRange"):  # of a comparison of two snapshots
        recorded.remove(cleared)

    answer = ASKED[operation](tree)

    assert answer.body.decode()[:39] == '\ufeff<?xml version="1.0" encoding="utf-8"?>'
    assert without(shape(answer.xml), LATER.get(operation, set())) == without(
        shape(recorded), EARLIER.get(operation, set())
    )


def test_an_error_has_the_services_document(files: Files) -> None:
    answer = files.ask("GET", "/missing", {"x-ms-client-request-id": "mine"})

    request_id = answer.headers["x-ms-request-id"]
    message = answer.xml.findtext("Message") or ""
    assert (answer.brief, answer.xml.tag, [part.tag for part in answer.xml]) == (
        (404, "ResourceNotFound"),
        "Error",
        ["Code", "Message"],
    )
    assert message.rpartition("\nTime:")[0] == f"The specified resource does not exist.\nRequestId:{request_id}"
    assert (
        answer.headers["content-type"],
        answer.headers["x-ms-client-request-id"],
        answer.headers["x-ms-version"],
    ) == (
        "application/xml",
        "mine",
        "2021-12-02",
    )


NEVER: Final[dict[str, tuple[str, str, dict[str, str]]]] = {
    "service properties": ("GET", "?restype=service&comp=properties", {}),
    "delegation key": ("POST", "?restype=service&comp=userdelegationkey", {}),
    "undelete": ("PUT", "/SHARE?restype=share&comp=undelete", {}),
    "from a URL": ("PUT", "/SHARE/f?comp=range", {"x-ms-write": "update", "x-ms-copy-source": "http://x/y"}),
    "another account": ("PUT", "/SHARE/g", {"x-ms-copy-source": "https://other.file.core.windows.net/s/f"}),
    "a rename from elsewhere": ("PUT", "/SHARE/g?comp=rename", {"x-ms-file-rename-source": "https://x/s/f"}),
    "NFS": ("PUT", "/another?restype=share", {"x-ms-enabled-protocols": "NFS"}),
    "premium": ("PUT", "/SHARE?restype=share&comp=properties", {"x-ms-root-squash": "RootSquash"}),
    "hard links": ("PUT", "/SHARE/g?restype=hardlink", {"x-ms-type": "file"}),
    "symbolic links": ("GET", "/SHARE/f?restype=symboliclink", {}),
    "differences": ("GET", "/SHARE/f?comp=rangelist&prevsharesnapshot=x", {}),
    "mode bits": ("PUT", "/SHARE/f?comp=properties", {"x-ms-mode": "0777"}),
    "nonsense": ("PUT", "/SHARE/f?comp=nonsense", {}),
    "crc64": ("PUT", "/SHARE/f?comp=range", {"x-ms-write": "update", "x-ms-content-crc64": "AAAA"}),
    "structured": ("PUT", "/SHARE/f?comp=range", {"x-ms-write": "update", "x-ms-structured-body": "XSM/1.0"}),
}


@pytest.mark.parametrize("what", NEVER)
def test_what_is_not_emulated_is_said_and_changes_nothing(files: Files, what: str) -> None:
    files.create("/f", b"kept")
    before = files.ask("GET", "/f")
    method, target, headers = NEVER[what]

    answer = files.service.ask(method, target.replace("SHARE", files.share), headers)

    after = files.ask("GET", "/f")
    assert answer.brief == (501, "NotImplemented")
    assert (after.headers["etag"], after.body) == (before.headers["etag"], b"kept")
    assert (answer.xml.findtext("Message") or "").startswith("The Azure Files emulator does not emulate ")

"""What SMB clients have open decides what requests may do: the sharing table, locks, pending deletes."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.azfiles.conftest import Files
from tests.azfiles.serving import Answer

LEASE: Final = {"x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1"}
VIOLATION: Final = (409, "SharingViolation")
# Each request that the documentation's table names, and the status of its success.
REQUESTS: Final[dict[str, tuple[int, Callable[[Files], Answer]]]] = {
    "Create": (201, lambda files: files.ask("PUT", "/f", {"x-ms-type": "file", "x-ms-content-length": "7"})),
    "Get": (200, lambda files: files.ask("GET", "/f")),
    "Set Properties": (200, lambda files: files.ask("PUT", "/f?comp=properties", {"x-ms-content-type": "a/b"})),
    "Set Metadata": (200, lambda files: files.ask("PUT", "/f?comp=metadata", {"x-ms-meta-a": "1"})),
    "Delete": (202, lambda files: files.ask("DELETE", "/f")),
    "Put Range": (201, lambda files: files.put("/f", 0, b"x")),
    "List Ranges": (200, lambda files: files.ask("GET", "/f?comp=rangelist")),
    "Lease": (201, lambda files: files.ask("PUT", "/f?comp=lease", LEASE)),
}
# Share mode of the open -> what gets 409 SharingViolation.
TABLE: Final[dict[str, set[str]]] = {
    "": set(REQUESTS),
    "r": {"Create", "Set Properties", "Set Metadata", "Delete", "Put Range", "Lease"},
    "w": {"Create", "Get", "Delete", "List Ranges", "Lease"},
    "d": {"Create", "Get", "Set Properties", "Set Metadata", "Put Range", "List Ranges", "Delete", "Lease"},
    "rw": {"Create", "Delete", "Lease"},
    "rd": {"Create", "Set Properties", "Set Metadata", "Put Range", "Delete", "Lease"},
    "wd": {"Get", "List Ranges", "Delete", "Lease"},
    "rwd": {"Delete"},
}
# Of these the table says nothing, because they open nothing; or what they do is said to be a deletion, a creation.
OTHERS: Final[dict[str, tuple[int, Callable[[Files], Answer], set[str]]]] = {
    "Get Properties": (200, lambda files: files.ask("HEAD", "/f"), set()),
    "Get Metadata": (200, lambda files: files.ask("GET", "/f?comp=metadata"), set()),
    "List": (200, lambda files: files.ask("GET", "?restype=directory&comp=list"), set()),
    "List Handles": (200, lambda files: files.ask("GET", "/f?comp=listhandles"), set()),
    "Rename": (200, lambda files: rename(files, "/f", "/g"), set(TABLE)),
    "Rename over it": (200, lambda files: rename(files, "/other", "/f"), set(TABLE)),
    "Copy from it": (202, lambda files: copy(files, "/f", "/g"), {"", "w", "d", "wd"}),
    "Copy onto it": (202, lambda files: copy(files, "/other", "/f"), {"", "r", "w", "d", "rw", "rd"}),
}


def rename(files: Files, source: str, target: str) -> Answer:
    headers = {
        "x-ms-file-rename-source": files.service.url(f"/{files.share}{source}"),
        "x-ms-file-rename-replace-if-exists": "true",
    }
    return files.ask("PUT", f"{target}?comp=rename", headers)


def copy(files: Files, source: str, target: str) -> Answer:
    return files.ask("PUT", target, {"x-ms-copy-source": files.service.url(f"/{files.share}{source}")})


@pytest.mark.parametrize("shared", TABLE, ids=lambda shared: shared or "none")
@pytest.mark.parametrize("request_", REQUESTS)
def test_an_open_refuses_what_it_does_not_share(files: Files, shared: str, request_: str) -> None:
    files.create("/f")
    status, ask = REQUESTS[request_]
    handle = files.open("f", access="r", shared=shared)

    during = ask(files)
    files.service.smb("close", handle=handle)
    after = ask(files)

    refused = request_ in TABLE[shared]
    freed = {"Delete": (202, None) if refused else (404, "ResourceNotFound")}
    freed["Lease"] = (201, None) if refused else (409, "LeaseAlreadyPresent")
    assert during.brief == (VIOLATION if refused else (status, None))
    assert after.brief == freed.get(request_, (status, None))


@pytest.mark.parametrize("shared", TABLE, ids=lambda shared: shared or "none")
@pytest.mark.parametrize("request_", OTHERS)
def test_other_requests_open_what_they_need(files: Files, shared: str, request_: str) -> None:
    files.create("/f")
    files.create("/other")
    status, ask, refusing = OTHERS[request_]
    files.open("f", access="r", shared=shared)

    assert ask(files).brief == (VIOLATION if shared in refusing else (status, None))


def test_a_refusal_is_the_services(files: Files) -> None:
    files.create("/f")
    files.open("f")

    answer = files.ask("DELETE", "/f")

    message = (answer.xml.findtext("Message") or "").partition("\n")[0]
    assert (*answer.brief, message) == (*VIOLATION, "The specified resource may be in use by an SMB client.")


@pytest.mark.parametrize(("access", "refused"), [("r", False), ("w", True), ("d", True), ("rwd", True)])
def test_a_lease_meets_whoever_can_write_or_delete(files: Files, access: str, *, refused: bool) -> None:
    files.create("/f")
    files.open("f", access=access, shared="rwd")

    assert REQUESTS["Lease"][1](files).brief == (VIOLATION if refused else (201, None))


ACCESSES: Final = ["r", "w", "d", "rw", "rwd"]


@pytest.mark.parametrize("access", ACCESSES)
@pytest.mark.parametrize("state", ["leased", "broken"])
def test_a_leased_file_is_opened_for_reading_only(files: Files, access: str, state: str) -> None:
    files.create("/f")
    REQUESTS["Lease"][1](files)
    if state == "broken":
        files.ask("PUT", "/f?comp=lease", {"x-ms-lease-action": "break"})

    status, answer = files.service.smb("open", share=files.share, path="f", access=access, shared="rwd")

    refused = state == "leased" and access != "r"
    assert (status, answer.get("status")) == ((409, "STATUS_SHARING_VIOLATION") if refused else (200, None))


@pytest.mark.parametrize("second", [(access, shared) for access in ACCESSES for shared in TABLE], ids=str)
@pytest.mark.parametrize("first", [("r", "r"), ("rw", "r"), ("rwd", "rwd"), ("w", "wd")], ids=str)
def test_two_clients_need_each_others_sharing(files: Files, first: tuple[str, str], second: tuple[str, str]) -> None:
    files.create("/f")
    files.open("f", *first)

    status, _ = files.service.smb("open", share=files.share, path="f", access=second[0], shared=second[1])

    assert status == (200 if set(first[0]) <= set(second[1]) and set(second[0]) <= set(first[1]) else 409)


LOCKED: Final = (409, "FileLockConflict")


@pytest.mark.parametrize(
    ("exclusive", "start", "reading", "writing"),
    [
        pytest.param(True, 4, (206, None), (201, None), id="before an exclusive lock"),
        pytest.param(True, 9, LOCKED, LOCKED, id="into an exclusive lock"),
        pytest.param(True, 19, LOCKED, LOCKED, id="at the end of an exclusive lock"),
        pytest.param(True, 20, (206, None), (201, None), id="behind an exclusive lock"),
        pytest.param(False, 12, (206, None), LOCKED, id="into a shared lock"),
    ],
)
def test_a_locked_range_is_closed(
    files: Files, start: int, reading: tuple[int, str], writing: tuple[int, str], *, exclusive: bool
) -> None:
    files.create("/f", b"0" * 40)
    files.open("f", "rw", "rwd", locks=[{"start": 10, "end": 19, "exclusive": exclusive}])

    read = files.ask("GET", "/f", {"x-ms-range": f"bytes={start}-{start + 3}"})
    written = files.put("/f", start, b"1234")

    assert (read.brief, written.brief) == (reading, writing)


def test_a_lock_is_granted_to_one(files: Files) -> None:
    files.create("/f")
    asked: dict[str, Any] = {"share": files.share, "path": "f", "access": "rw", "shared": "rwd"}
    locks = [{"start": 0, "end": 3, "exclusive": True}]
    first = files.service.smb("open", **asked, locks=locks)[0]

    status, answer = files.service.smb("open", **asked, locks=locks)

    assert (first, status, answer["status"]) == (200, 409, "STATUS_LOCK_NOT_GRANTED")


PENDING: Final = (409, "DeletePending")
EVERY: Final = {name: ask for name, (_, ask) in REQUESTS.items()} | {
    name: ask for name, (_, ask, _) in OTHERS.items() if name not in {"List", "List Handles"}
}


@pytest.mark.parametrize("request_", EVERY)
def test_what_is_marked_for_deletion_is_neither_there_nor_gone(files: Files, request_: str) -> None:
    files.create("/f")
    files.create("/other")
    handle = files.open("f", "rwd", "rwd")
    files.service.smb("mark-delete", handle=handle)

    during = EVERY[request_](files)
    files.service.smb("close", handle=handle)

    assert (during.brief, files.ask("HEAD", "/f").status) == (PENDING if during.body else (409, "DeletePending"), 404)


def test_what_is_marked_for_deletion_is_not_listed_but_its_handles_are(files: Files) -> None:
    files.create("/f")
    handles = [files.open("f", "rd", "rwd") for _ in range(2)]
    files.service.smb("mark-delete", handle=handles[0])

    listed = files.ask("GET", "?restype=directory&comp=list").xml.findall("Entries/File")
    opened = files.ask("GET", "/f?comp=listhandles").xml.findall("Entries/Handle")
    second = files.service.smb("open", share=files.share, path="f", access="r", shared="rwd")[1]["status"]

    assert (listed, [one.findtext("HandleId") for one in opened], second) == ([], handles, "STATUS_DELETE_PENDING")


def test_a_mark_can_be_taken_back_and_goes_with_the_last_close(files: Files) -> None:
    files.create("/f")
    first, second = files.open("f", "d", "rwd"), files.open("f", "rd", "rwd")
    files.service.smb("mark-delete", handle=first)
    files.service.smb("mark-delete", handle=second, undo=True)
    back = files.ask("HEAD", "/f").status
    files.service.smb("mark-delete", handle=second)

    one = files.service.smb("close", handle=first)[1]["deleted"]
    pending = files.ask("HEAD", "/f").status
    two = files.service.smb("close", handle=second)[1]["deleted"]

    assert (back, one, pending, two, files.ask("HEAD", "/f").status) == (200, False, 409, True, 404)


def test_a_forced_close_of_the_last_handle_deletes_what_was_marked(files: Files) -> None:
    files.create("/f")
    files.service.smb("mark-delete", handle=files.open("f", "rd", "rwd"))

    closed = files.ask("PUT", "/f?comp=forceclosehandles", {"x-ms-handle-id": "*"})

    assert (closed.status, closed.headers["x-ms-number-of-handles-closed"], files.ask("HEAD", "/f").status) == (
        200,
        "1",
        404,
    )


@pytest.mark.parametrize(
    ("prepare", "access", "status"),
    [
        pytest.param("", "r", "STATUS_ACCESS_DENIED", id="without delete access"),
        pytest.param("ReadOnly", "rd", "STATUS_CANNOT_DELETE", id="read-only"),
    ],
)
def test_not_everything_can_be_marked(files: Files, prepare: str, access: str, status: str) -> None:
    files.create("/f", b"", **({"x-ms-file-attributes": prepare} if prepare else {}))
    handle = files.open("f", access, "rwd")

    assert files.service.smb("mark-delete", handle=handle)[1]["status"] == status


def test_a_directory_goes_when_it_is_empty_only(files: Files) -> None:
    files.ask("PUT", "/d?restype=directory")
    files.create("/d/f")
    handle = files.open("d", "rd", "rwd")
    full = files.service.smb("mark-delete", handle=handle)[1]["status"]
    files.ask("DELETE", "/d/f")
    in_use = files.ask("DELETE", "/d?restype=directory").brief
    files.service.smb("mark-delete", handle=handle)
    answers = [
        files.ask("GET", "/d?restype=directory").brief,
        files.ask("PUT", "/d?restype=directory").brief,
        files.create("/d/f").brief,
    ]
    files.service.smb("close", handle=handle)

    assert (full, in_use, answers) == (
        "STATUS_DIRECTORY_NOT_EMPTY",
        (409, "CannotDeleteFileOrDirectory"),
        [PENDING, PENDING, PENDING],
    )
    assert files.ask("GET", "/d?restype=directory").brief == (404, "ResourceNotFound")


def test_a_directory_is_not_renamed_over_open_files(files: Files) -> None:
    files.ask("PUT", "/d?restype=directory")
    files.create("/d/f")
    handle = files.open("d/f", "r", "rwd")
    headers = {"x-ms-file-rename-source": files.service.url(f"/{files.share}/d")}

    during = files.ask("PUT", "/e?restype=directory&comp=rename", headers).brief
    files.service.smb("close", handle=handle)

    assert (during, files.ask("PUT", "/e?restype=directory&comp=rename", headers).brief) == (VIOLATION, (200, None))


@pytest.mark.parametrize(
    ("act", "asked", "expected"),
    [
        pytest.param("open", {"share": "nothere", "path": "f", "access": "r", "shared": ""}, 409, id="no share"),
        pytest.param("open", {"share": "SHARE", "path": "x", "access": "r", "shared": ""}, 409, id="no file"),
        pytest.param("open", {"share": "SHARE", "path": "../x", "access": "r", "shared": ""}, 409, id="outside"),
        pytest.param("open", {"share": "SHARE", "path": "f", "access": "x", "shared": ""}, 400, id="no access"),
        pytest.param("open", {"share": "SHARE", "path": "f"}, 400, id="half a document"),
        pytest.param("close", {"handle": "7x"}, 400, id="no number"),
        pytest.param("close", {"handle": "9" * 30}, 400, id="too great a number"),
        pytest.param("close", {"handle": "999999"}, 409, id="no handle"),
        pytest.param("fly", {}, 404, id="no such request"),
    ],
)
def test_a_client_that_asks_for_what_cannot_be_is_refused(
    files: Files, act: str, asked: dict[str, str], expected: int
) -> None:
    files.create("/f")

    named = {name: value.replace("SHARE", files.share) for name, value in asked.items()}

    assert files.service.smb(act, **named)[0] == expected


def test_a_page_in_a_browser_opens_nothing(files: Files) -> None:
    files.create("/f")
    body = f'{{"share": "{files.share}", "path": "f", "access": "r", "shared": ""}}'.encode()

    answers = [
        files.service.send("POST", "/-/smb/open", {"Content-Type": kind, "Content-Length": str(len(body))}, body).status
        for kind in ("text/plain", "application/x-www-form-urlencoded")
    ]

    assert (answers, files.ask("DELETE", "/f").status) == ([404, 404], 202)

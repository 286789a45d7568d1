"""Ranges of pages: what listing them prints and returns, in one or many answers, of now or since a snapshot."""

import json
from collections.abc import Mapping

import pytest

from tests.azurite import ProxiedAccount
from tests.commands.answers import seen
from tests.running import Result, Stcc
from tests.situations import HELD, Situation
from tests.wire import Answer, Status

PAGE = b"p" * 512
TIME = "2026-01-31T12:00:00.1234567Z"
# What is done to pages: the command line, and the words of its refusal.
DEEDS = {
    "put": ("put {} - --offset 0", "put pages into"),
    "clear": ("clear {} --offset 0 --length 512", "clear pages of"),
    "ranges": ("ranges {}", "list the page ranges of"),
}


def deed(name: str, target: str) -> list[str]:
    return ["blob", "page", *DEEDS[name][0].format(target).split()]


def page_list(*ranges: tuple[str, int, int], marker: str = "") -> Answer:
    """Return an answer with ranges, each `PageRange` or `ClearRange`, and the marker of the next page."""
    listed = "".join(f"<{kind}><Start>{start}</Start><End>{end}</End></{kind}>" for kind, start, end in ranges)
    xml = f'<?xml version="1.0" encoding="utf-8"?><PageList>{listed}<NextMarker>{marker}</NextMarker></PageList>'
    return Answer(200, {"Content-Type": "application/xml", "ETag": '"0x8D1"'}, xml.encode())


@pytest.fixture
def two_ranges(there: Situation) -> str:
    """Return a page blob of eight pages, of which the second, third and last are written."""
    client = there.client(there.new_blob)
    client.create_page_blob(4096)
    client.upload_page(PAGE * 2, offset=512, length=1024)
    client.upload_page(PAGE, offset=3584, length=512)
    return there.new_blob


def test_ranges_are_listed_in_every_format(stcc: Stcc, two_ranges: str) -> None:
    rows = [
        {"kind": "written", "start": 512, "end": 1535, "length": 1024},
        {"kind": "written", "start": 3584, "end": 4095, "length": 512},
    ]
    argv = deed("ranges", two_ranges)

    assert stcc(*argv) == Result(
        0, "kind     start  end   length\nwritten  512    1535  1024\nwritten  3584   4095  512\n", ""
    )
    assert stcc(*argv, "-o", "tsv") == Result(0, "written\t512\t1535\t1024\nwritten\t3584\t4095\t512\n", "")
    assert json.loads(stcc(*argv, "-o", "json").out) == {
        "outcome": "page-ranges-listed",
        "exit_code": 0,
        "http_status": None,
        "error_code": None,
        "request_id": None,
        "target": two_ranges,
        "result": rows,
        "observed": None,
    }
    lines = [json.loads(line) for line in stcc(*argv, "-o", "ndjson").out.splitlines()]
    assert lines == [*rows, {"outcome": "page-ranges-listed", "exit_code": 0}]


def test_a_blob_of_zeros_has_no_ranges(stcc: Stcc, there: Situation) -> None:
    assert stcc(*deed("ranges", there.page_blob)) == Result(0, "", f"{there.page_blob}: none\n")
    assert stcc(*deed("ranges", there.page_blob), "-o", "tsv") == Result(0, "", "")


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        pytest.param("--offset 1KiB", [(1024, 1535), (3584, 4095)], id="from here on"),
        pytest.param("--offset 1024 --length 2560", [(1024, 1535)], id="so much from here on"),
        pytest.param("--length 1024", [(512, 1023)], id="so much from the beginning"),
    ],
)
def test_a_part_of_the_ranges(options: str, rows: list[tuple[int, int]], stcc: Stcc, two_ranges: str) -> None:
    expected = "".join(f"written\t{start}\t{end}\t{end - start + 1}\n" for start, end in rows)

    assert stcc(*deed("ranges", two_ranges), *options.split(), "-o", "tsv") == Result(0, expected, "")


def test_ranges_of_a_snapshot(stcc: Stcc, there: Situation, two_ranges: str) -> None:
    taken = there.client(two_ranges).create_snapshot()["snapshot"]
    there.client(two_ranges).clear_page(offset=512, length=1024)

    found = stcc(*deed("ranges", two_ranges), "--snapshot", taken, "-o", "tsv")

    assert found == Result(0, "written\t512\t1535\t1024\nwritten\t3584\t4095\t512\n", "")


def test_ranges_of_what_did_not_change_are_not_modified(stcc: Stcc, there: Situation) -> None:
    target = there.page_blob

    assert stcc(*deed("ranges", target), "--if-none-match", there.page_etag) == Result(
        30, "", f"stcc: {target}: not modified (304 ConditionNotMet)\n"
    )
    assert stcc(*deed("ranges", target), "--if-match", "0x8D1") == Result(
        12,
        "",
        f"stcc: cannot list the page ranges of {target}: it changed since you looked (412 ConditionNotMet)\n"
        + seen(there, target, expected='"0x8D1"')
        + "  read it again, decide again, and use the current ETag\n",
    )


def sent(proxied: ProxiedAccount) -> list[Mapping[str, str]]:
    """Return the markers and conditions of all requests."""
    names = ("if-match", "x-ms-if-tags", "x-ms-lease-id", "x-ms-range")
    return [
        {name: request.headers[name] for name in names if name in request.headers} | {"query": request.query}
        for request in proxied.requests
    ]


def test_the_pages_of_a_long_listing_are_of_one_state(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = there.argv("blob page ranges {page_blob} --if-tags stage='x' --lease-id {held} --offset 0 --length 8192")
    proxied.fail(page_list(("PageRange", 0, 511), marker="next!1"))
    proxied.fail(Status(503), when=lambda request: "marker" in request.query)
    proxied.fail(page_list(("PageRange", 1024, 2047)))

    assert proxied_stcc(*argv, "-o", "tsv") == Result(0, "written\t0\t511\t512\nwritten\t1024\t2047\t1024\n", "")
    first = {"x-ms-if-tags": "stage='x'", "x-ms-lease-id": HELD, "x-ms-range": "bytes=0-8191"}
    later = {"if-match": '"0x8D1"', "x-ms-lease-id": HELD, "x-ms-range": "bytes=0-8191"}
    assert sent(proxied) == [
        first | {"query": "comp=pagelist&maxresults=5000"},
        later | {"query": "comp=pagelist&marker=next%211&maxresults=5000"},
        later | {"query": "comp=pagelist&marker=next%211&maxresults=5000"},
    ]


def test_a_blob_that_changes_while_it_is_listed_is_a_clear_refusal(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    target = there.page_blob
    message = f"{target}: it changed while it was listed (412 ConditionNotMet)"
    for _ in range(2):  # Azurite knows that the made-up ETag is not the blob's
        proxied.fail(
            page_list(("PageRange", 0, 511), marker="next"), when=lambda request: "marker" not in request.query
        )

    assert proxied_stcc(*deed("ranges", target)) == Result(12, "", f"stcc: {message}\n")
    code, out, err = proxied_stcc(*deed("ranges", target), "-o", "ndjson")
    first, last = (json.loads(line) for line in out.splitlines())
    assert (code, first, last.pop("request_id") is not None, err) == (
        12,
        {"kind": "written", "start": 0, "end": 511, "length": 512},
        True,
        "",
    )
    assert last == {
        "outcome": "precondition-failed",
        "exit_code": 12,
        "http_status": 412,
        "error_code": "ConditionNotMet",
        "target": target,
        "result": None,
        "observed": None,
        "message": message,
        "hint": None,
    }


def test_what_changed_since_a_snapshot(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    # Azurite lists all ranges instead of those that differ.
    proxied.fail(page_list(("PageRange", 0, 511), ("ClearRange", 512, 1023), ("PageRange", 2048, 4095)))

    assert proxied_stcc(*deed("ranges", there.page_blob), "--since", TIME) == Result(
        0,
        "kind     start  end   length\n"
        "written  0      511   512\n"
        "cleared  512    1023  512\n"
        "written  2048   4095  2048\n",
        "",
    )
    assert sent(proxied) == [{"query": "comp=pagelist&prevsnapshot=2026-01-31T12%3A00%3A00.1234567Z&maxresults=5000"}]


@pytest.mark.parametrize(
    ("status", "error", "code", "why"),
    [
        (409, "PreviousSnapshotNotFound", 9, "there is no such earlier snapshot"),
        (400, "PreviousSnapshotCannotBeNewer", 1, "the snapshot is newer than the blob it is compared with"),
    ],
)
def test_a_snapshot_that_nothing_can_be_compared_with(
    status: int, error: str, code: int, why: str, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    target = there.page_blob
    proxied.fail(Answer(status, {"x-ms-error-code": error}))

    assert proxied_stcc(*deed("ranges", target), "--since", TIME, "-q") == Result(
        code, "", f"stcc: cannot list the page ranges of {target}: {why} ({status} {error})\n"
    )

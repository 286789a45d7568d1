"""The conditions of every operation on blobs and containers, met, unmet and on nothing, as stcc sees them on Azurite.

What Azurite answers otherwise than the service is in `DIVERGENT`, and must still be answered so: the day it is not,
the mark has to go.
"""

import json
from pathlib import Path

import pytest

from stcc.emulator.instance import Instance
from stcc.knowledge import operations
from stcc.knowledge.operations import HEADERS, Operation
from tests.running import Stcc
from tests.service.condition_rows import COMMANDS, CONTENT, NOT_ASKED, Asked, Row, Thing, cases, document, flag

EACH = [pytest.param(row, header, id=f"{row.operation} {header}") for row, header in cases()]
_UNMET, _UNMET_READ = Asked(12, 412, "ConditionNotMet"), Asked(12, 304, "ConditionNotMet")
DIVERGENT: dict[tuple[str, str, str], Asked] = {
    # If-Match where there is nothing: judged before it is looked for.
    **{
        (operation, "If-Match", "missing"): _UNMET
        for operation in (
            *("Get Blob", "Get Blob Properties", "Get Page Ranges", "Delete Blob", "Set Blob Properties"),
            *("Set Blob Metadata", "Snapshot Blob", "Lease Blob: acquire", "Lease Blob: renew"),
            *("Lease Blob: change", "Lease Blob: release"),
        )
    },
    # Sources of copies have no codes of their own.
    **{
        (operation, f"x-ms-source-if-{condition}", "unmet"): answer
        for operation in ("Copy Blob (async)", "Copy Blob From URL (sync)")
        for condition, answer in (
            ("match", _UNMET),
            ("unmodified-since", _UNMET),
            ("none-match", _UNMET_READ),
            ("modified-since", _UNMET_READ),
        )
    },
    # A snapshot is taken for a read.
    ("Snapshot Blob", "If-None-Match", "unmet"): _UNMET_READ,
    ("Snapshot Blob", "If-Modified-Since", "unmet"): _UNMET_READ,
    # Tags are no condition here.
    ("Set Blob Tier", "x-ms-if-tags", "unmet"): Asked(0, 200, None),
    ("Set Blob Tags", "x-ms-if-tags", "unmet"): Asked(0, 204, None),
}


@pytest.fixture
def page(tmp_path: Path) -> str:
    path = tmp_path / "page"
    path.write_bytes(CONTENT)
    return str(path)


def asked(row: Row, header: str, thing: Thing, stcc: Stcc, *, met: bool, page: str) -> Asked:
    _, template = COMMANDS[row.operation]
    words = template.replace("{page}", page).replace("{file}", f"{page}.copy").split()
    words += ["--force"] if header.startswith("x-ms-source") else []
    argv = [*thing.argv(words), flag(header), thing.value(header, met=met), "-o", "json", "--no-diagnose"]
    result = stcc(*argv, stdin=CONTENT)
    said = json.loads(result.out)
    return Asked(result.code, said["http_status"], said["error_code"])


def expected(row: Row, header: str, case: str, documented: Asked) -> Asked:
    return DIVERGENT.get((row.operation, header, case), documented)


def test_every_operation_is_asked_for_or_there_is_a_reason() -> None:
    assert {one["operation"] for one in document()} == {*COMMANDS, *NOT_ASKED}


@pytest.mark.parametrize(("row", "header"), EACH)
def test_a_condition_that_is_met(row: Row, header: str, stcc: Stcc, azurite: Instance, page: str) -> None:
    thing = Thing(azurite, COMMANDS[row.operation][0], missing=False)

    found = asked(row, header, thing, stcc, met=True, page=page)

    assert (found.exit_code, found.code) == expected(row, header, "met", Asked(0, None, None))[::2]


@pytest.mark.parametrize(("row", "header"), EACH)
def test_a_condition_that_is_not_met(row: Row, header: str, stcc: Stcc, azurite: Instance, page: str) -> None:
    thing = Thing(azurite, COMMANDS[row.operation][0], missing=False)

    found = asked(row, header, thing, stcc, met=False, page=page)

    assert found == expected(row, header, "unmet", row.when_unmet(header))


@pytest.mark.parametrize(
    ("row", "header"), [case for case in EACH if not str(case.values[1]).startswith("x-ms-source")]
)
def test_a_condition_on_nothing(row: Row, header: str, stcc: Stcc, azurite: Instance, page: str) -> None:
    thing = Thing(azurite, COMMANDS[row.operation][0], missing=True)
    documented = row.when_missing(header)

    found = asked(row, header, thing, stcc, met=True, page=page)

    if documented is None and (row.operation, header, "missing") not in DIVERGENT:
        assert (found.exit_code, found.code) == (0, None)
    else:
        assert found == expected(row, header, "missing", documented or Asked(0, None, None))


def test_the_code_says_what_the_service_honours() -> None:
    """The table that stcc goes by, against the one that was gathered from the service's own descriptions."""
    rows = {one["operation"]: one for one in document()}
    for name, operation in _named().items():
        row = rows[name]
        honoured = {HEADERS[one] for one in operation.honours if one != "--lease-id"}
        assert (name, honoured) == (name, set(row["accepts_conditions"]))
        if not operation.takes_lease:
            assert (name, "--lease-id" in operation.honours) == (name, row["accepts_lease"] == "yes")
            assert (name, operation.needs_lease) == (name, row["lease_needed_when_leased"] == "yes")
        # Of an abort, the documentation's tables say no, and the machine-readable description yes.
        assert (name, operation.returns_etag) == (name, row["returns_etag"] and name != "Abort Copy Blob")


def _named() -> dict[str, Operation]:
    """Return our rows by the names that the document has for them."""
    return {
        "Put Blob (BlockBlob)": operations.PUT_BLOB,
        "Put Blob (PageBlob)": operations.CREATE_PAGES,
        "Put Block": operations.PUT_BLOCK,
        "Put Block List": operations.PUT_BLOCK_LIST,
        "Get Block List": operations.GET_BLOCK_LIST,
        "Append Block": operations.APPEND,
        "Put Page (update)": operations.PUT_PAGE,
        "Put Page (clear)": operations.CLEAR_PAGES,
        "Get Page Ranges": operations.PAGE_RANGES,
        "Get Blob": operations.GET_BLOB,
        "Get Blob Properties": operations.SHOW_BLOB,
        "Delete Blob": operations.DELETE_BLOB,
        "Set Blob Properties": operations.SET_HEADERS,
        "Set Blob Metadata": operations.SET_METADATA,
        "Lease Blob: acquire": operations.LEASE_BLOB,
        "Snapshot Blob": operations.SNAPSHOT,
        "Copy Blob (async)": operations.COPY_BLOB,
        "Abort Copy Blob": operations.ABORT_COPY,
        "Set Blob Tier": operations.SET_TIER,
        "Get Blob Tags": operations.GET_TAGS,
        "Set Blob Tags": operations.SET_TAGS,
        "Create Container": operations.CREATE_CONTAINER,
        "Get Container Properties": operations.SHOW_CONTAINER,
        "Delete Container": operations.DELETE_CONTAINER,
        "Set Container Metadata": operations.SET_CONTAINER_METADATA,
        "Get Container ACL": operations.GET_ACL,
        "Set Container ACL": operations.SET_ACL,
        "Lease Container: acquire": operations.LEASE_CONTAINER,
        "List Blobs": operations.LIST_BLOBS,
    }

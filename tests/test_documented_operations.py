"""docs/conditions.md against the tables of the service's own guide to concurrency, and against the command tree."""

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.calls import CALLS, ELSEWHERE

DOCUMENT = Path(__file__).parent.parent / "docs" / "conditions.md"


class Documented(NamedTuple):
    returns_etag: bool
    conditions: str
    lease: str
    without: str
    commands: str


def documented() -> dict[str, Documented]:
    """Return the rows of the table by the name of their operation."""
    lines = [line for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    return {name: Documented(etag == "yes", *rest) for name, etag, *rest in cells}


# Operation -> (returns an ETag, accepts conditions), as the guide has it.
GUIDE = {
    "Create Container": (True, False),
    "Get Container Properties": (True, False),
    "Get Container Metadata": (True, False),
    "Set Container Metadata": (True, True),
    "Get Container ACL": (True, False),
    "Set Container ACL": (True, True),
    "Delete Container": (False, True),
    "Lease Container": (True, True),
    "List Blobs": (False, False),
    "Put Blob": (True, True),
    "Get Blob": (True, True),
    "Get Blob Properties": (True, True),
    "Set Blob Properties": (True, True),
    "Get Blob Metadata": (True, True),
    "Set Blob Metadata": (True, True),
    "Lease Blob": (True, True),
    "Snapshot Blob": (True, True),
    "Copy Blob": (True, True),
    "Abort Copy Blob": (False, False),
    "Delete Blob": (False, True),
    "Put Block": (False, False),
    "Put Block List": (True, True),
    "Get Block List": (True, False),
    "Put Page": (True, True),
    "Get Page Ranges": (True, True),
    "Query Entities": (True, False),
    "Insert Entity": (True, False),
    "Update Entity": (True, True),
    "Merge Entity": (True, True),
    "Delete Entity": (False, True),
    "Insert Or Replace Entity / Insert Or Merge Entity": (True, False),
}
# What has been added since: tags came later than the guide.
SINCE = {"Get Block List": "tags"}
# The operations that the guide names as able to use a lease, for blobs and for containers.
LEASED = {
    *("Put Blob", "Get Blob", "Get Blob Properties", "Set Blob Properties", "Get Blob Metadata", "Set Blob Metadata"),
    *("Delete Blob", "Put Block", "Put Block List", "Get Block List", "Put Page", "Get Page Ranges", "Snapshot Blob"),
    *("Copy Blob", "Abort Copy Blob", "Lease Blob", "Delete Container", "Get Container Properties"),
    *("Get Container Metadata", "Set Container Metadata", "Get Container ACL", "Set Container ACL", "Lease Container"),
}


@pytest.mark.parametrize("name", GUIDE)
def test_every_row_of_the_guide_is_a_row_of_ours(name: str) -> None:
    row = documented()[name]
    returns_etag, conditional = GUIDE[name]

    assert row.returns_etag == returns_etag
    assert row.conditions == SINCE[name] if name in SINCE else bool(row.conditions) == conditional
    assert bool(row.lease) == (name in LEASED)


def test_every_operation_of_the_guide_is_a_command() -> None:
    rows = documented()

    assert [name for name in GUIDE if not rows[name].commands] == []


def test_every_command_is_in_the_table() -> None:
    named = {command.strip(" `") for row in documented().values() for command in row.commands.split(",")}

    assert named == {call.verb for call in CALLS} | ELSEWHERE

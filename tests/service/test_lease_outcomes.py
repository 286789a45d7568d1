"""The documented outcomes of leases on blobs and containers, row by row, as stcc sees them on Azurite.

A row that Azurite answers otherwise carries its answer, and must still be answered so: the day it is not, the
mark has to go.
"""

import time
from collections.abc import Mapping

import pytest

from stcc.emulator.instance import Instance
from tests.azurite import azurite_for_tests
from tests.running import Stcc
from tests.service.lease_rows import Outcome, Row, asked, in_plain_http, prepared, rows
from tests.situations import OTHER, Situation

ROWS = rows()
Expired = Mapping[str, tuple[Situation, str]]


def each(chosen: list[Row]) -> list[object]:
    return [pytest.param(row, id=row.name) for row in chosen]


@pytest.fixture(scope="module")
def expired(fast_azurite: Instance) -> Expired:
    """Lease something for every row about an expired lease, and wait for all of them together."""
    made: dict[str, tuple[Situation, str]] = {}
    for row in [*ROWS, EXTRA]:
        if row.state == "expired":
            there = Situation(fast_azurite)
            made[row.name] = there, prepared(row, there)
    there, target = made[EXTRA.name]
    until = time.monotonic() + 60
    while there.properties(target).lease.state != "expired":
        assert time.monotonic() < until, "the last lease never expired"
        time.sleep(0.05)
    return made


EXTRA = Row(
    resource="blob",
    state="expired",
    operation="renew by somebody else",
    lease_id="B",
    status=409,
    code=None,
    code_is_known=False,
    new_state="expired",
    evidence="",
)


def check(row: Row, outcome: Outcome) -> None:
    documented = row.documented(outcome)
    if row.azurite is None:
        assert outcome == documented
    else:
        assert outcome == Outcome(**row.azurite)
        assert outcome != documented, "Azurite does it right now: take the mark off this row"


def test_the_table_is_whole() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS) == 250
    assert {row.resource for row in ROWS} == {"blob", "container"}


@pytest.mark.parametrize("row", each([row for row in ROWS if row.state != "expired" and not row.breaks_azurite]))
def test_a_lease_operation_has_the_documented_outcome(row: Row, stcc: Stcc, there: Situation) -> None:
    check(row, asked(row, prepared(row, there), stcc=stcc, there=there))


@pytest.mark.parametrize("row", each([row for row in ROWS if row.state == "expired"]))
def test_an_operation_on_an_expired_lease_has_the_documented_outcome(
    row: Row, fast_azurite: Instance, expired: Expired
) -> None:
    there, target = expired[row.name]
    if "modified after expiry" in row.operation:
        there.client(target).upload_blob(b"later", overwrite=True)

    check(row, asked(row, target, stcc=Stcc(connection_string=fast_azurite.connection_string), there=there))


def test_an_id_that_azurite_takes_by_mistake_is_not_believed(fast_azurite: Instance, expired: Expired) -> None:
    _, target = expired[EXTRA.name]
    stcc = Stcc(connection_string=fast_azurite.connection_string)

    problem = f"stcc: {target}: the answer was lost (the answer names another lease);"
    assert stcc("lease", "renew", target, "--lease-id", OTHER, "--no-diagnose") == (
        70,
        "",
        f"{problem} the change may or may not have been applied\n  look before you repeat it\n",
    )


@pytest.mark.parametrize("row", each([row for row in ROWS if row.breaks_azurite]))
def test_an_acquire_without_a_duration_ruins_an_azurite_of_its_own(row: Row) -> None:
    # Every later request for the resource is a 500; for a container, listing the account too.
    with azurite_for_tests() as throw_away:
        there = Situation(throw_away)
        target = prepared(row, there)

        assert (*in_plain_http(row, target, there), row.status) == (201, None, 400)
        assert in_plain_http(row, target, there)[0] == 500

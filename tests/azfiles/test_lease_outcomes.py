"""Every row of the tables of lease outcomes, for files and for shares, on the wire."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.azfiles.conftest import Files
from tests.azfiles.serving import Answer

ROWS: Final[list[dict[str, Any]]] = json.loads(Path(__file__).with_name("lease_outcomes.json").read_text())
A: Final = "aaaaaaaa-0000-4000-8000-000000000001"
B: Final = "bbbbbbbb-0000-4000-8000-000000000002"
C: Final = "cccccccc-0000-4000-8000-000000000003"
IDS: Final = {"A": A, "B": B, "C": C}
LEASE: Final = {"file": "/f?comp=lease", "share": "?restype=share&comp=lease"}
# What the tables leave open, and what the emulator makes of it.
OPEN: Final = {
    ("file", "broken", "write/delete"): "LeaseNotPresentWithFileOperation",
    ("file", "broken", "read"): "LeaseNotPresentWithFileOperation",
    ("file", "leased", "renew"): "InvalidHeaderValue",
    ("file", "available", "acquire(duration other than -1)"): "InvalidHeaderValue",
    ("file", "any", "acquire on file in share snapshot"): "ShareSnapshotOperationNotSupported",
    ("share", "broken", "delete"): "LeaseIdMismatchWithContainerOperation",
    ("share", "broken", "other (read/metadata/acl)"): "LeaseIdMismatchWithContainerOperation",
    ("share", "expired", "delete"): "LeaseIdMismatchWithContainerOperation",
    ("share", "expired", "other (read/metadata/acl)"): "LeaseIdMismatchWithContainerOperation",
}


class Outcome(NamedTuple):
    status: int
    code: str | None
    state: str


def named(row: dict[str, Any]) -> str:
    return f"{row['resource']}-{row['state']}-{row['operation']}-{row['lease_id']}"


@dataclass(frozen=True, kw_only=True)
class Subject:
    """The file or the share of a row."""

    files: Files
    resource: str

    def lease(self, action: str, **headers: str) -> Answer:
        named = {f"x-ms-{name.replace('_', '-')}": value for name, value in headers.items()}
        return self.files.ask("PUT", LEASE[self.resource], {"x-ms-lease-action": action, **named})

    def bring_into(self, state: str) -> None:
        kind, _, duration = state.partition("(")
        seconds = "15" if kind == "expired" or duration == "fixed)" else "-1"
        if kind in {"leased", "breaking", "broken", "expired"}:
            assert self.lease("acquire", lease_duration=seconds, proposed_lease_id=A).status == 201
        if kind == "breaking":
            assert self.lease("break", lease_break_period="10").status == 202
        if kind == "broken":
            assert self.lease("break").status == 202
        if kind == "expired":
            self.files.service.clock.ahead += 16

    @property
    def state(self) -> str:
        """What properties show, and of a file whether it is broken, which they do not."""
        answer = self.files.ask("HEAD", "/f" if self.resource == "file" else "?restype=share")
        if answer.status == 404:
            return "deleted"
        shown = answer.headers["x-ms-lease-state"]
        if self.resource == "file" and shown == "available":
            return "broken" if self.lease("break").status == 202 else "available"
        return shown


# Operation -> the headers that ask for it, beside an id.
ACTIONS: Final[dict[str, dict[str, str]]] = {
    "acquire": {"lease_duration": "-1"},
    "acquire(-1)": {"lease_duration": "-1"},
    "acquire(no x-ms-lease-duration)": {},
    "acquire(proposed id not a GUID)": {"lease_duration": "-1", "proposed_lease_id": "no-guid"},
    "acquire(duration not 15..60/-1)": {"lease_duration": "14"},
    "acquire(duration other than -1)": {"lease_duration": "15"},
    "renew": {},
    "release": {},
    "change(A->B)": {"proposed_lease_id": B},
    "change(B->A)": {"proposed_lease_id": A},
    "change(B->C)": {"proposed_lease_id": C},
    "break": {},
    "break(0)": {"lease_break_period": "0"},
    "break(N>0)": {"lease_break_period": "10"},
    "break(period not 0..60)": {"lease_break_period": "61"},
}


def asked(subject: Subject, operation: str, lease_id: str) -> Answer:
    """Ask for the operation of a row; A is the id that is or was active."""
    files, header = subject.files, {} if lease_id == "none" else {"x-ms-lease-id": IDS[lease_id]}
    if operation == "write/delete":
        return files.put("/f", 0, b"x", **header)
    if operation == "read":
        return files.ask("GET", "/f", header)
    if operation == "delete":
        return files.ask("DELETE", "?restype=share", header)
    if operation == "other (read/metadata/acl)":
        return files.ask("GET", "?restype=share", header)
    verb, name = operation.partition("(")[0], "proposed_lease_id" if operation.startswith("acquire") else "lease_id"
    given = {} if lease_id == "none" else {name: IDS[lease_id]}
    return subject.lease(verb, **(ACTIONS[operation] | given))


SPECIAL: Final = {
    "create_file with lease id (file absent or unleased)",
    "acquire on file in share snapshot",
    "delete with snapshots=include while a snapshot is leased",
    "delete (share has snapshots, no x-ms-delete-snapshots)",
}
PLAIN: Final = [row for row in ROWS if row["operation"] not in SPECIAL and row["state"] != "missing file"]


def expected(row: dict[str, Any]) -> Outcome:
    found: str | None = row["code"]
    if row["status"] >= 400 and found is None:
        found = OPEN[row["resource"], row["state"], row["operation"]]
    return Outcome(row["status"], found, row["new_state"])


@pytest.mark.parametrize("row", PLAIN, ids=named)
def test_a_lease_operation_has_the_documented_outcome(files: Files, row: dict[str, Any]) -> None:
    files.create("/f")
    subject = Subject(files=files, resource=row["resource"])
    subject.bring_into(row["state"])

    answer = asked(subject, row["operation"], row["lease_id"])

    assert Outcome(*answer.brief, subject.state) == expected(row)


@pytest.mark.parametrize("row", [row for row in PLAIN if row["operation"] == "write/delete"], ids=named)
@pytest.mark.parametrize(
    ("method", "target", "headers", "success"),
    [
        pytest.param("DELETE", "/f", {}, 202, id="delete"),
        pytest.param("PUT", "/f?comp=metadata", {"x-ms-meta-a": "1"}, 200, id="set metadata"),
        pytest.param("PUT", "/f?comp=properties", {"x-ms-content-type": "a/b"}, 200, id="set properties"),
        pytest.param("PUT", "/f", {"x-ms-type": "file", "x-ms-content-length": "1"}, 201, id="create over it"),
    ],
)
def test_every_change_of_a_file_needs_what_a_write_needs(
    files: Files, row: dict[str, Any], method: str, target: str, headers: dict[str, str], success: int
) -> None:
    files.create("/f")
    Subject(files=files, resource="file").bring_into(row["state"])
    given = {} if row["lease_id"] == "none" else {"x-ms-lease-id": IDS[row["lease_id"]]}

    answer = files.ask(method, target, headers | given)

    status, code, _ = expected(row)
    assert answer.brief == (success if status == 201 else status, code)


def test_every_row_is_tested() -> None:
    assert (len(ROWS), {row["operation"] for row in ROWS} & SPECIAL, len(PLAIN)) == (164, SPECIAL, 159)


def test_releasing_the_lease_of_a_missing_file_is_not_found(files: Files) -> None:
    answer = files.ask("PUT", LEASE["file"], {"x-ms-lease-action": "release", "x-ms-lease-id": A})

    assert answer.brief == (404, "ResourceNotFound")


def test_a_lease_id_creates_no_file_that_has_no_lease(files: Files) -> None:
    answer = files.create("/f", b"", **{"x-ms-lease-id": A})

    assert (answer.brief, files.ask("HEAD", "/f").status) == ((412, "LeaseNotPresentWithFileOperation"), 404)


def test_a_file_in_a_snapshot_has_no_lease(files: Files) -> None:
    files.create("/f")
    snapshot = files.ask("PUT", "?restype=share&comp=snapshot").headers["x-ms-snapshot"]
    headers = {"x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1"}

    answer = files.ask("PUT", f"{LEASE['file']}&sharesnapshot={snapshot}", headers)

    assert answer.brief == (400, OPEN["file", "any", "acquire on file in share snapshot"])


def test_a_leased_snapshot_keeps_its_share(files: Files) -> None:
    snapshot = files.ask("PUT", "?restype=share&comp=snapshot").headers["x-ms-snapshot"]
    headers = {"x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1"}
    leased = files.ask("PUT", f"{LEASE['share']}&sharesnapshot={snapshot}", headers)

    answers = [
        files.ask("DELETE", "?restype=share", how).brief
        for how in (
            {},
            {"x-ms-delete-snapshots": "include"},
            {"x-ms-delete-snapshots": "everything"},
            {"x-ms-delete-snapshots": "include-leased"},
        )
    ]

    assert leased.status == 201
    assert answers == [
        (409, "ShareHasSnapshots"),
        (409, "DeleteShareWhenSnapshotLeased"),
        (400, "InvalidHeaderValue"),
        (202, None),
    ]


def test_a_break_is_never_later_than_the_end_of_the_lease(files: Files) -> None:
    subject = Subject(files=files, resource="share")
    subject.lease("acquire", lease_duration="15", proposed_lease_id=A)
    first = subject.lease("break", lease_break_period="60").headers["x-ms-lease-time"]
    files.service.clock.ahead += 5
    second = subject.lease("break").headers["x-ms-lease-time"]
    files.service.clock.ahead += 11

    assert (first, second, subject.state) == ("15", "10", "broken")

"""Rows of `lease_outcomes.json`: bring a blob or a container into a state, ask, and read what came of it.

`state` is before the operation, `lease_id` what is sent with it: A is the id that is or was the last active one,
B and C are others. `azurite` is there when the pinned Azurite answers otherwise than the service does.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import requests
from azure.storage.blob import AccountSasPermissions, ResourceTypes, generate_account_sas

from stcc.emulator.instance import Instance
from tests.running import Stcc
from tests.situations import API, HELD, OTHER, THIRD, Situation

IDS: Final = {"A": HELD, "B": OTHER, "C": THIRD}
PERIOD: Final = 10
SHOW: Final = "NOUN show TARGET"
# Operation -> the command that asks for it with a lease id, and without one; what is in neither is never sent.
COMMANDS: Final = {
    "acquire": "lease acquire TARGET --proposed-id ID",
    "renew": "lease renew TARGET --lease-id ID",
    "renew (blob modified after expiry)": "lease renew TARGET --lease-id ID",
    "release": "lease release TARGET --lease-id ID",
    "change(A->B)": "lease change TARGET --lease-id A --proposed-id B",
    "change(B->A)": "lease change TARGET --lease-id B --proposed-id A",
    "change(B->C)": "lease change TARGET --lease-id B --proposed-id C",
    "write": "blob put TARGET - --lease-id ID",
    "put blob with lease id on missing blob": "blob put TARGET - --lease-id ID",
    "delete blob": "blob delete TARGET --lease-id ID",
    "delete container": "container delete TARGET --yes --lease-id ID",
    "read": f"{SHOW} --lease-id ID",
    "other (read/metadata/acl)": f"{SHOW} --lease-id ID",
}
WITHOUT_ID: Final = {
    "acquire on missing blob": "lease acquire TARGET",
    "break": "lease break TARGET --yes",
    "break(0)": "lease break TARGET --yes --period 0",
    "break(N>0)": "lease break TARGET --yes --period N",
    "write": "blob put TARGET - --force",
    "write+If-None-Match:* (existing blob)": "blob put TARGET -",
    "delete blob": "blob delete TARGET --force",
    "delete container": "container delete TARGET --yes",
    "read": SHOW,
    "other (read/metadata/acl)": SHOW,
}


class Outcome(NamedTuple):
    """What the service said, and the state that it left; a status of stcc's envelope is the status on the wire."""

    status: int
    code: str | None
    new_state: str


@dataclass(frozen=True, kw_only=True)
class Row:
    resource: str
    state: str
    operation: str
    lease_id: str
    status: int
    code: str | None
    code_is_known: bool
    new_state: str
    evidence: str
    azurite: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        return f"{self.resource} {self.state}: {self.operation}, id {self.lease_id}"

    @property
    def breaks_azurite(self) -> bool:
        return self.operation == "acquire(no x-ms-lease-duration)"

    def documented(self, seen: Outcome) -> Outcome:
        """Return what is expected; a code that nobody has verified is whatever was `seen`."""
        return Outcome(self.status, self.code if self.code_is_known else seen.code, self.new_state)


def rows() -> list[Row]:
    listed: list[dict[str, Any]] = json.loads(Path(__file__).with_name("lease_outcomes.json").read_text())
    return [Row(**one) for one in listed]


def prepared(row: Row, there: Situation) -> str:
    """Make a blob or a container in the row's state (one that expires is leased and left alone)."""
    if "missing" in row.operation:
        return there.new_blob
    target = there.blob if row.resource == "blob" else there.existing_container
    lease = there.lease(target)
    match row.state:
        case "available":
            lease.acquire(60)
            lease.release()
        case "leased" | "leased(fixed)":
            lease.acquire(60)
        case "leased(infinite)":
            lease.acquire(-1)
        case "breaking":
            lease.acquire(60)
            lease.break_lease(2 * PERIOD)
        case "broken":
            lease.acquire(60)
            lease.break_lease(0)
        case "expired":
            lease.acquire(15)
        case other:
            raise AssertionError(other)
    return target


def asked(row: Row, target: str, *, stcc: Stcc, there: Situation) -> Outcome:
    """Ask through stcc where it can ask that, else in plain HTTP, and look at the state afterwards."""
    argv = argv_of(row, target)
    status, code = in_plain_http(row, target, there) if argv is None else through_stcc(stcc, argv)
    return Outcome(status, code, state_of(target, stcc))


def argv_of(row: Row, target: str) -> list[str] | None:
    """Return the command that asks for this row, or None for what stcc never sends."""
    if (row.state, row.operation, row.lease_id) == ("expired", "renew", "B"):
        return None  # Azurite's yes names another lease than the one asked for, which stcc does not believe
    kind = {"delete": f"delete {row.resource}"}.get(row.operation, row.operation)
    command = COMMANDS.get(kind) if row.lease_id != "none" else WITHOUT_ID.get(kind)
    if command is None:
        return None
    words = IDS | {"TARGET": target, "ID": IDS.get(row.lease_id, ""), "N": str(PERIOD), "NOUN": row.resource}
    return [words.get(word, word) for word in command.split()]


def through_stcc(stcc: Stcc, argv: list[str]) -> tuple[int, str | None]:
    code, out, _ = stcc(*argv, "-o", "json", "--no-diagnose", stdin=b"written")
    document = json.loads(out)
    status: int = document["http_status"]
    assert code == {400: 1, 404: 4, 409: 9, 412: 12}.get(status, 0)
    return status, document["error_code"]


def in_plain_http(row: Row, target: str, there: Situation) -> tuple[int, str | None]:
    """Send what stcc refuses to send: ids that are none, durations and periods out of range, tags, snapshots."""
    known = IDS.get(row.lease_id)
    given = {} if known is None else {"x-ms-lease-id": known}
    query: dict[str, str] = {"comp": "lease"} | ({"restype": "container"} if row.resource == "container" else {})
    verb = row.operation.partition("(")[0].partition(" ")[0]
    headers = {"x-ms-lease-action": verb, **given}
    body = b""
    match row.operation:
        case "acquire":
            headers["x-ms-lease-duration"] = "60"
        case "acquire(duration not 15..60/-1)":
            headers["x-ms-lease-duration"] = "14"
        case "acquire(proposed id not a GUID)":
            headers |= {"x-ms-lease-duration": "60", "x-ms-proposed-lease-id": "mine"}
        case "break(period not 0..60)":
            headers["x-ms-lease-break-period"] = "61"
        case "lease any action on snapshot":
            taken = there.client(target).create_snapshot()
            query["snapshot"] = taken["snapshot"]
            headers = {"x-ms-lease-action": "acquire", "x-ms-lease-duration": "60"}
        case "set_tags":
            query, headers = {"comp": "tags"}, given | {"content-type": "application/xml"}
            body = b"<Tags><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tags>"
        case "write+If-None-Match:* (existing blob)":
            query, headers, body = {}, given | {"If-None-Match": "*", "x-ms-blob-type": "BlockBlob"}, b"written"
        case "renew" | "release" | "acquire(no x-ms-lease-duration)":
            pass
        case other:
            raise AssertionError(other)
    answer = requests.put(
        f"{there.client(target).url}?{signature(there.azurite)}",
        params=query,
        headers={"x-ms-version": API, **headers},
        data=body,
        timeout=10,
    )
    return answer.status_code, answer.headers.get("x-ms-error-code")


def signature(azurite: Instance) -> str:
    parts = dict(pair.split("=", 1) for pair in azurite.connection_string.strip(";").split(";"))
    return generate_account_sas(
        parts["AccountName"],
        parts["AccountKey"],
        ResourceTypes(service=True, container=True, object=True),
        AccountSasPermissions(read=True, write=True, delete=True, create=True, tag=True),
        datetime.now(UTC) + timedelta(days=30),  # far away, for an Azurite whose clock runs fast
    )


def state_of(target: str, stcc: Stcc) -> str:
    """Return the lease state that stcc shows; what is absent is `deleted`."""
    code, out, _ = stcc("lease", "show", target, "-o", "json", "--no-diagnose")
    return "deleted" if code == 4 else str(json.loads(out)["result"]["state"])

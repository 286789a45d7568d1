"""Entities on the wire: one request each, with exactly the condition and the types that were given."""

import json
from typing import Any

import pytest
from azure.data.tables import TableClient

from stcc.emulator.instance import Instance
from tests.azurite import ProxiedAccount
from tests.conftest import Names
from tests.running import Stcc
from tests.wire import Answer, Recorded

CONDITIONS = ("if-match", "if-none-match", "if-modified-since", "if-unmodified-since")
HERE = "/devstoreaccount1"
KEYS = "(PartitionKey='p',RowKey='r')"


@pytest.fixture
def table(proxied: ProxiedAccount, proxied_stcc: Stcc, names: Names) -> str:
    name = names()
    assert proxied_stcc("table", "create", name).code == 0
    proxied.clear()
    return name


def sent(request: Recorded) -> tuple[str, str, dict[str, str]]:
    return request.method, request.path, {name: request.headers[name] for name in CONDITIONS if name in request.headers}


@pytest.mark.parametrize(
    ("argv", "method", "header"),
    [
        ("replace a=1 --force", "PUT", "*"),
        ("replace a=1 --if-match *", "PUT", "*"),
        ("replace a=1 --if-match ETAG", "PUT", "ETAG"),
        ("merge a=1 --force", "PATCH", "*"),
        ("merge a=1 --if-match *", "PATCH", "*"),
        ("merge a=1 --if-match ETAG", "PATCH", "ETAG"),
        ("upsert a=1 --mode replace", "PUT", None),
        ("upsert a=1 --mode merge", "PATCH", None),
        ("delete --force", "DELETE", "*"),
        ("delete --if-match *", "DELETE", "*"),
        ("delete --if-match ETAG", "DELETE", "ETAG"),
        ("get", "GET", None),
    ],
)
def test_one_request_carries_the_condition(
    proxied: ProxiedAccount, proxied_stcc: Stcc, table: str, argv: str, method: str, header: str | None
) -> None:
    etag = proxied_stcc("entity", "insert", table, "p", "r").out.strip()
    proxied.clear()
    verb, *rest = (etag if part == "ETAG" else part for part in argv.split())

    assert proxied_stcc("entity", verb, table, "p", "r", *rest).code == 0
    conditions = {} if header is None else {"if-match": etag if header == "ETAG" else header}
    assert [sent(request) for request in proxied.requests] == [(method, f"{HERE}/{table}{KEYS}", conditions)]


def test_an_etag_is_sent_byte_for_byte(proxied: ProxiedAccount, proxied_stcc: Stcc, table: str) -> None:
    tag = "datetime'2026-01-31T12%3a00%3A00.1234567Z'"
    for given in (f'W/"{tag}"', f'"{tag}"', tag, f"W/{tag}"):
        code = proxied_stcc("entity", "delete", table, "p", "r", "--if-match", given, "--no-diagnose").code

        assert (code, proxied.requests[-1].headers["if-match"]) == (4, f'W/"{tag}"')
    assert len(proxied.requests) == 4


def test_an_insert_is_one_request_without_a_condition(proxied: ProxiedAccount, proxied_stcc: Stcc, table: str) -> None:
    proxied_stcc("entity", "insert", table, "p", "r", "z:double=-0.0", "n:int64=5", "x:=1", "d:=1.0", "b:binary=AP8=")

    assert [sent(request) for request in proxied.requests] == [("POST", f"{HERE}/{table}", {})]
    assert proxied.requests[0].body.decode() == json.dumps(
        {
            "PartitionKey": "p",
            "PartitionKey@odata.type": "Edm.String",
            "RowKey": "r",
            "RowKey@odata.type": "Edm.String",
            "z": -0.0,
            "z@odata.type": "Edm.Double",
            "n": "5",
            "n@odata.type": "Edm.Int64",
            "x": 1,
            "x@odata.type": "Edm.Int32",
            "d": 1.0,
            "d@odata.type": "Edm.Double",
            "b": "AP8=",
            "b@odata.type": "Edm.Binary",
        }
    )


@pytest.mark.parametrize(
    ("argv", "code"), [("insert", 9), ("replace a=1 --if-match x", 12), ("merge a=1 --if-match x", 12)]
)
def test_a_refusal_is_followed_by_one_look_unless_told_not_to(
    proxied: ProxiedAccount, proxied_stcc: Stcc, table: str, argv: str, code: int
) -> None:
    proxied_stcc("entity", "insert", table, "p", "r")
    verb, *rest = argv.split()
    stale = ["W/\"datetime'2026'\"" if part == "x" else part for part in rest]
    proxied.clear()

    assert proxied_stcc("entity", verb, table, "p", "r", *stale).code == code
    assert [request.method for request in proxied.requests[1:]] == ["GET"]
    assert proxied.requests[1].query == "$select=PartitionKey%2CRowKey%2CTimestamp"
    proxied.clear()
    assert proxied_stcc("entity", verb, table, "p", "r", *stale, "--no-diagnose").code == code
    assert len(proxied.requests) == 1


def test_a_look_that_fails_changes_nothing(proxied: ProxiedAccount, proxied_stcc: Stcc, table: str) -> None:
    proxied_stcc("entity", "insert", table, "p", "r")
    proxied.fail(Answer(500), when=lambda request: request.method == "GET")
    answer = json.loads(proxied_stcc("entity", "insert", table, "p", "r", "-o", "json").out)

    assert (answer["outcome"], answer["exit_code"], answer["observed"]) == ("conflict", 9, None)


def test_a_query_is_one_request_a_page(proxied: ProxiedAccount, proxied_stcc: Stcc, table: str) -> None:
    def page(row: str, following: dict[str, str]) -> Answer:
        entity = {"odata.etag": "x", "PartitionKey": "p", "RowKey": row, "Timestamp": "t", "none": None}
        return Answer(200, {"Content-Type": "application/json", **following}, json.dumps({"value": [entity]}).encode())

    proxied.fail(page("a", {"x-ms-continuation-NextPartitionKey": "P", "x-ms-continuation-NextRowKey": "R"}))
    proxied.fail(page("b", {"x-ms-continuation-NextPartitionKey": "Q"}))
    proxied.fail(page("c", {}))

    rows = proxied_stcc("entity", "query", table, "--filter", "a eq 1", "--select", "b", "--query", "[].row_key")
    asked = "$top=1000&$select=PartitionKey%2CRowKey%2CTimestamp%2Cb&$filter=a%20eq%201"
    assert rows.out == "a\nb\nc\n"
    assert [(request.method, request.path, request.query) for request in proxied.requests] == [
        ("GET", f"{HERE}/{table}()", asked),
        ("GET", f"{HERE}/{table}()", f"{asked}&NextPartitionKey=P&NextRowKey=R"),
        ("GET", f"{HERE}/{table}()", f"{asked}&NextPartitionKey=Q"),
    ]


def test_a_query_of_more_than_a_page_has_every_entity_once(azurite: Instance, stcc: Stcc, names: Names) -> None:
    table = names()
    stcc("table", "create", table)
    rows = [f"{number:04}" for number in range(1001)]
    client: Any = TableClient.from_connection_string(azurite.connection_string, table)
    for start in range(0, len(rows), 100):
        client.submit_transaction(
            [("create", {"PartitionKey": "p", "RowKey": row}) for row in rows[start : start + 100]]
        )

    assert stcc("entity", "query", table, "--query", "[].row_key").out.split() == rows


def test_a_limit_is_the_size_of_the_page(proxied: ProxiedAccount, proxied_stcc: Stcc, table: str) -> None:
    for row in "abc":
        proxied_stcc("entity", "insert", table, "p", row)
    proxied.clear()

    assert proxied_stcc("entity", "query", table, "--limit", "2", "--query", "[].row_key").out == "a\nb\n"
    assert [request.query for request in proxied.requests] == ["$top=2"]


def test_a_query_that_breaks_off_says_so_after_what_it_had(
    proxied: ProxiedAccount, proxied_stcc: Stcc, table: str
) -> None:
    proxied_stcc("entity", "insert", table, "p", "a")
    first = {"odata.etag": "x", "PartitionKey": "p", "RowKey": "a", "Timestamp": "t"}
    headers = {"Content-Type": "application/json", "x-ms-continuation-NextPartitionKey": "P"}
    proxied.fail(Answer(200, headers, json.dumps({"value": [first]}).encode()))
    proxied.fail(Answer(403, {"Content-Type": "application/json"}, b'{"odata.error":{"code":"AuthorizationFailure"}}'))
    code, out, err = proxied_stcc("entity", "query", table, "-o", "ndjson")

    lines = [json.loads(line) for line in out.splitlines()]
    assert (code, err, lines[0]["row_key"]) == (1, "", "a")
    assert {name: lines[1][name] for name in ("outcome", "exit_code", "http_status", "error_code")} == {
        "outcome": "failed",
        "exit_code": 1,
        "http_status": 403,
        "error_code": "AuthorizationFailure",
    }


def test_a_read_is_asked_again_until_it_is_answered(proxied: ProxiedAccount, proxied_stcc: Stcc, table: str) -> None:
    proxied_stcc("entity", "insert", table, "p", "r", "a=1")
    junk = Answer(200, {"Content-Type": "application/json"}, b'{"value":')
    for fault in (Answer(500), Answer(503), junk):
        proxied.fail(fault)
        assert proxied_stcc("entity", "get", table, "p", "r", "--query", "properties.a").out == "1\n"
        proxied.fail(fault)
        assert proxied_stcc("entity", "query", table, "--query", "[].properties.a").out == "1\n"
    proxied.fail(junk, times=4)
    assert proxied_stcc("entity", "get", table, "p", "r").code == 69
    proxied.fail(Answer(200, {"Content-Type": "application/json"}, b'{"value":7}'), times=4)
    assert proxied_stcc("entity", "query", table).code == 69

"""Entities: what each command prints and returns, and what it refuses to ask."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.azurite import ProxiedAccount, unavailable
from tests.conftest import Names
from tests.running import Result, Stcc
from tests.wire import Answer

GUID = "c9da6455-213d-42c9-9a79-3e9149a57833"
EVERY_TYPE = [
    "full_name=anna",
    "age:=3",
    "big:=9007199254740993",
    "small:int64=5",
    "whole:=1.0",
    "nothing:double=NaN",
    "below:double=-Infinity",
    "paid:=true",
    "when:datetime=2026-01-31T14:00:00.1234567+02:00",
    f"id:guid={GUID}",
    "data:binary=AP8=",
    "empty=",
    "odd=[red]\x1b[31m\n\u202e",
]


@pytest.fixture
def table(stcc: Stcc, names: Names) -> str:
    name = names()
    assert stcc("table", "create", name, "-q") == Result(0, "", "")
    return name


def shown(stcc: Stcc, *target: str) -> dict[str, object]:
    result: dict[str, object] = json.loads(stcc("entity", "get", *target, "-o", "json").out)["result"]
    return result


def test_an_entity_is_shown_with_its_types(stcc: Stcc, table: str) -> None:
    code, etag, story = stcc("entity", "insert", table, "p", "r", *EVERY_TYPE)

    assert (code, story) == (0, f"inserted entity {table}/p/r\n")
    timestamp = shown(stcc, table, "p", "r")["timestamp"]
    assert etag == f"W/\"datetime'{str(timestamp).replace(':', '%3A')}'\"\n"
    assert stcc("entity", "get", table, "p", "r") == Result(
        0,
        "PartitionKey      p\n"
        "RowKey            r\n"
        f"Timestamp         {timestamp}\n"
        f"ETag              {etag}"
        "full_name         anna\n"
        "age (Int32)       3\n"
        "big (Int64)       9007199254740993\n"
        "small (Int64)     5\n"
        "whole (Double)    1.0\n"
        "nothing (Double)  NaN\n"
        "below (Double)    -Infinity\n"
        "paid (Boolean)    true\n"
        "when (DateTime)   2026-01-31T12:00:00.1234567Z\n"
        f"id (Guid)         {GUID}\n"
        "data (Binary)     AP8=\n"
        "empty\n"
        "odd               [red]\\x1b[31m\\n\\u202e\n",
        "",
    )


def test_an_entity_as_json_has_annotated_properties(stcc: Stcc, table: str) -> None:
    etag = stcc("entity", "insert", table, "p", "r", *EVERY_TYPE).out.strip()
    document = json.loads(stcc("entity", "get", table, "p", "r", "-o", "json").out)

    assert document == {
        "outcome": "entity-shown",
        "exit_code": 0,
        "http_status": 200,
        "error_code": None,
        "request_id": document["request_id"],
        "target": f"{table}/p/r",
        "result": {
            "partition_key": "p",
            "row_key": "r",
            "timestamp": document["result"]["timestamp"],
            "etag": etag,
            "properties": {
                "full_name": "anna",
                "age": 3,
                "big@odata.type": "Edm.Int64",
                "big": "9007199254740993",
                "small@odata.type": "Edm.Int64",
                "small": "5",
                "whole@odata.type": "Edm.Double",
                "whole": 1.0,
                "nothing@odata.type": "Edm.Double",
                "nothing": "NaN",
                "below@odata.type": "Edm.Double",
                "below": "-Infinity",
                "paid": True,
                "when@odata.type": "Edm.DateTime",
                "when": "2026-01-31T12:00:00.1234567Z",
                "id@odata.type": "Edm.Guid",
                "id": GUID,
                "data@odata.type": "Edm.Binary",
                "data": "AP8=",
                "empty": "",
                "odd": "[red]\x1b[31m\n\u202e",
            },
        },
        "observed": None,
    }


def test_what_get_prints_can_be_written_back_unchanged(stcc: Stcc, table: str) -> None:
    stcc("entity", "insert", table, "p", "r", *EVERY_TYPE)
    before = stcc("entity", "get", table, "p", "r", "--query", "properties", "-o", "json")
    properties = json.dumps(json.loads(before.out)["result"]).encode()
    etag = str(shown(stcc, table, "p", "r")["etag"])

    code, new, _ = stcc("entity", "replace", table, "p", "r", "--from", "-", "--if-match", etag, stdin=properties)
    after = shown(stcc, table, "p", "r")
    assert (code, new) == (0, f"{after['etag']}\n")
    assert repr(after["properties"]) == repr(json.loads(before.out)["result"])


def test_jq_on_the_way_changes_nothing(stcc: Stcc, table: str) -> None:
    if shutil.which("jq") is None:
        unavailable("jq is not installed")
    stcc("entity", "insert", table, "p", "r", *EVERY_TYPE)
    document = stcc("entity", "get", table, "p", "r", "-o", "json").out.encode()
    properties = subprocess.run(["jq", ".result.properties"], input=document, stdout=subprocess.PIPE, check=True).stdout

    assert stcc("entity", "insert", table, "p", "copy", "--from", "-", "-q", stdin=properties).code == 0
    copy = repr(shown(stcc, table, "p", "copy")["properties"])
    assert copy == repr(shown(stcc, table, "p", "r")["properties"])


def test_tsv_has_the_columns_of_the_result_and_properties_as_json(stcc: Stcc, table: str) -> None:
    etag = stcc("entity", "insert", table, "p", "r", "a=x\ty", "n:int64=5").out.strip()
    timestamp = shown(stcc, table, "p", "r")["timestamp"]

    line = f'p\tr\t{timestamp}\t{etag}\t{{"a":"x\\\\ty","n@odata.type":"Edm.Int64","n":"5"}}\n'
    assert stcc("entity", "get", table, "p", "r", "-o", "tsv") == Result(0, line, "")
    assert stcc("entity", "query", table, "-o", "tsv") == Result(0, line, "")


def test_writes_print_the_new_etag(stcc: Stcc, table: str) -> None:
    target = (table, "p", "r")
    etags: list[str] = []
    for verb, done, options in (
        ("insert", "inserted", []),
        ("replace", "replaced", ["--force"]),
        ("merge", "merged into", ["--if-match", "*"]),
        ("upsert", "upserted", ["--mode", "merge"]),
        ("upsert", "upserted", ["--mode", "replace"]),
    ):
        code, out, err = stcc("entity", verb, *target, f"a={verb}", *options)

        assert (code, out, err) == (0, f"{shown(stcc, *target)['etag']}\n", f"{done} entity {table}/p/r\n")
        etags.append(out)
    assert len(set(etags)) == len(etags)
    assert stcc("entity", "delete", *target, "--if-match", etags[-1].strip()) == Result(
        0, "", f"deleted entity {table}/p/r\n"
    )


def test_a_merge_keeps_what_a_replace_removes(stcc: Stcc, table: str) -> None:
    stcc("entity", "insert", table, "p", "r", "a=1", "b=1")

    stcc("entity", "merge", table, "p", "r", "b=2", "--force")
    assert shown(stcc, table, "p", "r")["properties"] == {"a": "1", "b": "2"}
    stcc("entity", "upsert", table, "p", "r", "c=3", "--mode", "merge")
    assert shown(stcc, table, "p", "r")["properties"] == {"a": "1", "b": "2", "c": "3"}
    stcc("entity", "replace", table, "p", "r", "b=2", "--force")
    assert shown(stcc, table, "p", "r")["properties"] == {"b": "2"}
    stcc("entity", "upsert", table, "p", "r", "--from", "-", "--mode", "replace", stdin=b"{}")
    assert shown(stcc, table, "p", "r")["properties"] == {}


def test_an_insert_of_what_is_there_shows_what_is_there(stcc: Stcc, table: str) -> None:
    etag = stcc("entity", "insert", table, "p", "r").out.strip()
    timestamp = shown(stcc, table, "p", "r")["timestamp"]

    assert stcc("entity", "insert", table, "p", "r", "a=1") == Result(
        9,
        "",
        f"stcc: cannot insert entity {table}/p/r: there is an entity with these keys (409 EntityAlreadyExists)\n"
        f"  seen afterwards: exists true, etag {etag}, last modified {timestamp}\n"
        "  entity replace or merge with --if-match; entity upsert\n",
    )
    assert shown(stcc, table, "p", "r")["properties"] == {}


@pytest.mark.parametrize("verb", [["replace", "a=2"], ["merge", "a=2"], ["delete"]], ids=str)
def test_a_stale_etag_shows_the_expected_and_the_current_one(stcc: Stcc, table: str, verb: list[str]) -> None:
    stale = stcc("entity", "insert", table, "p", "r", "a=0").out.strip()
    current = stcc("entity", "merge", table, "p", "r", "a=1", "--if-match", stale).out.strip()
    now = shown(stcc, table, "p", "r")
    name, *rest = verb

    document = json.loads(stcc("entity", name, table, "p", "r", *rest, "--if-match", stale, "-o", "json").out)
    doing = {"replace": "replace", "merge": "merge into", "delete": "delete"}[name]
    assert document == {
        "outcome": "precondition-failed",
        "exit_code": 12,
        "http_status": 412,
        "error_code": "UpdateConditionNotSatisfied",
        "request_id": document["request_id"],
        "target": f"{table}/p/r",
        "result": None,
        "observed": {
            "expected_etag": stale,
            "exists": True,
            "etag": current,
            "last_modified": now["timestamp"],
        },
        "message": f"cannot {doing} entity {table}/p/r: it changed since you looked (412 UpdateConditionNotSatisfied)",
        "hint": "read it again and use the current ETag",
    }
    assert shown(stcc, table, "p", "r") == now


@pytest.mark.parametrize(
    ("verb", "doing"),
    [
        (["get"], "get entity"),
        (["replace", "a=2", "--force"], "replace entity"),
        (["merge", "a=2", "--if-match", "*"], "merge into entity"),
        (["merge", "a=2", "--if-match", "W/\"datetime'x'\""], "merge into entity"),
        (["delete", "--force"], "delete entity"),
        (["delete", "--if-match", "W/\"datetime'x'\""], "delete entity"),
    ],
    ids=str,
)
def test_an_entity_that_is_not_there_is_absent(stcc: Stcc, table: str, verb: list[str], doing: str) -> None:
    name, *rest = verb
    words = f"stcc: cannot {doing} {table}/p/none: there is no such resource (404 ResourceNotFound)\n"

    assert stcc("entity", name, table, "p", "none", *rest, "-q") == Result(4, "", words)


@pytest.mark.parametrize(
    ("verb", "doing"),
    [
        (["get"], "get entity"),
        (["insert"], "insert entity"),
        (["upsert", "a=1", "--mode", "merge"], "upsert entity"),
        (["delete", "--force"], "delete entity"),
    ],
    ids=str,
)
def test_a_table_that_is_not_there_is_absent(stcc: Stcc, names: Names, verb: list[str], doing: str) -> None:
    table, (name, *rest) = names(), verb
    words = f"stcc: cannot {doing} {table}/p/r: there is no such table (404 TableNotFound)\n"

    assert stcc("entity", name, table, "p", "r", *rest, "-q") == Result(4, "", words)


def test_an_error_of_the_real_service_has_its_code_in_the_body_only(
    proxied: ProxiedAccount, proxied_stcc: Stcc
) -> None:
    for verb, status, code, exit_code in (
        (["get"], 404, "ResourceNotFound", 4),
        (["insert"], 409, "EntityAlreadyExists", 9),
        (["replace", "a=1", "--force"], 412, "UpdateConditionNotSatisfied", 12),
        (["merge", "a=1", "--force"], 412, "UpdateConditionNotSatisfied", 12),
        (["upsert", "a=1", "--mode", "merge"], 400, "PropertyNameInvalid", 1),
        (["delete", "--force"], 404, "ResourceNotFound", 4),
        (["insert"], 403, "AuthorizationFailure", 3),
    ):
        body = {"odata.error": {"code": code, "message": {"lang": "en-US", "value": "No.\nRequestId:x"}}}
        headers = {"Content-Type": "application/json;odata=minimalmetadata"}
        proxied.fail(Answer(status, headers, json.dumps(body).encode()))
        name, *rest = verb
        answer = json.loads(proxied_stcc("entity", name, "jobs", "p", "r", *rest, "--no-diagnose", "-o", "json").out)

        assert (answer["exit_code"], answer["http_status"], answer["error_code"]) == (exit_code, status, code)


def test_entities_are_queried_by_filter_selection_and_limit(stcc: Stcc, table: str) -> None:
    for row in ("a", "b", "c"):
        stcc("entity", "insert", table, "p", row, f"name={row}", "n:=1")
    listed = json.loads(stcc("entity", "query", table, "-o", "json").out)["result"]

    assert [(one["row_key"], one["properties"]) for one in listed] == [
        (row, {"name": row, "n": 1}) for row in ("a", "b", "c")
    ]
    code, out, _ = stcc("entity", "query", table, "--filter", "name gt 'a'", "--select", "name", "-o", "ndjson")
    lines = [json.loads(line) for line in out.splitlines()]
    assert (code, lines) == (
        0,
        [
            *({**one, "properties": {"name": one["row_key"]}} for one in listed[1:]),
            {"outcome": "entities-listed", "exit_code": 0},
        ],
    )
    assert stcc("entity", "query", table, "--limit", "2", "--query", "[].row_key") == Result(0, "a\nb\n", "")
    assert stcc("entity", "query", table, "--filter", "n eq 7") == Result(0, "", f"{table}: none\n")
    assert stcc("entity", "query", table, "--filter", "n eq 7", "-o", "json").code == 0


def test_a_query_as_a_table_has_properties_as_json(stcc: Stcc, table: str) -> None:
    etag = stcc("entity", "insert", table, "p", "r", "a=\x1b[1m", "n:int64=5").out.strip()
    timestamp = shown(stcc, table, "p", "r")["timestamp"]

    assert stcc("entity", "query", table) == Result(
        0,
        f"partition key  row key  {'timestamp':28}  {'etag':{len(etag)}}  properties\n"
        f'p              r        {timestamp}  {etag}  {{"a":"\\u001b[1m","n@odata.type":"Edm.Int64","n":"5"}}\n',
        "",
    )


def test_a_filter_that_the_service_cannot_read_fails(stcc: Stcc, table: str) -> None:
    message = "The query condition specified in the request is invalid."

    assert stcc("entity", "query", table, "--filter", "age eq") == Result(
        1, "", f"stcc: cannot query table {table}: {message} (400 InvalidInput)\n"
    )


@pytest.mark.parametrize(
    "key",
    [
        *("a b", "a%b", "a%2Fb", "a+b", "a'b", "''", "a&b=c", ";,:@$!*()", "..", ".", "~", '"', "<b>", "[red]"),
        *("^`{}|", " x ", "ü€😀"),
    ],
)
def test_every_key_names_one_entity(stcc: Stcc, table: str, key: str) -> None:
    target = (table, key, key)

    assert stcc("entity", "insert", *target, "n:=1").err == f"inserted entity {table}/{key}/{key}\n"
    etag = str(shown(stcc, *target)["etag"])
    assert stcc("entity", "replace", *target, "n:=2", "--if-match", etag, "-q").code == 0
    assert stcc("entity", "merge", *target, "m:=3", "--force", "-q").code == 0
    assert [shown(stcc, *target)[name] for name in ("partition_key", "row_key", "properties")] == [
        key,
        key,
        {"n": 2, "m": 3},
    ]
    assert stcc("entity", "delete", *target, "--force") == Result(0, "", f"deleted entity {table}/{key}/{key}\n")
    assert stcc("entity", "query", table, "-q") == Result(0, "", "")


def test_text_in_names_cannot_act_on_a_terminal(stcc: Stcc, table: str) -> None:
    assert stcc("entity", "delete", table, "[bold]", "\u202ex", "--force", "-q") == Result(
        4,
        "",
        f"stcc: cannot delete entity {table}/[bold]/\\u202ex: there is no such resource (404 ResourceNotFound)\n",
    )


def test_a_document_may_carry_what_the_service_wrote(stcc: Stcc, table: str, tmp_path: Path) -> None:
    file = tmp_path / "entity.json"
    document = {"odata.etag": "x", "PartitionKey": "p", "RowKey": "r", "Timestamp": "then", "a": 1}
    file.write_text("\ufeff" + json.dumps(document))

    assert stcc("entity", "insert", table, "p", "r", "--from", str(file), "-q").code == 0
    assert shown(stcc, table, "p", "r")["properties"] == {"a": 1}


def test_whatever_is_stored_is_shown_and_cannot_act_on_a_terminal(proxied: ProxiedAccount, proxied_stcc: Stcc) -> None:
    stored = {"\x1b[31mred": "x\u2028y", "d@odata.type": "Edm.DateTime", "d": "not a time", "n": None}
    entity = {"odata.etag": 'W/"x"', "PartitionKey": "p", "RowKey": "r", "Timestamp": "then", **stored}
    proxied.fail(Answer(200, {"Content-Type": "application/json"}, json.dumps(entity).encode()))

    assert proxied_stcc("entity", "get", "jobs", "p", "r") == Result(
        0,
        "PartitionKey  p\n"
        "RowKey        r\n"
        "Timestamp     then\n"
        'ETag          W/"x"\n'
        "\\x1b[31mred   x\\u2028y\n"
        "d (DateTime)  not a time\n",
        "",
    )

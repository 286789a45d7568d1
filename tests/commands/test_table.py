"""Tables: what each command prints and returns, what it sends, and what it says when an answer got lost."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from azure.core.credentials import AzureNamedKeyCredential
from azure.data.tables import AccountSasPermissions, ResourceTypes, generate_account_sas

from stcc.connection import DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY
from stcc.emulator.instance import Instance
from tests.azurite import ProxiedAccount
from tests.conftest import Names
from tests.running import Result, Stcc
from tests.wire import Answer, Delay, Drop, Fault, Late, Refuse, Reset, Status, Truncate, writes

UNKNOWN = "the change may or may not have been applied"


def listed(stcc: Stcc, prefix: str) -> list[str]:
    return [one["name"] for one in json.loads(stcc("table", "list", "--prefix", prefix, "-o", "json").out)["result"]]


def test_a_table_is_created_once(stcc: Stcc, names: Names) -> None:
    name = names()

    assert stcc("table", "create", name) == Result(0, "", f"created table {name}\n")
    assert stcc("table", "create", name) == Result(
        9,
        "",
        f"stcc: cannot create table {name}: there is a table of that name (409 TableAlreadyExists)\n"
        "  seen afterwards: exists true\n",
    )


def test_a_table_is_deleted_once(stcc: Stcc, names: Names) -> None:
    name = names()
    stcc("table", "create", name)

    assert stcc("table", "delete", name, "--yes") == Result(0, "", f"deleted table {name}\n")
    assert stcc("table", "delete", name, "--yes", "--no-diagnose") == Result(
        4, "", f"stcc: cannot delete table {name}: there is no such resource (404 ResourceNotFound)\n"
    )


def test_deleting_a_table_needs_a_yes(proxied: ProxiedAccount, proxied_stcc: Stcc) -> None:
    assert proxied_stcc("table", "delete", "jobs").code == 2
    assert proxied.requests == []


def test_tables_are_listed_by_prefix_and_limit(stcc: Stcc, names: Names) -> None:
    name = names()
    for end in ("A", "B", "c", "z9"):
        stcc("table", "create", name + end)

    assert stcc("table", "list", "--prefix", name) == Result(
        0, "name\n" + "".join(f"{name}{end}\n" for end in ("A", "B", "c", "z9")), ""
    )
    assert stcc("table", "list", "--prefix", f"{name}c", "-o", "tsv") == Result(0, f"{name}c\n", "")
    assert stcc("table", "list", "--prefix", name, "--limit", "2", "-o", "ndjson") == Result(
        0, f'{{"name": "{name}A"}}\n{{"name": "{name}B"}}\n{{"outcome": "tables-listed", "exit_code": 0}}\n', ""
    )


def test_a_listing_that_is_not_allowed_is_denied(proxied: ProxiedAccount, proxied_stcc: Stcc) -> None:
    proxied.fail(Answer(403, {"Content-Type": "application/json"}, b'{"odata.error":{"code":"AuthorizationFailure"}}'))

    assert proxied_stcc("table", "list", "-q") == Result(
        3, "", "stcc: cannot list the tables of devstoreaccount1: not allowed (403 AuthorizationFailure)\n"
    )


def test_a_listing_goes_on_where_a_page_ended(proxied: ProxiedAccount, proxied_stcc: Stcc, names: Names) -> None:
    name = names()
    page = {"Content-Type": "application/json", "x-ms-continuation-NextTableName": "token"}
    proxied.fail(Answer(200, page, json.dumps({"value": [{"TableName": f"{name}A"}]}).encode()))
    proxied.fail(Answer(200, {"Content-Type": "application/json"}, b'{"value":[{"TableName":"last"}]}'))

    assert proxied_stcc("table", "list") == Result(0, f"name\n{name}A\nlast\n", "")
    assert [request.query for request in proxied.requests] == ["$top=1000", "$top=1000&NextTableName=token"]


@pytest.mark.parametrize(
    "argv",
    [
        ["create", ""],
        ["create", "ab"],
        ["create", "1abc"],
        ["create", "a-b"],
        ["create", "a" * 64],
        ["create", "Tables"],
        ["create", "\x1b[31mred"],
        ["create", "[red]x"],
        ["create", "ab/../cd"],
        ["create", "jobs", "--if-match", "*"],
        ["create", "jobs", "--if-none-match", "*"],
        ["create", "jobs", "--lease-id", "x"],
        ["delete", "jobs", "--yes", "--if-match", '"x"'],
        ["delete", "jobs", "--yes", "--if-unmodified-since", "now"],
        ["list", "--if-modified-since", "now"],
        ["list", "--if-tags", "x"],
        ["list", "--prefix", "a'b"],
        ["list", "--prefix", "é"],
        ["list", "--limit", "0"],
        ["create", "https://x.table.core.windows.net/jobs"],
    ],
)
def test_what_cannot_be_asked_is_refused_and_nothing_is_sent(
    proxied: ProxiedAccount, proxied_stcc: Stcc, argv: list[str]
) -> None:
    code, out, err = proxied_stcc("table", *argv, "-q")

    assert (code, out, err.count("\n"), err.startswith("stcc: "), "\x1b" in err) == (2, "", 1, True, False)
    assert proxied.requests == []


def test_every_command_sends_one_request(proxied: ProxiedAccount, proxied_stcc: Stcc, names: Names) -> None:
    name = names()
    for argv in (["create", name], ["list"], ["list", "--prefix", name], ["delete", name, "--yes"]):
        assert proxied_stcc("table", *argv).code == 0

    assert [(request.method, request.path, request.query) for request in proxied.requests] == [
        ("POST", "/devstoreaccount1/Tables", ""),
        ("GET", "/devstoreaccount1/Tables", "$top=1000"),
        (
            "GET",
            "/devstoreaccount1/Tables",
            f"$top=1000&$filter=TableName%20ge%20%27{name}%27%20and%20TableName%20lt%20%27{name}%7B%27",
        ),
        ("DELETE", f"/devstoreaccount1/Tables('{name}')", ""),
    ]


LOST: list[Fault] = [Drop(), Reset(), Truncate(5), Delay(1), Status(500), Status(408)]
UNSEEN: list[Fault] = [Refuse(), Late(0.2), Answer(503), Answer(429)]


@pytest.mark.parametrize("fault", LOST, ids=repr)
def test_a_refusal_after_a_lost_answer_is_no_answer(
    proxied: ProxiedAccount, proxied_stcc: Stcc, names: Names, fault: Fault
) -> None:
    name = names()
    for argv, applied in ((["create", name], [name]), (["delete", name, "--yes"], [])):
        proxied.fail(fault, when=writes)
        code, out, err = proxied_stcc("table", *argv, "--timeout", "500ms", "-q")

        assert (code, out, err.endswith(f"{UNKNOWN}\n"), err.count("\n")) == (70, "", True, 1)
        assert listed(proxied_stcc, name) == applied


@pytest.mark.parametrize("fault", UNSEEN, ids=repr)
def test_a_request_that_did_not_get_through_is_repeated(
    proxied: ProxiedAccount, proxied_stcc: Stcc, names: Names, fault: Fault
) -> None:
    name = names()
    for argv, applied in ((["create", name], [name]), (["delete", name, "--yes"], [])):
        proxied.fail(fault, when=writes)

        assert proxied_stcc("table", *argv, "-q") == Result(0, "", "")
        proxied.wire.wait_for_late()
        assert listed(proxied_stcc, name) == applied


def test_a_status_that_came_through_is_the_truth(proxied: ProxiedAccount, proxied_stcc: Stcc, names: Names) -> None:
    name = names()
    proxied_stcc("table", "create", name)
    proxied.fail(Truncate(30), when=writes)

    assert proxied_stcc("table", "delete", name, "--yes") == Result(0, "", f"deleted table {name}\n")
    assert listed(proxied_stcc, name) == []


def test_what_is_there_is_seen_after_an_answer_that_stayed_lost(
    proxied: ProxiedAccount, proxied_stcc: Stcc, names: Names
) -> None:
    name = names()
    proxied.fail(Drop(), when=writes)

    assert json.loads(proxied_stcc("table", "create", name, "-o", "json").out) == {
        "outcome": "unknown",
        "exit_code": 70,
        "http_status": None,
        "error_code": None,
        "request_id": None,
        "target": name,
        "result": None,
        "observed": {"exists": True},
        "message": f"{name}: the answer was lost (the connection was closed before the whole answer came); {UNKNOWN}",
        "hint": "look before you repeat it",
    }


def test_a_url_with_a_sas_is_a_table(azurite: Instance, stcc: Stcc, names: Names) -> None:
    sas = generate_account_sas(
        AzureNamedKeyCredential(DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY),
        resource_types=ResourceTypes(service=True, container=True, object=True),
        permission=AccountSasPermissions(read=True, write=True, delete=True, list=True, add=True, create=True),
        expiry=datetime.now(UTC) + timedelta(hours=1),
    )
    name = names()
    url = f"http://127.0.0.1:{azurite.table_port}/devstoreaccount1/{name}?{sas}"
    nobody = Stcc()

    assert nobody("table", "create", url) == Result(0, "", f"created table {name}\n")
    assert nobody("entity", "insert", url, "p", "r", "-q").code == 0
    assert nobody("entity", "get", url, "p", "r", "--query", "row_key") == Result(0, "r\n", "")
    assert nobody("table", "delete", url, "--yes") == Result(0, "", f"deleted table {name}\n")
    assert listed(stcc, name) == []

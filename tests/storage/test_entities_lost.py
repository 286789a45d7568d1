"""Entities when an answer got lost: what stcc reports is the truth, or 70."""

import json
from dataclasses import dataclass

import pytest

from tests.azurite import ProxiedAccount
from tests.conftest import Names
from tests.running import Stcc
from tests.wire import Answer, Delay, Drop, Fault, Late, Refuse, Reset, Status, Truncate, writes

LOST: list[Fault] = [Drop(), Reset(), Truncate(5), Delay(0.8), Status(500), Status(408)]
UNSEEN: list[Fault] = [Refuse(), Late(0.2), Answer(500), Answer(503), Answer(429)]


@dataclass(frozen=True, kw_only=True)
class Scene:
    """An entity with `a` = 0 in a table of its own, and the way to it through the proxies."""

    stcc: Stcc
    account: ProxiedAccount
    table: str
    etag: str

    def ask(self, command: str, row: str = "r", *, fault: Fault | None = None) -> tuple[int, str, str]:
        verb, *rest = (self.etag if part == "ETAG" else part for part in command.split())
        if fault is not None:
            self.account.fail(fault, when=writes)
        code, out, err = self.stcc("entity", verb, self.table, "p", row, *rest, "--timeout", "500ms", "-q")
        self.account.wire.wait_for_late()
        return code, out, err

    def now(self, row: str = "r") -> dict[str, object] | None:
        """Return the properties, None when there is no entity."""
        answer = json.loads(self.stcc("entity", "get", self.table, "p", row, "-o", "json").out)
        return None if answer["result"] is None else answer["result"]["properties"]

    def now_etag(self, row: str = "r") -> str:
        return self.stcc("entity", "get", self.table, "p", row, "--query", "etag").out


@pytest.fixture
def scene(proxied: ProxiedAccount, proxied_stcc: Stcc, names: Names) -> Scene:
    table = names()
    assert proxied_stcc("table", "create", table).code == 0
    etag = proxied_stcc("entity", "insert", table, "p", "r", "a:=0").out.strip()
    return Scene(stcc=proxied_stcc, account=proxied, table=table, etag=etag)


# command, row, whether the repeated request is refused, what is there when it was applied
CHANGES = [
    pytest.param("insert a:=1", "new", True, {"a": 1}, id="insert"),
    pytest.param("replace a:=1 --if-match ETAG", "r", True, {"a": 1}, id="replace an ETag"),
    pytest.param("replace a:=1 --if-match *", "r", False, {"a": 1}, id="replace what exists"),
    pytest.param("replace a:=1 --force", "r", False, {"a": 1}, id="replace by force"),
    pytest.param("merge b:=1 --if-match ETAG", "r", True, {"a": 0, "b": 1}, id="merge into an ETag"),
    pytest.param("merge b:=1 --force", "r", False, {"a": 0, "b": 1}, id="merge by force"),
    pytest.param("upsert a:=1 --mode replace", "new", False, {"a": 1}, id="upsert by replacing"),
    pytest.param("upsert b:=1 --mode merge", "r", False, {"a": 0, "b": 1}, id="upsert by merging"),
    pytest.param("delete --if-match ETAG", "r", True, None, id="delete an ETag"),
    pytest.param("delete --force", "r", True, None, id="delete by force"),
]


@pytest.mark.parametrize("fault", LOST, ids=repr)
@pytest.mark.parametrize(("command", "row", "refused", "applied"), CHANGES)
def test_a_refusal_after_a_lost_answer_is_no_answer(
    scene: Scene, command: str, row: str, refused: bool, applied: dict[str, object] | None, fault: Fault
) -> None:
    code, out, err = scene.ask(command, row, fault=fault)

    assert scene.now(row) == applied
    if refused:
        unknown = "the change may or may not have been applied\n"
        assert (code, out, err.endswith(unknown), err.count("\n")) == (70, "", True, 1)
    else:
        assert (code, out, err) == (0, scene.now_etag(row), "")


@pytest.mark.parametrize("fault", UNSEEN, ids=repr)
@pytest.mark.parametrize(("command", "row", "refused", "applied"), CHANGES)
def test_a_request_that_did_not_get_through_is_repeated(
    scene: Scene, command: str, row: str, refused: bool, applied: dict[str, object] | None, fault: Fault
) -> None:
    code, out, err = scene.ask(command, row, fault=fault)

    assert (code, err, scene.now(row)) == (0, "", applied)
    if not isinstance(fault, Late) or refused:  # the late request writes once more where no condition stops it
        assert out == ("" if command.startswith("delete") else scene.now_etag(row))


MARKED = [
    pytest.param("insert a:=1 --marker op", "new", {"a": 1}, id="insert"),
    pytest.param("replace a:=1 --if-match ETAG --marker op", "r", {"a": 1}, id="replace"),
    pytest.param("merge b:=1 --if-match ETAG --marker op", "r", {"a": 0, "b": 1}, id="merge"),
]


@pytest.mark.parametrize("fault", LOST, ids=repr)
@pytest.mark.parametrize(("command", "row", "applied"), MARKED)
def test_the_mark_is_evidence_of_the_write(
    scene: Scene, command: str, row: str, applied: dict[str, object], fault: Fault
) -> None:
    code, out, err = scene.ask(command, row, fault=fault)

    now = scene.now(row) or {}
    assert (code, err, now) == (0, "", {**applied, "op": now["op"]})
    # A merge by somebody else would have left our mark: with properties of others there, the ETag may be theirs.
    assert out == ("" if command.startswith("merge") else scene.now_etag(row))


def test_evidence_is_told_and_so_is_an_etag_that_is_not_known(scene: Scene) -> None:
    for command, told in (
        ("insert new a:=1", "inserted entity {}\n"),
        ("merge r b:=1", "merged into entity {}; its ETag is not known: read it before you write it again\n"),
    ):
        verb, row, change = command.split()
        condition = ["--if-match", scene.etag] if verb == "merge" else []
        scene.account.fail(Drop(), when=writes)
        _, _, err = scene.stcc("entity", verb, scene.table, "p", row, change, "--marker", "op", *condition)

        settled = "the answer was lost on the way; what is there now carries the mark of this very request\n"
        assert err == settled + told.format(f"{scene.table}/p/{row}")


@pytest.mark.parametrize("command", ["insert a:=1", "replace a:=1 --if-match ETAG", "merge a:=1 --if-match ETAG"])
def test_the_mark_of_somebody_else_is_no_evidence(scene: Scene, command: str) -> None:
    assert scene.ask("upsert a:=7 op=x --mode replace")[0] == 0

    code, out, _ = scene.ask(f"{command} --marker op", fault=Refuse())
    assert (code, out, scene.now()) == (70, "", {"a": 7, "op": "x"})


def test_a_mark_is_an_operation_id_of_its_own_each_time(scene: Scene) -> None:
    marks = set[object]()
    for verb in ("merge a:=1 --force", "replace a:=1 --force", "upsert a:=1 --mode merge"):
        assert scene.ask(f"{verb} --marker op")[0] == 0
        marks.add((scene.now() or {})["op"])

    assert len(marks) == 3


@pytest.mark.parametrize(
    ("command", "row"), [("insert a:=1", "new"), ("replace a:=1 --if-match ETAG", "r"), ("delete --force", "r")]
)
def test_a_status_that_came_through_is_the_truth(scene: Scene, command: str, row: str) -> None:
    code, out, _ = scene.ask(command, row, fault=Truncate(30))

    assert (code, out, scene.now(row)) == (0, "", None if command.startswith("delete") else {"a": 1})


def test_half_an_etag_is_never_printed(scene: Scene) -> None:
    for size in range(100, 420, 40):
        row = f"r{size}"
        code, out, _ = scene.ask("insert a:=1", row, fault=Truncate(size))

        assert (code, out) in {(70, ""), (0, ""), (0, scene.now_etag(row))}
        assert scene.now(row) == {"a": 1}


def test_what_is_there_is_seen_after_an_answer_that_stayed_lost(scene: Scene) -> None:
    scene.account.fail(Drop(), when=writes)
    answer = json.loads(
        scene.stcc("entity", "replace", scene.table, "p", "r", "a:=1", "--if-match", scene.etag, "-o", "json").out
    )

    assert (answer["outcome"], answer["exit_code"], answer["result"]) == ("unknown", 70, None)
    assert answer["observed"]["etag"] == scene.now_etag().strip()


def test_nothing_was_changed_when_nobody_is_there(scene: Scene) -> None:
    here = scene.account.connection_string
    nobody = Stcc(connection_string=here.replace(f":{scene.account.table.port}/", ":1/"))

    for verb in ("insert", "upsert --mode merge", "replace --force", "merge --force", "delete --force", "get"):
        name, *rest = verb.split()
        given = [] if name in {"delete", "get"} else ["a=1"]
        assert nobody("entity", name, scene.table, "p", "r", *given, *rest, "-q").code == 69

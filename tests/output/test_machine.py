"""The JSON envelope, as whole documents."""

import json
from collections.abc import Iterator, Mapping

from hypothesis import given
from hypothesis import strategies as st

from stcc.errors import Denied, Interrupted, Local, StccError, Stopped, Unavailable, Unexpected, Unknown, Usage
from stcc.exits import Exit
from stcc.outcomes import Ending, Listing, Refused, Reply
from stcc.outcomes.container import ContainerCreated, ContainerDeleted
from stcc.outcomes.lease import LeaseAcquired
from stcc.output import machine, render
from stcc.output.text import Text
from stcc.settings import Settings
from tests.harmless import harmless

JSON = Settings(output="json")
NOTHING: dict[str, object] = {
    "http_status": None, "error_code": None, "request_id": None, "target": None, "result": None, "observed": None,
}  # fmt: skip


def document(texts: Iterator[Text]) -> object:
    [text] = list(texts)
    assert text.err == ""
    assert text.out.count("\n") == 1
    return json.loads(text.out)


def test_a_success() -> None:
    created = ContainerCreated(
        reply=Reply(http_status=201, request_id="r1"), target="data", etag='"0x1"', last_modified="2026-01-31T12:00:00Z"
    )
    assert document(render.answer(created, JSON)) == {
        "outcome": "container-created",
        "exit_code": 0,
        "http_status": 201,
        "error_code": None,
        "request_id": "r1",
        "target": "data",
        "result": {"etag": '"0x1"', "last_modified": "2026-01-31T12:00:00Z"},
        "observed": None,
    }


def test_a_success_after_a_lost_answer_says_how_it_was_settled() -> None:
    deleted = ContainerDeleted(reply=Reply(http_status=202, request_id=None, settled="repeat"), target="data")
    assert document(render.answer(deleted, JSON)) == {
        **NOTHING,
        "outcome": "container-deleted",
        "exit_code": 0,
        "http_status": 202,
        "target": "data",
        "result": {},
        "observed": {"answer_lost": True, "settled_by": "repeat"},
    }


def test_what_belongs_to_the_program_is_no_result() -> None:
    acquired = LeaseAcquired(
        reply=Reply(http_status=201), target="data", lease_id="i", duration=None, etag='"0x1"', last_modified="t",
        give_back=lambda: None,
    )  # fmt: skip
    assert machine.result(acquired) == {"lease_id": "i", "duration": None, "etag": '"0x1"', "last_modified": "t"}


def test_a_refusal() -> None:
    refused = Refused(
        outcome="precondition-failed",
        exit_code=Exit.PRECONDITION,
        http_status=412,
        error_code="ConditionNotMet",
        request_id="r2",
        target="data/a",
        summary="cannot put data/a: it changed",
        hint="look again",
        observed={"expected_etag": '"0x1"', "etag": '"0x2"'},
    )
    assert document(render.answer(refused, JSON)) == {
        "outcome": "precondition-failed",
        "exit_code": 12,
        "http_status": 412,
        "error_code": "ConditionNotMet",
        "request_id": "r2",
        "target": "data/a",
        "result": None,
        "observed": {"expected_etag": '"0x1"', "etag": '"0x2"'},
        "message": "cannot put data/a: it changed",
        "hint": "look again",
    }


def test_every_failure_has_its_envelope() -> None:
    failures: Mapping[str, tuple[int, StccError]] = {
        "failed": (1, StccError("m")),
        "usage": (2, Usage("m")),
        "denied": (3, Denied("m")),
        "unavailable": (69, Unavailable("m")),
        "unknown": (70, Unknown("m")),
        "local": (74, Local("m")),
        "interrupted": (130, Interrupted(KeyboardInterrupt(), "m")),
    }
    for kind, (code, error) in failures.items():
        assert json.loads(render.failure(error, JSON).out) == {
            **NOTHING,
            "outcome": kind,
            "exit_code": code,
            "message": "m" if kind != "interrupted" else "m; interrupted by SIGINT",
            "hint": None,
        }
    assert machine.of_failure(Interrupted(Stopped(15)))["exit_code"] == 143


def test_a_failure_on_the_way_tells_what_the_service_said() -> None:
    error = Unexpected(
        "m", hint="h", target="data", http_status=418, error_code="Teapot", request_id="r", observed={"a": 1}
    )
    assert json.loads(render.failure(error, JSON).out) == {
        "outcome": "failed", "exit_code": 1, "http_status": 418, "error_code": "Teapot", "request_id": "r",
        "target": "data", "result": None, "observed": {"a": 1}, "message": "m", "hint": "h",
    }  # fmt: skip


def test_a_listing_is_one_document() -> None:
    items: list[Mapping[str, object]] = [{"name": "a"}, {"name": "b"}]
    listing = Listing(
        kind="things-listed", target="things", columns=("name",), items=iter(items), reply=Reply(200, "r3"),
        ending=lambda: Ending(kind="some-failed", exit_code=Exit.FAILED),
    )  # fmt: skip
    assert document(render.answer(listing, JSON)) == {
        **NOTHING, "outcome": "some-failed", "exit_code": 1, "http_status": 200, "request_id": "r3", "target": "things",
        "result": items,
    }  # fmt: skip


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_a_document_is_one_harmless_line_that_keeps_every_value(value: object) -> None:
    line = machine.document(value)
    assert line.endswith("\n")
    assert harmless(line[:-1])
    assert json.loads(line) == value
    assert line.encode()

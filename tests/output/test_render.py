"""One answer in every format: what goes to stdout, what goes to stderr."""

import json
from collections.abc import Iterator, Mapping

import pytest

from stcc.errors import StccError, Unavailable, Usage
from stcc.exits import Exit
from stcc.outcomes import Ending, Listing, Refused, Reply
from stcc.outcomes.container import ContainerCreated, ContainerShown
from stcc.output import render
from stcc.output.query import Query
from stcc.output.text import Text
from stcc.settings import Format, Settings

CREATED = ContainerCreated(reply=Reply(http_status=201, request_id="r"), target="data", etag='"0x1"', last_modified="t")
SETTLED = ContainerCreated(reply=Reply(201, "r", "evidence"), target="data", etag='"0x1"', last_modified="t")
REFUSED = Refused(
    outcome="conflict", exit_code=Exit.CONFLICT, http_status=409, error_code="X", request_id="r", target="data",
    summary="cannot create \x1b[31mdata\nsecond line", hint="try\x07 again",
    observed={"etag": '"0x2"', "lease_state": "leased\x1b", "nothing": None},
)  # fmt: skip
ENVELOPE = {"outcome": "container-created", "exit_code": 0, "http_status": 201, "error_code": None, "request_id": "r",
            "target": "data", "observed": None}  # fmt: skip


def shown(answer: object, **options: object) -> list[Text]:
    return list(render.answer(answer, Settings(**options)))  # type: ignore[arg-type]  # an answer, and settings


@pytest.mark.parametrize(
    ("output", "quiet", "text"),
    [
        ("human", False, Text('"0x1"\n', "created container data\n")),
        ("human", True, Text('"0x1"\n', "")),
        ("tsv", False, Text('"0x1"\tt\n', "created container data\n")),
        ("tsv", True, Text('"0x1"\tt\n', "")),
        ("none", False, Text()),
        ("none", True, Text()),
        ("json", False, Text(json.dumps({**ENVELOPE, "result": {"etag": '"0x1"', "last_modified": "t"}}), "")),
        ("ndjson", True, Text(json.dumps({**ENVELOPE, "result": {"etag": '"0x1"', "last_modified": "t"}}), "")),
    ],
)
def test_a_success_in_every_format(output: Format, quiet: bool, text: Text) -> None:
    [said] = shown(CREATED, output=output, quiet=quiet)
    if output in {"json", "ndjson"}:
        assert (json.loads(said.out), said.err) == (json.loads(text.out), "")
    else:
        assert said == text


def test_a_settled_success_says_so_first() -> None:
    story = "the answer was lost on the way; what is there now carries the mark of this very request\n"
    assert shown(SETTLED) == [Text('"0x1"\n', f"{story}created container data\n")]
    assert shown(SETTLED, quiet=True) == [Text('"0x1"\n', "")]


@pytest.mark.parametrize("output", ["human", "tsv", "none"])
def test_a_refusal_is_told_on_stderr_only(output: Format) -> None:
    assert shown(REFUSED, output=output) == [
        Text(
            "",
            "stcc: cannot create \\x1b[31mdata\\nsecond line\n"
            '  seen afterwards: etag "0x2", lease state leased\\x1b\n'
            "  try\\x07 again\n",
        )
    ]
    assert shown(REFUSED, output=output, quiet=True) == [Text("", "stcc: cannot create \\x1b[31mdata\\nsecond line\n")]


def test_where_nothing_was_seen_it_says_so() -> None:
    error = StccError("m", observed={"etag": None})
    assert render.failure(error, Settings()) == Text("", "stcc: m\n  seen afterwards: nothing\n")


@pytest.mark.parametrize(
    ("output", "query", "out"),
    [
        ("human", "etag", '"0x1"\n'),
        ("tsv", "etag", '"0x1"\n'),
        ("human", "[etag, last_modified]", '"0x1"\nt\n'),
        ("human", "[[etag, last_modified]]", '"0x1"\tt\n'),
        ("human", "{a: etag, b: last_modified}", '"0x1"\tt\n'),
        ("human", "absent", ""),
        ("none", "etag", ""),
    ],
)
def test_a_query_prints_what_it_finds(output: Format, query: str, out: str) -> None:
    [text] = shown(CREATED, output=output, query=query)
    assert text.out == out


def test_a_query_applies_to_the_result_of_the_envelope() -> None:
    [text] = shown(CREATED, output="json", query="etag")
    assert json.loads(text.out) == {**ENVELOPE, "result": '"0x1"'}


def test_a_query_does_not_apply_to_a_refusal() -> None:
    [text] = shown(REFUSED, output="json", query="etag")
    assert (json.loads(text.out)["outcome"], json.loads(text.out)["result"]) == ("conflict", None)


def test_a_query_finds_metadata() -> None:
    container = ContainerShown(
        reply=Reply(200), target="data", etag='"0x1"', last_modified="t", lease_state="available",
            lease_status="unlocked",
        lease_duration=None, public_access=None, metadata={"owner": "\x1b[31manna"},
    )  # fmt: skip
    assert [text.out for text in shown(container, query="metadata.owner")] == ["\x1b[31manna\n"]
    assert "owner" in shown(container)[0].out
    assert "\x1b" not in shown(container)[0].out


@pytest.mark.parametrize(
    "text", ["", "[", "a.", "a ||", "@@", f"[{'9' * 5000}]", "[" * 3000], ids=lambda text: text[:5]
)
def test_what_is_no_query_is_refused(text: str) -> None:
    with pytest.raises(Usage) as caught:
        Query(text)
    assert caught.value.message == f"--query is not a JMESPath expression: {text!r}"


def test_a_query_that_does_not_fit_the_answer_comes_too_late_for_a_usage_error() -> None:
    with pytest.raises(StccError) as caught:
        shown(CREATED, query="sum(etag)")
    assert (caught.value.exit_code, caught.value.message.partition(": ")[0]) == (
        1,
        "it was done, but --query cannot be applied to the answer",
    )
    assert "\n" not in caught.value.message


ITEMS: list[Mapping[str, object]] = [
    {"name": "a\tb", "size": 1, "more": "x"},
    {"name": "\x1b[31m", "size": None, "more": "y"},
]


def things(items: Iterator[Mapping[str, object]] | None = None, ending: Ending | None = None) -> Listing:
    return Listing(
        kind="things-listed",
        target="things\x1b",
        columns=("name", "size"),
        items=iter(ITEMS) if items is None else items,
        ending=None if ending is None else lambda: ending,
    )


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        pytest.param({}, [Text("name      size\na\\tb      1\n\\x1b[31m\n")], id="human"),
        pytest.param({"output": "tsv"}, [Text("a\\tb\t1\n"), Text("\x1b[31m\t\n")], id="tsv: line by line"),
        pytest.param({"output": "none"}, [Text()], id="none"),
        pytest.param({"query": "[].size"}, [Text("1\n")], id="query: JMESPath leaves nulls out"),
        pytest.param({"query": "[].[size, more]", "output": "tsv"}, [Text("1\tx\n\ty\n")], id="query, tsv"),
        pytest.param({"query": "length(@)"}, [Text("2\n")], id="query: a number"),
    ],
)
def test_a_listing_in_every_format(options: dict[str, object], texts: list[Text]) -> None:
    assert shown(things(), **options) == texts


def test_an_empty_listing_prints_nothing_on_stdout() -> None:
    assert shown(things(iter([]))) == [Text("", "things\\x1b: none\n")]
    assert shown(things(iter([])), quiet=True) == [Text()]
    assert shown(things(iter([])), output="tsv") == []


def lines(texts: list[Text]) -> list[object]:
    return [json.loads(text.out) for text in texts]


def test_ndjson_is_a_line_for_each_item_and_a_last_one() -> None:
    last = {"outcome": "things-listed", "exit_code": 0}
    assert lines(shown(things(), output="ndjson")) == [*ITEMS, last]
    assert lines(shown(things(), output="ndjson", query="size")) == [1, None, last]
    assert lines(shown(things(iter([])), output="ndjson")) == [last]
    ending = Ending(kind="some-failed", exit_code=Exit.FAILED)
    assert lines(shown(things(ending=ending), output="ndjson"))[-1] == {"outcome": "some-failed", "exit_code": 1}


def breaking() -> Iterator[Mapping[str, object]]:
    yield ITEMS[0]
    raise Unavailable("the listing broke off")


def test_what_was_listed_before_a_failure_is_printed() -> None:
    pairs: list[tuple[Format, str]] = [("ndjson", json.dumps(ITEMS[0]) + "\n"), ("tsv", "a\\tb\t1\n")]
    for output, first in pairs:
        pieces = render.answer(things(breaking()), Settings(output=output))
        assert next(pieces) == Text(first)
        with pytest.raises(Unavailable):
            next(pieces)
    [last] = lines([render.failure(Unavailable("the listing broke off"), Settings(output="ndjson"))])
    assert last == {
        **dict.fromkeys(["http_status", "error_code", "request_id", "target", "result", "observed", "hint"]),
        "outcome": "unavailable",
        "exit_code": 69,
        "message": "the listing broke off",
    }


@pytest.mark.parametrize("output", ["human", "json"])
def test_a_collected_listing_that_breaks_off_prints_nothing(output: Format) -> None:
    with pytest.raises(Unavailable):
        shown(things(breaking()), output=output)

"""Text from storage is data: it cannot act on a terminal, break a line or move a column."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcc.output.text import cell, on_terminal, pairs, plain, table, tsv_line, visible
from tests.harmless import harmless


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("plain", "plain", id="plain"),
        pytest.param("[red]bold[/red]", "[red]bold[/red]", id="markup is text"),
        pytest.param("\x1b[31mred", "\\x1b[31mred", id="colour"),
        pytest.param("\x1b]0;title\x07", "\\x1b]0;title\\x07", id="window title"),
        pytest.param("a\x9bb", "a\\x9bb", id="C1"),
        pytest.param("a\x7fb\x00", "a\\x7fb\\x00", id="delete and NUL"),
        pytest.param("a\tb", "a\\tb", id="tab"),
        pytest.param("a\rb", "a\\rb", id="carriage return"),
        pytest.param("a\u202eb", "a\\u202eb", id="right to left"),
        pytest.param("a\u2066b\u2069", "a\\u2066b\\u2069", id="isolates"),
        pytest.param("a\u2028b", "a\\u2028b", id="line separator"),
        pytest.param("a\ud800", "a\\ud800", id="surrogate"),
        pytest.param("漢字 é e\u0301 😀", "漢字 é e\u0301 😀", id="any script"),
    ],
)
def test_what_could_act_is_made_visible(text: str, shown: str) -> None:
    assert cell(text) == visible(text) == shown


def test_line_ends_stay_in_text_and_not_in_a_cell() -> None:
    assert visible("a\nb\x1b\n") == "a\nb\\x1b\n"
    assert cell("a\nb") == "a\\nb"


def test_a_terminal_keeps_tabs_and_line_ends() -> None:
    assert on_terminal("a\tb\n\x1b[0m\r") == "a\tb\n\\x1b[0m\\r"


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (True, "true"), (False, "false"), (0, "0"), (1.5, "1.5"), ("x", "x"), ({"a": 1, "b": None}, "a=1 b="),
     ({}, ""), ({"a": {"b": True}}, "a=b=true")],
)  # fmt: skip
def test_a_value_is_written_as_people_write_it(value: object, text: str) -> None:
    assert plain(value) == text


def test_pairs_are_aligned_and_nothing_is_left_out() -> None:
    assert pairs({"etag": '"0x1"', "last_modified": "now", "lease": None, "empty": "", "size": 0, "none": {}}) == (
        'etag           "0x1"\nlast modified  now\nsize           0\n'
    )
    assert pairs({}) == ""
    assert pairs({"a": "b\nc"}) == "a  b\\nc\n"


def test_columns_are_aligned_by_what_a_terminal_shows() -> None:
    rows: list[list[object]] = [["漢字", 1], ["abcd", 22], ["e\u0301", None], ["a\u200db", 3], ["\x1b", 4]]
    assert table(("name", "the_size"), rows) == (
        "name  the size\n漢字  1\nabcd  22\ne\u0301\na\u200db    3\n\\x1b  4\n"
    )


def test_a_table_without_rows_is_its_heading() -> None:
    assert table(("name", "etag"), []) == "name  etag\n"


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ([], "\n"),
        (["a", None, True, 1], "a\t\ttrue\t1\n"),
        (["a\tb", "c\nd", "e\rf", "g\\h"], "a\\tb\tc\\nd\te\\rf\tg\\\\h\n"),
        (["\\n"], "\\\\n\n"),
        ([{"a": "x y"}], "a=x y\n"),
    ],
)
def test_a_line_of_tsv_has_as_many_columns_as_values(values: list[object], line: str) -> None:
    assert tsv_line(values) == line


def unescaped(text: str) -> str:
    return "".join({"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}.get(part, part) for part in _parts(text))


def _parts(text: str) -> list[str]:
    parts: list[str] = []
    while text:
        size = 2 if text[0] == "\\" else 1
        parts.append(text[:size])
        text = text[size:]
    return parts


@given(st.lists(st.text() | st.text("\\tnr\t\n\r"), min_size=1))
def test_tsv_gives_back_every_text(values: list[str]) -> None:
    line = tsv_line(values)
    assert (line.count("\n"), line.count("\r")) == (1, 0)
    assert [unescaped(column) for column in line.removesuffix("\n").split("\t")] == values


@given(st.text())
def test_no_text_acts(text: str) -> None:
    assert harmless(cell(text))
    assert all(harmless(line) for line in visible(text).split("\n"))
    assert all(harmless(line) for line in on_terminal(text).replace("\t", "").split("\n"))


@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5)), max_size=4))
def test_a_table_has_one_line_for_each_row(rows: list[tuple[str, str]]) -> None:
    shown = table(("a", "b"), rows)
    assert shown.count("\n") == len(rows) + 1
    assert all(harmless(line) for line in shown.split("\n"))

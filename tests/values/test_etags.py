"""Entity tags: every spelling that people paste means one tag, and none means no tag."""

import string
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcc.errors import Usage
from stcc.values.etags import blob_etag, entity_etag
from tests.values.refusals import parsed_or_refused, refusal

OPAQUE = st.text(string.ascii_letters + string.digits + "'()%:.-_/+~!$&;<=>@[]^`{|}", min_size=1)


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        pytest.param('"0x8DE"', '"0x8DE"', id="quoted: as it is"),
        pytest.param("0x8DE", '"0x8DE"', id="unquoted: quotes are added"),
        pytest.param('W/"0x8DE"', '"0x8DE"', id="weak: a blob's tag is strong"),
        pytest.param("W/0x8DE", '"0x8DE"', id="weak without quotes"),
        pytest.param("*", "*", id="star: any"),
        pytest.param('"*"', '"*"', id="quoted star: a tag"),
        pytest.param('"a,b"', '"a,b"', id="comma inside of quotes: one tag"),
    ],
)
def test_a_blob_tag_is_sent_as_the_service_wrote_it(text: str, tag: str) -> None:
    assert blob_etag(text, option="--if-match") == tag


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        pytest.param("W/\"datetime'2026-01-31T12%3A00%3A00.1Z'\"", None, id="weak: as it is"),
        pytest.param("\"datetime'2026-01-31T12%3A00%3A00.1Z'\"", None, id="strong: W/ is added"),
        pytest.param("W/datetime'2026-01-31T12%3A00%3A00.1Z'", None, id="quotes eaten by the shell"),
        pytest.param("datetime'2026-01-31T12%3A00%3A00.1Z'", None, id="bare"),
        pytest.param("*", "*", id="star: any"),
    ],
)
def test_an_entity_tag_is_sent_weak(text: str, tag: str | None) -> None:
    assert entity_etag(text, option="--if-match") == (tag or "W/\"datetime'2026-01-31T12%3A00%3A00.1Z'\"")


@pytest.mark.parametrize("text", ["", " ", "\t\n", "\xa0"], ids=repr)
def test_an_empty_tag_is_never_no_condition(text: str) -> None:
    assert refusal(lambda: blob_etag(text, option="--if-match")) == "--if-match is empty"
    assert refusal(lambda: entity_etag(text, option="--if-match")) == "--if-match is empty"


@pytest.mark.parametrize("parse", [blob_etag, entity_etag])
@pytest.mark.parametrize(("force", "way"), [(True, "say --force for that"), (False, "leave --if-match out for that")])
def test_the_way_out_of_an_empty_tag_is_one_that_the_command_has(
    parse: Callable[..., str], force: bool, way: str
) -> None:
    with pytest.raises(Usage) as refused:
        parse("", option="--if-match", force=force)

    assert refused.value.hint == f"is the variable set? an empty ETag never means 'no condition'; {way}"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('""', id="quotes around nothing"),
        pytest.param('W/""', id="weak nothing"),
        pytest.param("W/", id="weak without a tag"),
        pytest.param('"a', id="no closing quote"),
        pytest.param('a"', id="no opening quote"),
        pytest.param('"a""b"', id="two tags without a comma"),
        pytest.param('"a", "b"', id="a list"),
        pytest.param("a,b", id="a list without quotes"),
        pytest.param("**", id="two stars"),
        pytest.param("* ", id="star and space"),
        pytest.param(' "a"', id="space before"),
        pytest.param('"a b"', id="space inside"),
        pytest.param('"a\n"', id="line end"),
        pytest.param('"a\r\nX: y"', id="header injection"),
        pytest.param('"\x1b[31m"', id="terminal escape"),
        pytest.param('"ä"', id="not ASCII"),
        pytest.param('"\ud800"', id="surrogate"),
        pytest.param('w/"a"', id="weak in lower case"),
    ],
)
def test_what_is_not_one_tag_is_refused(text: str) -> None:
    assert refusal(lambda: blob_etag(text, option="--if-match")) == f"--if-match is not one ETag: {text!r}"
    assert refusal(lambda: entity_etag(text, option="--if-none-match")).startswith("--if-none-match is not one ETag")


@given(OPAQUE)
def test_a_printed_tag_is_read_as_itself(opaque: str) -> None:
    assert blob_etag(f'"{opaque}"', option="--if-match") == f'"{opaque}"'
    assert entity_etag(f'W/"{opaque}"', option="--if-match") == f'W/"{opaque}"'


@given(st.text() | st.text('W/"*,\\ \n\x00\x1bé0', max_size=8))
def test_any_text_is_one_tag_or_refused(text: str) -> None:
    for parse in (blob_etag, entity_etag):
        tag = parsed_or_refused(lambda parse=parse: parse(text, option="--if-match"))  # type: ignore[misc]  # bound now
        if tag is not None:
            assert parse(tag, option="--if-match") == tag
            assert tag.isascii()
            assert tag.isprintable()
            assert tag.removeprefix("W/") != '""'

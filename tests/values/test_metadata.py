"""Metadata and tags: what can travel in a header, and nothing else."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcc.values.metadata import metadata, tags
from tests.values.refusals import parsed_or_refused, refusal

NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,20}", fullmatch=True).filter(lambda name: name != "stcc_op")
VALUES = st.text("".join(map(chr, range(0x20, 0x7F))), max_size=50).map(str.strip)
TAG = string.ascii_letters + string.digits + " +-./:=_"


@pytest.mark.parametrize(
    ("pairs", "values"),
    [
        pytest.param([], {}, id="none"),
        pytest.param(["a=1", "b=2"], {"a": "1", "b": "2"}, id="two"),
        pytest.param(["a="], {"a": ""}, id="an empty value"),
        pytest.param(["a=b=c"], {"a": "b=c"}, id="the first = divides"),
        pytest.param(["A=x y, [z]"], {"A": "x y, [z]"}, id="printable ASCII"),
        pytest.param(["a=" + "x" * 8191], {"a": "x" * 8191}, id="8 KiB"),
    ],
)
def test_pairs_are_metadata(pairs: list[str], values: dict[str, str]) -> None:
    assert metadata(pairs) == values


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([""], "--metadata is not name=value: ''"),
        (["a"], "--metadata is not name=value: 'a'"),
        (["=a"], "--metadata is not name=value: '=a'"),
        (["a-b=1"], "--metadata name is not an identifier: 'a-b'"),
        (["1a=1"], "--metadata name is not an identifier: '1a'"),
        (["a =1"], "--metadata name is not an identifier: 'a '"),
        (["ä=1"], "--metadata name is not an identifier: 'ä'"),
        (["a\n=1"], "--metadata name is not an identifier: 'a\\n'"),
        (["stcc_op=1"], "--metadata name stcc_op belongs to stcc"),
        (["STCC_OP=1"], "--metadata name stcc_op belongs to stcc"),
        (["a= 1"], "--metadata value cannot be sent in a header: a=' 1'"),
        (["a=1 "], "--metadata value cannot be sent in a header: a='1 '"),
        (["a=ä"], "--metadata value cannot be sent in a header: a='ä'"),
        (["a=1\r\nx-ms-lease-id: 2"], "--metadata value cannot be sent in a header: a='1\\r\\nx-ms-lease-id: 2'"),
        (["a=\x1b[0m"], "--metadata value cannot be sent in a header: a='\\x1b[0m'"),
        (["a=\ud800"], "--metadata value cannot be sent in a header: a='\\ud800'"),
        (["a=1", "a=2"], "--metadata gives 'a' twice"),
        (["a=1", "A=2"], "--metadata gives the same name twice"),
        (["a=" + "x" * 8192], "--metadata is larger than 8 KiB"),
    ],
)
def test_other_pairs_are_no_metadata(pairs: list[str], message: str) -> None:
    assert refusal(lambda: metadata(pairs)) == message


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (["a"], "--tag is not name=value: 'a'"),
        (["=a"], "--tag is not name=value: '=a'"),
        (["a=1", "a=2"], "--tag gives 'a' twice"),
        (["a=!"], "--tag is not a blob index tag: a='!'"),
        (["a=ä"], "--tag is not a blob index tag: a='ä'"),
        (["a?=1"], "--tag is not a blob index tag: a?='1'"),
        (["n" * 129 + "=1"], f"--tag is not a blob index tag: {'n' * 129}='1'"),
        (["a=" + "v" * 257], f"--tag is not a blob index tag: a={'v' * 257!r}"),
        ([f"t{number}=1" for number in range(11)], "--tag was given 11 times"),
    ],
)
def test_other_pairs_are_no_tags(pairs: list[str], message: str) -> None:
    assert refusal(lambda: tags(pairs)) == message


def test_ten_tags_of_full_length_are_taken() -> None:
    pairs = [f"{number}{'n' * 127}={'v' * 256}" for number in range(10)]
    assert tags(pairs) == dict(pair.split("=") for pair in pairs)


@given(st.dictionaries(NAMES, VALUES, max_size=10))
def test_printed_metadata_is_read_as_itself(values: dict[str, str]) -> None:
    assert metadata([f"{name}={value}" for name, value in values.items()]) == values


@given(
    st.dictionaries(st.text(TAG.replace("=", ""), min_size=1, max_size=128), st.text(TAG, max_size=256), max_size=10)
)
def test_printed_tags_are_read_as_themselves(values: dict[str, str]) -> None:
    assert tags([f"{name}={value}" for name, value in values.items()]) == values


@given(st.lists(st.text() | st.text("ab=_ 1\r\n\x00", max_size=10), max_size=4))
def test_any_pairs_fit_a_header_or_are_refused(pairs: list[str]) -> None:
    values = parsed_or_refused(lambda: metadata(pairs))
    for name, value in (values or {}).items():
        assert (name.isascii(), name.isidentifier(), value.isascii()) == (True, True, True)
        assert value == "" or value.isprintable()
    parsed_or_refused(lambda: tags(pairs))

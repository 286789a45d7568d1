"""Entity properties: what people type, what the service's JSON carries, and what is refused on the way."""

import json
import math
from base64 import b64encode
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stcc.errors import Usage
from stcc.values.edm import Edm, Typed
from stcc.values.entities import Content, EntityTarget, content, entity_target, query_filter, selection
from stcc.values.properties import (
    Properties,
    annotated,
    check_size,
    from_answer,
    from_arguments,
    from_document,
    property_name,
)
from stcc.values.strict_json import strict_json
from stcc.values.targets import TableTarget

GUID = "c9da6455-213d-42c9-9a79-3e9149a57833"


def exact(properties: Properties) -> dict[str, tuple[str, str]]:
    """Return what can be compared without 1 and 1.0, or 0.0 and -0.0, being the same."""
    return {name: (str(one.edm), repr(one.value)) for name, one in properties.items()}


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        pytest.param("a=text", {"a": Typed(Edm.STRING, "text")}, id="text"),
        pytest.param("a=", {"a": Typed(Edm.STRING, "")}, id="empty text"),
        pytest.param("a=b=c:=d", {"a": Typed(Edm.STRING, "b=c:=d")}, id="only the first separator counts"),
        pytest.param("a=http://x:1/?y=z", {"a": Typed(Edm.STRING, "http://x:1/?y=z")}, id="a URL is text"),
        pytest.param("a= [b]\x1b[1m\n ", {"a": Typed(Edm.STRING, " [b]\x1b[1m\n ")}, id="text is not touched"),
        pytest.param("a:string=3", {"a": Typed(Edm.STRING, "3")}, id="text that looks like a number"),
        pytest.param("a:=3", {"a": Typed(Edm.INT32, 3)}, id="a small integer"),
        pytest.param("a:=-2147483648", {"a": Typed(Edm.INT32, -2147483648)}, id="the smallest Int32"),
        pytest.param("a:=2147483648", {"a": Typed(Edm.INT64, "2147483648")}, id="an integer too large for Int32"),
        pytest.param("a:=9007199254740993", {"a": Typed(Edm.INT64, "9007199254740993")}, id="beyond a double's digits"),
        pytest.param("a:=-9223372036854775808", {"a": Typed(Edm.INT64, "-9223372036854775808")}, id="smallest Int64"),
        pytest.param("a:=1.0", {"a": Typed(Edm.DOUBLE, 1.0)}, id="a fraction makes a Double"),
        pytest.param("a:=1e2", {"a": Typed(Edm.DOUBLE, 100.0)}, id="an exponent makes a Double"),
        pytest.param("a:=true", {"a": Typed(Edm.BOOLEAN, value=True)}, id="a boolean"),
        pytest.param('a:="x"', {"a": Typed(Edm.STRING, "x")}, id="a JSON text"),
        pytest.param("a:int32=+7", {"a": Typed(Edm.INT32, 7)}, id="Int32"),
        pytest.param("a:int64=5", {"a": Typed(Edm.INT64, "5")}, id="a small Int64"),
        pytest.param("a:double=1", {"a": Typed(Edm.DOUBLE, 1.0)}, id="a whole Double"),
        pytest.param("a:double=.5", {"a": Typed(Edm.DOUBLE, 0.5)}, id="a Double without a first digit"),
        pytest.param("a:double=NaN", {"a": Typed(Edm.DOUBLE, "NaN")}, id="not a number"),
        pytest.param("a:double=-Infinity", {"a": Typed(Edm.DOUBLE, "-Infinity")}, id="infinity"),
        pytest.param("a:bool=false", {"a": Typed(Edm.BOOLEAN, value=False)}, id="bool"),
        pytest.param(f"a:guid={GUID}", {"a": Typed(Edm.GUID, GUID)}, id="guid"),
        pytest.param("a:binary=AP8=", {"a": Typed(Edm.BINARY, "AP8=")}, id="binary"),
        pytest.param("a:binary=", {"a": Typed(Edm.BINARY, "")}, id="empty binary"),
        pytest.param(
            "a:datetime=2026-01-31T12:00:00.1234567Z",
            {"a": Typed(Edm.DATETIME, "2026-01-31T12:00:00.1234567Z")},
            id="seven digits of a second",
        ),
        pytest.param(
            "a:datetime=2026-01-31T12:00:00.10Z",
            {"a": Typed(Edm.DATETIME, "2026-01-31T12:00:00.10Z")},
            id="digits are neither added nor taken",
        ),
        pytest.param(
            "a:datetime=2026-01-31T23:30:00.0000001-01:30",
            {"a": Typed(Edm.DATETIME, "2026-02-01T01:00:00.0000001Z")},
            id="an offset is turned into UTC",
        ),
        pytest.param(
            "a:datetime=1601-01-01T00:00:00Z", {"a": Typed(Edm.DATETIME, "1601-01-01T00:00:00Z")}, id="first moment"
        ),
        pytest.param("_é1=x", {"_é1": Typed(Edm.STRING, "x")}, id="letters of all scripts"),
        pytest.param("timestamp=x", {"timestamp": Typed(Edm.STRING, "x")}, id="system names count in their own case"),
    ],
)
def test_an_argument_is_a_property_with_its_type(argument: str, expected: dict[str, Typed]) -> None:
    assert exact(from_arguments([argument])) == exact(expected)


def test_minus_zero_stays_a_double_with_its_sign() -> None:
    typed = from_arguments(["a:=-0.0", "b:double=-0", "c:=-0"])

    assert [(one.edm, math.copysign(1, float(one.value))) for one in typed.values()] == [(Edm.DOUBLE, -1)] * 3


RULES = {
    "Int32": "-2147483648 to 2147483647",
    "Int64": "-9223372036854775808 to 9223372036854775807",
    "Double": "a number such as 1.5 or 6e23, or NaN, Infinity, -Infinity",
    "Boolean": "true or false",
    "DateTime": "2026-01-31T12:00:00Z, with up to 7 digits of a second, years 1601 to 9999, always with a zone",
    "Guid": "c9da6455-213d-42c9-9a79-3e9149a57833",
    "Binary": "base64, with its padding",
}


@pytest.mark.parametrize(
    ("kind", "edm", "texts"),
    [
        (
            "int32",
            "Int32",
            ["", " 3", "3 ", "1_000", "1.0", "0x10", "٣", "2147483648", "-2147483649", "true", "9" * 50],
        ),
        ("int64", "Int64", ["", "1e3", "9223372036854775808", "-9223372036854775809", "NaN", "--1"]),
        ("double", "Double", ["", "nan", "inf", "infinity", "1_0", "1e999", "-1e999", "1,5", "0x1p3", ".", "e5", " 1"]),
        ("bool", "Boolean", ["", "True", "1", "yes", "TRUE"]),
        ("guid", "Guid", ["", GUID[:-1], GUID.replace("-", ""), f"{{{GUID}}}", GUID + "0", "g" + GUID[1:]]),
        ("binary", "Binary", ["A", "AP8", "AP8==", "AP 8=", "-_8=", "é"]),
        (
            "datetime",
            "DateTime",
            [
                "",
                "2026-01-31",
                "2026-01-31T12:00:00",
                "2026-01-31 12:00:00Z",
                "2026-01-31T12:00Z",
                "2026-01-31T12:00:00.12345678Z",
                "2026-01-31T12:00:00.Z",
                "2026-02-30T12:00:00Z",
                "2026-01-31T24:00:00Z",
                "2026-01-31T12:00:60Z",
                "1600-12-31T23:59:59Z",
                "1601-01-01T00:00:00+01:00",
                "9999-12-31T23:59:59-01:00",
                "0001-01-01T00:00:00+01:00",
                "2026-01-31T12:00:00+24:00",
                "2026-01-31T12:00:00+00:60",
                "now",
                "\uff12026-01-31T12:00:00Z",
            ],
        ),
    ],
)
def test_a_text_that_is_not_of_the_type_is_refused(kind: str, edm: str, texts: list[str]) -> None:
    for text in texts:
        with pytest.raises(Usage) as refused:
            from_arguments([f"a:{kind}={text}"])

        shown = repr(text) if len(repr(text)) <= 60 else repr(text)[:57] + "..."
        assert (refused.value.message, refused.value.hint) == (f"property 'a' is not {edm}: {shown}", RULES[edm])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["a"], "not a property: 'a'", id="no separator"),
        pytest.param([""], "not a property: ''", id="nothing"),
        pytest.param(["=x"], "not the name of a property: ''", id="no name"),
        pytest.param([":=3"], "not the name of a property: ''", id="no name before a literal"),
        pytest.param(["a-b=x"], "not the name of a property: 'a-b'", id="a dash"),
        pytest.param(["1a=x"], "not the name of a property: '1a'", id="a digit first"),
        pytest.param(["a b=x"], "not the name of a property: 'a b'", id="a space"),
        pytest.param(["a@odata.type=Edm.Int64"], "not the name of a property: 'a@odata.type'", id="an annotation"),
        pytest.param(["\x1b[1m=x"], r"not the name of a property: '\x1b[1m'", id="an escape sequence"),
        pytest.param(["\u0301a=x"], "not the name of a property: '\u0301a'", id="a combining mark first"),
        pytest.param(
            ["a" * 256 + "=x"], f"the name of a property is longer than 255 characters: '{'a' * 56}...", id="long"
        ),
        pytest.param(["RowKey=x"], "RowKey cannot be set as a property", id="a key"),
        pytest.param(["Timestamp:=3"], "Timestamp cannot be set as a property", id="the timestamp"),
        pytest.param(["a=1", "a:=1"], "property 'a' is given twice", id="twice"),
        pytest.param(["a:int=3"], "property 'a' has no such type: 'int'", id="an unknown type"),
        pytest.param(["a:Int64=3"], "property 'a' has no such type: 'Int64'", id="types have one spelling"),
        pytest.param(["a:=null"], "property 'a' is null, and the service stores no nulls", id="null"),
        pytest.param(["a:=[1]"], "property 'a' is an object or a list, and an entity holds neither", id="a list"),
        pytest.param(["a:={}"], "property 'a' is an object or a list, and an entity holds neither", id="an object"),
        pytest.param(["a:=9223372036854775808"], "property 'a' is not Int64: 9223372036854775808", id="beyond Int64"),
        pytest.param(
            ["a:="], "property 'a' cannot be read as JSON: Expecting value (line 1, column 1)", id="no literal"
        ),
        pytest.param(["a:=NaN"], "property 'a' cannot be read as JSON: NaN is not JSON", id="NaN is not JSON"),
        pytest.param(["a:=1e999"], "property 'a' cannot be read as JSON: 1e999 is too large for a number", id="1e999"),
        pytest.param(
            ["a:=" + "9" * 5000], "property 'a' cannot be read as JSON: a number has too many digits", id="5000 digits"
        ),
        pytest.param(["a:=" + "[" * 200_000], "property 'a' is nested too deeply", id="nested"),
        pytest.param(["a=\udcff"], "property 'a' is not UTF-8 text", id="not UTF-8"),
    ],
)
def test_an_argument_that_is_no_property_is_refused(arguments: list[str], message: str) -> None:
    with pytest.raises(Usage) as refused:
        from_arguments(arguments)

    assert refused.value.message == message


def from_text(text: str) -> dict[str, Typed]:
    return dict(from_document(strict_json(text, what="--from"), partition_key="p", row_key="r"))


def test_a_document_is_read_with_its_types_and_without_what_the_service_adds() -> None:
    document = {
        "odata.metadata": "http://x/$metadata#t/@Element",
        "odata.etag": "W/\"datetime'x'\"",
        "PartitionKey": "p",
        "RowKey": "r",
        "Timestamp@odata.type": "Edm.DateTime",
        "Timestamp": "2026-01-31T12:00:00Z",
        "n@odata.type": "Edm.Int64",
        "n": "5",
        "i": 3,
        "d@odata.type": "Edm.Double",
        "d": 1,
        "s": "2026-01-31T12:00:00Z",
    }

    assert from_text(json.dumps(document)) == {
        "n": Typed(Edm.INT64, "5"),
        "i": Typed(Edm.INT32, 3),
        "d": Typed(Edm.DOUBLE, 1.0),
        "s": Typed(Edm.STRING, "2026-01-31T12:00:00Z"),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "--from cannot be read as JSON: Expecting value (line 1, column 1)", id="nothing"),
        pytest.param("{", "--from cannot be read as JSON: {} (line 1, column 2)", id="cut off"),
        pytest.param("[]", "--from is not a JSON object", id="a list"),
        pytest.param("null", "--from is not a JSON object", id="null"),
        pytest.param('"x"', "--from is not a JSON object", id="a text"),
        pytest.param('{"a":1,"a":1}', "--from cannot be read as JSON: 'a' is given twice", id="twice"),
        pytest.param('{"a":NaN}', "--from cannot be read as JSON: NaN is not JSON", id="NaN"),
        pytest.param('{"a":-Infinity}', "--from cannot be read as JSON: -Infinity is not JSON", id="infinity"),
        pytest.param('{"a":1} x', "--from cannot be read as JSON: Extra data (line 1, column 9)", id="more after it"),
        pytest.param('{"PartitionKey":"q"}', "--from has another PartitionKey: 'q'", id="another partition"),
        pytest.param('{"RowKey":3}', "--from has another RowKey: 3", id="another row"),
        pytest.param(
            '{"a@odata.type":"Edm.Int64"}', "--from has a type for a property that it does not have: 'a'", id="no value"
        ),
        pytest.param(
            '{"a@odata.type":"Edm.Byte","a":1}', "property 'a' has no such type: 'Edm.Byte'", id="no such type"
        ),
        pytest.param('{"a@odata.type":7,"a":1}', "property 'a' has no such type: 7", id="a type that is no text"),
        pytest.param('{"a@odata.type":"Edm.String","a":1}', "property 'a' is not String: 1", id="a number as text"),
        pytest.param('{"a@odata.type":"Edm.Int32","a":true}', "property 'a' is not Int32: True", id="true as a number"),
        pytest.param('{"a@odata.type":"Edm.Int32","a":1.0}', "property 'a' is not Int32: 1.0", id="1.0 as an integer"),
        pytest.param('{"a@odata.type":"Edm.Double","a":true}', "property 'a' is not Double: True", id="true as Double"),
        pytest.param('{"a@odata.type":"Edm.Guid","a":1}', "property 'a' is not Guid: 1", id="a number as a guid"),
        pytest.param(
            '{"a@odata.type":"Edm.Double","a":' + "9" * 400 + "}",
            f"property 'a' is not Double: {'9' * 57}...",
            id="an integer beyond Double",
        ),
        pytest.param('{"a@odata.type":"Edm.Double","a":null}', "property 'a' is not Double: None", id="a typed null"),
        pytest.param('{"b":[]}', "property 'b' is an object or a list, and an entity holds neither", id="a list in it"),
        pytest.param('{"a-b":1}', "not the name of a property: 'a-b'", id="a name"),
    ],
)  # fmt: skip
def test_a_document_that_is_no_entity_is_refused(text: str, message: str) -> None:
    with pytest.raises(Usage) as refused:
        from_text(text)

    unquoted = message.replace("{}", "Expecting property name enclosed in double quotes")
    assert refused.value.message == unquoted


MOMENTS = st.datetimes().filter(lambda moment: moment.year >= 1601).map(lambda moment: moment.isoformat()[:19])
TICKS = st.one_of(st.just(""), st.from_regex(r"\.[0-9]{1,7}", fullmatch=True))
VALUES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])).map(lambda text: Typed(Edm.STRING, text)),
    st.booleans().map(lambda value: Typed(Edm.BOOLEAN, value)),
    st.integers(-(2**31), 2**31 - 1).map(lambda number: Typed(Edm.INT32, number)),
    st.integers(-(2**63), 2**63 - 1).map(lambda number: Typed(Edm.INT64, str(number))),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda number: Typed(Edm.DOUBLE, number)),
    st.sampled_from(["NaN", "Infinity", "-Infinity"]).map(lambda text: Typed(Edm.DOUBLE, text)),
    st.tuples(MOMENTS, TICKS).map(lambda parts: Typed(Edm.DATETIME, "".join(parts) + "Z")),
    st.uuids().map(lambda value: Typed(Edm.GUID, str(value))),
    st.binary().map(lambda data: Typed(Edm.BINARY, b64encode(data).decode())),
)
NAMES = st.from_regex(r"[A-Za-zé_][A-Za-z0-9é_]{0,7}", fullmatch=True).filter(lambda name: name != "RowKey")
PROPERTIES = st.dictionaries(NAMES, VALUES, max_size=6)


@given(properties=PROPERTIES)
@example(properties={"a": Typed(Edm.DOUBLE, -0.0), "b": Typed(Edm.DOUBLE, 1.0), "c": Typed(Edm.DOUBLE, 5e-324)})
def test_annotated_json_is_read_back_unchanged(properties: dict[str, Typed]) -> None:
    assert exact(from_text(json.dumps(annotated(properties)))) == exact(properties)


@given(properties=PROPERTIES)
def test_a_program_that_writes_whole_doubles_as_integers_changes_nothing(properties: dict[str, Typed]) -> None:
    written = {
        name: int(value) if isinstance(value, float) and value.is_integer() and 0 < abs(value) < 1e15 else value
        for name, value in annotated(properties).items()
    }

    assert exact(from_text(json.dumps(written))) == exact(properties)


@given(properties=PROPERTIES)
def test_an_answer_of_the_service_is_read_unchanged(properties: dict[str, Typed]) -> None:
    answer = {"odata.etag": "x", "PartitionKey": "p", "RowKey": "r", "Timestamp": "2026-01-31T12:00:00Z"}

    assert exact(from_answer(answer | annotated(properties))) == exact(properties)


@given(text=st.text())
def test_no_text_is_more_than_refused(text: str) -> None:
    for argument in (text, f"a={text}", f"a:={text}", f"a:double={text}", f"a:datetime={text}"):
        with suppress(Usage):
            from_arguments([argument])
    with suppress(Usage):
        from_text(text)


def test_a_type_that_stcc_does_not_know_is_shown_as_it_is_and_a_null_is_nothing() -> None:
    answer = {"x@odata.type": "Edm.Decimal", "x": "1.50", "d@odata.type": "Edm.DateTime", "d": "0001-01-01", "n": None}

    assert annotated(from_answer(answer)) == {
        "x@odata.type": "Edm.Decimal",
        "x": "1.50",
        "d@odata.type": "Edm.DateTime",
        "d": "0001-01-01",
    }


def test_annotated_json_as_text_is_one_line_of_json() -> None:
    assert str(annotated({"a": Typed(Edm.INT64, "5"), "b": Typed(Edm.STRING, "x\ny")})) == (
        '{"a@odata.type":"Edm.Int64","a":"5","b":"x\\ny"}'
    )


@pytest.mark.parametrize(
    "properties",
    [
        pytest.param({"a": "x" * 32768}, id="32,768 characters"),
        pytest.param({f"a{n}": "" for n in range(252)}, id="252 properties"),
        pytest.param({f"a{n}": "x" * 32768 for n in range(15)}, id="fifteen full ones"),
    ],
)
def test_what_the_service_has_room_for_is_accepted(properties: dict[str, str]) -> None:
    check_size({name: Typed(Edm.STRING, text) for name, text in properties.items()}, keys=("p", "r"))


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        pytest.param({"a": "x" * 32769}, "property 'a' is larger than 64 KiB", id="32,769 characters"),
        pytest.param({"a": "😀" * 16385}, "property 'a' is larger than 64 KiB", id="characters are UTF-16 units"),
        pytest.param({f"a{n}": "" for n in range(253)}, "253 properties are too many", id="253 properties"),
        pytest.param({f"a{n}": "x" * 32768 for n in range(16)}, "the entity is larger than 1 MiB", id="sixteen"),
    ],
)
def test_what_the_service_has_no_room_for_is_refused(properties: dict[str, str], message: str) -> None:
    with pytest.raises(Usage) as refused:
        check_size({name: Typed(Edm.STRING, text) for name, text in properties.items()}, keys=("p", "r"))

    assert refused.value.message == message


def test_binary_is_counted_in_bytes_and_not_in_base64() -> None:
    check_size({"a": Typed(Edm.BINARY, b64encode(bytes(65536)).decode())}, keys=())
    with pytest.raises(Usage):
        check_size({"a": Typed(Edm.BINARY, b64encode(bytes(65537)).decode())}, keys=())


TARGET = EntityTarget(table=TableTarget(table="jobs"), partition_key="p", row_key="r")


def test_the_mark_counts_as_a_property() -> None:
    full = {f"a{n}": Typed(Edm.INT32, n) for n in range(252)}

    assert content(full, target=TARGET, marker=None) == Content(properties=full)
    with pytest.raises(Usage) as refused:
        content(full, target=TARGET, marker="op")
    assert refused.value.message == "253 properties are too many"


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("", "not the name of a property: ''"),
        ("a-b", "not the name of a property: 'a-b'"),
        ("RowKey", "RowKey cannot be set as a property"),
        ("a", "--marker a is the name of a property that is given, too"),
    ],
)
def test_the_mark_needs_a_property_of_its_own(marker: str, message: str) -> None:
    with pytest.raises(Usage) as refused:
        content({"a": Typed(Edm.INT32, 1)}, target=TARGET, marker=marker)

    assert refused.value.message == message


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("", "is empty"),
        ("a/b", "cannot contain '/'"),
        ("a\\b", r"cannot contain '\\'"),
        ("a#b", "cannot contain '#'"),
        ("a?b", "cannot contain '?'"),
        ("a\tb", r"cannot contain '\t'"),
        ("a\x00", r"cannot contain '\x00'"),
        ("\x1b[2J", r"cannot contain '\x1b'"),
        ("a\x7f", r"cannot contain '\x7f'"),
        ("a\x9fb", r"cannot contain '\x9f'"),
        ("\udcff", "is not UTF-8 text"),
        ("a" * 1025, "is longer than 1,024 characters"),
        ("😀" * 513, "is longer than 1,024 characters"),
    ],
)
def test_a_key_that_the_service_cannot_have_is_refused(key: str, message: str) -> None:
    for arguments, what in ((("jobs", key, "r"), "PartitionKey"), (("jobs", "p", key), "RowKey")):
        with pytest.raises(Usage) as refused:
            entity_target(*arguments)

        assert refused.value.message == f"the {what} {message}"


@pytest.mark.parametrize("key", [" ", "a b", "a%2Fb", "'", "..", "ü€😀", "a" * 1024, "[red]x[/red]".replace("/", "")])
def test_every_other_key_is_accepted_as_it_is(key: str) -> None:
    assert str(entity_target("jobs", key, key)) == f"jobs/{key}/{key}"


def test_a_selection_always_has_what_names_an_entity() -> None:
    assert selection("b, a,RowKey,b") == ["PartitionKey", "RowKey", "Timestamp", "b", "a"]


@pytest.mark.parametrize("text", ["", " ", "a,", "a-b", "*", "a b"])
def test_a_selection_of_what_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(Usage):
        selection(text)


@pytest.mark.parametrize(("text", "message"), [("", "--filter is empty"), ("\udcff", "--filter is not UTF-8 text")])
def test_a_filter_that_cannot_be_sent_is_refused(text: str, message: str) -> None:
    with pytest.raises(Usage) as refused:
        query_filter(text)

    assert refused.value.message == message


@pytest.mark.parametrize("name", ["a", "_", "A1", "é", "\uff41", "a\u0301", "a\u200d", "x" * 255])
def test_an_identifier_is_a_name(name: str) -> None:
    assert property_name(name) == name

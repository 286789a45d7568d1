"""What a message may be: encodings, sizes, ids, receipts, times; nothing here asks a service."""

import base64
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcc.errors import Usage
from stcc.values import messages
from stcc.values.messages import Body

GUID = "5974b586-0df3-4e2d-ad0c-18e3892bfca2"
TOO_LARGE = "a message holds 64 KiB of text, or 48 KiB as base64"
NOT_XML = "messages travel in XML, which loses or refuses it; --encoding base64 sends any bytes"


def refusal(parse: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(Usage) as refused:
        parse()
    return refused.value.message, refused.value.hint


@given(st.binary(max_size=200))
def test_any_bytes_survive_base64(content: bytes) -> None:
    held = messages.encoded(content, encoding="base64")

    assert (held, messages.decoded(held, encoding="base64")) == (
        base64.b64encode(content).decode(),
        Body(content, "base64"),
    )


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_is_held_as_it_is_or_refused(text: str) -> None:
    lost = {chr(code) for code in range(32)} - {"\t", "\n"} | {"\ufffe", "\uffff"}
    try:
        held: str | None = messages.encoded(text.encode(), encoding="text")
    except Usage:
        held = None

    assert held == (None if lost & set(text) else text)


@given(st.text(st.characters(exclude_categories=["Cs"])) | st.text("aA09+/= \n"))
def test_decoding_never_fails_and_never_loses_anything(text: str) -> None:
    body = messages.decoded(text, encoding="base64")

    if body.encoding == "base64":
        assert base64.b64encode(body.content).decode() == "".join(text.split())
    else:
        assert body.content == text.encode()


@pytest.mark.parametrize(
    ("held", "body"),
    [
        pytest.param("aGVsbG8=", Body(b"hello", "base64"), id="base64 is decoded"),
        pytest.param("aGVs\r\nbG8=\n", Body(b"hello", "base64"), id="line breaks between the digits are skipped"),
        pytest.param("", Body(b"", "base64"), id="nothing is the base64 of nothing"),
        pytest.param("hello", Body(b"hello", "text"), id="a wrong length is no base64"),
        pytest.param("aGVsbG8", Body(b"aGVsbG8", "text"), id="missing padding is no base64"),
        pytest.param("0000=", Body(b"0000=", "text"), id="too much padding is no base64"),
        pytest.param("QR==", Body(b"QR==", "text"), id="bits that mean nothing are no base64"),
        pytest.param("a-_b", Body(b"a-_b", "text"), id="the URL alphabet is no base64"),
        pytest.param("grüß", Body("grüß".encode(), "text"), id="text beyond ASCII is no base64"),
    ],
)
def test_what_should_be_base64_and_is_not_stays_as_it_is(held: str, body: Body) -> None:
    assert messages.decoded(held, encoding="base64") == body


def test_bytes_that_are_no_text_have_no_text() -> None:
    assert [Body(content, "base64").text for content in (b"\xff", b"", "ü".encode())] == [None, "", "ü"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("a\rb", "character 2 is U+000D", id="XML reads a carriage return as a line feed"),
        pytest.param("\r\n", "character 1 is U+000D", id="and the pair, too"),
        pytest.param("\0", "character 1 is U+0000", id="NUL"),
        pytest.param("ab\x1b[31m", "character 3 is U+001B", id="escape"),
        pytest.param("\ufffe", "character 1 is U+FFFE", id="not a character"),
        pytest.param("\uffff", "character 1 is U+FFFF", id="nor this"),
    ],
)
def test_a_text_that_xml_cannot_carry_is_refused(text: str, problem: str) -> None:
    said = refusal(lambda: messages.encoded(text.encode(), encoding="text"))

    assert said == (f"the message cannot be sent as text: {problem}", NOT_XML)


@pytest.mark.parametrize("text", ["\t\n", "  ", "\x7f\x85\u2028", "<&>]]>", "\U0001f600", "\ufdd0"])
def test_a_text_that_xml_can_carry_is_not(text: str) -> None:
    assert messages.encoded(text.encode(), encoding="text") == text


def test_bytes_are_no_text() -> None:
    assert refusal(lambda: messages.encoded(b"\xff", encoding="text")) == (
        "the message is not UTF-8 text",
        "--encoding base64 sends any bytes",
    )


@pytest.mark.parametrize(("encoding", "limit"), [("text", 65536), ("base64", 49152)])
def test_a_message_holds_64_kib_once_encoded(encoding: messages.Encoding, limit: int) -> None:
    assert len(messages.encoded(b"x" * limit, encoding=encoding)) == 65536
    assert refusal(lambda: messages.encoded(b"x" * (limit + 1), encoding=encoding)) == (
        f"the message is too large: more than {limit} bytes",
        TOO_LARGE,
    )


def test_a_text_is_measured_in_bytes() -> None:
    assert len(messages.encoded("ü".encode() * 32768, encoding="text")) == 32768
    assert refusal(lambda: messages.encoded("ü".encode() * 32768 + b"x", encoding="text")) == (
        "the message is too large: more than 65536 bytes",
        TOO_LARGE,
    )


def test_an_argument_is_the_bytes_that_were_typed() -> None:
    assert messages.from_argument("a\udcffü", option="TEXT") == b"a\xff\xc3\xbc"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("", ("TEXT is empty", "is the variable set? An empty message is sent from stdin: -"), id="empty"),
        pytest.param("\ud800", ("TEXT is not text", "it holds half of a surrogate pair"), id="half a character"),
    ],
)
def test_an_argument_that_says_nothing_is_refused(text: str, said: tuple[str, str]) -> None:
    assert refusal(lambda: messages.from_argument(text, option="TEXT")) == said


def test_an_encoding_has_a_name() -> None:
    assert [messages.encoding("text"), messages.encoding("base64")] == ["text", "base64"]
    assert refusal(lambda: messages.encoding("BASE64")) == ("--encoding is not known: 'BASE64'", "text or base64")


@pytest.mark.parametrize("text", [GUID, GUID.upper(), f" {GUID}\n", f"{{{GUID}}}"])
def test_an_id_is_a_guid_in_lower_case(text: str) -> None:
    assert messages.message_id(text) == GUID


@pytest.mark.parametrize("text", ["x", f"{GUID}0", f"{GUID} {GUID}", "../..", "\x1b"])
def test_anything_else_is_no_id(text: str) -> None:
    assert refusal(lambda: messages.message_id(text)) == (
        f"not the id of a message: {text!r}",
        "a GUID, as printed by dequeue and send",
    )


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_an_empty_id_or_receipt_is_an_unset_variable(text: str) -> None:
    assert refusal(lambda: messages.message_id(text)) == ("the message's id is empty", "is the variable set?")
    assert refusal(lambda: messages.pop_receipt(text)) == (
        "--pop-receipt is empty",
        "is the variable set? the newest one, as printed by dequeue or send",
    )


def test_a_receipt_is_opaque() -> None:
    assert messages.pop_receipt("AgAAAAMAAAAAAAAA+/==&%") == "AgAAAAMAAAAAAAAA+/==&%"


@pytest.mark.parametrize("text", ["a b", " a", "a\n", "a\tb", "\x7f", "ü", "\udcff"])
def test_a_receipt_is_printable_and_one_word(text: str) -> None:
    assert refusal(lambda: messages.pop_receipt(text)) == (
        f"--pop-receipt is not one receipt: {text!r}",
        "as printed by dequeue, send or update",
    )


@pytest.mark.parametrize(("text", "seconds"), [("1", 1), ("90s", 90), ("5m", 300), ("7d", 604800)])
def test_a_message_is_hidden_for_whole_seconds(text: str, seconds: int) -> None:
    assert messages.hidden(text, low=1) == seconds


@pytest.mark.parametrize("text", ["0", "0.5s", "1500ms", "604801", "8d"])
def test_the_service_hides_a_message_it_gives_away_for_1_second_to_7_days(text: str) -> None:
    assert refusal(lambda: messages.hidden(text, low=1)) == (
        f"--visibility is out of range: {text!r}",
        "the service accepts 1 to 604800 whole seconds, which are 7 days at most",
    )


def test_a_message_can_be_shown_at_once() -> None:
    assert messages.hidden("0", low=0) == 0


@pytest.mark.parametrize(("text", "seconds"), [("1s", 1), ("30d", 2592000), ("never", -1), ("-1", -1)])
def test_a_message_lives_for_a_second_or_longer_or_for_ever(text: str, seconds: int) -> None:
    assert messages.ttl(text) == seconds


@pytest.mark.parametrize("text", ["0", "0.5s", "2147483648"])
def test_a_message_does_not_live_for_less(text: str) -> None:
    assert refusal(lambda: messages.ttl(text)) == (
        f"--ttl is out of range: {text!r}",
        "the service accepts 1 to 2147483647 whole seconds, or never",
    )


@pytest.mark.parametrize(
    ("hidden", "ttl"),
    [
        pytest.param(None, 1, id="visible at once"),
        pytest.param(1, 2, id="shorter"),
        pytest.param(604799, None, id="shorter than the seven days of the service"),
        pytest.param(604800, -1, id="it lives for ever"),
    ],
)
def test_a_message_may_be_hidden_for_less_than_it_lives(hidden: int | None, ttl: int | None) -> None:
    messages.check_hidden_before_expiry(hidden=hidden, ttl=ttl)


@pytest.mark.parametrize(("hidden", "ttl", "lives"), [(2, 2, 2), (3, 2, 2), (604800, None, 604800)])
def test_a_message_that_nobody_could_ever_see_is_refused(hidden: int, ttl: int | None, lives: int) -> None:
    assert refusal(lambda: messages.check_hidden_before_expiry(hidden=hidden, ttl=ttl)) == (
        f"--visibility {hidden}s is not shorter than the message lives: {lives}s",
        "it would expire before anybody could see it; a longer --ttl, or --ttl never",
    )

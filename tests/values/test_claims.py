"""Who wants a lock, and for how long."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcc.errors import Usage
from stcc.values.claims import Claim, Tenure, check_size, claim, parse_identity, parse_ttl, record
from tests.values.refusals import parsed_or_refused, refusal

RANGE = "--ttl is out of range: "


def test_a_claim_is_what_the_options_say() -> None:
    assert claim("me", "1.5m", "why") == Claim("me", 90, "why")
    assert claim("me", "none") == Claim("me", None, None)


def test_without_an_identity_it_is_random() -> None:
    made = {claim(None, "30s").identity for _ in range(100)}

    assert (len(made), {len(one) for one in made}) == (100, {32})


@pytest.mark.parametrize(
    ("text", "seconds"), [("1s", 1), ("1500ms", 1.5), ("30", 30), ("2h", 7200), ("366d", 31_622_400), ("none", None)]
)
def test_a_ttl(text: str, seconds: float | None) -> None:
    found = parse_ttl(text)

    assert (found, type(found)) == (seconds, type(seconds))


@pytest.mark.parametrize("text", ["0", "0s", "999ms", "0.9999", "367d", "366.1d", "999999999999d"])
def test_a_ttl_has_limits(text: str) -> None:
    assert refusal(lambda: parse_ttl(text)) == f"{RANGE}{text!r}"


@pytest.mark.parametrize("text", ["", "-1", "5x", "forever", "infinite", "None", "1e3", "nan"])
def test_what_is_no_ttl(text: str) -> None:
    assert refusal(lambda: parse_ttl(text)) == f"--ttl is not a duration: {text!r}"


@pytest.mark.parametrize("text", ["me", " a b ", "müller", "x" * 512, "ä" * 256, "a/b:c=d", "-", "0"])
def test_an_identity_is_some_text(text: str) -> None:
    assert parse_identity(text) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the identity is empty"),
        (" \t", "the identity is empty"),
        ("a\nb", "the identity contains a control character"),
        ("a\x00", "the identity contains a control character"),
        ("\x7f", "the identity contains a control character"),
        ("\udcff", "the identity is not UTF-8 text"),
        ("x" * 513, "the identity is longer than 512 bytes"),
        ("ä" * 257, "the identity is longer than 512 bytes"),
    ],
)
def test_what_is_no_identity(text: str, message: str) -> None:
    assert refusal(lambda: parse_identity(text)) == message


@pytest.mark.parametrize("text", ["", " ", "a\nb", "\x1b[31m", "\u202ereversed", "\udcff"])
def test_what_is_no_note(text: str) -> None:
    assert refusal(lambda: claim("me", "30s", text)) == "--note is empty, or has characters that cannot be shown"


def test_the_record_of_a_hold() -> None:
    tenure = Tenure("me", 30, "2026-01-31T12:00:00Z", 5, "why")
    held = {"fence": 7, "identity": "me", "ttl": 30, "since": "2026-01-31T12:00:00Z", "note": "why"}

    assert record(tenure, 7) == held
    assert record(tenure._replace(leave=True), 7) == held | {"leave": True}
    assert record(None, 7) == {"fence": 7}


@pytest.mark.parametrize("kind", ["lock", "leader"])
@pytest.mark.parametrize("letter", ["x", "ä", "😀", '"'])
def test_a_record_fits_the_metadata_or_is_refused(kind: str, letter: str) -> None:
    def asked(length: int) -> Claim:
        return Claim("me", 366 * 86400.0, letter * length)

    def fits(length: int) -> bool:
        with suppress(Usage):
            check_size(kind, asked(length))
            return True
        return False

    fitting = max(length for length in range(4200) if fits(length))
    assert refusal(lambda: check_size(kind, asked(fitting + 1))) == "identity and note are too long together"
    now = Tenure("me", 366 * 86400.0, "2026-01-31T12:00:00Z", 1_795_000_000_000, letter * fitting, leave=True)
    written = json.dumps({"kind": kind, **record(now, 1_795_000_000_001), "op": "f" * 32}, separators=(",", ":"))

    assert 4050 < len(written) <= 4096


@given(st.text(), st.text())
def test_any_text_is_a_claim_or_is_refused(first: str, second: str) -> None:
    parsed_or_refused(lambda: claim(first, second, first))
    parsed_or_refused(lambda: claim(first, "30s", second))

"""Conditions that only a few operations know: of the source of a copy, of an append's position, of pages."""

from datetime import UTC, datetime

import pytest

from stcc.knowledge import operations
from stcc.knowledge.operations import CONDITIONS, EVERY_CONDITION, SOURCE, Operation
from stcc.values.conditions import Conditions, parse
from tests.values.refusals import refusal

NOW = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)
# Flag -> what is typed, and the header and value that are sent.
SPECIAL = {
    "--source-if-match": ("0x1", "x-ms-source-if-match", '"0x1"'),
    "--source-if-none-match": ('W/"0x1"', "x-ms-source-if-none-match", '"0x1"'),
    "--source-if-modified-since": ("now-1h", "x-ms-source-if-modified-since", "Sat, 31 Jan 2026 11:00:00 GMT"),
    "--source-if-unmodified-since": ("now", "x-ms-source-if-unmodified-since", "Sat, 31 Jan 2026 12:00:00 GMT"),
    "--source-if-tags": (" a = 'b' ", "x-ms-source-if-tags", "a = 'b'"),
    "--append-position": ("0", "x-ms-blob-condition-appendpos", "0"),
    "--max-size": (" 0100\n", "x-ms-blob-condition-maxsize", "100"),
    "--if-sequence-number-le": ("7", "x-ms-if-sequence-number-le", "7"),
    "--if-sequence-number-lt": ("9223372036854775807", "x-ms-if-sequence-number-lt", "9223372036854775807"),
    "--if-sequence-number-eq": ("0", "x-ms-if-sequence-number-eq", "0"),
}
NUMBERS = [flag for flag in SPECIAL if flag not in SOURCE]
ALL = {name: row for name, row in vars(operations).items() if isinstance(row, Operation)}


def test_these_are_all() -> None:
    assert set(SPECIAL) == set(EVERY_CONDITION) - set(CONDITIONS)


@pytest.mark.parametrize("flag", SPECIAL)
@pytest.mark.parametrize("name", ALL)
def test_one_becomes_its_header_or_is_refused(name: str, flag: str) -> None:
    typed, header, sent = SPECIAL[flag]
    if flag in ALL[name].honours:
        headers = parse(ALL[name], {flag: typed}, force=ALL[name].says_force, now=NOW).headers()
        assert headers == {header: sent}
    else:
        assert refusal(lambda: parse(ALL[name], {flag: typed}, now=NOW)) == f"{ALL[name].name} takes no {flag}"


def test_a_condition_of_the_source_does_not_stand_for_one_of_the_target() -> None:
    created = parse(operations.COPY_BLOB, {"--source-if-match": "0x1"}, now=NOW)
    forced = parse(operations.COPY_BLOB, {"--source-if-match": "0x1"}, force=True, now=NOW)

    assert created == Conditions({"--if-none-match": "*", "--source-if-match": '"0x1"'})
    assert forced == Conditions({"--source-if-match": '"0x1"'}, force=True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"--source-if-match": "0x1", "--source-if-none-match": "0x2"},
            "the service rejects --source-if-match and --source-if-none-match together on a write",
        ),
        (
            {"--source-if-match": "0x1", "--source-if-modified-since": "now"},
            "the service rejects --source-if-match and --source-if-modified-since together on a write",
        ),
        ({"--source-if-none-match": "*"}, "--source-if-none-match takes no '*'"),
    ],
)
def test_what_the_service_would_reject_of_a_source_is_refused(given: dict[str, str], message: str) -> None:
    assert refusal(lambda: parse(operations.COPY_BLOB, given, now=NOW)) == message


def test_conditions_of_source_and_target_are_no_pair() -> None:
    given = {"--if-match": "0x1", "--source-if-modified-since": "now"}

    assert parse(operations.COPY_BLOB, given, now=NOW).headers() == {
        "If-Match": '"0x1"',
        "x-ms-source-if-modified-since": "Sat, 31 Jan 2026 12:00:00 GMT",
    }


@pytest.mark.parametrize("flag", NUMBERS)
@pytest.mark.parametrize(
    "text", ["", " ", "-1", "+1", "1_000", "1.0", "0x1", "\uff11", "9223372036854775808", "1" * 5000]
)
def test_what_is_no_number_is_refused(flag: str, text: str) -> None:
    row = operations.APPEND if flag in operations.POSITION else operations.PUT_PAGE
    assert refusal(lambda: parse(row, {flag: text}, now=NOW)) == f"{flag} is not a whole number: {text!r}"

"""Conditions: every one is sent or refused."""

from datetime import UTC, datetime
from itertools import combinations
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcc.knowledge import operations
from stcc.knowledge.operations import CONDITIONS, EVERY_CONDITION, HEADERS, SOURCE, Operation
from stcc.values.conditions import Conditions, lease_id, parse
from tests.values.refusals import parsed_or_refused, refusal

NOW = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)
GUID = "1f812371-a41d-49e6-b123-f4b542e85144"
GOOD = {
    "--if-match": '"0x1"',
    "--if-none-match": '"0x2"',
    "--if-modified-since": "now-1h",
    "--if-unmodified-since": "now",
    "--if-tags": "a = 'b'",
    "--lease-id": GUID,
}
SENT = GOOD | {
    "--if-modified-since": "Sat, 31 Jan 2026 11:00:00 GMT",
    "--if-unmodified-since": "Sat, 31 Jan 2026 12:00:00 GMT",
}
ALL = {name: row for name, row in vars(operations).items() if isinstance(row, Operation)}
COMPARED = ("--if-match", "--if-none-match", "--if-modified-since", "--if-unmodified-since")
WRITE_PAIRS = [("--if-match", "--if-unmodified-since"), ("--if-none-match", "--if-modified-since")]


@pytest.mark.parametrize("flag", CONDITIONS)
@pytest.mark.parametrize("name", ALL)
def test_a_condition_becomes_its_header_or_is_refused(name: str, flag: str) -> None:
    operation = ALL[name]
    if flag in operation.honours:
        sent = parse(operation, {flag: GOOD[flag]}, now=NOW).headers()
        weak = "W/" if operation.weak_etags else ""
        assert sent == {HEADERS[flag]: weak + SENT[flag]}
    else:
        message = refusal(lambda: parse(operation, {flag: GOOD[flag]}, now=NOW))
        assert message == f"{operation.name} takes no {flag}"


@pytest.mark.parametrize("pair", list(combinations(COMPARED, 2)), ids="+".join)
def test_a_write_takes_the_pairs_that_the_service_takes(pair: tuple[str, str]) -> None:
    given = {flag: GOOD[flag] for flag in pair}

    assert parse(operations.GET_BLOB, given, now=NOW) == Conditions({flag: SENT[flag] for flag in pair})
    for write in (operations.PUT_BLOB, operations.DELETE_BLOB, operations.LEASE_BLOB):
        if pair in WRITE_PAIRS:
            assert parse(write, given, now=NOW) == Conditions({flag: SENT[flag] for flag in pair})
        else:
            message = refusal(lambda write=write: parse(write, given, now=NOW))  # type: ignore[misc]  # bound now
            assert message == f"the service rejects {pair[0]} and {pair[1]} together on a write"


def test_both_dates_of_a_container_exclude_each_other_on_a_write() -> None:
    both = {flag: GOOD[flag] for flag in ("--if-modified-since", "--if-unmodified-since")}

    for write in (operations.DELETE_CONTAINER, operations.LEASE_CONTAINER):
        assert "together" in refusal(lambda write=write: parse(write, both, now=NOW))  # type: ignore[misc]  # bound now


@pytest.mark.parametrize("triple", list(combinations(COMPARED, 3)), ids="+".join)
def test_a_write_takes_no_three(triple: tuple[str, ...]) -> None:
    message = refusal(lambda: parse(operations.PUT_BLOB, {flag: GOOD[flag] for flag in triple}, now=NOW))
    assert message == f"the service rejects {' and '.join(triple)} together on a write"


@pytest.mark.parametrize("flag", CONDITIONS)
def test_force_excludes_every_condition(flag: str) -> None:
    message = refusal(lambda: parse(operations.PUT_BLOB, {flag: GOOD[flag]}, force=True, now=NOW))
    assert message == f"--force is unconditional; it excludes {flag}"


@pytest.mark.parametrize("name", [name for name, row in ALL.items() if row.says_force])
def test_force_sends_nothing(name: str) -> None:
    forced = parse(ALL[name], {}, force=True, now=NOW)
    assert (forced, forced.headers(), bool(forced)) == (Conditions(force=True), {}, False)


@pytest.mark.parametrize(
    ("operation", "ways"),
    [
        (operations.DELETE_BLOB, "--if-match, --lease-id or --force"),
        (operations.REPLACE_ENTITY, "--if-match or --force"),
        (operations.MERGE_ENTITY, "--if-match or --force"),
        (operations.DELETE_ENTITY, "--if-match or --force"),
    ],
    ids=lambda value: value.name if isinstance(value, Operation) else "",
)
def test_a_change_without_a_condition_has_to_be_forced(operation: Operation, ways: str) -> None:
    assert refusal(lambda: parse(operation, {}, now=NOW)) == f"{operation.name} needs a condition: {ways}"


def test_a_put_without_a_condition_creates() -> None:
    assert parse(operations.PUT_BLOB, {}, now=NOW) == Conditions({"--if-none-match": "*"})


def test_reads_and_leases_need_no_condition() -> None:
    for operation in (operations.GET_BLOB, operations.LEASE_BLOB, operations.DELETE_CONTAINER):
        assert parse(operation, {}, now=NOW) == Conditions()


@pytest.mark.parametrize("name", [name for name, row in ALL.items() if "--if-none-match" in row.honours])
def test_only_if_there_is_none_belongs_to_creating_verbs(name: str) -> None:
    if ALL[name].creates:
        assert parse(ALL[name], {"--if-none-match": "*"}, now=NOW).headers() == {"If-None-Match": "*"}
    else:
        message = refusal(lambda: parse(ALL[name], {"--if-none-match": "*"}, now=NOW))
        assert message == f"{ALL[name].name} takes no --if-none-match '*'"


def test_only_if_there_is_none_excludes_a_lease() -> None:
    given = {"--if-none-match": "*", "--lease-id": GUID}
    message = refusal(lambda: parse(operations.PUT_BLOB, given, now=NOW))
    assert message == "--if-none-match '*' and --lease-id exclude each other"


@pytest.mark.parametrize("flag", CONDITIONS)
@pytest.mark.parametrize("text", ["", " ", "\t"], ids=repr)
def test_an_empty_condition_is_never_none(flag: str, text: str) -> None:
    message = refusal(lambda: parse(operations.PUT_BLOB, {flag: text}, now=NOW))
    assert message in {f"{flag} is empty", f"{flag} is not a time: {text!r}"}


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        pytest.param(GUID, GUID, id="as printed"),
        pytest.param(GUID.upper(), GUID, id="upper case"),
        pytest.param(f"{{{GUID}}}", GUID, id="braces"),
        pytest.param(f" {GUID}\n", GUID, id="as read from a file"),
        pytest.param(GUID.replace("-", ""), GUID, id="no hyphens"),
    ],
)
def test_a_lease_id_is_sent_as_the_service_prints_it(text: str, sent: str) -> None:
    assert lease_id(text, option="--lease-id") == sent


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x", id="no GUID"),
        pytest.param(GUID[:-1], id="a digit short"),
        pytest.param(GUID + "0", id="a digit long"),
        pytest.param(GUID.replace("1", "g"), id="not hexadecimal"),
        pytest.param(f"{GUID} {GUID}", id="two"),
        pytest.param("\ud800" + GUID[1:], id="surrogate"),
        pytest.param("\uff11" + GUID[1:], id="a digit of another script"),
        pytest.param(GUID.replace("f8", "f_"), id="an underscore"),
        pytest.param("\x1b[2J", id="terminal escape"),
    ],
)
def test_what_is_no_guid_is_no_lease_id(text: str) -> None:
    assert refusal(lambda: lease_id(text, option="--lease-id")) == f"--lease-id is not a GUID: {text!r}"


@pytest.mark.parametrize("text", ["a = 'ä'", "a\r\nx: y", "a\x00", "\ud800", "a\x1b[0m", "a = 'b'\x85"], ids=repr)
def test_tags_that_fit_no_header_are_refused(text: str) -> None:
    message = refusal(lambda: parse(operations.GET_BLOB, {"--if-tags": text}, now=NOW))
    assert message == f"--if-tags cannot be sent in a header: {text!r}"


@given(st.uuids())
def test_a_printed_lease_id_is_read_as_itself(identity: UUID) -> None:
    assert lease_id(str(identity), option="--lease-id") == str(identity)


@given(
    st.sampled_from(sorted(ALL)),
    st.dictionaries(st.sampled_from(EVERY_CONDITION), st.text() | st.sampled_from([*GOOD.values(), "*", "7"])),
    st.booleans(),
)
def test_whatever_is_given_is_sent_whole_or_refused(name: str, given: dict[str, str], force: bool) -> None:
    conditions = parsed_or_refused(lambda: parse(ALL[name], given, force=force, now=NOW))
    if conditions is not None:
        created = (
            {"--if-none-match"}
            if set(given) <= set(SOURCE) and not force and ALL[name].creates and ALL[name].says_force
            else set[str]()
        )
        assert set(conditions.values) == set(given) | created
        assert all(value.isascii() and value.isprintable() and value for value in conditions.headers().values())

"""The judgement before a long upload says what the service would say."""

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcc.values.conditions import Conditions
from stcc.values.judgement import Seen, of_put

CHANGED = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)
BEFORE, THEN, AFTER = (format_datetime(CHANGED.replace(second=s), usegmt=True) for s in (0, 1, 2))
GUID = "1f812371-a41d-49e6-b123-f4b542e85144"
HERE = Seen(etag='"0x1"', last_modified=CHANGED.replace(second=1), leased=False)
LEASED = Seen(etag='"0x1"', last_modified=CHANGED.replace(second=1), leased=True)
UNMET = (412, "ConditionNotMet")


@pytest.mark.parametrize(
    ("conditions", "refusal"),
    [
        pytest.param({"--if-none-match": "*"}, None, id="only if there is none"),
        pytest.param({"--if-none-match": '"0x1"'}, None, id="not this one"),
        pytest.param({"--if-match": '"0x1"'}, UNMET, id="this one"),
        pytest.param({"--if-match": "*"}, UNMET, id="any"),
        pytest.param({"--if-unmodified-since": BEFORE}, None, id="dates say nothing about nothing"),
        pytest.param({}, None, id="forced"),
    ],
)
def test_where_there_is_no_blob(conditions: dict[str, str], refusal: tuple[int, str] | None) -> None:
    assert of_put(Conditions(conditions), None) == refusal


@pytest.mark.parametrize(
    ("conditions", "refusal"),
    [
        pytest.param({}, None, id="forced"),
        pytest.param({"--if-none-match": "*"}, (409, "BlobAlreadyExists"), id="only if there is none"),
        pytest.param({"--if-match": '"0x1"'}, None, id="the current one"),
        pytest.param({"--if-match": '"0x2"'}, UNMET, id="another one"),
        pytest.param({"--if-match": "*"}, None, id="any"),
        pytest.param({"--if-none-match": '"0x1"'}, UNMET, id="not the current one"),
        pytest.param({"--if-none-match": '"0x2"'}, None, id="not another one"),
        pytest.param({"--if-modified-since": BEFORE}, None, id="changed after then"),
        pytest.param({"--if-modified-since": THEN}, UNMET, id="changed right then: not since"),
        pytest.param({"--if-modified-since": AFTER}, UNMET, id="not changed after"),
        pytest.param({"--if-unmodified-since": BEFORE}, UNMET, id="changed since"),
        pytest.param({"--if-unmodified-since": THEN}, None, id="not changed since right then"),
        pytest.param({"--if-unmodified-since": AFTER}, None, id="not changed since"),
        pytest.param({"--if-match": '"0x1"', "--if-unmodified-since": BEFORE}, None, id="the ETag decides: met"),
        pytest.param({"--if-match": '"0x2"', "--if-unmodified-since": AFTER}, UNMET, id="the ETag decides: unmet"),
        pytest.param({"--if-none-match": '"0x2"', "--if-modified-since": AFTER}, None, id="the ETag decides: another"),
        pytest.param({"--lease-id": GUID}, None, id="a lease id is left to the service"),
    ],
)
def test_where_there_is_a_blob(conditions: dict[str, str], refusal: tuple[int, str] | None) -> None:
    assert of_put(Conditions(conditions), HERE) == refusal


@given(st.sampled_from([{}, {"--if-match": '"0x1"'}, {"--if-match": '"0x2"'}, {"--if-none-match": "*"}]))
def test_a_lease_comes_before_every_condition(conditions: dict[str, str]) -> None:
    assert of_put(Conditions(conditions), LEASED) == (412, "LeaseIdMissing")
    with_id = Conditions(conditions | {"--lease-id": GUID})
    assert of_put(with_id, LEASED) == of_put(Conditions(conditions), HERE)

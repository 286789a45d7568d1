"""Durations and moments."""

import math
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcc.values.times import FOREVER, duration, http_date, iso, moment, waiting, whole_seconds
from tests.values.refusals import parsed_or_refused, refusal

NOW = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)
ZONES = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
SOMETIME = st.datetimes(datetime(1000, 1, 2), datetime(9998, 1, 1), timezones=ZONES)  # noqa: DTZ001  # zones are drawn


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        ("90", 90),
        ("90s", 90),
        ("1.5m", 90),
        ("250ms", 0.25),
        ("2h", 7200),
        ("7d", 604800),
        (" 15 ", 15),
        ("007", 7),
    ],
)
def test_a_duration_is_a_number_with_a_unit(text: str, seconds: float) -> None:
    assert duration(text, option="--wait") == seconds


@pytest.mark.parametrize(
    "text",
    ["", " ", "s", "-1", "+1", "1e3", "1_000", "1,5", ".5", "5.", "1 s", "1S", "1w", "inf", "nan", "forever",
        "infinite",
     "0x10", "\u0661", "\uff11", "1s1s", "1\n", "9" * 13, "1\x00", "\ud800"],
    ids=repr,
)  # fmt: skip
def test_anything_else_is_no_duration(text: str) -> None:
    if text == "1\n":  # what $(...) leaves out, but a file does not
        assert duration(text, option="--wait") == 1
    else:
        assert refusal(lambda: duration(text, option="--wait")) == f"--wait is not a duration: {text!r}"


@pytest.mark.parametrize(("text", "seconds"), [("15", 15), ("60s", 60), ("1m", 60), ("0.5m", 30)])
def test_whole_seconds_within_the_limits_are_taken(text: str, seconds: int) -> None:
    assert whole_seconds(text, option="--duration", low=15, high=60) == seconds


@pytest.mark.parametrize("text", ["14", "61", "14.9", "15.5", "15500ms", "0", "60.0000001", "999999999999d"])
def test_other_seconds_are_out_of_range(text: str) -> None:
    message = refusal(lambda: whole_seconds(text, option="--duration", low=15, high=60))
    assert message == f"--duration is out of range: {text!r}"


def test_waiting_may_last_forever() -> None:
    assert waiting("forever", option="--wait") == FOREVER == math.inf
    assert waiting("5m", option="--wait") == 300
    assert refusal(lambda: waiting("Forever", option="--wait")) == "--wait is not a duration: 'Forever'"


@pytest.mark.parametrize(
    ("text", "header"),
    [
        pytest.param("2026-01-31T12:00:00Z", "Sat, 31 Jan 2026 12:00:00 GMT", id="RFC 3339"),
        pytest.param("2026-01-31T14:00:00+02:00", "Sat, 31 Jan 2026 12:00:00 GMT", id="offset"),
        pytest.param("2026-01-31t12:00:00.999z", "Sat, 31 Jan 2026 12:00:00 GMT", id="fraction: cut off"),
        pytest.param("2026-01-31 12:00:00Z", "Sat, 31 Jan 2026 12:00:00 GMT", id="space for T"),
        pytest.param("Sat, 31 Jan 2026 12:00:00 GMT", "Sat, 31 Jan 2026 12:00:00 GMT", id="RFC 1123"),
        pytest.param("31 Jan 2026 14:00:00 +0200", "Sat, 31 Jan 2026 12:00:00 GMT", id="RFC 5322"),
        pytest.param("now", "Sat, 31 Jan 2026 12:00:00 GMT", id="now"),
        pytest.param("now-10m", "Sat, 31 Jan 2026 11:50:00 GMT", id="ten minutes ago"),
        pytest.param("now+1d", "Sun, 01 Feb 2026 12:00:00 GMT", id="tomorrow"),
        pytest.param("9999-12-31T23:59:59Z", "Fri, 31 Dec 9999 23:59:59 GMT", id="the last second"),
    ],
)
def test_a_moment_is_sent_in_the_form_of_headers(text: str, header: str) -> None:
    assert http_date(moment(text, option="--if-modified-since", now=NOW)) == header


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2026-01-31", "has no time zone"),
        ("2026-01-31T12:00:00", "has no time zone"),
        ("Sat, 31 Jan 2026 12:00:00", "has no time zone"),
        ("Sat, 31 Jan 2026 12:00:00 -0000", "has no time zone"),
        ("", "is not a time"),
        (" ", "is not a time"),
        ("yesterday", "is not a time"),
        ("2026-02-30T00:00:00Z", "is not a time"),
        ("2026-01-31T25:00:00Z", "is not a time"),
        ("2026-01-31T12:00:00+99:00", "is not a time"),
        ("1769860800", "is not a time"),
        ("12:00Z", "is not a time"),
        ("now-", "is not a time"),
        ("now10m", "is not a time"),
        ("now-10m-5m", "is not a duration"),
        ("now-ten", "is not a duration"),
        ("now-9999999d", "is not a time on the calendar"),
        ("now+999999999999d", "is not a time on the calendar"),
        ("0001-01-01T00:00:00+01:00", "is not a time on the calendar"),
        ("9999-12-31T23:59:59-01:00", "is not a time on the calendar"),
        ("\x1b]0;x\x07", "is not a time"),
        ("\ud800", "is not a time"),
    ],
)
def test_what_is_no_moment_is_refused(text: str, message: str) -> None:
    said = refusal(lambda: moment(text, option="--if-modified-since", now=NOW))
    assert said.startswith(f"--if-modified-since {message}")


@given(SOMETIME)
def test_a_printed_moment_is_read_as_itself(when: datetime) -> None:
    assert moment(iso(when) or "", option="--since", now=NOW) == when
    assert moment(http_date(when), option="--since", now=NOW) == when.astimezone(UTC).replace(microsecond=0)


@given(st.integers(0, 10**9))
def test_a_number_of_seconds_is_itself(seconds: int) -> None:
    assert duration(f"{seconds}", option="--wait") == duration(f"{seconds}s", option="--wait") == seconds
    assert duration(f"{seconds}ms", option="--wait") == pytest.approx(seconds / 1000)


TIMEY = st.text("0123456789TZ:-+. nowJanSt,GMT\x00\n\ud800", max_size=32)


@given(st.text() | TIMEY | SOMETIME.map(format_datetime) | st.builds("now{}{}".format, st.sampled_from("+-"), TIMEY))
def test_any_text_is_a_moment_in_utc_or_refused(text: str) -> None:
    when = parsed_or_refused(lambda: moment(text, option="--since", now=NOW))
    if when is not None:
        assert when.tzinfo is UTC
        assert http_date(when).endswith(" GMT")
    seconds = parsed_or_refused(lambda: duration(text, option="--wait"))
    assert seconds is None or 0 <= seconds < FOREVER
    whole = parsed_or_refused(lambda: whole_seconds(text, option="--duration", low=15, high=60))
    assert whole is None or 15 <= whole <= 60


def test_nothing_is_printed_of_no_moment() -> None:
    assert iso(None) is None

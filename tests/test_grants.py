"""What is remembered of grants on this machine."""

import json
import os
from pathlib import Path

import pytest

from stcc import grants
from stcc.grants import Remembered
from stcc.values.claims import Tenure

PLACE = "http://host/account/stcc-locks/lock/deploy"
TENURE = Tenure("me", 30, "2026-01-31T12:00:00Z", 5, "why")


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return where grants are kept."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "stcc" / "grants"


def remember(tenure: Tenure = TENURE, *, place: str = PLACE, deadline: float | None = 130.0) -> None:
    grants.remember(place, tenure, fence=7, etag='"0x1"', deadline=deadline)


def remembered(*, place: str = PLACE, identity: str = "me", now: float = 100.0) -> Remembered | None:
    return grants.remembered(place, identity, now=now)


@pytest.mark.usefixtures("kept")
def test_a_grant_is_remembered_until_its_time_is_over() -> None:
    assert remembered() is None
    remember()

    assert remembered() == Remembered(TENURE, 7, '"0x1"')
    assert remembered(now=129.9) == Remembered(TENURE, 7, '"0x1"')
    assert remembered(now=130.0) is None


@pytest.mark.usefixtures("kept")
def test_a_grant_without_an_end_is_remembered_until_it_is_forgotten() -> None:
    endless = TENURE._replace(ttl=None)
    remember(endless, deadline=None)
    assert remembered(now=1e12) == Remembered(endless, 7, '"0x1"')

    grants.forget(PLACE, "me")
    assert remembered() is None
    grants.forget(PLACE, "me")  # once more is fine


@pytest.mark.usefixtures("kept")
def test_a_later_grant_takes_the_place_of_an_earlier_one() -> None:
    remember()
    grants.remember(PLACE, TENURE._replace(fence=8), fence=9, etag='"0x2"', deadline=200.0)

    assert remembered(now=150) == Remembered(TENURE._replace(fence=8), 9, '"0x2"')


def test_each_place_and_each_identity_has_its_own(kept: Path) -> None:
    remember()
    remember(TENURE._replace(identity="you"))
    remember(place=PLACE.replace("deploy", "other"))

    assert len(list(kept.iterdir())) == 3
    assert remembered(identity="nobody") is None
    assert remembered(place=f"{PLACE}\nme", identity="") is None
    grants.forget(PLACE, "me")
    assert [remembered(), remembered(identity="you")] == [
        None,
        Remembered(TENURE._replace(identity="you"), 7, '"0x1"'),
    ]


def test_only_its_owner_can_read_a_grant_and_it_names_nobody(kept: Path) -> None:
    before = os.umask(0)
    try:
        remember()
    finally:
        os.umask(before)
    (file,) = kept.iterdir()

    assert (file.stat().st_mode & 0o777, kept.stat().st_mode & 0o777) == (0o600, 0o700)
    assert "me" not in {*json.loads(file.read_text()).values()}


@pytest.mark.parametrize(
    "difference",
    [
        {"boot": "another"},
        {"boot": 5},
        {"deadline": "130"},
        {"ttl": "30"},
        {"since": 5},
        {"fence": "5"},
        {"fence": 5.5},
        {"note": ["why"]},
        {"last": None},
        {"etag": 5},
    ],
)
def test_a_field_that_is_not_what_it_should_be_spoils_the_grant(kept: Path, difference: dict[str, object]) -> None:
    remember()
    (file,) = kept.iterdir()
    document = json.loads(file.read_text())
    file.write_text(json.dumps(document | difference))
    assert remembered() is None

    (name,) = difference
    del document[name]
    file.write_text(json.dumps(document))
    assert remembered() is None


@pytest.mark.parametrize("content", [b"", b"null", b"[]", b'"x"', b"{", b"\xff\xfe", b"[" * 100_000])
def test_a_file_that_is_no_grant_counts_for_nothing(kept: Path, content: bytes) -> None:
    remember()
    (file,) = kept.iterdir()
    file.write_bytes(content)

    assert remembered() is None


def test_where_nothing_can_be_kept_nothing_is_remembered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    remember()

    assert remembered() is None
    grants.forget(PLACE, "me")

"""What locks leave on this machine: it saves a request, is never needed, and names nobody."""

import json
from pathlib import Path

import pytest

from tests.azurite import ProxiedAccount
from tests.commands.conftest import Make
from tests.commands.records import ME, YOU, Record
from tests.running import Result, Stcc

RENEWED = "renewed {} for 30 seconds, fence {}\n"


@pytest.fixture
def granted(proxied: ProxiedAccount, proxied_stcc: Stcc, records: Make, own_state: Path) -> Record:
    """Return a lock that was acquired here."""
    lock = records("lock")
    lock.free()
    assert proxied_stcc("lock", "acquire", lock.name, "--identity", ME).code == 0
    proxied.clear()
    assert len(list(own_state.iterdir())) == 1
    return lock


def asked(proxied: ProxiedAccount) -> list[tuple[str, int | None]]:
    return [(request.method, request.status) for request in proxied.requests]


def file_in(own_state: Path) -> Path:
    (found,) = own_state.iterdir()
    return found


@pytest.mark.usefixtures("granted")
def test_a_grant_is_one_file_that_only_its_owner_reads(own_state: Path) -> None:
    file = file_in(own_state)

    assert (file.stat().st_mode & 0o777, own_state.stat().st_mode & 0o777) == (0o600, 0o700)
    assert ME not in file.name
    assert "identity" not in json.loads(file.read_text())


def test_a_release_forgets_the_grant(granted: Record, proxied_stcc: Stcc, own_state: Path) -> None:
    assert proxied_stcc("lock", "release", granted.name, "--identity", ME, "-q") == Result(0, "", "")
    assert list(own_state.iterdir()) == []


def test_a_grant_never_supplies_an_identity(granted: Record, proxied_stcc: Stcc) -> None:
    for verb in ("renew", "release"):
        assert proxied_stcc("lock", verb, granted.name).code == 2
        assert proxied_stcc("lock", verb, granted.name, "--identity", YOU).code == 9
    assert granted.holder == ME


@pytest.mark.parametrize("verb", ["renew", "release"])
def test_a_grant_that_is_gone_costs_one_request(
    verb: str, granted: Record, proxied: ProxiedAccount, proxied_stcc: Stcc, own_state: Path
) -> None:
    file_in(own_state).unlink()

    assert proxied_stcc("lock", verb, granted.name, "--identity", ME, "-q") == Result(0, "", "")
    assert asked(proxied) == [("GET", 206), ("PUT", 201)]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("", id="empty"),
        pytest.param("[]", id="list"),
        pytest.param('{"boot": 1}', id="nothing in it"),
        pytest.param("\x00" * 100, id="zeros"),
        pytest.param("[" * 100_000, id="deep"),
        pytest.param('{"ttl"', id="cut off"),
    ],
)
def test_a_damaged_grant_counts_for_nothing(
    content: str, granted: Record, proxied: ProxiedAccount, proxied_stcc: Stcc, own_state: Path
) -> None:
    file_in(own_state).write_text(content)

    assert proxied_stcc("lock", "renew", granted.name, "--identity", ME) == Result(
        0, "", RENEWED.format(granted.name, granted.fence)
    )
    assert asked(proxied) == [("GET", 206), ("PUT", 201)]


@pytest.mark.parametrize(
    "difference",
    [
        pytest.param({"boot": "another"}, id="before this boot"),
        pytest.param({"deadline": 1.0}, id="its time is over"),
        pytest.param({"deadline": "soon"}, id="no deadline"),
        pytest.param({"last": "many"}, id="no fence"),
        pytest.param({"ttl": "long"}, id="no ttl"),
        pytest.param({"fence": "high"}, id="no number"),
        pytest.param({"since": 5}, id="no moment"),
        pytest.param({"etag": None}, id="no etag"),
    ],
)
def test_a_grant_that_does_not_count_any_more_costs_one_request(
    difference: dict[str, object], granted: Record, proxied: ProxiedAccount, proxied_stcc: Stcc, own_state: Path
) -> None:
    file = file_in(own_state)
    file.write_text(json.dumps(json.loads(file.read_text()) | difference))

    assert proxied_stcc("lock", "renew", granted.name, "--identity", ME) == Result(
        0, "", RENEWED.format(granted.name, granted.fence)
    )
    assert asked(proxied) == [("GET", 206), ("PUT", 201)]


def test_a_grant_that_somebody_has_broken_is_found_out(
    granted: Record, proxied: ProxiedAccount, proxied_stcc: Stcc
) -> None:
    granted.hold(YOU)

    assert proxied_stcc("lock", "renew", granted.name, "--identity", ME, "-q").code == 9
    assert (asked(proxied), granted.holder) == ([("PUT", 412), ("GET", 206)], YOU)


@pytest.mark.parametrize("verb", ["renew", "release"])
def test_a_grant_of_a_record_that_was_deleted_is_found_out(verb: str, granted: Record, proxied_stcc: Stcc) -> None:
    granted.blob.delete_blob()

    assert proxied_stcc("lock", verb, granted.name, "--identity", ME, "-q").code == {"renew": 9, "release": 0}[verb]
    assert not granted.blob.exists()


def test_where_nothing_can_be_kept_locks_work_all_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stcc: Stcc, records: Make
) -> None:
    lock = records("lock")
    lock.free()
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))

    for verb in ("acquire", "renew", "release"):
        assert stcc("lock", verb, lock.name, "--identity", ME, "-q").code == 0
    assert lock.holder is None


def test_a_grant_is_never_written_through_a_link(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, granted: Record, proxied_stcc: Stcc, own_state: Path
) -> None:
    file, target = file_in(own_state), tmp_path / "precious"
    target.write_text("precious")
    file.unlink()
    file.symlink_to(target)

    assert proxied_stcc("lock", "renew", granted.name, "--identity", ME, "-q").code == 0
    assert (target.read_text(), file.is_symlink()) == ("precious", False)


def test_locks_of_one_name_in_two_containers_have_two_grants(
    stcc: Stcc, records: Make, own_state: Path, granted: Record
) -> None:
    assert stcc("lock", "acquire", granted.name, "--container", "another-place", "--identity", ME, "-q").code == 0

    assert len(list(own_state.iterdir())) == 2

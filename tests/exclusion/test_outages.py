"""The service goes away, or its answers do, while locks are held and waited for: still never two at once."""

from collections.abc import Generator
from pathlib import Path

import pytest

from stcc.emulator.launch import Launched, Setup, end, launch
from tests.azurite import ProxiedAccount
from tests.exclusion.audit import most_at_once, stays
from tests.exclusion.conftest import Engine
from tests.exclusion.test_exclusion import begun, codes, lock_run, until
from tests.running import Stcc
from tests.wire import Delay, Drop, Recorded


def changes(request: Recorded) -> bool:
    return request.method == "PUT"


class Every:
    """Picks one of so many requests."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._seen = 0

    def __call__(self, request: Recorded) -> bool:
        self._seen += changes(request)
        return changes(request) and self._seen % self._number == 0


def test_lost_answers_never_let_two_in(proxied: ProxiedAccount, tmp_path: Path) -> None:
    stcc = Stcc(connection_string=proxied.connection_string, environment={"XDG_RUNTIME_DIR": str(tmp_path)})
    engine, log = Engine(stcc, "", 1.0), tmp_path / "log"
    proxied.fail(Drop(), when=Every(3), times=1000)

    assert codes(begun(engine, *lock_run(engine.name(), log, stay=0.1), count=8)) == [0] * 8
    found = stays(log)
    assert (len(found), most_at_once(found)) == (8, 1)


def test_renewals_that_never_arrive_end_the_command_before_the_next_one_is_in(
    proxied: ProxiedAccount, azurite_stcc: Stcc, tmp_path: Path
) -> None:
    cut_off = Stcc(connection_string=proxied.connection_string, environment={"XDG_RUNTIME_DIR": str(tmp_path / "a")})
    engine, log = Engine(cut_off, "", 1.0), tmp_path / "log"
    name = engine.name()
    first = engine.stcc.process(*lock_run(name, log, stay=60, ttl="2s"))
    until(lambda: bool(stays(log)))
    proxied.fail(Delay(30), times=1000)
    second = azurite_stcc.process(*lock_run(name, log, stay=0.1))

    assert codes([second, first]) == [0, 76]
    found = stays(log)
    assert (len(found), most_at_once(found)) == (2, 1)


@pytest.fixture
def kept(tmp_path: Path) -> Generator[Launched]:
    """Run an Azurite whose data outlives it."""
    launched = launch(Setup(data=tmp_path / "data"), progress=lambda _: None)
    yield launched
    end(launched)


def test_a_service_that_starts_again_finds_the_same_holder(kept: Launched, tmp_path: Path) -> None:
    first = kept.instance
    stcc = Stcc(connection_string=first.connection_string, environment={"XDG_RUNTIME_DIR": str(tmp_path)})
    engine, log = Engine(stcc, "", 1.0), tmp_path / "log"
    argv = lock_run(engine.name(), log, stay=5, ttl="9s")
    running = begun(engine, *argv, count=2)
    until(lambda: bool(stays(log)))
    end(kept)
    again = launch(
        Setup(
            blob_port=first.blob_port,
            queue_port=first.queue_port,
            table_port=first.table_port,
            data=tmp_path / "data",
        ),
        progress=lambda _: None,
    )
    try:
        assert codes(running) == [0, 0]
    finally:
        end(again)
    found = stays(log)
    assert (len(found), most_at_once(found)) == (2, 1)


@pytest.fixture
def azurite_stcc(stcc: Stcc, tmp_path: Path) -> Stcc:
    """Call stcc as somebody on another host: without a proxy, and without our queue of neighbours."""
    return Stcc(connection_string=stcc.connection_string, environment={"XDG_RUNTIME_DIR": str(tmp_path / "b")})

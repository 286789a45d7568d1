"""Fixtures of the commands that hold something."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.records import Record
from tests.conftest import Names
from tests.situations import Situation

Make = Callable[[str], Record]


@pytest.fixture
def own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Keep what stcc notes on this machine in a directory of the test; return that of the grants."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    return tmp_path / "state" / "stcc" / "grants"


@pytest.fixture
def records(there: Situation, names: Names) -> Make:
    """Make the record of a name that nobody has used yet, of a kind."""
    return lambda kind: Record(there, kind, names())


@pytest.fixture
def lock(records: Make) -> Record:
    """Return a lock that is free."""
    lock = records("lock")
    lock.free()
    return lock

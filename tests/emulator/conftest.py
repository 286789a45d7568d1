"""Emulators that belong to one test."""

from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

from stcc.emulator import background
from stcc.emulator.launch import Launched, Setup, end, launch


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Generator[Path]:
    """Give the test an emulator of its own, ended with the test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    yield tmp_path / "state/stcc"
    background.stop()


@pytest.fixture
def launching() -> Generator[Callable[[Setup], Launched]]:
    """Launch what the test asks for; it ends with the test, also when that fails."""
    with ExitStack() as stack:

        def started(setup: Setup) -> Launched:
            launched = launch(setup, progress=silent)
            stack.callback(end, launched)
            return launched

        yield started


def silent(_: str) -> None:
    """Take a line of progress."""

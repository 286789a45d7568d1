"""A progress bar on stderr, drawn by Rich when there is a terminal."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress


class Advance(Protocol):
    """How a transfer says how far it is."""

    def __call__(self, more: int, /) -> object:
        """Add bytes."""
        ...

    def to(self, done: int, total: int | None, /) -> object:
        """Set the bytes so far, and the bytes in all."""
        ...


class Silent:
    """Nobody looks."""

    def __call__(self, more: int, /) -> None:
        """Add bytes."""

    def to(self, done: int, total: int | None, /) -> None:
        """Set the bytes so far."""


class _Bar:
    def __init__(self, bars: "Progress", label: str, total: int | None) -> None:
        self._bars = bars
        self._task = bars.add_task(label, total=total)

    def __call__(self, more: int, /) -> None:
        self._bars.update(self._task, advance=more)

    def to(self, done: int, total: int | None, /) -> None:
        self._bars.update(self._task, completed=done, total=total)


@contextmanager
def bar(label: str, total: int | None, stream: TextIO) -> Generator[Advance]:
    """Draw a bar with rate and remaining time until the block ends; it leaves no trace."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(file=stream), transient=True) as bars:
        yield _Bar(bars, label, total)


@contextmanager
def silence() -> Generator[Advance]:
    """Draw nothing."""
    yield Silent()

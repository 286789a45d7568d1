"""A progress bar on stderr, drawn by Rich when there is a terminal."""

from collections.abc import Generator
from contextlib import contextmanager
from threading import RLock
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


class Bar:
    """One line that is drawn again and again, by a thread of Rich's."""

    def __init__(self, bars: "Progress", label: str, total: int | None) -> None:
        self._bars = bars
        self._task = bars.add_task(label, total=total)
        self._turn = RLock()

    def __call__(self, more: int, /) -> None:
        self._bars.update(self._task, advance=more)

    def to(self, done: int, total: int | None, /) -> None:
        self._bars.update(self._task, completed=done, total=total)

    @contextmanager
    def paused(self) -> Generator[None]:
        """Clear the line for one thread at a time; what raises in the block ends the drawing."""
        with self._turn:
            was_drawn = self._bars.live.is_started
            self._bars.stop()
            yield
            if was_drawn:
                self._bars.start()

    def end(self) -> None:
        """Clear the line for good."""
        with self._turn:
            self._bars.stop()


@contextmanager
def bar(label: str, total: int | None, stream: TextIO) -> Generator[Bar]:
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
    console = Console(file=stream)
    bars = Progress(
        *columns,
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        disable=not console.is_interactive,  # a dumb terminal cannot clear a line
    )
    drawn = Bar(bars, label, total)
    bars.start()
    try:
        yield drawn
    finally:
        drawn.end()

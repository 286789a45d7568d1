"""What came of a command that was run while something was held."""

import signal
from dataclasses import dataclass
from typing import ClassVar

from stcc.exits import Exit
from stcc.outcomes import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRan:
    """`lost`: why the hold was lost, `stopped`: the command was ended for it, `released`: it was given back.

    `acquired_at` is RFC 3339 by this machine's clock; `waited` and `held` are seconds. A command that never began,
    because the hold was lost before, has neither exit code nor signal.
    """

    noun: ClassVar[str] = "run"
    kind: ClassVar[str] = "command-ran"

    reply: Reply | None = None
    target: str
    command: str
    child_exit: int | None
    child_signal: str | None
    identity: str | None
    fence: int | None
    acquired_at: str
    waited: float
    held: float
    renewals: int
    lost: str | None
    stopped: bool
    released: bool

    @property
    def exit_code(self) -> int:
        """The command's own, as a shell would show it, unless it was stopped for a loss, or knew of none."""
        if self.stopped or (self.child_exit is None and self.child_signal is None):
            return Exit.LOST
        if self.child_signal is not None:
            return 128 + signal.Signals[self.child_signal]
        return Exit.LOST if self.lost is not None and self.child_exit == 0 else int(self.child_exit or 0)

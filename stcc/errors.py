"""Failures: the question could not be asked, or nobody answered it.

What storage did answer, even "no", is an outcome (see `stcc.outcomes`).
"""

import signal
from collections.abc import Mapping

from stcc.exits import Exit


class StccError(Exception):
    """A failure with a name for programs, an exit code, and a hint for people.

    `http_status`, `error_code` and `request_id` are set when the service said
    something on the way to the failure (an unexpected status, 401, 403).
    """

    kind: str = "failed"
    exit_code: int = Exit.FAILED

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        target: str | None = None,
        http_status: int | None = None,
        error_code: str | None = None,
        request_id: str | None = None,
        observed: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.target = target
        self.http_status = http_status
        self.error_code = error_code
        self.request_id = request_id
        self.observed = observed


class Usage(StccError):
    """Bad input, refused before any request was sent."""

    kind = "usage"
    exit_code = Exit.USAGE


class Denied(StccError):
    """401 or 403: the service knows who asks, or does not, and says no."""

    kind = "denied"
    exit_code = Exit.DENIED


class Unavailable(StccError):
    """Nobody answered and nothing was changed."""

    kind = "unavailable"
    exit_code = Exit.UNAVAILABLE


class Unknown(StccError):
    """The answer to a change was lost: it may or may not have been applied."""

    kind = "unknown"
    exit_code = Exit.UNKNOWN


class Local(StccError):
    """A local file or stdout could not be read or written after the start."""

    kind = "local"
    exit_code = Exit.LOCAL


class Declined(StccError):
    """A person answered a prompt with no."""

    kind = "declined"


class Unexpected(StccError):
    """The service gave an answer that stcc has no reading for."""


class Changed(StccError):
    """What was being read changed before all of it had been read."""

    kind = "precondition-failed"
    exit_code = Exit.PRECONDITION


class Interrupted(StccError):
    """A signal ended the command: 130 for Ctrl-C, 128+n for any other."""

    kind = "interrupted"
    exit_code: int = Exit.INTERRUPTED

    def __init__(self, stop: KeyboardInterrupt, what: str = "", *, target: str | None = None) -> None:
        number = stop.number if isinstance(stop, Stopped) else signal.SIGINT
        super().__init__((f"{what}; " if what else "") + f"interrupted by {number.name}", target=target)
        self.exit_code = 128 + number


class Stopped(KeyboardInterrupt):
    """A signal other than Ctrl-C asked the process to end; travels like Ctrl-C does."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = signal.Signals(number)

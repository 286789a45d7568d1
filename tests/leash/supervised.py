"""A process that supervises a command under a hold that follows a script.

    python supervised.py OPTIONS COMMAND...

OPTIONS is a JSON object: `ttl`, `granted` (seconds that the grant still lasts; the ttl if not given), `answers` (what
each renewal does, the last one again and again: `kept`, `missed`, `hang`, `lost`, and `late`, two seconds later),
`grace`, `max_hold`, `environment`, and `signal`, one that comes before the command is there. What is told goes to
stderr; how it ended goes to the file `report`. The exit code is the command's, 128+n, 76 when it was stopped, or that
of the failure.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from stcc.errors import StccError
from stcc.leash import guard
from stcc.operations import supervising
from stcc.operations.keeping import Kept, Lost


class Scripted:
    """A hold whose renewals do what the script says."""

    def __init__(self, ttl: float | None, answers: list[str], signal: int | None) -> None:
        self.ttl = ttl
        self._answers = answers
        self._signal = signal

    @property
    def target(self) -> str:
        """Bring the signal: the name is asked for when there is a gate, and no command yet."""
        if self._signal is not None:
            os.kill(os.getpid(), self._signal)
        return "the lock"

    def renew(self) -> Kept | Lost:
        began = guard.now()
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if answer == "kept":
            return Kept(None if self.ttl is None else began + self.ttl)
        if answer == "missed":
            raise StccError("no connection")
        time.sleep({"lost": 0, "late": 2, "hang": 3600}[answer])
        return Lost("somebody has broken it")


class BootClock:
    def monotonic(self) -> float:
        return guard.now()

    def sleep(self, seconds: float, /) -> None:
        time.sleep(seconds)


def main() -> NoReturn:
    options: dict[str, Any] = json.loads(sys.argv[1])
    ttl = options.get("ttl", 30)
    granted = options.get("granted", ttl)
    try:
        ended = supervising.supervise(
            sys.argv[2:],
            Scripted(ttl, options.get("answers", ["kept"]), options.get("signal")),
            granted=Kept(None if granted is None else guard.now() + granted),
            environment=options.get("environment", dict(os.environ)),
            grace=options.get("grace", supervising.GRACE),
            max_hold=options.get("max_hold"),
            clock=BootClock(),
            tell=lambda text: print(text, file=sys.stderr, flush=True),
        )
    except StccError as error:
        print(error.message, file=sys.stderr, flush=True)
        os._exit(error.exit_code)
    if "report" in options:
        Path(options["report"]).write_text(json.dumps(ended._asdict()))
    os._exit(76 if ended.stopped else ended.exit if ended.exit is not None else 128 + (ended.signal or 0))


if __name__ == "__main__":
    main()

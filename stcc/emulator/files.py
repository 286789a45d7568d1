"""Start the emulator of Azure Files, which is a process of ours, beside Azurite."""

import re
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Final

from stcc.emulator import logs, process
from stcc.emulator.errors import NoServer, StartFailed

PATIENCE: Final = 30.0
_NEEDED: Final = ("uvicorn", "httptools")
_FAILED: Final = re.compile(rb"stcc File service failed: (.*)")
_LISTENING: Final = re.compile(rb"stcc File service is successfully listening at \S+:(\d+)")


def command(*, port: int, data: str | None, companion: int) -> list[str]:
    """Return the command line of a server that ends with the process `companion`; raise NoServer."""
    if not all(map(find_spec, _NEEDED)):
        raise NoServer(
            "Azure Files needs uvicorn and httptools", hint="install them with: pip install 'stcc[emulator]'"
        )
    keep = [] if data is None else ["--data", data]
    module = ["-m", "stcc.emulator.azfiles"]
    return [sys.executable, "-P", *module, "--port", str(port), *keep, "--companion", str(companion)]


def wait_until_ready(log: int, *, alive: Callable[[], bool], kept: str | None = None) -> int:
    """Return the port, read from the log (a descriptor), once the server listens; `kept` is the log's path.

    0 when it has ended without a word of its own: then Azurite had, whose last words are for others to find.
    """
    hint = "" if kept is None else f"its log: {kept}"
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        ended = not alive()
        written = logs.read(log)
        if (failed := _FAILED.search(written)) is not None:
            reason = failed[1].decode("utf-8", "replace")
            raise StartFailed(f"Azure Files ended during its start: {reason}", hint=hint)
        if (found := _LISTENING.search(written)) is not None:
            return int(found[1])
        if ended:
            return 0
        time.sleep(process.TICK)
    raise StartFailed(f"Azure Files did not answer within {PATIENCE:g} seconds: {logs.last_line(log)}", hint=hint)

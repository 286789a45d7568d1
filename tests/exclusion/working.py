"""What runs under a lock in these tests: it says when it is in, that it is still in, and when it is out.

    python -S working.py LOG SECONDS [COUNTER]

A line is the process and a moment on the clock that all processes of a machine share. With a counter, a file, it
reads it, is slow, and writes one more.
"""

import os
import sys
import time
from pathlib import Path

_BEAT = 0.004


def main() -> None:
    log = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    out = time.monotonic() + float(sys.argv[2])
    counter = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    _say(log)
    seen = 0 if counter is None else int(counter.read_text())
    while time.monotonic() < out:
        time.sleep(_BEAT)
        _say(log)
    if counter is not None:
        counter.write_text(str(seen + 1))
    _say(log)


def _say(log: int) -> None:
    os.write(log, f"{os.getpid()} {time.monotonic_ns()}\n".encode())


main()

"""What the emulators have written so far."""

import os
import re


def read(log: int) -> bytes:
    # pread, because the children share the descriptor's position.
    return os.pread(log, 1 << 20, 0)


def last_line(log: int) -> str:
    """Return the line that says why: the error if there is one, without the trailer that Node.js puts below it."""
    lines = [line.strip() for line in read(log).decode("utf-8", "replace").split("\n")]
    lines = [line for line in lines if line and not line.startswith("Node.js v")]
    errors = [line for line in lines if re.match(r"(\w*Error\b|Exit due to)", line)]
    return (errors or lines or ["it said nothing"])[-1]

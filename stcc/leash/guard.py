"""The guard: a process that ends a process group when whoever is to do so cannot, killed or stopped as it may be.

    python -I -S guard.py ORDERS READY

It reads lines `GROUP MOMENT` (the last one counts; MOMENT as of `now`) from the pipe ORDERS, writes a byte to READY
for each one, which says that it lives and will do so, and kills the group when that moment has come, and when the
pipe is closed. `done` ends it.
It imports nothing of its package and little else: it must be up within milliseconds, and small for days.
"""

import os
import select
import sys
import time

# The same everywhere; importing `signal` would double the time of the start.
SIGKILL = 9
# Waiting does not go on while the machine is suspended, the clock does: compare them this often.
TICK = 1.0


def now() -> float:
    """Return seconds on a clock that goes on while the machine is suspended, where there is one."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def watch(orders: int, ready: int) -> None:
    """Obey what comes through the pipe until `done`, or until it is closed."""
    group, until, unread = 0, float("inf"), b""
    told = select.poll()
    told.register(orders, select.POLLIN)
    while True:
        left = until - now()
        if left <= 0:
            kill(group)
        pause = min(left, TICK) if left > 0 else TICK
        if not told.poll(pause * 1000):
            continue
        piece = os.read(orders, 4096)
        if not piece:
            kill(group)
            return
        *lines, unread = (unread + piece).split(b"\n")
        for line in lines:
            if line == b"done":
                return
            first, moment = line.split()
            group, until = int(first), float(moment)
            answer(ready)


def answer(ready: int) -> None:
    """Say that an order will be obeyed; when nobody listens any more, the end of the orders comes next."""
    try:  # noqa: SIM105  # importing contextlib would take longer than all the rest
        os.write(ready, b"+")
    except (BrokenPipeError, BlockingIOError):
        pass


def kill(group: int) -> None:
    """End every process of a group at once, if there is a group and we may."""
    if group > 1:  # 0 and 1 would mean others
        try:  # noqa: SIM105  # as above
            os.killpg(group, SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


if __name__ == "__main__":
    watch(int(sys.argv[1]), int(sys.argv[2]))
    os._exit(0)

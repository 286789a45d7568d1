"""The process: `stcc` and `python -m stcc`."""

import gc
import os
import signal
import sys
from types import FrameType
from typing import Never


def run() -> Never:
    """Run the command line of this process and end it."""
    # One short-lived process: collecting garbage while importing would cost a twentieth of its time.
    gc.disable()
    from stcc.main import main

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores one of them on purpose
            signal.signal(number, _stop)
    sys.unraisablehook = _stop_again
    code = main()
    # Everything is written and closed. Tearing the interpreter down would cost another twentieth, and after a
    # signal it would wait for threads that wait for answers nobody will read.
    os._exit(code)


def _stop(number: int, frame: FrameType | None) -> Never:
    del frame
    from stcc.errors import Stopped

    raise Stopped(number)


def _stop_again(lost: "sys.UnraisableHookArgs") -> None:
    """Raise a stop once more that came while an object was finalised, where Python lets nothing through."""
    if not isinstance(lost.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    stop = lost.exc_value

    def raise_it(number: int, frame: FrameType | None) -> Never:
        del number, frame
        raise stop

    signal.signal(signal.SIGALRM, raise_it)
    signal.setitimer(signal.ITIMER_REAL, 0.001)


if __name__ == "__main__":
    run()

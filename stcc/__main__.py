"""The process: `stcc` and `python -m stcc`."""

import gc
import signal
import sys
from types import FrameType
from typing import Never


def run() -> Never:
    """Run the command line of this process and end it."""
    # One short-lived process: collecting garbage while importing, and tearing everything down at the end,
    # would cost a tenth of its time.
    gc.disable()
    from stcc.main import main

    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGHUP, _stop)
    code = main()
    gc.freeze()
    sys.exit(code)


def _stop(number: int, frame: FrameType | None) -> Never:
    del frame
    from stcc.errors import Stopped

    raise Stopped(number)


if __name__ == "__main__":
    run()

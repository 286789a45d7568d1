"""python -m stcc.emulator.azfiles: serve Azure Files on this machine until a signal comes."""

import argparse
import sys
from pathlib import Path

from stcc.emulator.azfiles.server import serve
from stcc.emulator.azfiles.store import Unusable


def main() -> int:
    parser = argparse.ArgumentParser(prog="stcc.emulator.azfiles")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--companion", type=int, metavar="PID", help="end when that process does")
    given = parser.parse_args()
    try:
        serve(port=given.port, data=given.data, companion=given.companion)
    except (OSError, Unusable) as error:
        sys.stderr.write(f"stcc File service failed: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

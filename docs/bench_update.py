"""How many requests an update costs when eight processes update one blob, and how many are made in a second.

    stcc emulator run -- python docs/bench_update.py [PROCESSES] [UPDATES OF EACH]

A round of `blob update` is one GET and one PUT; how many rounds an update took is in its answer. Every blob
holds a counter, which must end at the number of updates.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CONTAINER = "updates"
STCC = str(Path(sys.executable).with_name("stcc"))
ADD_ONE = ["awk", "{ print $1 + 1 }"]
BAR = 3.0
# Waiting for one's turn needs a file that all can see; processes on other hosts do without.
WAYS: dict[str, Sequence[str]] = {"on one host": (), "as on several hosts": ("--no-local-lock",)}


def main() -> None:
    """Measure and print a table."""
    if "AZURE_STORAGE_CONNECTION_STRING" not in os.environ:
        sys.exit("run it as: stcc emulator run -- python docs/bench_update.py")
    processes = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    each = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    subprocess.run([STCC, "container", "create", CONTAINER, "-q"], check=False, stdout=subprocess.DEVNULL)
    for number, (way, options) in enumerate(WAYS.items()):
        blob = f"{CONTAINER}/{number}"
        subprocess.run([STCC, "blob", "put", blob, "-", "--force", "-q"], input=b"0\n", check=True, stdout=-3)
        started = time.perf_counter()
        rounds = _rounds(blob, options, processes, each)
        took = time.perf_counter() - started
        counter = int(subprocess.run([STCC, "blob", "get", blob, "-"], check=True, capture_output=True).stdout)
        requests = 2 * sum(rounds) / len(rounds)
        print(f"{way:<20} {requests:5.2f} requests per update (bar: {BAR})   worst: {max(rounds)} rounds", end="   ")
        print(f"{len(rounds) / took:5.1f} updates/s   lost: {processes * each - counter}")


def _rounds(blob: str, options: Sequence[str], processes: int, each: int) -> list[int]:
    """Return how many rounds each update took."""
    update = [STCC, "blob", "update", blob, "--attempts", "500", *options, "-o", "json", "--", *ADD_ONE]

    def one_after_the_other(_: int) -> list[int]:
        answers = (subprocess.run(update, check=True, capture_output=True).stdout for _ in range(each))
        return [int(json.loads(answer)["result"]["attempts"]) for answer in answers]

    with ThreadPoolExecutor(processes) as pool:
        return [number for some in pool.map(one_after_the_other, range(processes)) for number in some]


if __name__ == "__main__":
    main()

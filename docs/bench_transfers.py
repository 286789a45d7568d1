"""How long a large blob takes up and down, and how much memory, beside a bare script with the SDK's defaults.

    stcc emulator run -- python docs/bench_transfers.py [MEBIBYTES] [ROUNDS]

Every round runs each of them once, in turn; the ratio is the median of the
rounds' ratios. `az` is measured when it is installed.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

CONTAINER = "transfers"
STCC = str(Path(sys.executable).with_name("stcc"))
CLIENT = f"""
import os, sys
from azure.storage.blob import BlobClient
client = BlobClient.from_connection_string(
    os.environ["AZURE_STORAGE_CONNECTION_STRING"], "{CONTAINER}", sys.argv[1], api_version="2021-12-02")
with open(sys.argv[2], sys.argv[3]) as file:
"""
UP = CLIENT + "    client.upload_blob(file, overwrite=True)\n"
DOWN = CLIENT + "    client.download_blob().readinto(file)\n"
# Runs a command and prints what it took: seconds, and the largest resident size in KiB.
MEASURE = """
import resource, subprocess, sys, time
started = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
BARS = {"download": 0.35, "upload": 0.80}


class Taken(NamedTuple):
    seconds: float
    mebibytes: float


def main() -> None:
    """Measure and print a table of ratios."""
    if "AZURE_STORAGE_CONNECTION_STRING" not in os.environ:
        sys.exit("run it as: stcc emulator run -- python docs/bench_transfers.py")
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 512
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    subprocess.run([STCC, "container", "create", CONTAINER, "-q"], check=False, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as directory:
        source, target = str(Path(directory) / "source"), str(Path(directory) / "target")
        _fill(source, size)
        _compare("upload", _uploads(source), rounds, size, new=target)
        _compare("download", _downloads(target), rounds, size, new=target)


def _fill(path: str, size: int) -> None:
    with Path(path).open("wb") as file:
        file.writelines(os.urandom(1024**2) for _ in range(size))


def _uploads(source: str) -> dict[str, list[str]]:
    commands = {
        "SDK": [sys.executable, "-c", UP, "sdk", source, "rb"],
        "stcc": [STCC, "blob", "put", f"{CONTAINER}/stcc", source, "--force"],
        "stcc, from a pipe": ["sh", "-c", f'cat "{source}" | "{STCC}" blob put {CONTAINER}/piped - --force'],
    }
    if az := shutil.which("az"):
        commands["az"] = [az, "storage", "blob", "upload", "-c", CONTAINER, "-n", "az", "-f", source, "--overwrite"]
    return commands


def _downloads(target: str) -> dict[str, list[str]]:
    commands = {
        "SDK": [sys.executable, "-c", DOWN, "sdk", target, "wb"],
        "stcc": [STCC, "blob", "get", f"{CONTAINER}/sdk", target],
        "stcc, checking MD5": [STCC, "blob", "get", f"{CONTAINER}/stcc", target],
    }
    if az := shutil.which("az"):
        commands["az"] = [az, "storage", "blob", "download", "-c", CONTAINER, "-n", "sdk", "-f", target]
    return commands


def _compare(what: str, commands: dict[str, list[str]], rounds: int, size: int, *, new: str) -> None:
    taken: dict[str, list[Taken]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            Path(new).unlink(missing_ok=True)
            taken[name].append(_measured(command))
    for name, all_of_it in taken.items():
        ratio = statistics.median(one.seconds / bare.seconds for one, bare in zip(all_of_it, taken["SDK"], strict=True))
        memory = max(one.mebibytes for one in all_of_it)
        seconds = statistics.median(one.seconds for one in all_of_it)
        bar = f"  (bars {BARS[what]:.2f}, 130 MiB)" if name == "stcc" else ""
        print(f"{what} {size} MiB  {name:<18} {seconds:6.2f} s  {ratio:5.2f}x  {memory:5.0f} MiB{bar}", flush=True)


def _measured(command: list[str]) -> Taken:
    time.sleep(0.2)
    run = subprocess.run([sys.executable, "-c", MEASURE, *command], check=True, capture_output=True, text=True)
    seconds, kibibytes = run.stdout.split()
    return Taken(float(seconds), int(kibibytes) * (1 / 1024 if sys.platform == "darwin" else 1) / 1024)


if __name__ == "__main__":
    main()

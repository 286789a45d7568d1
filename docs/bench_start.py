"""How long one cold command takes, beside a bare script that asks the same of the SDK.

    stcc emulator run -- python docs/bench_start.py [ROUNDS]

Every round runs each of them once, in turn; the ratio is the median of the
rounds' ratios. `az` is measured when it is installed.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

CONTAINER, BLOB = "bench", "blob"
BARE = f"""
import os
from azure.storage.blob import BlobClient
client = BlobClient.from_connection_string(
    os.environ["AZURE_STORAGE_CONNECTION_STRING"], "{CONTAINER}", "{BLOB}", api_version="2021-12-02")
print(client.get_blob_properties().etag)
"""
STCC = str(Path(sys.executable).with_name("stcc"))


def main() -> None:
    """Measure and print a table of ratios."""
    if "AZURE_STORAGE_CONNECTION_STRING" not in os.environ:
        sys.exit("run it as: stcc emulator run -- python docs/bench_start.py")
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    for arguments in (["container", "create", CONTAINER, "-q"], ["blob", "put", f"{CONTAINER}/{BLOB}", __file__, "-q"]):
        subprocess.run([STCC, *arguments], check=False, stdout=subprocess.DEVNULL)
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "stcc --help": [STCC, "--help"],
        "stcc blob put (usage error)": [STCC, "blob", "put"],
        "bare SDK script": [sys.executable, "-c", BARE],
        "stcc blob show": [STCC, "blob", "show", f"{CONTAINER}/{BLOB}"],
    }
    if az := shutil.which("az"):
        commands["az storage blob show"] = [az, "storage", "blob", "show", "-c", CONTAINER, "-n", BLOB]
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(_seconds(command))
    for name, measured in times.items():
        print(f"{name:<28} {1000 * statistics.median(measured):6.0f} ms  (min {1000 * min(measured):.0f})")
    print(f"memory of one command        {_peak_mebibytes(commands['stcc blob show']):6.0f} MiB")
    _ratio(times, "stcc blob show", "bare SDK script", bar=0.95)
    if az:
        _ratio(times, "stcc blob show", "az storage blob show", bar=0.40)
    _ratio(times, "stcc --help", "python -c pass", bar=6)
    _ratio(times, "stcc blob put (usage error)", "python -c pass", bar=6)


def _seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


def _peak_mebibytes(command: list[str]) -> float:
    """Return the largest resident size of one run; a process of its own, so that it is no other's."""
    script = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); "
    script += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    measured = subprocess.run([sys.executable, "-c", script, *command], check=True, capture_output=True, text=True)
    return int(measured.stdout) * (1 if sys.platform == "darwin" else 1024) / 1024**2


def _ratio(times: dict[str, list[float]], one: str, other: str, *, bar: float) -> None:
    ratio = statistics.median(a / b for a, b in zip(times[one], times[other], strict=True))
    print(f"{one} / {other} = {ratio:.2f} (bar {bar:g}){'' if ratio <= bar else '  MISSED'}")


if __name__ == "__main__":
    main()

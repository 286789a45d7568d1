"""How fast locks change hands, how fair that is, and what they cost: beside redis-py, flock(1), and no back-off.

    stcc emulator run -- python docs/bench_locks.py [SECONDS]

Starts a redis-server of its own where there is one. Handing over is measured from the last moment of one holder
to the first moment of the next one, on one clock.
"""

import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

from stcc.exits import Exit
from stcc.outcomes import Refused

STCC = str(Path(sys.executable).with_name("stcc"))
WAITERS = 8
HOLD = 0.005
# A command that is in for a moment, and says when it came and went.
STAY = "import time; a = time.monotonic(); time.sleep(0.05); print(a, time.monotonic())"
BEAT = "import sys, time\nwhile True: print(time.monotonic(), flush=True); time.sleep(0.005)"


class Stay(NamedTuple):
    """One turn of a holder, in seconds of a clock that all processes share."""

    who: int
    begin: float
    end: float


def main() -> None:
    """Measure and print a table."""
    if "AZURE_STORAGE_CONNECTION_STRING" not in os.environ:
        sys.exit("run it as: stcc emulator run -- python docs/bench_locks.py")
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    with tempfile.TemporaryDirectory() as directory:
        os.environ["XDG_RUNTIME_DIR"] = directory
        with _redis(directory) as port:
            if port is not None:
                _loops(f"redis://127.0.0.1:{port}/0", seconds)
        _queues(directory)
        _cycle()
        _counters(seconds)
        _partitions()


@contextmanager
def _redis(directory: str) -> Generator[int | None]:
    program = shutil.which("redis-server")
    if program is None:
        print("redis-server is not installed: nothing is measured on Redis")
        yield None
        return
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    server = subprocess.Popen(
        [program, "--port", str(port), "--dir", directory, "--save", ""], stdout=subprocess.DEVNULL
    )
    try:
        _until_open(port)
        yield port
    finally:
        server.kill()
        server.wait()


def _until_open(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.02)
        else:
            return


def _loops(url: str, seconds: float) -> None:
    """Eight processes that want the same lock again as soon as they have released it."""
    for name, turns in {"redis-py": _turns_of_redis_py, "stcc": _turns_of_stcc, "stcc --fair": _turns_fair}.items():
        with ProcessPoolExecutor(WAITERS, mp_context=get_context("spawn")) as pool:
            begin = time.monotonic() + 1.5
            runs = [pool.submit(turns, url, number, begin, begin + seconds) for number in range(WAITERS)]
            stays = sorted((Stay(*stay) for run in runs for stay in run.result()), key=lambda stay: stay.begin)
        counts = [sum(stay.who == number for stay in stays) for number in range(WAITERS)]
        to_others = [later.begin - earlier.end for earlier, later in pairwise(stays) if later.who != earlier.who]
        bars = "" if name == "redis-py" else " (bars: 5, 20, 0.95)"
        _print(
            f"Redis, {WAITERS} loops, {name}", to_others, f"Jain {_jain(counts):.3f}{bars}", overlaps=_overlaps(stays)
        )


def _turns_of_stcc(url: str, who: int, begin: float, end: float, *, fair: bool = False) -> list[Stay]:
    from stcc.operations import locking
    from stcc.operations.locking import Granted, Patience
    from stcc.operations.waiting import SystemClock
    from stcc.redis_engine.lock import RedisLock
    from stcc.redis_engine.server import connect
    from stcc.values.claims import Claim
    from stcc.values.places import redis_place

    place = redis_place(f"{url}/bench{fair}", "lock")
    lock = RedisLock(connect(place.server, timeout=10), place, clock=SystemClock(), fair=fair)
    patience = Patience(wait=60, clock=SystemClock(), tell=lambda _: None)

    def acquire() -> Any:
        granted = locking.acquire(lock, Claim(str(who), 30), patience=patience)
        return granted.state if isinstance(granted, Granted) else sys.exit("not granted")

    return _turns(acquire, lambda state: locking.release(lock, str(who), known=state), who, begin, end)


def _turns_fair(url: str, who: int, begin: float, end: float) -> list[Stay]:
    return _turns_of_stcc(url, who, begin, end, fair=True)


def _turns_of_redis_py(url: str, who: int, begin: float, end: float) -> list[Stay]:
    import redis

    client: Any = redis.Redis
    lock = client.from_url(url).lock("bench-redis-py", timeout=30)
    return _turns(lock.acquire, lambda _: lock.release(), who, begin, end)


def _turns(
    acquire: Callable[[], Any], release: Callable[[Any], object], who: int, begin: float, end: float
) -> list[Stay]:
    stays: list[Stay] = []
    time.sleep(max(0, begin - time.monotonic()))
    while time.monotonic() < end:
        held = acquire()
        came = time.monotonic()
        time.sleep(HOLD)
        went = time.monotonic()
        release(held)
        stays.append(Stay(who, came, went))
    return stays


def _queues(directory: str) -> None:
    """Eight commands that wait for one another, by processes that know of each other and by such that do not."""
    work = [sys.executable, "-S", "-c", STAY]
    lock = str(Path(directory) / "flock")
    run = [STCC, "lock", "run", "bench", "--wait", "100s", "--", *work]
    queues: dict[str, Callable[[int], tuple[Sequence[str], str]]] = {
        "flock(1), one host": lambda _: (["flock", lock, *work], directory),
        "Azure, one host (bar p90: 100)": lambda _: (run, directory),
        "Azure, as several hosts (bar p90: 1200)": lambda number: (run, f"{directory}/{number}"),
    }
    for name, queue in queues.items():
        if name.startswith("flock") and shutil.which("flock") is None:
            continue
        running: list[subprocess.Popen[bytes]] = []
        for number in range(WAITERS):
            argv, runtime_directory = queue(number)
            environment = {**os.environ, "XDG_RUNTIME_DIR": runtime_directory}
            running.append(subprocess.Popen(argv, stdout=subprocess.PIPE, env=environment))
        lines = [process.communicate()[0].split() for process in running]
        stays = sorted(Stay(number, float(line[0]), float(line[1])) for number, line in enumerate(lines))
        stays.sort(key=lambda stay: stay.begin)
        _print(name, [later.begin - earlier.end for earlier, later in pairwise(stays)], overlaps=_overlaps(stays))


def _cycle() -> None:
    """Count the requests of an uncontended acquire and release."""
    who = ["--identity", "bench"]
    subprocess.run([STCC, "lock", "acquire", "cycle", *who, "-q"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([STCC, "lock", "release", "cycle", *who, "-q"], check=True, stdout=subprocess.DEVNULL)
    verbs = ("acquire", "release")
    shown = [
        subprocess.run([STCC, "lock", verb, "cycle", *who, "-v"], check=True, capture_output=True, text=True).stderr
        for verb in verbs
    ]
    requests = sum(line.startswith("* ") for text in shown for line in text.splitlines())
    print(f"{'Azure, acquire and release, nobody else':<42} {requests} requests (bar: 3)")


def _counters(seconds: float) -> None:
    """Eight processes that add one to a blob, with the pauses of `rounds`, and without any."""
    rates: dict[str, float] = {}
    for name, patient in {"with pauses": True, "without": False}.items():
        blob = f"bench-{os.getpid()}/{int(patient)}"
        subprocess.run([STCC, "container", "create", blob.partition("/")[0], "-q"], check=False, capture_output=True)
        subprocess.run(
            [STCC, "blob", "put", blob, "-", "--force", "-q"], input=b"0", check=True, stdout=subprocess.DEVNULL
        )
        with ProcessPoolExecutor(WAITERS, mp_context=get_context("spawn")) as pool:
            begin = time.monotonic() + 3
            runs = [pool.submit(_added, blob, begin, begin + seconds, patient) for _ in range(WAITERS)]
            tries = [one for run in runs for one in run.result()]
        total = int(subprocess.run([STCC, "blob", "get", blob, "-"], check=True, capture_output=True).stdout)
        rates[name] = len(tries) / seconds
        print(
            f"{f'Azure, counter by {WAITERS} processes, {name}':<42} {rates[name]:6.1f}/s   "
            f"{2 * sum(tries) / max(1, len(tries)):.2f} requests each   lost {len(tries) - total}"
        )
    print(f"{'':<42} {rates['with pauses'] / rates['without']:.2f} x (bar: 2, at 3 requests)")


def _added(blob: str, begin: float, end: float, patient: bool) -> list[int]:
    from azure.core import MatchConditions
    from azure.core.exceptions import ResourceModifiedError
    from azure.storage.blob import BlobClient

    from stcc.operations.updating import rounds
    from stcc.operations.waiting import SystemClock

    container, _, name = blob.partition("/")
    client = BlobClient.from_connection_string(
        os.environ["AZURE_STORAGE_CONNECTION_STRING"], container, name, api_version="2021-12-02", retry_total=0
    )

    def attempt(number: int) -> int | Refused:
        found = client.download_blob()
        text = str(int(found.readall()) + 1)
        try:
            client.upload_blob(
                text, overwrite=True, etag=found.properties.etag, match_condition=MatchConditions.IfNotModified
            )
        except ResourceModifiedError:
            return _overtaken(blob)
        return number

    clock = SystemClock() if patient else _Impatient()
    tries: list[int] = []
    time.sleep(max(0, begin - time.monotonic()))
    while time.monotonic() < end:
        answer = rounds(attempt, attempts=10_000, clock=clock)
        if isinstance(answer, int):
            tries.append(answer)
    return tries


def _overtaken(blob: str) -> Refused:
    return Refused(
        outcome="", exit_code=Exit.PRECONDITION, http_status=412, error_code="ConditionNotMet", request_id=None,
        target=blob, summary="",
    )  # fmt: skip


class _Impatient:
    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float, /) -> None:
        """Do not wait at all."""


def _partitions() -> None:
    """Cut a holder off, and see when its command was last alive, beside the moment at which its time was over."""
    margins: list[float] = []
    for ttl in (2, 3, 4):
        with _Line() as line:
            string = line.redirected(os.environ["AZURE_STORAGE_CONNECTION_STRING"])
            argv = [STCC, "lock", "run", f"cut{ttl}", "--ttl", f"{ttl}s", "--", sys.executable, "-S", "-c", BEAT]
            environment = {**os.environ, "AZURE_STORAGE_CONNECTION_STRING": string}
            process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(1.5)
            line.cut()
            last_request = line.last
            rest = process.stdout.read().split()
            process.wait()
            margins.append(last_request + ttl - float(rest[-1]))
    worst = min(margins) * 1000
    print(f"{'Azure, cut off: dead before the end by':<42} {worst:6.0f} ms at least in {len(margins)} runs (bar: > 0)")


class _Line:
    """A wire to the blob service that can be cut; `last` is when it last carried a request."""

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._up = threading.Event()
        self._up.set()
        self.last = 0.0
        self._target = 0
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def redirected(self, connection_string: str) -> str:
        parts = dict(part.split("=", 1) for part in connection_string.split(";") if part)
        url = urlsplit(parts["BlobEndpoint"])
        self._target = url.port or 80
        parts["BlobEndpoint"] = url._replace(netloc=f"127.0.0.1:{self._listener.getsockname()[1]}").geturl()
        return ";".join(f"{name}={value}" for name, value in parts.items())

    def cut(self) -> None:
        self._up.clear()

    def _serve(self) -> None:
        while True:
            try:
                here, _ = self._listener.accept()
            except OSError:
                return
            there = socket.create_connection(("127.0.0.1", self._target))
            threading.Thread(target=self._pump, args=(here, there, True), daemon=True).start()
            threading.Thread(target=self._pump, args=(there, here, False), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, counts: bool) -> None:
        while data := source.recv(65536):
            if not self._up.is_set():
                return
            if counts:
                self.last = time.monotonic()
            sink.sendall(data)


def _print(name: str, handovers: list[float], more: str = "", *, overlaps: int) -> None:
    milliseconds = sorted(1000 * one for one in handovers)
    if len(milliseconds) < 2:
        return
    cut = statistics.quantiles(milliseconds, n=100, method="inclusive")
    print(
        f"{name:<42} handed over {len(milliseconds):5} times: p50 {cut[49]:7.1f}  p90 {cut[89]:7.1f}  "
        f"p99 {cut[98]:7.1f} ms   overlaps {overlaps}   {more}"
    )


def _overlaps(stays: list[Stay]) -> int:
    return sum(later.begin < earlier.end for earlier, later in pairwise(stays))


def _jain(counts: list[int]) -> float:
    return sum(counts) ** 2 / (len(counts) * sum(one * one for one in counts) or 1)


if __name__ == "__main__":
    main()

"""How soon the emulator of Azure Files answers, how much it keeps up with, and what commands on files cost.

    stcc emulator run -- python docs/bench_files.py [SECONDS]

The requests are signed and come over four kept connections of two processes; a blob on Azurite, asked in the same
way, stands beside. The ratios of commands are medians of rounds in which each of them ran once.
"""

import http.client
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from azure.storage.blob import BlobServiceClient
from azure.storage.blob import generate_account_sas as blob_sas
from azure.storage.fileshare import ShareServiceClient, generate_account_sas

STCC = str(Path(sys.executable).with_name("stcc"))
SHARE, FILE = "bench", "file.txt"
KIB = b"x" * 1024
PROCESSES, THREADS, ROUNDS = 2, 2, 15
WRITE = {"x-ms-range": "bytes=0-1023", "x-ms-write": "update"}
CREATE = {"x-ms-type": "file", "x-ms-content-length": "0", "x-ms-file-permission": "inherit"}
DATED = {"x-ms-file-attributes": "None", "x-ms-file-creation-time": "now", "x-ms-file-last-write-time": "now"}
BARE = f"""
import os
from azure.storage.fileshare import ShareFileClient
client = ShareFileClient.from_connection_string(os.environ["AZURE_STORAGE_CONNECTION_STRING"], "{SHARE}", "{FILE}")
print(client.get_file_properties().etag)
"""
BARE_PUT = f"""
import os
from azure.storage.fileshare import ShareFileClient
client = ShareFileClient.from_connection_string(os.environ["AZURE_STORAGE_CONNECTION_STRING"], "{SHARE}", "put.txt")
client.upload_file(b"text")
"""


class Small(NamedTuple):
    """A small request; `{}` in its path is another number each time."""

    method: str
    path: str
    headers: Mapping[str, str] = {}
    body: bytes = b""


def main() -> None:
    """Measure and print a table."""
    if "AZURE_STORAGE_CONNECTION_STRING" not in os.environ:
        sys.exit("run it as: stcc emulator run -- python docs/bench_files.py")
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 4.0
    _starts()
    with tempfile.TemporaryDirectory() as directory:
        for where, arguments in (("in memory", []), ("on disk", ["--data", directory])):
            with _served(arguments) as endpoint:
                _rates(where, endpoint, seconds)
    _azurite(seconds)
    _commands()


def _starts() -> None:
    """From nothing to the first answer."""
    took: list[float] = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        with _served([]) as endpoint:
            _one(http.client.HTTPConnection(endpoint.netloc), Small("GET", "/"), {})
            took.append(time.perf_counter() - began)
    print(
        f"first answer of the emulator {1000 * statistics.median(took):6.0f} ms  (min {1000 * min(took):.0f}, bar 500)"
    )


@contextmanager
def _served(arguments: list[str]) -> Generator[Any]:
    """Serve Azure Files on a free port, until the end of the block."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-P", "-m", "stcc.emulator.azfiles", "--port", str(port), *arguments]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except ConnectionRefusedError:
                    time.sleep(0.002)
            yield urlsplit(f"http://127.0.0.1:{port}/devstoreaccount1")
        finally:
            server.terminate()


def _rates(where: str, endpoint: Any, seconds: float) -> None:
    service: Any = ShareServiceClient(endpoint.geturl(), credential=_key())
    service.create_share(SHARE).get_file_client(FILE).upload_file(KIB)
    token = generate_account_sas(
        "devstoreaccount1", _key()["account_key"], "sco", "rwdlc", datetime.now(UTC) + timedelta(hours=1)
    )
    file = f"/{SHARE}/{FILE}?{token}"
    kinds = {
        "properties of a file": Small("HEAD", file),
        "get 1 KiB": Small("GET", file),
        "put range, 1 KiB": Small("PUT", f"{file}&comp=range", WRITE, KIB),
        "create a file": Small("PUT", f"/{SHARE}/{{}}.txt?{token}", {**CREATE, **DATED}),
        "list handles": Small("GET", f"{file}&comp=listhandles"),
    }
    for what, request in kinds.items():
        print(f"{what + ', ' + where:<34} {_rate(endpoint, request, seconds):6.0f} requests/s  (bar 500)")


def _azurite(seconds: float) -> None:
    service: Any = BlobServiceClient.from_connection_string(os.environ["AZURE_STORAGE_CONNECTION_STRING"])
    blob = service.create_container(f"bench-files-{os.getpid()}").get_blob_client("blob")
    blob.upload_blob(KIB)
    token = blob_sas("devstoreaccount1", _key()["account_key"], "sco", "rw", datetime.now(UTC) + timedelta(hours=1))
    url = urlsplit(str(blob.url))
    endpoint = urlsplit(f"http://{url.netloc}/devstoreaccount1")
    path = f"{url.path.removeprefix('/devstoreaccount1')}?{token}"
    for what, method in (("properties of a blob, Azurite", "HEAD"), ("get 1 KiB, Azurite", "GET")):
        print(f"{what:<34} {_rate(endpoint, Small(method, path), seconds):6.0f} requests/s")


def _rate(endpoint: Any, request: Small, seconds: float) -> float:
    """Return how many requests a second were answered with success, from processes of their own."""
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        list(pool.map(_warm, range(PROCESSES)))
        done = [pool.submit(_asked, endpoint.netloc, endpoint.path, request, seconds, n) for n in range(PROCESSES)]
        return sum(one.result() for one in done) / seconds


def _warm(_: int) -> None:
    time.sleep(0.1)


def _asked(place: str, root: str, request: Small, seconds: float, process: int) -> int:
    counts = [0] * THREADS
    until = time.perf_counter() + seconds

    def ask(thread: int) -> None:
        connection = http.client.HTTPConnection(place)
        while time.perf_counter() < until:
            number = f"{process}-{thread}-{counts[thread]}"
            moment = {"x-ms-version": "2024-11-04", "x-ms-date": f"{datetime.now(UTC):%a, %d %b %Y %H:%M:%S GMT}"}
            _one(connection, request._replace(path=root + request.path.format(number)), moment, expected=(200, 201))
            counts[thread] += 1

    threads = [threading.Thread(target=ask, args=(thread,)) for thread in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts)


def _one(
    connection: http.client.HTTPConnection, request: Small, more: Mapping[str, str], *, expected: tuple[int, ...] = ()
) -> None:
    connection.request(request.method, request.path, request.body or None, {**request.headers, **more})
    answer = connection.getresponse()
    answer.read()
    if expected and answer.status not in expected:
        sys.exit(f"{request.method} {request.path.partition('?')[0]}: {answer.status} {answer.reason}")


def _commands() -> None:
    """One cold command on a file, beside a bare script that asks the same of the SDK; and what a whole put costs."""
    _run([STCC, "share", "create", SHARE])
    with tempfile.NamedTemporaryFile("wb") as source:
        source.write(b"text")
        source.flush()
        put = [STCC, "file", "put", f"{SHARE}/put.txt", source.name]
        subprocess.run(
            [STCC, "file", "put", f"{SHARE}/{FILE}", source.name, "-q"], check=True, stdout=subprocess.DEVNULL
        )
        subprocess.run(put, check=True, capture_output=True)
        commands = {
            "bare SDK script, properties": [sys.executable, "-c", BARE],
            "stcc file show": [STCC, "file", "show", f"{SHARE}/{FILE}"],
            "bare SDK script, upload": [sys.executable, "-c", BARE_PUT],
            "stcc file put": put,
            "stcc file put --in-place": [*put, "--in-place"],
        }
        took: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                took[name].append(_run(command))
    for name, measured in took.items():
        print(f"{name:<28} {1000 * statistics.median(measured):6.0f} ms  (min {1000 * min(measured):.0f})")
    _ratio(took, "stcc file show", "bare SDK script, properties")
    _ratio(took, "stcc file put", "bare SDK script, upload")


def _run(command: list[str]) -> float:
    """Return how long it took."""
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


def _ratio(took: Mapping[str, list[float]], one: str, other: str) -> None:
    ratio = statistics.median(a / b for a, b in zip(took[one], took[other], strict=True))
    print(f"{one} / {other}: {ratio:.2f}")


def _key() -> dict[str, str]:
    parts = dict(part.split("=", 1) for part in os.environ["AZURE_STORAGE_CONNECTION_STRING"].split(";") if part)
    return {"account_name": parts["AccountName"], "account_key": parts["AccountKey"]}


if __name__ == "__main__":
    main()

"""The end of the emulator at any moment: nothing acknowledged is lost, nothing is half there."""

import http.client
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from stcc.emulator.azfiles.refusals import Refusal
from stcc.emulator.azfiles.store import Store, Unusable
from tests.azfiles.serving import Answer, Service, process

LENGTH = 256 * 1024


def write(service: Service, path: str, letter: bytes) -> Answer:
    headers = {"x-ms-write": "update", "x-ms-range": f"bytes=0-{LENGTH - 1}"}
    return service.ask("PUT", f"{path}?comp=range", headers, letter * LENGTH)


@pytest.mark.parametrize("delay", [0, 0.1, 0.3])
def test_a_killed_emulator_has_lost_nothing_and_torn_nothing(data: Path, delay: float) -> None:
    acknowledged = dict.fromkeys(range(2), b"")
    under_way = dict(acknowledged)
    etags = dict.fromkeys(range(2), "")
    created: list[str] = []

    def keep_writing(service: Service, number: int) -> None:
        try:
            for turn in range(10_000):
                under_way[number] = bytes([97 + turn % 26])
                answer = write(service, f"/share/f{number}", under_way[number])
                acknowledged[number], etags[number] = under_way[number], answer.headers["etag"]
                name = f"/share/n{number}-{turn}"
                service.ask("PUT", name, {"x-ms-type": "file", "x-ms-content-length": "0"})
                created.append(name)
        except (OSError, http.client.HTTPException):
            return

    with process(data) as (service, child):
        service.ask("PUT", "/share?restype=share")
        for number in acknowledged:
            service.ask("PUT", f"/share/f{number}", {"x-ms-type": "file", "x-ms-content-length": str(LENGTH)})
            assert write(service, f"/share/f{number}", b"A").status == 201
        writers = [threading.Thread(target=keep_writing, args=(service, number)) for number in acknowledged]
        for writer in writers:
            writer.start()
        while len(created) < 3:
            time.sleep(0.001)
        time.sleep(delay)
        child.send_signal(signal.SIGKILL)
        for writer in writers:
            writer.join()

    with process(data) as (service, _):
        files = [service.ask("GET", f"/share/f{number}") for number in acknowledged]
        names = [service.ask("HEAD", name).status for name in created]
        later = write(service, "/share/f0", b"Z").headers["etag"]

    contents = [answer.body for answer in files]
    possible = [{letter * LENGTH for letter in (acknowledged[n], under_way[n])} for n in acknowledged]
    assert [body in among for body, among in zip(contents, possible, strict=True)] == [True, True]
    assert [
        (answer.headers["etag"] == etags[n]) == (answer.body == acknowledged[n] * LENGTH)
        or acknowledged[n] == under_way[n]
        for n, answer in enumerate(files)
    ] == [True, True]
    assert (names, later > max(etags.values())) == ([200] * len(created), True)


def test_leases_handles_and_marks_survive(data: Path) -> None:
    lease = {"x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1"}
    with process(data) as (service, child):
        service.ask("PUT", "/share?restype=share")
        for name in "fg":
            service.ask("PUT", f"/share/{name}", {"x-ms-type": "file", "x-ms-content-length": "0"})
        service.ask("PUT", "/share/f?comp=lease", lease)
        handle = service.smb("open", share="share", path="g", access="rd", shared="rwd")[1]["handle"]
        service.smb("mark-delete", handle=handle)
        child.kill()

    with process(data) as (service, _):
        answers = [service.ask("DELETE", f"/share/{name}").brief for name in "fg"]
        closed = service.smb("close", handle=handle)[1]["deleted"]

    assert (answers, closed) == ([(412, "LeaseIdMissing"), (409, "DeletePending")], True)


def test_a_refused_request_changes_nothing(tmp_path: Path) -> None:
    with Store(tmp_path, clock=time.time, durable=False) as store:

        def refused() -> None:
            with store.transaction(changing=True):
                store.content()
                raise Refusal("ShareNotFound")

        with pytest.raises(Refusal):
            refused()
        with store.transaction(changing=True):
            assert store.content() == 1


def test_one_directory_has_one_emulator(data: Path) -> None:
    with process(data), pytest.raises(Unusable) as failure:
        Store(data, clock=time.time, durable=True)

    assert str(failure.value) == f"{data} is in use by another emulator"


def test_a_second_emulator_says_why_it_ends(data: Path) -> None:
    with process(data):
        command = [sys.executable, "-m", "stcc.emulator.azfiles", "--data", str(data)]
        second = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (second.returncode, second.stdout, second.stderr) == (
        1,
        "",
        f"stcc File service failed: {data} is in use by another emulator\n",
    )


def test_a_directory_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    with Store(tmp_path, clock=time.time, durable=True) as store:
        store.rows.execute("PRAGMA user_version = 2")

    with pytest.raises(Unusable) as failure:
        Store(tmp_path, clock=time.time, durable=True)

    assert str(failure.value) == f"{tmp_path} was written by another version of the emulator"


def test_the_emulator_ends_in_good_order_and_with_its_companion(data: Path) -> None:
    with process(data) as (_, child):
        child.terminate()
        told = child.wait(10)
    with subprocess.Popen(["sleep", "60"]) as companion:
        command = [sys.executable, "-m", "stcc.emulator.azfiles", "--companion", str(companion.pid)]
        with subprocess.Popen(command, stderr=subprocess.PIPE) as beside:
            assert beside.stderr is not None
            beside.stderr.readline()
            companion.kill()
            companion.wait()
            alone = beside.wait(10)

    assert (told, alone) == (0, 0)


def test_readers_see_a_replaced_file_whole(data: Path) -> None:
    """The way of an atomic put: write under another name, rename over the target."""
    size = 6 * 1024 * 1024
    seen: set[bytes] = set()
    lengths: set[int] = set()

    def put(service: Service, path: str, letter: bytes) -> None:
        service.ask("PUT", path, {"x-ms-type": "file", "x-ms-content-length": str(size)})
        for start in range(0, size, 2 * 1024 * 1024):
            span = {"x-ms-write": "update", "x-ms-range": f"bytes={start}-{start + 2 * 1024 * 1024 - 1}"}
            service.ask("PUT", f"{path}?comp=range", span, letter * (2 * 1024 * 1024))

    def replace(service: Service) -> None:
        renaming = {"x-ms-file-rename-source": service.url("/share/new"), "x-ms-file-rename-replace-if-exists": "true"}
        for turn in range(8):
            put(service, "/share/new", bytes([97 + turn]))
            service.ask("PUT", "/share/f?comp=rename", renaming)

    with process(data) as (service, _):
        service.ask("PUT", "/share?restype=share")
        put(service, "/share/f", b"0")
        writer = threading.Thread(target=replace, args=(service,))
        writer.start()
        while writer.is_alive():
            body = service.ask("GET", "/share/f").body
            seen.add(bytes(set(body)))
            lengths.add(len(body))
            time.sleep(random.random() / 100)  # anything but in step
        writer.join()

    assert ({len(letters) for letters in seen}, lengths) == ({1}, {size})

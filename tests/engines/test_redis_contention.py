"""Many real clients at once: what the server itself saw is checked, not what the clients believe."""

import random
import re
import socket
import threading
import time
from collections.abc import Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from stcc.operations import locking, permits
from stcc.operations.locking import Granted
from stcc.operations.permits import PermitGranted
from stcc.redis_engine.server import Line
from stcc.values.claims import Claim
from stcc.values.places import redis_place
from tests.engines.unwatched import Unwatched
from tests.engines.worlds import RedisWorld, patience

_LINE = re.compile(r"^\+[0-9.]+ \[[^]]*\] (.*)$")


@contextmanager
def monitored(world: RedisWorld) -> Generator[list[list[str]]]:
    """Collect all commands in the order in which the server did them."""
    done: list[list[str]] = []
    with socket.create_connection(("127.0.0.1", world.server.port)) as watcher:
        watcher.sendall(b"MONITOR\r\n")
        stream = watcher.makefile("r", encoding="utf-8", newline="\r\n")
        assert stream.readline() == "+OK\r\n"

        def collect() -> None:
            for line in stream:
                words = _words(line)
                if words == ["echo", world.name]:
                    return
                done.append(words)

        thread = threading.Thread(target=collect)
        thread.start()
        try:
            yield done
        finally:
            world.server.client().echo(world.name)
            thread.join()


def _words(line: str) -> list[str]:
    match = _LINE.match(line.rstrip("\r\n"))
    return [] if match is None else [word.lower() for word in re.findall(r'"((?:[^"\\]|\\.)*)"', match[1])]


def most_over(world: RedisWorld, done: Iterable[list[str]]) -> tuple[int, int]:
    """Return how many permits were granted, and by how many more than allowed at that moment."""
    holders, most, granted, over = set[str](), 0, 0, 0
    for words in done:
        match words:
            case ["sadd", key, who] if key == f"semaphore::{world.name}::holders":
                holders.add(who)
                granted += 1
                over = max(over, len(holders) - most)
            case ["srem", key, *gone] if key == f"semaphore::{world.name}::holders":
                holders -= set(gone)
            case ["set", key, number] if key == f"semaphore::{world.name}::max_size":
                most = int(number)
            case _:
                pass
    return granted, over


def contend(world: RedisWorld, kind: type[Line], *, until: float) -> None:
    """Acquire and release, or forget to release, from many clients, while the maximum changes."""
    server = redis_place(world.server.url("x"), "lock").server

    def client(number: int) -> None:
        semaphore = world.semaphore(kind(server, timeout=5))
        turn = 0
        while time.monotonic() < until:
            turn += 1
            who = f"{number}-{turn}"
            ttl = 0.03 if turn % 5 == 0 else 5.0
            granted = permits.acquire(semaphore, Claim(who, ttl), patience=patience(world, wait=0.2))
            time.sleep(random.random() * 0.004)
            if isinstance(granted, PermitGranted) and ttl > 1:
                permits.release(semaphore, who, clock=world.clock)

    def resize() -> None:
        semaphore = world.semaphore(kind(server, timeout=5))
        while time.monotonic() < until:
            permits.resize(semaphore, random.choice([1, 2, 3, 4]), clock=world.clock)
            time.sleep(0.01)

    permits.create(world.semaphore(), 2, clock=world.clock)
    with ThreadPoolExecutor() as pool:
        for each in [pool.submit(resize), *(pool.submit(client, number) for number in range(6))]:
            each.result()


def test_there_are_never_more_holders_than_allowed(redis_world: RedisWorld) -> None:
    with monitored(redis_world) as done:
        contend(redis_world, Line, until=time.monotonic() + 1.5)

    granted, over = most_over(redis_world, done)
    assert granted > 50
    assert over == 0


def test_without_a_watch_there_are_more_holders_than_allowed(redis_world: RedisWorld) -> None:
    with monitored(redis_world) as done:
        contend(redis_world, Unwatched, until=time.monotonic() + 1)

    granted, over = most_over(redis_world, done)
    assert granted > 20
    assert over > 0


def test_a_lock_is_held_by_one_at_a_time_and_fences_grow_in_its_order(redis_world: RedisWorld) -> None:
    """A counter in memory, read and written back under the lock: without exclusion, additions get lost."""
    counter, fences = [0], list[int]()

    def client(number: int) -> None:
        lock = redis_world.lock()
        for turn in range(12):
            who = f"{number}-{turn}"
            granted = locking.acquire(lock, Claim(who, 30.0), patience=patience(redis_world, wait=60))
            assert isinstance(granted, Granted)
            before = counter[0]
            fences.append(granted.tenure.fence or 0)
            time.sleep(0.001)
            counter[0] = before + 1
            locking.release(lock, who, known=granted.state)

    with ThreadPoolExecutor() as pool:
        for each in [pool.submit(client, number) for number in range(8)]:
            each.result()

    assert counter == [96]
    assert fences == sorted(set(fences))

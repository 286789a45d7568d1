"""Queues of runs on one host: who waits for whom, and for how long."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from stcc.operations.neighbours import Neighbours
from stcc.operations.turns import opened
from tests.fakes import FakeClock


class World:
    """A directory of queues, and a clock."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.clock = FakeClock()

    def queue(self, name: str = "n") -> Neighbours:
        return Neighbours(self.directory, name, clock=self.clock)

    def slept(self, queue: Neighbours, seconds: float) -> float:
        """Return how long a nap took."""
        began = self.clock.now
        queue.nap(seconds)
        return round(self.clock.now - began, 6)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "runs")


class ClosingClock(FakeClock):
    """Time in which, at some moment, something happens."""

    def __init__(self, at: float, happens: Callable[[], None]) -> None:
        super().__init__()
        self._at = self.now + at
        self._happens = happens

    def sleep(self, seconds: float, /) -> None:
        super().sleep(seconds)
        if self.now >= self._at:
            self._at = float("inf")
            self._happens()


def test_one_at_a_time_has_the_turn(world: World) -> None:
    first, second = world.queue(), world.queue()

    assert (first.take(), first.take(), second.take()) == (True, True, False)
    first.close()
    assert second.take()


def test_names_do_not_wait_for_one_another(world: World) -> None:
    assert (world.queue("a").take(), world.queue("b").take()) == (True, True)


def test_who_has_a_neighbour_sleeps_as_long_as_a_stranger_and_looks_at_the_file_meanwhile(world: World) -> None:
    first, second = world.queue(), world.queue()
    first.take()

    assert (world.slept(second, 3.0), second.take()) == (3.0, False)
    assert set(world.clock.sleeps) <= {0.02, world.clock.sleeps[-1]}


def test_a_turn_that_becomes_free_ends_the_nap_at_once(world: World) -> None:
    first = world.queue()
    first.take()
    world.clock = ClosingClock(1.0, first.close)
    second = world.queue()

    assert 1.0 <= world.slept(second, 10.0) < 1.05
    assert second.take()


def test_who_has_the_turn_sleeps_in_one_piece(world: World) -> None:
    only = world.queue()

    assert (world.slept(only, 3.0), world.clock.sleeps) == (0.0, [])  # it takes the turn, and looks at once
    assert (world.slept(only, 3.0), world.clock.sleeps) == (3.0, [3.0])


def test_where_there_is_no_file_everybody_is_a_stranger(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    world = World(tmp_path / "file")
    queue = world.queue()

    assert (world.slept(queue, 3.0), world.clock.sleeps, queue.take()) == (3.0, [3.0], False)
    queue.close()
    queue.close()


def test_a_closed_queue_takes_no_turn(world: World) -> None:
    queue = world.queue()
    queue.close()

    assert (queue.take(), world.queue().take()) == (False, True)


def test_whoever_dies_gives_its_turn_back(world: World) -> None:
    queue = world.queue()
    pid = os.fork()
    if pid == 0:
        descriptor = opened(world.directory, "n")
        fcntl.flock(descriptor or 0, fcntl.LOCK_EX)
        os._exit(0)
    os.waitpid(pid, 0)

    assert queue.take()

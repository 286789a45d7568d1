"""The engines, each on a service of its own."""

import pytest

from stcc.operations.waiting import SystemClock
from tests.engines.worlds import AzureWorld, FakeWorld, HurriedClock, RedisWorld, World
from tests.redis_server import RedisServerForTests


@pytest.fixture
def redis_world(redis_server: RedisServerForTests) -> RedisWorld:
    return RedisWorld(redis_server)


@pytest.fixture(params=["fake", "azure", "redis"])
def timely_world(request: pytest.FixtureRequest) -> World:
    """Return each of the engines, in real time: a hurried Azurite takes some dates from a clock that lags behind."""
    if request.param == "azure":
        return AzureWorld(request.getfixturevalue("azurite"), SystemClock())
    return FakeWorld() if request.param == "fake" else RedisWorld(request.getfixturevalue("redis_server"))


@pytest.fixture(params=["fake", "azure", "redis"])
def world(request: pytest.FixtureRequest) -> World:
    """Return each of the engines; all keep the same promises."""
    match request.param:
        case "fake":
            return FakeWorld()
        case "azure":
            return AzureWorld(request.getfixturevalue("fast_azurite"), HurriedClock())
        case _:
            return RedisWorld(request.getfixturevalue("redis_server"))

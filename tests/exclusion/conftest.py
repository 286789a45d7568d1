"""Where the lock is: on Azurite or on a Redis server, each reached through a proxy or directly."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

import pytest

from stcc.emulator.instance import Instance
from tests.running import Stcc

if TYPE_CHECKING:
    from tests.redis_server import RedisServerForTests


class Engine(NamedTuple):
    """How to name something on an engine, and how to call stcc for it.

    `slack`: how many seconds later than the ttl a dead holder is followed, at the earliest.
    """

    stcc: Stcc
    prefix: str
    slack: float

    def name(self) -> str:
        return f"{self.prefix}{uuid4().hex[:12]}"


@pytest.fixture(params=["azure", "redis"])
def engine(request: pytest.FixtureRequest, azurite: Instance, tmp_path: Path) -> Engine:
    state = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_RUNTIME_DIR": str(tmp_path)}
    if request.param == "azure":
        return Engine(Stcc(connection_string=azurite.connection_string, environment=state), "", 1.0)
    server: RedisServerForTests = request.getfixturevalue("redis_server")
    return Engine(Stcc(environment=state), f"redis://127.0.0.1:{server.port}/0/", 0.0)

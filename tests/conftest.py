"""Fixtures that more than one test module uses. Sessions are per xdist worker: each has emulators of its own."""

from collections.abc import Callable, Generator
from uuid import uuid4

import pytest

from stcc.emulator.instance import Instance
from tests.azfiles.serving import Service, serving
from tests.azurite import ProxiedAccount, azurite_for_tests, hurried
from tests.redis_server import RedisServerForTests, redis_for_tests
from tests.running import Stcc
from tests.situations import Situation
from tests.teams import Team

Names = Callable[[], str]


@pytest.fixture(scope="session")
def azurite() -> Generator[Instance]:
    """Run an Azurite for all tests of the session, in real time."""
    with azurite_for_tests() as instance:
        yield instance


@pytest.fixture(scope="session")
def fast_azurite() -> Generator[Instance]:
    """Run an Azurite whose clock goes ten times too fast, for tests that wait until something expires."""
    with azurite_for_tests(environment=hurried()) as instance:
        yield instance


@pytest.fixture(scope="session")
def redis_server() -> Generator[RedisServerForTests]:
    """Run a redis-server for all tests of the session."""
    with redis_for_tests() as server:
        yield server


@pytest.fixture
def proxied(azurite: Instance) -> Generator[ProxiedAccount]:
    """Put fresh proxies in front of `azurite`."""
    with ProxiedAccount(azurite) as account:
        yield account


@pytest.fixture
def names() -> Names:
    """Make names that nothing has yet, valid for containers, blobs, queues and tables alike."""
    return lambda: f"t{uuid4().hex}"


@pytest.fixture
def stcc(azurite: Instance) -> Stcc:
    """Call stcc on `azurite`."""
    return Stcc(connection_string=azurite.connection_string)


@pytest.fixture
def proxied_stcc(proxied: ProxiedAccount) -> Stcc:
    """Call stcc on `azurite` through the proxies of `proxied`."""
    return Stcc(connection_string=proxied.connection_string)


@pytest.fixture
def there(azurite: Instance) -> Situation:
    """Prepare what is to be there before a command runs, on `azurite`."""
    return Situation(azurite)


@pytest.fixture
def team(azurite: Instance) -> Team:
    """Make a share that nobody else has, on the Azure Files of `azurite`."""
    return Team(azurite)


@pytest.fixture(scope="session")
def file_service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Service]:
    """Run an Azure Files alone for all tests of the session, with a clock that can be put forward."""
    with serving(tmp_path_factory.mktemp("files")) as running:
        yield running

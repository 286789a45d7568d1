"""What goes wrong with a Redis server, and what it is called."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from stcc.errors import Denied, StccError, Unavailable, Unexpected, Usage
from stcc.operations.locking import State
from stcc.redis_engine.listing import locks
from stcc.redis_engine.lock import RedisLock
from stcc.redis_engine.server import connect
from stcc.values.claims import Claim
from stcc.values.places import redis_place, redis_server
from tests.engines.worlds import RedisWorld
from tests.redis_server import RedisServerForTests, redis_for_tests

Prepare = Callable[[RedisServerForTests], str]
PASSWORD = "opensesame"


def lock(world: RedisWorld, url: str) -> RedisLock:
    place = redis_place(url, "lock")
    return RedisLock(connect(place.server, timeout=1), place, clock=world.clock)


def wrong_password(server: RedisServerForTests) -> str:
    return server.url("a", who="somebody:opensesame@")


def no_password(server: RedisServerForTests) -> str:
    server.client().config_set("requirepass", PASSWORD)
    return server.url("a")


def no_permission(server: RedisServerForTests) -> str:
    server.client().acl_setuser("somebody", enabled=True, passwords=[f"+{PASSWORD}"], keys=["*"], commands=["+ping"])
    return server.url("a", who=f"somebody:{PASSWORD}@")


def nobody_there(server: RedisServerForTests) -> str:
    return server.url("a", port=1)


def no_such_database(server: RedisServerForTests) -> str:
    return server.url("a").replace("/0/", "/99/")


def no_tls(server: RedisServerForTests) -> str:
    return server.url("a").replace("redis://", "rediss://")


def replica_without_master(server: RedisServerForTests) -> str:
    server.client().config_set("replica-serve-stale-data", "no")
    server.client().replicaof("127.0.0.1", "1")
    return server.url("a")


@pytest.mark.parametrize(
    ("prepare", "error", "code"),
    [
        (wrong_password, Denied, 3),
        (no_password, Denied, 3),
        (no_permission, Denied, 3),
        (nobody_there, Unavailable, 69),
        (no_tls, Unavailable, 69),
        (replica_without_master, Unavailable, 69),
        (no_such_database, Unexpected, 1),
    ],
)
def test_a_server_that_does_not_answer_is_told_from_one_that_says_no(
    redis_world: RedisWorld, prepare: Prepare, error: type[StccError], code: int
) -> None:
    with redis_for_tests() as server:
        one = lock(redis_world, prepare(server))
        with pytest.raises(error) as caught:
            one.read()

    assert caught.value.exit_code == code
    assert PASSWORD not in f"{caught.value.message} {caught.value.hint} {caught.value.target} {one.target}"


def full(server: RedisServerForTests) -> None:
    server.client().config_set("maxmemory", 1)


def replica(server: RedisServerForTests) -> None:
    server.client().replicaof("127.0.0.1", "1")


def may_only_read(server: RedisServerForTests) -> None:
    server.client().acl_setuser("default", enabled=True, nopass=True, keys=["*"], commands=["+@all", "-set"])


@pytest.mark.parametrize(("turn", "error"), [(full, Unavailable), (replica, Unavailable), (may_only_read, Denied)])
def test_a_server_that_does_not_take_a_change_has_changed_nothing(
    redis_world: RedisWorld, turn: Callable[[RedisServerForTests], None], error: type[StccError]
) -> None:
    with redis_for_tests() as server:
        one = lock(redis_world, server.url("a"))
        before = one.read()
        assert isinstance(before, State)
        turn(server)
        with pytest.raises(error):
            one.take(before, Claim("me", 60.0))

        assert server.client().keys() == []


def test_a_socket_and_a_password_will_do_too(redis_world: RedisWorld, tmp_path: Path) -> None:
    path = tmp_path / "redis.sock"
    with redis_for_tests("--unixsocket", str(path)):
        one = lock(redis_world, f"unix://{path}?db=3&name=a")
        before = one.read()
        assert isinstance(before, State)
        one.take(before, Claim("me", 60.0))
        after = one.read()

    assert isinstance(after, State)
    assert after.held is not None
    assert after.held.identity == "me"


def test_a_server_that_was_restarted_is_connected_to_again(redis_world: RedisWorld) -> None:
    one = redis_world.lock()
    one.read()
    redis_world.server.client().client_kill_filter(_type="normal", skipme=True)

    assert isinstance(one.read(), State)


def test_without_the_package_there_is_a_hint() -> None:
    program = (
        "import sys; sys.modules['redis'] = None\n"
        "from stcc.errors import Usage\n"
        "from stcc.redis_engine.server import connect\n"
        "from stcc.values.places import redis_server\n"
        "try: connect(redis_server('redis://localhost/0'), timeout=1)\n"
        "except Usage as usage: print(usage.message, '|', usage.hint)\n"
    )

    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert (said.stdout, said.stderr) == (
        "Redis needs a package that is not installed | pip install 'stcc[redis]'\n",
        "",
    )
    assert Usage.exit_code == 2


def listed(server: RedisServerForTests, *, limit: int | None = None) -> list[tuple[object, object, object]]:
    listing = locks(connect(redis_server(f"redis://127.0.0.1:{server.port}/0"), timeout=5), limit=limit)
    return sorted((str(one["name"]), one["state"], one["holder"]) for one in listing.items)


def test_locks_are_listed_and_neither_leaders_nor_those_without_a_note(redis_world: RedisWorld) -> None:
    with redis_for_tests() as server:
        for name, kind in (("b", "lock"), ("a", "lock"), ("c", "leader")):
            place = redis_place(server.url(name), kind)  # type: ignore[arg-type]
            one = RedisLock(connect(place.server, timeout=5), place, clock=redis_world.clock)
            before = one.read()
            assert isinstance(before, State)
            one.take(before, Claim("me", 60.0))
        server.client().set("d", "tom")
        found = [listed(server), listed(server, limit=1)]

    assert found[0] == [("a", "held", "me"), ("b", "held", "me")]
    assert len(found[1]) == 1


def test_a_listing_of_many_pages_has_every_lock_once(redis_world: RedisWorld) -> None:
    with redis_for_tests() as server:
        client = server.client()
        for number in range(1200):
            client.set(f"n{number}", "me")
            client.set(f"stcc::lock::n{number}", "{}")
        found = listed(server)

    assert found == sorted((f"n{number}", "held", "me") for number in range(1200))

"""Commands that run under what a Redis server keeps: it stalls, its keys are spoilt, its password stays secret."""

import json
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.redis_server import RedisServerForTests, redis_for_tests
from tests.running import Result, Stcc

if TYPE_CHECKING:
    from collections.abc import Callable

PASSWORD = "a-secret-of-redis"
STUBBORN = 'trap "" TERM; sleep 30 & sleep 30; sleep 30'


@pytest.fixture
def stcc(tmp_path: Path) -> Stcc:
    return Stcc(environment={"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_RUNTIME_DIR": str(tmp_path)})


@pytest.fixture
def own_server() -> Generator[RedisServerForTests]:
    """Run a redis-server that may stall, for one test."""
    with redis_for_tests() as server:
        yield server


def until(condition: "Callable[[], object]") -> None:
    ends = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < ends, "it never happened"
        time.sleep(0.02)


@pytest.mark.parametrize("noun", ["lock", "semaphore"])
def test_a_server_that_stalls_and_comes_back_during_the_release_is_a_loss_and_no_riddle(
    noun: str, own_server: RedisServerForTests, stcc: Stcc, tmp_path: Path
) -> None:
    url, file = own_server.url("job"), tmp_path / "status"
    if noun == "semaphore":
        assert stcc("semaphore", "create", url, "--max", "1").code == 0
    script = f"touch {tmp_path}/in; {STUBBORN}"
    process = stcc.process(noun, "run", url, "--ttl", "3s", "--status-file", str(file), "-c", script)
    until((tmp_path / "in").exists)
    client = own_server.client()
    client.client_pause(4000, all=True)
    out, err = process.communicate()

    assert (process.returncode, out) == (76, b"")
    assert f"stcc: {url} is lost: it could not be renewed in time" in err.decode()
    assert "bug" not in err.decode()
    found = json.loads(file.read_text())
    assert (found["exit_code"], found["stopped"]) == (76, True)


@pytest.mark.parametrize("spoilt", ["a list", "no number", "too large"])
@pytest.mark.parametrize("noun", ["lock", "semaphore"])
def test_a_fence_that_is_none_is_left_as_it_is(
    spoilt: str, noun: str, redis_server: RedisServerForTests, stcc: Stcc
) -> None:
    name = f"spoilt-{noun}-{spoilt.replace(' ', '-')}"
    url, client = redis_server.url(name), redis_server.client()
    if noun == "semaphore":
        assert stcc("semaphore", "create", url, "--max", "1").code == 0
    key = f"stcc::fence::{'semaphore::' if noun == 'semaphore' else ''}{name}"
    if spoilt == "a list":
        client.lpush(key, "keep")
    else:
        client.set(key, "99999999999999999999" if spoilt == "too large" else "notnum")
    kind = client.type(key)

    assert (stcc(noun, "acquire", url).code, client.type(key)) == (9, kind)


def test_a_status_file_of_an_earlier_run_does_not_stay(
    redis_server: RedisServerForTests, stcc: Stcc, tmp_path: Path
) -> None:
    url, file = redis_server.url("status"), tmp_path / "status"
    file.write_text('{"exit_code": 0}')

    assert stcc.run("lock", "run", url, "--status-file", str(file), "--", "/nonexistent") == Result(
        127, "", "stcc: cannot run '/nonexistent': no such file or directory\n"
    )
    assert json.loads(file.read_text()) == {"outcome": "not-run", "exit_code": 127, "child_exit": None}


def test_another_name_of_this_machine_is_the_same_lock(redis_server: RedisServerForTests, stcc: Stcc) -> None:
    url = redis_server.url("nested")
    inner = f"{sys.executable} -m stcc lock run {url.replace('127.0.0.1', 'localhost')} --wait forever -- true"

    assert stcc.run("lock", "run", url, "-c", inner).code == 2


def test_the_password_comes_from_the_environment_and_is_shown_nowhere(stcc: Stcc, tmp_path: Path) -> None:
    with redis_for_tests("--requirepass", PASSWORD) as server:
        url = server.url("secret")
        knowing = Stcc(environment={**stcc.environment, "STCC_REDIS_PASSWORD": PASSWORD})
        refused = stcc("lock", "acquire", url)
        granted = knowing("lock", "acquire", url, "--identity", "me", "-v")
        arguments = f"ps -eo args > {tmp_path}/ps"
        ran = knowing.run("lock", "run", server.url("other"), "-v", "-c", arguments)

    assert (refused.code, granted.code, granted.out, ran.code) == (3, 0, "me\n", 0)
    assert PASSWORD not in "".join((*refused[1:], *granted[1:], *ran[1:], (tmp_path / "ps").read_text()))
    assert f"* redis://127.0.0.1:{server.port} MULTI, SET secret, SET stcc::lock::secret, " in granted.err


def test_the_library_is_named_where_it_is_missing(tmp_path: Path) -> None:
    (tmp_path / "redis.py").write_text("raise ModuleNotFoundError('redis')\n")
    shown = subprocess.run(
        [sys.executable, "-m", "stcc", "lock", "show", "redis://127.0.0.1/0/x"],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tmp_path), "STCC_CONFIG": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (shown.returncode, shown.stderr) == (
        2,
        "stcc: Redis needs a package that is not installed\n  pip install 'stcc[redis]'\n",
    )

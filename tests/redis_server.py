"""A real redis-server for tests: on a free port, in a directory of its own, with nothing kept."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NamedTuple

import redis

from tests.azurite import unavailable


class RedisServerForTests(NamedTuple):
    """Where it listens; the URL of a name on it, and a plain client for looking behind the scenes."""

    port: int

    def url(self, name: str, *, port: int | None = None, who: str = "") -> str:
        return f"redis://{who}127.0.0.1:{port or self.port}/0/{name}"

    def client(self, **options: Any) -> Any:
        return redis.Redis(host="127.0.0.1", port=self.port, protocol=2, **options)


@contextmanager
def redis_for_tests(*options: str) -> Generator[RedisServerForTests]:
    """Run a redis-server with more options; it ends with the block."""
    program = shutil.which("redis-server")
    if program is None:
        unavailable("redis-server is not installed (Debian and Ubuntu: apt-get install redis-server)")
    with tempfile.TemporaryDirectory(prefix="stcc-redis-") as folder:
        server = RedisServerForTests(_free_port())
        command = [program, "--port", str(server.port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""]
        process = subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL)
        try:
            _until_ready(server.port)
            yield server
        finally:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _until_ready(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise TimeoutError("redis-server did not start")

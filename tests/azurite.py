"""Azurite as tests use it: in memory on free ports, in real or in hurried time, alone or behind proxies."""

import os
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Final, NoReturn, Self

import pytest

from stcc.emulator.instance import Instance
from stcc.emulator.launch import Setup, end, launch
from tests.proxy import Proxy
from tests.wire import Fault, Predicate, Recorded, Wire, every

HASTE: Final = 10
FAKETIME: Final = ("/usr/lib/*/faketime", "/usr/lib/faketime", "/usr/local/lib/faketime", "/usr/lib64/faketime")


@contextmanager
def azurite_for_tests(*, environment: Mapping[str, str] | None = None) -> Generator[Instance]:
    """Run an Azurite with `environment` added to ours; it ends with the block."""
    launched = launch(Setup(), environment=environment, progress=lambda _: None)
    try:
        yield launched.instance
    finally:
        end(launched)


def hurried() -> dict[str, str]:
    """Return the environment in which the wall clock of a program runs `HASTE` times as fast.

    Only for Azurite: Python hangs in it. Skips the test where libfaketime is missing, and fails it there under CI.
    """
    found = [path for place in FAKETIME for path in Path("/").glob(f"{place[1:]}/libfaketimeMT.so.1")]
    if not found:
        unavailable("libfaketime is not installed (Debian and Ubuntu: apt-get install faketime)")
    # Node.js keeps its timers on the monotonic clock, which must stay real for sockets to work.
    return {"LD_PRELOAD": str(found[0]), "FAKETIME": f"+0 x{HASTE}", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


def unavailable(reason: str) -> NoReturn:
    """Skip the test, visibly; under CI, where everything is to be installed, fail it."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


class ProxiedAccount:
    """An account behind four proxies that share one `Wire`: requests and faults in order over all services."""

    def __init__(self, azurite: Instance) -> None:
        self.wire = Wire()
        self.blob = Proxy(azurite.blob_port, wire=self.wire)
        self.queue = Proxy(azurite.queue_port, wire=self.wire)
        self.table = Proxy(azurite.table_port, wire=self.wire)
        self.file = Proxy(azurite.file_port, wire=self.wire)
        self._azurite = azurite

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for proxy in (self.blob, self.queue, self.table, self.file):
                stack.enter_context(proxy)
            self._proxies = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._proxies.close()

    @property
    def connection_string(self) -> str:
        here = {"blob": self.blob, "queue": self.queue, "table": self.table, "file": self.file}
        ports = {f"{service}_port": proxy.port for service, proxy in here.items()}
        return replace(self._azurite, **ports).connection_string  # type: ignore[arg-type]  # ports alone

    @property
    def requests(self) -> list[Recorded]:
        return self.wire.requests

    def clear(self) -> None:
        self.wire.clear()

    def fail(self, fault: Fault, *, when: Predicate = every, times: int = 1) -> None:
        self.wire.fail(fault, when=when, times=times)

"""Fixtures of the tests of the Azure Files emulator."""

from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from azure.storage.fileshare import ShareClient

from tests.azfiles.serving import Answer, Service, serving


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Service]:
    """Run an emulator for all tests of the session."""
    with serving(tmp_path_factory.mktemp("azfiles")) as running:
        yield running


@pytest.fixture(autouse=True)
def present(service: Service) -> Generator[None]:
    """Let every test begin in the present: the dates of the SDK are real."""
    yield
    service.clock.ahead = 0.0


@pytest.fixture
def share(service: Service) -> Generator[ShareClient]:
    """Make a share that nobody else has, seen through the SDK."""
    with ExitStack() as stack:
        name = f"t{uuid4().hex}"
        client = ShareClient.from_connection_string(service.connection_string, name, retry_total=0)
        stack.enter_context(client)
        client.create_share()
        yield client


@dataclass(frozen=True, kw_only=True)
class Files:
    """A fresh share on the wire."""

    service: Service
    share: str

    def ask(self, method: str, target: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Answer:
        """Send one request for /PATH?QUERY of the share."""
        return self.service.ask(method, f"/{self.share}{target}", headers, body)

    def create(self, path: str, content: bytes = b"content", **headers: str) -> Answer:
        """Create a file with a content."""
        sized = {"x-ms-type": "file", "x-ms-content-length": str(len(content)), **headers}
        answer = self.ask("PUT", path, sized)
        if content:
            self.put(path, 0, content)
        return answer

    def put(self, path: str, start: int, content: bytes, **headers: str) -> Answer:
        """Write a range."""
        span = {"x-ms-write": "update", "x-ms-range": f"bytes={start}-{start + len(content) - 1}", **headers}
        return self.ask("PUT", f"{path}?comp=range", span, content)

    def open(self, path: str, access: str = "r", shared: str = "", **more: object) -> str:
        """Open a file as an SMB client, and return the handle."""
        status, handle = self.service.smb("open", share=self.share, path=path, access=access, shared=shared, **more)
        assert status == 200, handle
        return str(handle["handle"])


@pytest.fixture
def files(service: Service) -> Files:
    """Make a share that nobody else has, seen on the wire."""
    found = Files(service=service, share=f"t{uuid4().hex}")
    assert found.ask("PUT", "?restype=share").status == 201
    return found


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return an empty directory."""
    directory = tmp_path / "data"
    directory.mkdir()
    return directory

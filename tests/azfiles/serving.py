"""The emulator of Azure Files as tests use it: on a free port, in this process or as one of its own."""

import base64
import hashlib
import hmac
import http.client
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote
from xml.etree import ElementTree as ET

from stcc.emulator.azfiles.app import App
from stcc.emulator.azfiles.server import Server, configuration
from stcc.emulator.azfiles.store import Store
from stcc.emulator.instance import ACCOUNT, KEY

VERSION = "2021-12-02"


class Clock:
    """The time of day, which a test can put forward."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


class Answer(NamedTuple):
    """An answer as it came; header names are lower case, but `spelled` as they came."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    spelled: frozenset[str]

    @property
    def code(self) -> str | None:
        """The error code of the document, which the header must repeat."""
        if self.status < 300:
            return None
        code = self.headers["x-ms-error-code"]
        if self.body:
            assert self.xml.findtext("Code") == code
        return code

    @property
    def xml(self) -> ET.Element:
        return ET.fromstring(self.body.decode("utf-8-sig"))

    @property
    def brief(self) -> tuple[int, str | None]:
        return self.status, self.code


@dataclass(frozen=True, kw_only=True)
class Service:
    """A running emulator: `ask` sends what is signed with its key, exactly as it is given."""

    port: int
    clock: Clock = field(default_factory=Clock)

    @property
    def connection_string(self) -> str:
        endpoint = f"http://127.0.0.1:{self.port}/{ACCOUNT}"
        return f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};FileEndpoint={endpoint};"

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/{ACCOUNT}{path}"

    def ask(
        self, method: str, target: str, headers: Mapping[str, str] | None = None, body: bytes = b"", *, key: str = KEY
    ) -> Answer:
        """Send one signed request for /SHARE/PATH?QUERY."""
        sent = self.signed(method, target, headers or {}, length=len(body), key=key)
        return self.send(method, f"/{ACCOUNT}{target}", sent, body)

    def signed(
        self, method: str, target: str, headers: Mapping[str, str], *, length: int = 0, key: str = KEY
    ) -> dict[str, str]:
        """Return the headers of a request, with its date and its signature."""
        path, _, query = target.partition("?")
        sent = {"x-ms-version": VERSION, "x-ms-date": formatdate(self.clock(), usegmt=True), **headers}
        parameters = sorted(tuple(map(unquote, part.partition("=")[::2])) for part in query.split("&") if part)
        text = string_to_sign(method, f"/{ACCOUNT}{path}", parameters, sent, length)
        digest = hmac.digest(base64.b64decode(key), text.encode(), hashlib.sha256)
        return sent | {"Authorization": f"SharedKey {ACCOUNT}:{base64.b64encode(digest).decode()}"}

    def send(self, method: str, target: str, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        """Send exactly this."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.putrequest(method, target, skip_accept_encoding=True)
            named = {"Content-Length": str(len(body))} if method == "PUT" else {}
            for name, value in (named | dict(headers)).items():
                connection.putheader(name, value)
            connection.endheaders(body)
            response = connection.getresponse()
            content = response.read()
            headers = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, headers, content, frozenset(response.headers))

    def smb(self, act: str, **asked: object) -> tuple[int, dict[str, Any]]:
        """Let a simulated SMB client do something."""
        body = json.dumps(asked).encode()
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        answer = self.send("POST", f"/-/smb/{act}", headers, body)
        return answer.status, json.loads(answer.body)


def string_to_sign(
    method: str, path: str, parameters: Iterable[tuple[str, ...]], headers: Mapping[str, str], length: int
) -> str:
    """Return what the documentation says is to be signed."""
    lower = {name.lower(): value for name, value in headers.items()}
    standard = ["content-encoding", "content-language", "", "content-md5", "content-type", "", *[""] * 4, "range"]
    lines = [method, *(lower.get(name, "") if name else "" for name in standard)]
    lines[3] = str(length or "")
    lines += [f"{name}:{lower[name]}" for name in sorted(lower) if name.startswith("x-ms-")]
    lines += [f"/{ACCOUNT}{path}", *(f"{name}:{value}" for name, value in parameters)]
    return "\n".join(lines)


@contextmanager
def serving(directory: Path) -> Generator[Service]:
    """Serve a directory from a thread of this process, with a clock that can be put forward."""
    clock = Clock()
    with socket.socket() as listener, Store(directory, clock=clock, durable=False) as store:
        listener.bind(("127.0.0.1", 0))
        server = Server(configuration(App(store)))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            until = time.monotonic() + 60
            while not server.started and time.monotonic() < until:
                time.sleep(0.005)
            yield Service(port=listener.getsockname()[1], clock=clock)
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def process(data: Path) -> Generator[tuple[Service, "subprocess.Popen[bytes]"]]:
    """Serve a directory from a process of its own, as `stcc emulator start` does; it ends with the block."""
    command = [sys.executable, "-m", "stcc.emulator.azfiles", "--data", str(data)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as child:
        try:
            assert child.stderr is not None
            line = child.stderr.readline().decode()
            yield Service(port=int(line.rpartition(":")[2])), child
        finally:
            child.kill()

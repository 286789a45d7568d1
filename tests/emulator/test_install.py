import base64
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest

from stcc.emulator import install
from stcc.emulator.errors import InstallFailed
from stcc.errors import Local

REPOSITORY = Path(install.__file__).parents[2]
DIGEST = hashlib.sha256(install.LOCK.read_bytes()).hexdigest()
NAME = f"azurite-3.36.0-{DIGEST[:12]}"
INSTALL = (
    "import sys; from stcc.emulator import install\n"
    "print(install.azurite(progress=lambda line: print(line, file=sys.stderr)))"
)


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "stcc"


@pytest.fixture
def unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:1/")


def locked_packages() -> dict[str, dict[str, object]]:
    packages: dict[str, dict[str, object]] = json.loads(install.LOCK.read_text())["packages"]
    return {path: package for path, package in packages.items() if path}


def failed_install() -> tuple[list[str], InstallFailed]:
    said: list[str] = []
    with pytest.raises(InstallFailed) as failure:
        install.azurite(progress=said.append)
    return said, failure.value


def test_every_locked_package_has_a_hash_and_no_address() -> None:
    without_hash = [path for path, package in locked_packages().items() if "integrity" not in package]
    with_address = [path for path, package in locked_packages().items() if "resolved" in package]

    assert (without_hash, with_address) == ([], [])


def test_the_lock_file_pins_the_version_that_the_manifest_names() -> None:
    assert (install.version(), locked_packages()["node_modules/azurite"]["version"]) == ("3.36.0", "3.36.0")


def test_two_first_starts_in_a_nearly_empty_environment_install_once(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(REPOSITORY)}
    starts = [
        subprocess.Popen(
            [sys.executable, "-c", INSTALL],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]

    answers = sorted((*start.communicate(), start.returncode) for start in starts)
    script = tmp_path / ".cache/stcc" / NAME / install.ENTRY

    assert sorted(answers, key=lambda answer: answer[1]) == [
        (f"{script}\n", "installing Azurite 3.36.0 (once)…\n", 0),
        (f"{script}\n", "waiting for another stcc to install Azurite…\n", 0),
    ]
    assert sorted(path.name for path in (tmp_path / ".cache/stcc").iterdir()) == [NAME, "azurite.lock"]
    assert script.exists()


@pytest.mark.usefixtures("unreachable")
def test_what_is_installed_is_used_without_a_word_or_a_network(cache: Path) -> None:
    entry = cache / NAME / install.ENTRY
    entry.parent.mkdir(parents=True)
    entry.touch()
    (cache / NAME / install.MARKER).write_text(DIGEST)
    said: list[str] = []

    assert (install.azurite(progress=said.append), said) == (entry, [])


@pytest.mark.parametrize("marker", [None, "0" * 64, "\udcff"], ids=["none", "other-lock", "not-text"])
@pytest.mark.usefixtures("unreachable")
def test_a_tree_without_the_right_marker_does_not_count(cache: Path, marker: str | None) -> None:
    entry = cache / NAME / install.ENTRY
    entry.parent.mkdir(parents=True)
    entry.touch()
    if marker is not None:
        (cache / NAME / install.MARKER).write_text(marker, errors="surrogateescape")

    said, _ = failed_install()

    assert said == ["installing Azurite 3.36.0 (once)…"]


@pytest.mark.usefixtures("unreachable")
def test_without_a_network_the_first_start_says_so_and_leaves_nothing(cache: Path) -> None:
    (cache / "installing-abandoned/azurite").mkdir(parents=True)

    said, failure = failed_install()

    assert (said, failure.message, failure.hint, failure.exit_code) == (
        ["installing Azurite 3.36.0 (once)…"],
        "Azurite 3.36.0 could not be installed: the npm registry cannot be reached (ECONNREFUSED)",
        "the first start needs the network, later ones do not",
        69,
    )
    assert [path.name for path in cache.iterdir()] == ["azurite.lock"]


class Impostor(BaseHTTPRequestHandler):
    """A registry that has every locked version of every package, with bytes of its own."""

    def do_GET(self) -> None:
        name = unquote(self.path.split("?")[0]).strip("/")
        self.answer(package() if name == "package.tgz" else json.dumps(self.listing(name)).encode())

    def listing(self, name: str) -> dict[str, object]:
        locked = locked_packages()
        versions = {str(p["version"]) for path, p in locked.items() if path.endswith(f"node_modules/{name}")}
        hashed = "sha512-" + base64.b64encode(hashlib.sha512(package()).digest()).decode()
        dist = {"tarball": f"http://{self.headers['Host']}/package.tgz", "integrity": hashed}
        return {
            "name": name,
            "dist-tags": {"latest": max(versions)},
            "versions": {version: {"name": name, "version": version, "dist": dist} for version in versions},
        }

    def answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


def package() -> bytes:
    manifest = json.dumps({"name": "impostor", "version": "1.0.0"}).encode()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo("package/package.json")
        member.size = len(manifest)
        archive.addfile(member, io.BytesIO(manifest))
    return packed.getvalue()


@pytest.fixture
def impostor(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Impostor)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{server.server_address[1]}/")
    yield
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.usefixtures("impostor")
def test_a_package_that_is_not_the_pinned_one_is_refused(cache: Path) -> None:
    _, failure = failed_install()

    assert (failure.message, failure.hint, failure.exit_code) == (
        "Azurite 3.36.0 could not be installed: the registry sent a package that is not the pinned one (EINTEGRITY)",
        "see which registry is asked: npm config get registry",
        69,
    )
    assert [path.name for path in cache.iterdir()] == ["azurite.lock"]


def test_a_cache_that_cannot_be_written_is_a_local_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    (tmp_path / "file").touch()

    with pytest.raises(Local) as failure:
        install.azurite(progress=lambda _: None)

    assert failure.value.message == f"{tmp_path}/file/stcc cannot be written: Not a directory"

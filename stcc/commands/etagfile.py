"""--etag-save and --etag-compare: an ETag in a file, from one call to the next, as curl has it."""

import os
from pathlib import Path
from typing import Annotated

import typer

from stcc import files
from stcc.errors import Local, Usage
from stcc.runtime import Runtime
from stcc.values.etags import blob_etag

Save = Annotated[str | None, typer.Option("--etag-save", metavar="FILE", help="Write the ETag there afterwards.")]
_LARGEST = 4096


def compare(runtime: Runtime, name: str | None, *, flag: str, first: bool) -> None:
    """Take the ETag in a file for the condition `flag`; with `first`, a file that is not there is no condition.

    An empty file never is one: whoever wrote it meant to keep an ETag in it. Nor is `*`, which fits every version.
    """
    if name is None:
        return
    if flag in runtime.given or "force" in runtime.flags:
        raise Usage(f"--etag-compare excludes {flag if flag in runtime.given else '--force'}")
    try:
        text = _path(name, "--etag-compare").read_bytes()[:_LARGEST].decode().strip()
    except FileNotFoundError:
        if first:
            return
        hint = "blob get --etag-save makes it; --force overwrites whatever is there"
        raise Usage(f"--etag-compare: there is no such file: {name!r}", hint=hint) from None
    except (OSError, ValueError) as error:
        raise Usage(f"--etag-compare cannot be read: {name!r}", hint=files.why(error)) from error
    if not text:
        raise Usage(f"--etag-compare is an empty file: {name!r}", hint="remove it to begin anew")
    runtime.given[flag] = _etag(text, name)


def _etag(text: str, name: str) -> str:
    try:
        etag = blob_etag(text, option="--etag-compare")
    except Usage:
        etag = "*"
    if etag == "*":
        raise Usage(f"--etag-compare holds no ETag: {name!r}", hint="remove it to begin anew")
    return etag


def check(name: str | None, *, content: Path | None) -> None:
    """Refuse a file that could not be written later, or that is the one with the bytes."""
    if name is None:
        return
    path = _path(name, "--etag-save")
    if content is not None and os.path.realpath(path) == os.path.realpath(content):
        raise Usage(f"--etag-save would overwrite the content: {name!r}", hint="name a file of its own for the ETag")
    folder = path.parent
    if path.is_dir() or not folder.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise Usage(f"--etag-save cannot be written: {name!r}")


def save(name: str | None, etag: str) -> None:
    """Write an ETag to its file, as a whole or not at all; `Local` tells it where that fails."""
    if name is None:
        return
    try:
        files.write(Path(name), f"{etag}\n".encode())
    except Local as error:
        error.message += f"; what was asked has been done, and the ETag is {etag}"
        raise


def _path(name: str, option: str) -> Path:
    if not name.strip() or "\0" in name:
        raise Usage(f"{option} names no file", hint="is the variable set?")
    if name == "-":
        raise Usage(f"{option} needs a file, not '-'", hint="./- is one of that name")
    return Path(name)

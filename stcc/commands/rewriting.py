"""Update by a command, and edit by hand: the same for blobs, their metadata, and entities."""

import contextlib
import os
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer
from platformdirs import user_state_dir

from stcc import files
from stcc.errors import Local, StccError, Usage
from stcc.operations import child, editing, turns, updating
from stcc.operations.waiting import SystemClock
from stcc.outcomes import Answer, Refused
from stcc.runtime import Runtime

Attempts = Annotated[
    int, typer.Option("--attempts", min=1, max=1000, metavar="N", help="How often to try while others write.")
]
AllowEmpty = Annotated[bool, typer.Option("--allow-empty", help="Write nothing over something, if that comes out.")]
NoLocalLock = Annotated[bool, typer.Option("--no-local-lock", help="Do not wait for others on this host.")]
Command = Annotated[list[str], typer.Argument(metavar="-- CMD...", help="Reads it from stdin, writes it to stdout.")]
_NAME: Final = 64


class CommandFailed(StccError):
    """The command that was to change it failed; its exit code is ours, and nothing was changed."""

    kind = "command-failed"

    def __init__(self, command: str, code: int, target: str) -> None:
        ended = f"was ended by signal {-code}" if code < 0 else f"ended with {code}"
        super().__init__(f"{command!r} {ended}: {target} was not changed", target=target)
        self.exit_code = 128 - code if code < 0 else code


class NothingLeft(StccError):
    """The command made nothing of something, as one that failed without saying so would."""

    kind = "nothing-left"


def updated(
    runtime: Runtime,
    document: updating.Document,
    command: Sequence[str],
    *,
    place: str,
    attempts: int,
    allow_empty: bool,
    takes_turns: bool,
) -> Answer:
    """Write back what a command makes of a document; `place` is the same for all who update the same one."""

    def change(content: bytes) -> bytes:
        code, output = child.filtered(command, content, environment=runtime.environment)
        if code != 0:
            raise CommandFailed(command[0], code, document.target)
        if content and not output and not allow_empty:
            why = f"{command[0]!r} wrote nothing: {document.target} was not changed"
            raise NothingLeft(why, target=document.target, hint="--allow-empty if that is meant")
        return output

    def turn() -> contextlib.AbstractContextManager[object]:
        if not takes_turns:
            return contextlib.nullcontext()
        return turns.turn(Path(user_state_dir("stcc", appauthor=False)) / "turns", f"{place} {document.target}")

    return updating.update(document, change, attempts=attempts, clock=SystemClock(), turn=turn)


def edited(runtime: Runtime, document: updating.Document, editor: Sequence[str], *, name: str) -> Answer:
    """Open a document in an editor and write back what comes of it."""
    found = document.read()
    if isinstance(found, Refused):
        return found
    path = _private(name)
    stdout = None if runtime.on_terminal or runtime.stderr is None else 2

    def opened() -> int:
        code = child.run([*editor, str(path)], environment=runtime.environment, stdout=stdout)
        return 128 - code if code < 0 else code

    desk = editing.Desk(path=path, open=opened, tell=runtime.say)
    try:
        return editing.edit(document, found, desk)
    finally:
        if path.is_file():
            runtime.last_words.append(f"your text is in {path}")
        else:  # with what the editor may have left beside it
            shutil.rmtree(path.parent, ignore_errors=True)


def editor_of(runtime: Runtime) -> list[str]:
    """Return the editor's command: $VISUAL, $EDITOR, or vi."""
    for variable in ("VISUAL", "EDITOR"):
        if text := runtime.environment.get(variable, "").strip():
            try:
                return shlex.split(text)
            except ValueError as error:
                raise Usage(f"{variable} is not a command: {text!r}", hint=str(error)) from error
    if not runtime.asks:
        raise Usage("there is no terminal to edit on", hint="VISUAL or EDITOR may name a program that needs none")
    if shutil.which("vi", path=runtime.environment.get("PATH", os.defpath)) is None:
        raise Usage("there is no editor", hint="set VISUAL or EDITOR")
    return ["vi"]


def _private(name: str) -> Path:
    """Return an empty file in a new folder, both for this user alone."""
    try:
        path = Path(tempfile.mkdtemp(prefix="stcc-edit-")) / _file_name(name)
        path.touch(mode=0o600)
    except OSError as error:
        raise Local(f"no temporary file can be made: {files.why(error)}; nothing was changed") from error
    return path


def _file_name(name: str) -> str:
    """Return a file name that keeps the ending, by which editors choose their colours."""
    plain = "".join(one if one.isascii() and (one.isalnum() or one in "._-") else "_" for one in name)
    return plain[-_NAME:].lstrip(".-") or "document"

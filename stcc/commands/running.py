"""What all `run` commands share: their options, and the way from acquiring to giving back."""

import dataclasses
import json
import os
import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from signal import Signals
from typing import Annotated, Final, NamedTuple

import typer

from stcc import files
from stcc.commands.options import StccCommand
from stcc.errors import Interrupted, Local, StccError, Usage
from stcc.exits import Exit
from stcc.operations import supervising
from stcc.operations.holding import Holding
from stcc.operations.keeping import Kept
from stcc.operations.waiting import SystemClock
from stcc.outcomes import Refused
from stcc.outcomes.run import CommandRan
from stcc.runtime import Runtime
from stcc.values import times
from stcc.values.times import iso

HELD: Final = "STCC_HELD"
_BUSY: Final = "busy"

Command = Annotated[list[str] | None, typer.Argument(metavar="-- CMD...", help="The command and its arguments.")]


class RunCommand(StccCommand):
    """A command that runs another one while it holds something."""

    kept = (
        (("-c", "--shell"), "TEXT", "Run this by $SHELL instead of CMD."),
        (("-E", "--busy-exit-code"), "N", "Exit with N when it is held by somebody else (75)."),
        (("--status-file",), "FILE", "Write there how it went, as JSON."),
        (
            ("--kill-grace",),
            "DURATION",
            "From SIGTERM to SIGKILL when the hold ends (5s); at most ttl/4.",
        ),
        (("--max-hold",), "DURATION", "End the command when it takes longer."),
    )


class Task(NamedTuple):
    """What is to be run, and how."""

    command: list[str]
    busy_code: int
    status: Path | None
    grace: float
    max_hold: float | None


class Grant(NamedTuple):
    """Something held; `variables` are told to the command."""

    hold: Holding
    kept: Kept
    variables: Mapping[str, str]
    identity: str | None = None
    fence: int | None = None


def task(runtime: Runtime, command: list[str] | None) -> Task:
    """Return what is to be run, and how; from here on, stdout belongs to the command."""
    runtime.lends_stdout = True
    flags = runtime.flags
    shell, status = flags.get("shell"), flags.get("status-file")
    path = None if status is None else _status_path(status)
    if path is not None:
        files.remove(path)  # what it says of an earlier run is not true of this one
    if (shell is None) == (not command):
        raise Usage("one command is needed: after --, or with -c")
    words = [*(command or [])] if shell is None else [runtime.environment.get("SHELL") or "/bin/sh", "-c", shell]
    if not (words[0] if shell is None else shell).strip():
        raise Usage("the command is empty", hint="is the variable set?")
    most = flags.get("max-hold")
    return Task(
        command=words,
        busy_code=_exit_code(flags.get("busy-exit-code", str(int(Exit.BUSY)))),
        status=path,
        grace=times.duration(flags.get("kill-grace", "5s"), option="--kill-grace"),
        max_hold=None if most is None else _positive(most, option="--max-hold"),
    )


def check_not_nested(runtime: Runtime, place: str, target: str) -> None:
    """Refuse to wait for what a run around this one holds: it would wait for ever."""
    if place in runtime.environment.get(HELD, "").split("\n"):
        raise Usage(f"{target} is held by the command that this one runs under", hint="it would wait for itself")


def run(
    runtime: Runtime, task: Task, *, place: str, target: str, acquire: Callable[[], Grant | Refused]
) -> CommandRan | Refused:
    """Acquire, run, give back; the exit code is the command's own. 75 when it could not be had, 76 when it was lost."""
    check_not_nested(runtime, place, target)
    began = time.monotonic()
    try:
        granted = acquire()
    except (StccError, KeyboardInterrupt) as stop:
        error = stop if isinstance(stop, StccError) else Interrupted(stop)
        _write_status(runtime, task, {"outcome": error.kind, "exit_code": int(error.exit_code)})
        raise error from None
    waited = time.monotonic() - began
    if isinstance(granted, Refused):
        return _not_begun(runtime, task, granted, waited)
    acquired_at = iso(datetime.now(UTC).replace(microsecond=0)) or ""
    if runtime.settings.verbose:
        runtime.say(f"acquired {target} after {waited:.1f} seconds")
    return under(runtime, task, granted, place=place, waited=waited, acquired_at=acquired_at)


def under(runtime: Runtime, task: Task, granted: Grant, *, place: str, waited: float, acquired_at: str) -> CommandRan:
    """Run the command under what was granted, and give that back whatever happens."""
    held = "\n".join(filter(None, [runtime.environment.get(HELD), place]))
    environment = {**runtime.environment, **granted.variables, HELD: held}
    released, lost = False, None
    try:
        ended = supervising.supervise(
            task.command,
            granted.hold,
            granted=granted.kept,
            environment=environment,
            grace=task.grace,
            max_hold=task.max_hold,
            clock=SystemClock(),
            tell=lambda text: runtime.say(f"stcc: {text}"),
        )
    except StccError as error:
        error.target = granted.hold.target
        _write_status(runtime, task, {"outcome": error.kind, "exit_code": int(error.exit_code), "child_exit": None})
        raise
    finally:
        released, lost = _given_back(runtime, granted)
    why = ended.lost or lost
    if runtime.settings.verbose:
        renewals = "1 renewal" if ended.renewals == 1 else f"{ended.renewals} renewals"
        runtime.say(f"held {granted.hold.target} for {ended.held:.1f} seconds, {renewals}")
    answer = CommandRan(
        reply=None,
        target=granted.hold.target,
        command=task.command[0],
        child_exit=ended.exit,
        child_signal=None if ended.signal is None else Signals(ended.signal).name,
        identity=granted.identity,
        fence=granted.fence,
        acquired_at=acquired_at,
        waited=round(waited, 3),
        held=round(ended.held, 3),
        renewals=ended.renewals,
        lost=why,
        stopped=ended.stopped,
        released=released,
    )
    _write_status(runtime, task, {"outcome": answer.kind, "exit_code": answer.exit_code, **_facts(answer)})
    return answer


def _given_back(runtime: Runtime, granted: Grant) -> tuple[bool, str | None]:
    """Give it back, and return whether that went well, and why it had been lost, if it had."""
    try:
        lost = granted.hold.release()
    except StccError as error:
        runtime.say(f"stcc: {granted.hold.target} could not be released: {error.message}")
        return False, None
    return lost is None, None if lost is None else lost.why


def _not_begun(runtime: Runtime, task: Task, refused: Refused, waited: float) -> Refused:
    code = task.busy_code if refused.outcome == _BUSY else int(refused.exit_code)
    _write_status(runtime, task, {"outcome": refused.outcome, "exit_code": code, "waited": round(waited, 3)})
    return dataclasses.replace(refused, exit_code=code)


def _facts(answer: CommandRan) -> dict[str, object]:
    return {name: value for name, value in dataclasses.asdict(answer).items() if name != "reply"}


def _positive(text: str, *, option: str) -> float:
    seconds = times.duration(text, option=option)
    if seconds <= 0:
        raise Usage(f"{option} is out of range: {text!r}")
    return seconds


def _exit_code(text: str) -> int:
    if not re.fullmatch(r"(?a)\d{1,3}", text) or int(text) > 255:
        raise Usage(f"-E is no exit code: {text!r}", hint="0 to 255")
    return int(text)


def _status_path(text: str) -> Path:
    path = Path(text)
    if text == "-":
        raise Usage("--status-file needs a file, not '-'", hint="./- is one of that name")
    if not text.strip() or path.is_dir() or not os.access(path.parent if files.has_places(path) else path, os.W_OK):
        raise Usage(f"--status-file cannot be written: {text!r}")
    return path


def _write_status(runtime: Runtime, task: Task, facts: Mapping[str, object]) -> None:
    """Write how it went; when that cannot be written, say so: the exit code is the command's."""
    if task.status is None:
        return
    try:
        files.write(task.status, f"{json.dumps(facts)}\n".encode())
    except Local as error:
        runtime.say(f"stcc: {error.message}")

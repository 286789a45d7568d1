"""argv -> exit code: the only place that prints an answer, and the only place that catches everything."""

import os
import sys
import traceback
from collections.abc import Sequence

import typer

from stcc.errors import Interrupted, Local, StccError, Usage
from stcc.exits import Exit
from stcc.outcomes import Content, Listing
from stcc.runtime import Runtime
from stcc.settings import FORMATS, Settings, settings


def main(argv: Sequence[str] | None = None, runtime: Runtime | None = None) -> int:
    """Run one command, say what came of it, and return the exit code."""
    runtime = runtime or Runtime()
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        with runtime.opened:
            return _answered(args, runtime)
    except StccError as error:
        return _failed(error, runtime, args)
    except KeyboardInterrupt as stop:
        return _failed(Interrupted(stop), runtime, args)
    except BrokenPipeError:
        return _pipe_closed()
    except Exception as error:  # noqa: BLE001  # the edge: one line for people, the rest on request
        if "STCC_DEBUG" in runtime.environment:
            traceback.print_exc()
        return _failed(StccError(f"a bug in stcc: {type(error).__name__}", hint=_REPORT), runtime, args)


_REPORT = "run it again with STCC_DEBUG=1 and report what it prints"


def _answered(args: list[str], runtime: Runtime) -> int:
    from stcc.app import command

    try:
        answer = command(args, prog_name="stcc", obj=runtime, standalone_mode=False)
    except typer.TyperException as error:
        raise _usage(error) from error
    except typer.Abort:
        raise KeyboardInterrupt from None
    if answer is None or isinstance(answer, int):  # --help and --version have already printed
        return int(answer or Exit.DONE)
    return _present(answer, runtime)


def _usage(error: typer.TyperException) -> StccError:
    message = error.format_message()
    return Usage(message[:1].lower() + message[1:] if not message.startswith("Usage:") else message)


def _present(answer: object, runtime: Runtime) -> int:
    from stcc.output import render
    from stcc.output.text import on_terminal

    if isinstance(answer, Content):
        return _pour(answer, runtime)
    give_back = getattr(answer, "give_back", None)
    try:
        for text in render.answer(answer, runtime.settings):  # type: ignore[arg-type]  # commands return answers only
            _write(on_terminal(text.out) if runtime.on_terminal else text.out, text.err, runtime)
    except (Local, BrokenPipeError):
        if give_back is not None:
            give_back()
        raise
    return answer.ended().exit_code if isinstance(answer, Listing) else getattr(answer, "exit_code", Exit.DONE)


def _pour(content: Content, runtime: Runtime) -> int:
    content.write(lambda data: _write_bytes(data, runtime))
    _flush(runtime)
    return Exit.DONE


def _failed(error: StccError, runtime: Runtime, args: list[str]) -> int:
    from stcc.output import render

    text = render.failure(error, _settings(runtime, args))
    try:
        _write(text.out, text.err, runtime)
    except BrokenPipeError:
        return _pipe_closed()
    except Local as unprinted:
        _write("", f"stcc: {unprinted.message}\n", runtime)
    return int(error.exit_code)


def _settings(runtime: Runtime, args: list[str]) -> Settings:
    """Return the settings, as far as they can be read: a usage error honours the `-o` that it finds before `--`."""
    try:
        if "output" in runtime.flags or runtime.lends_stdout:
            return runtime.settings
        return settings({"output": _output_in(args)} | runtime.flags)
    except Usage:
        return Settings()


def _output_in(args: list[str]) -> str:
    """Return the last format named before `--`; the parser may have given up before it got there."""
    named = "human"
    before = args[: args.index("--")] if "--" in args else args
    for arg, following in zip(before, [*before[1:], ""], strict=True):
        value = following if arg in {"-o", "--output"} else arg.removeprefix("--output=").removeprefix("-o")
        if arg.startswith(("-o", "--output")) and value in FORMATS:
            named = value
    return named


def _write(out: str, err: str, runtime: Runtime) -> None:
    if runtime.lends_stdout:
        out, err = "", out + err
    if out:
        _write_bytes(out.encode("utf-8", "backslashreplace"), runtime)
        _flush(runtime)
    if err and runtime.stderr is not None:
        runtime.stderr.write(err)
        runtime.stderr.flush()


def _write_bytes(data: bytes, runtime: Runtime) -> None:
    if runtime.stdout is None:
        raise Local("stdout is closed")
    try:
        runtime.stdout.buffer.write(data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(error) from error


def _flush(runtime: Runtime) -> None:
    try:
        runtime.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(error) from error


def _unwritable(error: OSError) -> Local:
    _forget_stdout()
    return Local(f"stdout cannot be written: {error.strerror}")


def _pipe_closed() -> int:
    _forget_stdout()
    return Exit.CLOSED_PIPE


def _forget_stdout() -> None:
    # What is still buffered has nowhere to go; without this the interpreter would try again, and complain, at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

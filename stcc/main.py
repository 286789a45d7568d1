"""argv -> exit code: the only place that prints an answer, and the only place that catches everything."""

import sys
import traceback
from collections.abc import Sequence
from contextlib import redirect_stdout, suppress
from io import StringIO
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import typer

from stcc.errors import Interrupted, Local, StccError, Usage
from stcc.exits import Exit
from stcc.outcomes import Content, Listing, Refused
from stcc.runtime import Runtime
from stcc.settings import FORMATS, Settings, settings
from stcc.streams import whole

if TYPE_CHECKING:
    from stcc.output.text import Text


def main(argv: Sequence[str] | None = None, runtime: Runtime | None = None) -> int:
    """Run one command, say what came of it, and return the exit code."""
    runtime = runtime or Runtime(stdout=whole(sys.stdout, fails=True), stderr=whole(sys.stderr, fails=False))
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        with runtime.opened:
            return _answered(args, runtime)
    except StccError as error:
        return _failed(error, runtime)
    except KeyboardInterrupt as stop:
        return _failed(Interrupted(stop), runtime)
    except BrokenPipeError:
        return Exit.CLOSED_PIPE
    except Exception as error:  # noqa: BLE001  # the edge: one line for people, the rest on request
        if "STCC_DEBUG" in runtime.environment:
            runtime.say(traceback.format_exc())
        return _failed(StccError(f"a bug in stcc: {type(error).__name__}", hint=_REPORT), runtime)
    finally:
        for words in runtime.last_words:
            runtime.say(words)


_REPORT = "run it again with STCC_DEBUG=1 and report what it prints"


def _answered(args: list[str], runtime: Runtime) -> int:
    from stcc.app import command

    printed = StringIO()  # by --help and --version only
    try:
        with redirect_stdout(printed):
            answer = command(args, prog_name="stcc", obj=runtime, standalone_mode=False)
    except typer.TyperException as error:
        runtime.flags |= _output_in(args)  # the parser may have given up before it got there
        raise _usage(error, runtime) from error
    except typer.Abort:
        raise KeyboardInterrupt from None
    if answer is None or isinstance(answer, int):
        _write(printed.getvalue(), "", runtime)
        return int(answer or Exit.DONE)
    return _present(answer, runtime)


def _usage(error: typer.TyperException, runtime: Runtime) -> Usage:
    message = error.format_message()
    if not message.startswith("Usage:"):
        return Usage(message[:1].lower() + message[1:])
    if _settings(runtime).output not in {"json", "ndjson"}:  # nothing was asked: the message is the help
        runtime.tell(f"{message}\n\n")
    return Usage("missing command.")


def _present(answer: Any, runtime: Runtime) -> int:
    if isinstance(answer, Content):
        return _pour(answer, runtime)
    give_back = getattr(answer, "give_back", None)
    try:
        printed = _printed(answer, runtime)
    except (StccError, BrokenPipeError) as error:
        if give_back is None:
            raise
        give_back()
        if isinstance(error, StccError):
            error.hint = "what was acquired was given back"
        raise
    if give_back is not None and not printed and runtime.settings.output != "none":
        give_back()
        from stcc.output.machine import result

        missing = "nothing of the answer was printed, so what was acquired was given back"
        raise StccError(missing, hint=f"--query {next(iter(result(answer)))}")
    return answer.ended().exit_code if isinstance(answer, Listing) else getattr(answer, "exit_code", Exit.DONE)


def _printed(answer: Any, runtime: Runtime) -> bool:
    """Print an answer, and tell whether stdout got any of it."""
    from stcc.output import render
    from stcc.output.text import on_terminal

    printed = False
    pieces = render.answer(answer, runtime.settings)
    for text in pieces:
        try:
            _write(on_terminal(text.out) if runtime.on_terminal else text.out, text.err, runtime)
        except Local as error:
            if isinstance(answer, Refused):
                runtime.tell("".join(piece.err for piece in render.answer(answer, Settings())))
                return False
            _save(answer, [text, *pieces], error, runtime)
            raise
        printed = printed or bool(text.out)
    return printed


def _save(answer: Any, unprinted: "list[Text]", error: Local, runtime: Runtime) -> None:
    """Tell on stderr what stdout did not take: an ETag or a receipt that exists nowhere else."""
    is_long = isinstance(answer, Listing) and answer.noun is None
    if not is_long and getattr(answer, "give_back", None) is None:
        runtime.tell("".join(text.out for text in unprinted))
        error.message += "; what was asked has been done, and this was the answer"


def _pour(content: Content, runtime: Runtime) -> int:
    refused = content.write(lambda data: _write_bytes(data, runtime))
    if refused is None:
        return Exit.DONE
    _printed(refused, runtime)
    return refused.exit_code


def _failed(error: StccError, runtime: Runtime) -> int:
    from stcc.output import render

    text = render.failure(error, Settings() if isinstance(error, _Unprinted) else _settings(runtime))
    try:
        _write(text.out, text.err, runtime)
    except BrokenPipeError:
        return Exit.CLOSED_PIPE
    except Local as unprinted:
        _write("", f"stcc: {unprinted.message}\n", runtime)
    return int(error.exit_code)


def _settings(runtime: Runtime) -> Settings:
    """Return the settings, as far as they can be read."""
    needed = {name: text for name, text in runtime.flags.items() if name in {"output", "quiet"}}
    for flags in (runtime.flags, needed):
        with suppress(Usage):
            return settings(flags)
    return Settings()


def _output_in(args: list[str]) -> dict[str, str]:
    """Return the last format named before `--`, as a flag; nothing if there is none."""
    before = args[: args.index("--")] if "--" in args else args
    named: dict[str, str] = {}
    for arg, following in pairwise([*before, ""]):
        is_long = arg.startswith("--")
        option, there, value = arg.partition("=" if is_long else "o")
        if option == "--output" or (not is_long and there and arg.startswith("-")):
            value = value or following
            named |= {"output": value} if value in FORMATS else {}
    return named


def _write(out: str, err: str, runtime: Runtime) -> None:
    if runtime.lends_stdout:
        out, err = "", out + err
    if out:
        _write_bytes(out.encode("utf-8", "backslashreplace"), runtime)
    if err:
        runtime.tell(err)


class _Unprinted(Local):
    """Stdout takes nothing: what there is to say can only go to stderr."""


def _write_bytes(data: bytes, runtime: Runtime) -> None:
    if runtime.stdout is None:
        raise _Unprinted("stdout is closed")
    try:
        runtime.stdout.buffer.write(data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _Unprinted(f"stdout cannot be written: {(error.strerror or '').lower()}") from error

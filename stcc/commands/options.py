"""Options that mean the same everywhere, and the command class that adds them.

The parser itself takes the shared options at every level, the last one wins.
The conditions of a command are those of its operation's row; the others are
known too, so that they can be refused with the reason.
"""

from typing import Annotated, Any, ClassVar, Final

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from stcc.errors import Interrupted, Usage
from stcc.knowledge.operations import CONDITIONS, EVERY_CONDITION, Operation
from stcc.runtime import Runtime

_SHARED: Final = (
    (("-o", "--output"), "human|json|ndjson|tsv|none", "For people, for programs, or not at all."),
    (("--query",), "JMESPATH", "Print only this part of the result."),
    (("-q", "--quiet"), None, "No story on stderr, only errors."),
    (("-v", "--verbose"), None, "Show every request on stderr, without secrets."),
    (("--no-diagnose",), None, "Do not look at what is there after a refusal."),
    (("--timeout",), "DURATION", "How long one answer may take (30s)."),
    (("--emulator",), None, "Use the emulator that `stcc emulator start` started."),
    (("--profile",), "NAME", "Use a profile of config.toml."),
    (("--connection-string",), "TEXT", "Connection string; visible to ps, prefer the environment."),
    (("--account-name",), "NAME", "Storage account."),
    (("--account-key",), "KEY", "Account key; visible to ps, prefer --account-key-file."),
    (("--account-key-file",), "FILE", "File that holds the account key."),
    (("--sas-token",), "SAS", "Shared access signature; visible to ps, prefer the environment."),
    (("--auth-mode",), "key|login", "Account key or SAS, or whoever is signed in."),
    (("--blob-endpoint",), "URL", "Endpoint of the blob service."),
    (("--queue-endpoint",), "URL", "Endpoint of the queue service."),
    (("--table-endpoint",), "URL", "Endpoint of the table service."),
    (("--file-endpoint",), "URL", "Endpoint of the file service."),
)
_CONDITION_HELP: Final = {
    "--if-match": ("ETAG", "Only if this is the current ETag ('*': only if it exists)."),
    "--if-none-match": ("ETAG", "Only if this is not the current ETag ('*': only if it does not exist)."),
    "--if-modified-since": ("TIME", "Only if changed since then (RFC 3339, RFC 1123, now-10m)."),
    "--if-unmodified-since": ("TIME", "Only if not changed since then; whole seconds."),
    "--if-tags": ("EXPR", "Only if the blob's tags match this expression."),
    "--lease-id": ("ID", "The id of the active lease."),
    "--source-if-match": ("ETAG", "Only if this is the source's ETag."),
    "--source-if-none-match": ("ETAG", "Only if this is not the source's ETag."),
    "--source-if-modified-since": ("TIME", "Only if the source changed since then."),
    "--source-if-unmodified-since": ("TIME", "Only if the source did not change since then."),
    "--source-if-tags": ("EXPR", "Only if the source's tags match this expression."),
    "--append-position": ("BYTES", "Only if the blob is exactly so long."),
    "--max-size": ("BYTES", "Only if the blob is at most so long afterwards."),
    "--if-sequence-number-le": ("N", "Only if the blob's sequence number is at most N."),
    "--if-sequence-number-lt": ("N", "Only if the blob's sequence number is less than N."),
    "--if-sequence-number-eq": ("N", "Only if the blob's sequence number is N."),
}
HELP_NAMES: Final = {"help_option_names": ["-h", "--help"]}

Metadata = Annotated[list[str] | None, typer.Option("--metadata", metavar="NAME=VALUE", help="Metadata; repeatable.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, max=10**9, metavar="N", help="At most so many.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Pairs = Annotated[list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="Everything that is to be there.")]
Clear = Annotated[bool, typer.Option("--clear", help="Leave nothing there.")]
NoMarker = Annotated[bool, typer.Option("--no-marker", help="Leave no operation id in the metadata.")]


def runtime_of(ctx: typer.Context) -> Runtime:
    """Return the runtime that `main` gave to the parser."""
    return ctx.ensure_object(Runtime)


def some_pairs(given: list[str] | None, *, clear: bool) -> list[str]:
    """Return the pairs that replace what is there; none at all must be said."""
    if clear and given:
        raise Usage("--clear and NAME=VALUE exclude each other")
    if not clear and not given:
        raise Usage("nothing is given, which would remove what is there", hint="NAME=VALUE, or --clear")
    return given or []


def _keep_flag(ctx: typer.Context, param: typer.CallbackParam, value: Any) -> None:
    if value is not None and value is not False:
        runtime_of(ctx).flags[_long_name(param)] = str(value)


def _keep_condition(ctx: typer.Context, param: typer.CallbackParam, value: str | None) -> None:
    if value is not None:
        runtime_of(ctx).given["--" + _long_name(param)] = value


def _long_name(param: typer.CallbackParam) -> str:
    return next(name for name in param.opts if name.startswith("--")).removeprefix("--")


def _is_told_once(param: Any) -> bool:
    """Tell an option whose value could be lost: no flag, not repeatable, and not shared (there the last one wins)."""
    return not param.is_flag and not param.multiple and param.callback is not _keep_flag


def _option(names: tuple[str, ...], metavar: str | None, text: str, *, hidden: bool, keep: Any) -> TyperOption:
    return TyperOption(
        param_decls=list(names),
        type=None if metavar is None else str,
        is_flag=metavar is None,
        metavar=metavar,
        help=text,
        hidden=hidden,
        expose_value=False,
        callback=keep,
    )


def shared_options(*, hidden: bool) -> list[Any]:
    """Return the options that every level of the command line takes."""
    return [_option(names, metavar, text, hidden=hidden, keep=_keep_flag) for names, metavar, text in _SHARED]


def _condition_options(operation: Operation) -> list[Any]:
    options = [
        _option((flag,), *_CONDITION_HELP[flag], hidden=flag not in operation.honours, keep=_keep_condition)
        for flag in EVERY_CONDITION
        if (flag in CONDITIONS or flag in operation.honours) and not (operation.takes_lease and flag == "--lease-id")
    ]
    if operation.says_force:
        text = "Unconditional: the last writer wins."
        options.append(_option(("--force",), None, text, hidden=False, keep=_keep_flag))
    return options


class StccCommand(TyperCommand):
    """A command that takes the shared options, and the conditions of its operation if it has one."""

    operation: ClassVar[Operation | None] = None
    # Options that several commands share, as (names, metavar, help); the runtime keeps what they say, as flags.
    kept: ClassVar[tuple[tuple[tuple[str, ...], str | None, str], ...]] = ()

    def __init__(self, name: str | None, **attributes: Any) -> None:
        attributes["context_settings"] = HELP_NAMES
        attributes["epilog"] = "Shared options (-o, --query, -v, connection) go here too: stcc --help"
        super().__init__(name, **attributes)
        self._complete = False

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the command's own options, the conditions and the shared ones; only for the command that is run."""
        if not self._complete:
            self._complete = True
            if self.operation is not None:
                self.params += _condition_options(self.operation)
            self.params += [_option(*one, hidden=False, keep=_keep_flag) for one in self.kept]
            self.params += shared_options(hidden=True)
        return super().get_params(ctx)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse an option that is given twice: of two conditions, the service would be told one."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        options: list[Any] = [param for param in given if param.param_type_name == "option"]
        once = [param for param in options if _is_told_once(param)]
        for param in once:
            if once.count(param) > 1:
                raise Usage(f"--{_long_name(param)} is given more than once")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Check what the shared options say before the command does anything."""
        runtime_of(ctx).check()
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stop:  # before the parser makes a bare 130 of every signal
            raise Interrupted(stop) from None


class StccGroup(TyperGroup):
    """A group that takes the shared options; only the root shows them in its help."""

    hides_shared: ClassVar[bool] = True

    def __init__(self, **attributes: Any) -> None:
        attributes["context_settings"] = HELP_NAMES
        super().__init__(**attributes)
        self.params += shared_options(hidden=self.hides_shared)


def on(operation: Operation) -> type[StccCommand]:
    """Return the class of a command that asks for this operation."""
    return type("OperationCommand", (StccCommand,), {"operation": operation})


def group(text: str) -> typer.Typer:
    """Return an empty group of commands."""
    return typer.Typer(cls=StccGroup, help=text, add_completion=False, rich_markup_mode=None, no_args_is_help=True)

"""The command tree: the nouns are known here, their modules are imported when one of them is asked for."""

import importlib
from collections.abc import Iterator, MutableMapping
from typing import Annotated, Any, Final

import typer

from stcc.commands.options import HELP_NAMES, StccGroup

NOUNS: Final = {
    "blob": "Blobs: put, get, show, list, delete, with conditions.",
    "container": "Containers of blobs.",
    "lease": "Leases on blobs and containers.",
    "table": "Tables.",
    "entity": "Entities of tables, with If-Match.",
    "queue": "Queues and their messages.",
    "emulator": "Azurite on this machine.",
    "demo": "A guided tour: every strategy, live and checked.",
    "completion": "Completion scripts for bash, zsh and fish.",
}


class _Nouns(MutableMapping[str, Any]):
    """Name -> command, imported at the first look; the tree is fixed, so nothing can be set."""

    def __getitem__(self, name: str) -> Any:
        if name not in NOUNS:
            raise KeyError(name)
        command = typer.main.get_command(importlib.import_module(f"stcc.commands.{name}").app)
        command.name = name
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(NOUNS)

    def __len__(self) -> int:
        return len(NOUNS)

    def __setitem__(self, name: str, command: Any) -> None:
        raise TypeError(name)

    def __delitem__(self, name: str) -> None:
        raise TypeError(name)


class _Root(StccGroup):
    hides_shared = False

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Nouns()

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002  # the parser calls it so
        """Return the nouns, without importing them."""
        return list(NOUNS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002  # the parser calls it so
        """Write the nouns, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(NOUNS.items()))


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"stcc {version('stcc')}")
        raise typer.Exit


app = typer.Typer(
    cls=_Root,
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings=HELP_NAMES,
)


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Concurrency controls of Azure Storage: conditions, leases, receipts, and exit codes that can be trusted."""
    del version


command = typer.main.get_command(app)

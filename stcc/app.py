"""The command tree: the nouns are known here, their modules are imported when one of them is asked for."""

from functools import partial
from typing import Annotated, Any, Final

import typer

from stcc.commands.lazy import Lazy, noun
from stcc.commands.options import HELP_NAMES, StccGroup

NOUNS: Final = {
    "blob": "Blobs: put, get, show, list, delete, with conditions.",
    "container": "Containers of blobs.",
    "lease": "Leases on blobs, containers, files and shares.",
    "table": "Tables.",
    "entity": "Entities of tables, with If-Match.",
    "queue": "Queues and their messages.",
    "share": "Shares of Azure Files.",
    "file": "Files and directories of Azure Files, with their leases and open handles.",
    "lock": "Locks with an owner, on Azure and on Redis.",
    "leader": "One leader among many candidates, on Azure and on Redis.",
    "semaphore": "Counting semaphores, on Azure and on Redis.",
    "emulator": "Azurite and Azure Files on this machine.",
    "demo": "A guided tour: every strategy, live and checked.",
    "completion": "Completion scripts for bash, zsh and fish.",
}


class _Root(StccGroup):
    hides_shared = False

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = Lazy({name: partial(noun, f"stcc.commands.{name}") for name in NOUNS})

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

"""stcc completion: the completion script of a shell."""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

import typer

from stcc.commands.options import StccCommand, runtime_of
from stcc.outcomes import Answer, Content

app = typer.Typer(add_completion=False, rich_markup_mode=None)


class Shell(StrEnum):
    """The shells that have a script."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


@app.command(cls=StccCommand)
def completion(ctx: typer.Context, shell: Annotated[Shell, typer.Argument(help="Your shell.")]) -> Answer:
    """Print the completion script of a shell.

    stcc completion bash > ~/.local/share/bash-completion/completions/stcc
    """
    runtime_of(ctx).check_content()
    # The whole tree is imported to write it down; nothing else needs that.
    from stcc.completions import SCRIPTS
    from stcc.tree import nodes

    text = SCRIPTS[shell](list(nodes(ctx.find_root().command))).encode()

    def write(out: Callable[[bytes], object]) -> None:
        out(text)

    return Content(kind="completion-printed", target=shell.value, etag=None, write=write)

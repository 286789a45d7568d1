"""The command tree as plain data, for completions and the reference: what is there, and what it takes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import typer

# What a shared option is called in the tree: it belongs to every command, and is listed once, at the root.
ROOT: Final = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option: its names, the placeholder of its value (None for a flag), the values it may have, its help."""

    names: tuple[str, ...]
    metavar: str | None
    choices: tuple[str, ...]
    help: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A group or a command: `path` are the words that lead to it, `arguments` its placeholders in order."""

    path: tuple[str, ...]
    help: str
    is_group: bool
    arguments: tuple[str, ...]
    options: tuple[Option, ...]


def nodes(command: Any) -> Iterator[Node]:
    """Yield the root command, then every group and command below it, in the order of the help."""
    yield from _below(command, ROOT, typer.Context(command, info_name="stcc"))


def _below(one: Any, path: tuple[str, ...], context: Any) -> Iterator[Node]:
    params: list[Any] = one.get_params(context)
    options = [param for param in params if param.param_type_name == "option" and not param.hidden]
    yield Node(
        path=path,
        help=one.help or "",
        is_group=hasattr(one, "list_commands"),
        arguments=tuple(
            param.make_metavar(context, usage=True) for param in params if param.param_type_name == "argument"
        ),
        options=tuple(_option(param) for param in options),
    )
    for name in one.list_commands(context) if hasattr(one, "list_commands") else ():
        inner = one.get_command(context, name)
        yield from _below(inner, (*path, name), typer.Context(inner, info_name=name, parent=context))


def _option(param: Any) -> Option:
    choices = tuple(str(choice) for choice in getattr(param.type, "choices", ()))
    metavar = None if param.is_flag else param.metavar or "|".join(choices) or param.type.name.upper()
    if metavar is not None and "|" in metavar and metavar.replace("|", "").isalpha() and metavar.islower():
        choices = tuple(metavar.split("|"))  # a placeholder that spells the values out
    return Option(names=(*param.opts, *param.secondary_opts), metavar=metavar, choices=choices, help=param.help or "")

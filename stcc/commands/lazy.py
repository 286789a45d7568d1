"""Commands that are made when they are asked for: a start pays for one of them, not for all."""

import importlib
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any, Final

import typer

from stcc.commands.options import StccGroup


class Lazy(MutableMapping[str, Any]):
    """Name -> command, made at the first look; the names are fixed, so nothing can be set."""

    def __init__(self, names: Mapping[str, Callable[[], Any]]) -> None:
        self._make: Final = names
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._make[name]()
            self._made[name].name = name
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._make)

    def __len__(self) -> int:
        return len(self._make)

    def __setitem__(self, name: str, command: Any) -> None:
        raise TypeError(name)

    def __delitem__(self, name: str) -> None:
        raise TypeError(name)


def noun(module: str) -> Any:
    """Return the command of a module's `app`: a single command, or a group of them.

    A package with `VERBS` says for each verb which of its modules has it, and imports none of them.
    """
    found = importlib.import_module(module)
    if found.app.info.cls is not StccGroup:
        return typer.main.get_command(found.app)
    verbs: Mapping[str, str] | None = getattr(found, "VERBS", None)
    if verbs is None:
        return _group(found.app, _commands(found.app))
    return _group(found.app, {verb: _verb(f"{module}.{home}", verb) for verb, home in verbs.items()})


def _verb(module: str, verb: str) -> Callable[[], Any]:
    def make() -> Any:
        commands = _commands(importlib.import_module(module).app)
        return commands[verb]() if verb in commands else noun(module)

    return make


def _commands(app: typer.Typer) -> dict[str, Callable[[], Any]]:
    """Return how to make each command of an app, in their order."""
    own = {info.name or _spelled(info.callback): _maker(info) for info in app.registered_commands}
    joined = [_commands(group.typer_instance) for group in app.registered_groups if group.typer_instance is not None]
    return {name: make for commands in (own, *joined) for name, make in commands.items()}


def _spelled(function: Any) -> str:
    return typer.main.get_command_name(function.__name__)


def _maker(info: Any) -> Callable[[], Any]:
    return lambda: typer.main.get_command_from_info(info, pretty_exceptions_short=True, rich_markup_mode=None)


def _group(app: typer.Typer, commands: Mapping[str, Callable[[], Any]]) -> Any:
    group: Any = StccGroup(help=app.info.help, no_args_is_help=True, rich_markup_mode=None)
    group.commands = Lazy(commands)
    return group

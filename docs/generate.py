"""Write what can be derived from the code: the command reference, the tables, the completion scripts.

python docs/generate.py            write the files
python docs/generate.py --check    1 if one of them is not what would be written
"""

import dataclasses
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from stcc import outcomes
from stcc.app import command
from stcc.completions import bash, fish, zsh
from stcc.exits import MEANINGS
from stcc.knowledge import operations
from stcc.knowledge.operations import EVERY_CONDITION, POSITION, SEQUENCE, SOURCE, Operation
from stcc.tree import Node, nodes

ROOT = Path(__file__).resolve().parent.parent
TREE = list(nodes(command))
GROUPS = {
    "ETag": ("--if-match", "--if-none-match"),
    "dates": ("--if-modified-since", "--if-unmodified-since"),
    "tags": ("--if-tags",),
    "source": SOURCE,
    "position": POSITION,
    "sequence number": SEQUENCE,
}
NOTICE = "<!-- Written by docs/generate.py: change the code, not this file. -->\n\n"


def reference() -> str:
    """Return the command reference."""
    return NOTICE + "# Commands\n\n" + "\n".join(_section(node) for node in TREE)


def _section(node: Node) -> str:
    title = " ".join(("stcc", *node.path))
    lines = [f"## `{title}`\n", _prose(node.help)]
    if not node.is_group:
        usage = " ".join((title, *node.arguments, "[OPTIONS]"))
        lines.append(f"```\n{usage}\n```\n")
    lines += [_option_line(option.names, option.metavar, option.help) for option in node.options]
    return "\n".join(lines) + "\n"


def _prose(text: str) -> str:
    """Return a help text with its examples, the paragraphs that are command lines, in a block of their own."""
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.replace("\f", "").split("\n\n")]
    examples = [line.strip() for p in text.split("\n\n") if _is_example(p) for line in p.strip().splitlines()]
    shown = ["```sh\n" + "\n".join(examples) + "\n```"] if examples else []
    return "\n\n".join([*(p for p in paragraphs if p and not _is_example(p)), *shown]) + "\n"


def _is_example(paragraph: str) -> bool:
    return paragraph.strip().startswith(("stcc ", "id=$(", "export "))


def _option_line(names: tuple[str, ...], metavar: str | None, text: str) -> str:
    value = f" {metavar}" if metavar else ""
    return f"- `{', '.join(names)}{value}`: {text}"


def exit_codes() -> str:
    """Return the table of exit codes."""
    rows = [f"| {int(code)} | {code.name.lower().replace('_', ' ')} | {text} |" for code, text in MEANINGS.items()]
    return NOTICE + "\n".join(
        [
            "# Exit codes\n",
            "4, 9 and 12 are the last digits of the HTTP status they stand for. A stale pop receipt is 12 whatever the",
            "wire says. A look at what is there after a refusal never changes the code. Commands that run another one",
            "(`lock run`, `lease run`, ..., `blob update`, `emulator run`) end with its code; 126 and 127 say, as in a",
            "shell, that it could not be executed or was not found, 128+n that signal n ended it.\n",
            "| code | name | when |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def conditions() -> str:
    """Return what each operation honours and returns, and which command asks for it."""
    head = ["operation", "returns ETag", "conditions", "lease id", "without a condition", "command"]
    rows = [
        _condition_row(name, operation) for operation in _operations() for name in (operation.name, *operation.covers)
    ]
    return NOTICE + "\n".join(
        [
            "# Conditions\n",
            "A condition that an operation does not honour is refused before anything is sent, with the reason.",
            "Each can be given once. ETags are taken as they are pasted: quoted, unquoted or weak. The tags of",
            "blobs are always strong, so `W/` before one of them is taken off; those of entities are always weak.\n",
            *(f"- **{name}**: {', '.join(f'`{flag}`' for flag in flags)}" for name, flags in GROUPS.items()),
            "- **lease id**: `--lease-id`; *needed* while there is a lease, else *checked* if it is given\n",
            *("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]),
            "",
        ]
    )


def _operations() -> Iterator[Operation]:
    for value in vars(operations).values():
        if isinstance(value, Operation):
            yield value


def _condition_row(name: str, operation: Operation) -> list[str]:
    commands = ", ".join(
        f"`{path}`" for path in _commands(operations.LEASE_BLOB if operation.takes_lease else operation)
    )
    return [
        name,
        "yes" if operation.returns_etag else "",
        _honoured(operation),
        _lease(operation),
        _without(operation),
        commands,
    ]


def _honoured(operation: Operation) -> str:
    """Return the groups of conditions that an operation honours, and singly the flags that are not a whole group."""
    left = set(operation.honours) - {"--lease-id"}
    names = [name for name, flags in GROUPS.items() if left >= set(flags)]
    left -= {flag for name in names for flag in GROUPS[name]}
    return ", ".join([*names, *(f"`{flag}`" for flag in EVERY_CONDITION if flag in left)])


def _lease(operation: Operation) -> str:
    if operation.takes_lease:
        return "names the lease"
    if "--lease-id" not in operation.honours:
        return ""
    return "needed" if operation.needs_lease else "checked"


def _commands(operation: Operation) -> list[str]:
    return [" ".join(path) for path, found in _asking(command, ()) if found is operation]


def _asking(one: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Operation | None]]:
    """Yield every command below this one with the operation that it asks for."""
    yield path, getattr(one, "operation", None)
    for name, inner in getattr(one, "commands", {}).items():
        yield from _asking(inner, (*path, name))


def _without(operation: Operation) -> str:
    """Return what the operation does when no condition is given."""
    if not operation.says_force:
        return "goes ahead"
    return "only if there is none" if operation.creates else "refused, unless `--force`"


def results() -> str:
    """Return the fields of every result and the columns of every list, for docs/output.md."""
    found = [importlib.import_module(f"stcc.outcomes.{name}") for _, name, _ in pkgutil.iter_modules(outcomes.__path__)]
    rows = [row for module in found for row in _result_rows(module)]
    return "\n".join(["| outcome | result, in the order of tsv |", "|---|---|", *sorted(rows), ""])


def _result_rows(module: ModuleType) -> Iterator[str]:
    values: list[Any] = list(vars(module).values())
    for value in values:
        if isinstance(value, type) and value.__module__ == module.__name__ and "kind" in vars(value):
            names = [
                field.name
                for field in dataclasses.fields(value)
                if field.name not in {"reply", "target"} and field.repr
            ]
            yield f"| `{vars(value)['kind']}` | {', '.join(names) or '(nothing)'} |"
    for kind, columns in getattr(module, "COLUMNS", {}).items():
        yield f"| `{kind}` (list) | {', '.join(columns)} |"


def _output() -> str:
    """Return docs/output.md with its table written anew; the prose is written by hand."""
    prose, _, _ = (ROOT / "docs/output.md").read_text(encoding="utf-8").partition(RESULTS)
    return f"{prose.rstrip()}\n\n{RESULTS}\n\n{results()}"


RESULTS = "## Results <!-- the table is written by docs/generate.py -->"
FILES: dict[str, Callable[[], str]] = {
    "docs/cli.md": reference,
    "docs/exit-codes.md": exit_codes,
    "docs/conditions.md": conditions,
    "docs/output.md": _output,
    "completions/stcc.bash": lambda: bash(TREE),
    "completions/_stcc": lambda: zsh(TREE),
    "completions/stcc.fish": lambda: fish(TREE),
}


def main() -> int:
    """Write the files, or tell which are stale."""
    stale = [name for name, text in FILES.items() if not _same(ROOT / name, text())]
    if "--check" in sys.argv[1:]:
        print("\n".join(f"stale: {name}" for name in stale) or "up to date")
        return 1 if stale else 0
    for name in stale:
        (ROOT / name).write_text(FILES[name](), encoding="utf-8")
        print(f"wrote {name}")
    return 0


def _same(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())

"""The guided tour, for people: a heading for each strategy, a line for each step."""

import re
from collections.abc import Mapping
from typing import Final

from stcc.output.text import cell

_HEADINGS: Final = {
    "optimistic": "Optimistic: write only if nobody has written since you read",
    "pessimistic": "Pessimistic: lock it first; while the lease lasts, only its holder can write",
    "last-writer-wins": "Last writer wins: no condition, no refusal",
    "container": "Container: its lease guards its deletion, its conditions are dates",
    "table": "Table: every update names the ETag it is based on, or says * to overwrite",
    "queue": "Queue: who dequeues a message gets a receipt, and only the newest is good",
}
_COLUMNS: Final = ("", "asked", "condition", "HTTP", "exit", "meaning")
_WIDTHS: Final = (2, 40, 34, 4, 4)
# Of ETags and ids both ends are shown: the first tells the kind, the last tells them apart.
_LONG = re.compile(r"[^\s\"]{14,}(?=\"|$)")


def line(item: Mapping[str, object]) -> str:
    """Return a step as a line, after a heading where a strategy begins; what was not as expected stands out."""
    shown = _row("ok" if item["as_expected"] else "!!", item["asked"], _short(item["condition"]), *_answer(item))
    if not item["as_expected"]:
        shown += f"      expected {cell(item['expected'])}\n"
    return _heading(str(item["strategy"])) + shown if item["step"] == 1 else shown


def _heading(strategy: str) -> str:
    return f"\n{_HEADINGS[strategy]}\n" + _row(*_COLUMNS)


def _answer(item: Mapping[str, object]) -> tuple[object, object, str]:
    meaning = ": ".join(filter(None, [cell(item["error_code"]), _short(item["meaning"])]))
    return item["http_status"] or "-", item["exit_code"], meaning


def _row(*values: object) -> str:
    padded = [f"{cell(value):<{width}}" for value, width in zip(values, _WIDTHS, strict=False)]
    return "  " + "  ".join([*padded, cell(values[-1])]).rstrip() + "\n"


def _short(text: object) -> str:
    return cell(text)

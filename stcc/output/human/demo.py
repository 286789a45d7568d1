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
    "file": "File: the last writer wins, SMB clients can be in the way, a lease keeps other writers out",
    "lock": "Lock: only its holder can release it, and every grant has a higher number",
    "semaphore": "Semaphore: never more holders than its maximum",
    "queue": "Queue: who dequeues a message gets a receipt, and only the newest is good",
}
_COLUMNS: Final = ("", "asked", "condition", "HTTP", "exit", "meaning")
_WIDTHS: Final = (2, 33, 35, 4, 4, 0)
_ENTITY_ETAG = re.compile(r"(W/\"datetime')[^']*([^']{8}'\")")
_GUID = re.compile(r"([0-9a-f]{8})-[0-9a-f-]{27}")


def line(item: Mapping[str, object]) -> str:
    """Return a step as a line, after a heading where a strategy begins; what was not as expected stands out."""
    first, *more = sorted(_short(item["condition"]).split("; "), key=len)
    meaning = ": ".join(filter(None, [cell(item["error_code"]), _short(item["meaning"])]))
    mark = "ok" if item["as_expected"] else "!!"
    shown = _row(mark, item["asked"], first, item["http_status"] or "-", item["exit_code"], meaning)
    shown += "".join(_row("", "", condition, "", "", "") for condition in more)
    if not item["as_expected"]:
        shown += f"      expected {_short(item['expected'])}\n"
    return (_heading(str(item["strategy"])) if item["step"] == 1 else "") + shown


def _heading(strategy: str) -> str:
    return f"\n{_HEADINGS[strategy]}\n{_row(*_COLUMNS)}"


def _row(*values: object) -> str:
    padded = (f"{cell(value):<{width}}" for value, width in zip(values, _WIDTHS, strict=True))
    return "  " + "  ".join(padded).rstrip() + "\n"


def _short(text: object) -> str:
    """Leave out the middle of an entity's ETag and the end of an id."""
    return _GUID.sub(r"\1...", _ENTITY_ETAG.sub(r"\1...\2", cell(text)))

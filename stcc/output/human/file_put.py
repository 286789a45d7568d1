"""Files that were put, for people."""

from stcc.outcomes.file_put import FilePut
from stcc.output.text import Text, cell, tsv_line

_CHECKED = {
    "before": "its ETag was checked before the write, not with it: --exclusive leaves no gap\n",
    "leased": "",
    None: "",
}


def human(outcome: FilePut) -> Text:
    """Return the new ETag for stdout; and what happened, and what other puts left behind, for stderr."""
    size = "1 byte" if outcome.size == 1 else f"{outcome.size} bytes"
    how = "" if outcome.how == "renamed" else ", in place: readers may have seen a part of it"
    story = f"put {cell(outcome.target)}, {size}{how}\n{_CHECKED[outcome.checked]}"
    left = "".join(f"left over by a put that was broken off: {cell(name)}\n" for name in outcome.leftovers)
    lease = cell(outcome.still_leased)
    held = f"its lease may still be held: stcc lease release file:{cell(outcome.target)} --lease-id {lease}\n"
    return Text(out=f"{outcome.etag}\n", err=story + left + (held if lease else ""))


def tsv(outcome: FilePut) -> str:
    """Return the fields on one line; between two leftovers is a space."""
    fields = (outcome.etag, outcome.last_modified, outcome.size, outcome.how, outcome.checked)
    return tsv_line((*fields, " ".join(outcome.leftovers), outcome.still_leased))

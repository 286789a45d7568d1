"""Taking a snapshot, of a blob or of a share."""

from collections.abc import Callable
from typing import Any

from stcc.errors import Usage
from stcc.storage.answers import Lost, Said, ask_tagged
from stcc.storage.refusals import Look
from stcc.storage.settle import change
from stcc.values.targets import snapshot_time


def take(
    call: Callable[..., dict[str, Any]], *, target: object, look: Look | None, listing: str, **sent: Any
) -> tuple[Said[dict[str, Any]], str]:
    """Take one, once, and return the answer with its time; raise as `change` does.

    Nothing would tell the snapshot of a repeated request from that of the first. `listing` is the command that
    shows, where the answer was lost, whether there is one.
    """

    def send() -> Said[dict[str, Any]]:
        said = ask_tagged(call, **sent)
        try:
            snapshot_time(str(said.value["snapshot"]))
        except Usage as error:
            raise Lost("the answer was cut off before the snapshot's time") from error
        return said

    said, _ = change(send, target=target, repeat=False, look=look, meaning=f"there may be one snapshot more: {listing}")
    return said, str(said.value["snapshot"])

"""What every command of files may meet: SMB clients that have something open. Waiting for them, or closing it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from stcc.commands.options import StccCommand
from stcc.knowledge.operations import Operation
from stcc.operations import sharing
from stcc.operations.sharing import Insistence
from stcc.operations.waiting import SystemClock
from stcc.outcomes import Refused
from stcc.runtime import Runtime
from stcc.values import times
from stcc.values.handles import Handle
from stcc.values.targets import FileTarget

if TYPE_CHECKING:
    from stcc.storage.account import Account

T = TypeVar("T")
_OPTIONS = (
    (("--wait",), "DURATION", "While SMB clients are in the way, try again for so long; then 75."),
    (("--close-handles",), None, "Then close what they have open, by force, and try once more."),
    (("-y", "--yes"), None, "Do not ask before that."),
)


def on(operation: Operation) -> type[StccCommand]:
    """Return the class of a command that asks for this operation, and can insist on it."""
    return type("InsistingCommand", (StccCommand,), {"operation": operation, "kept": _OPTIONS})


class Insisting(NamedTuple):
    """What the command line says about SMB clients in the way of `target`, checked before the first request."""

    runtime: Runtime
    target: FileTarget
    how: Insistence

    def insist(
        self,
        account: "Account",
        attempt: Callable[[], T | Refused],
        *,
        beside: FileTarget | None = None,
        recursive: bool = False,
    ) -> T | Refused:
        """Return the answer of `attempt`; `beside` is what else it is about, and `recursive` with all below."""
        from stcc.storage.handles import Opens

        targets = (self.target,) if beside is None else (self.target, beside)
        opens = Opens(account.without_looking(), *targets, recursive=recursive)
        return sharing.insist(attempt, opens, self.how, clock=SystemClock())


def insisting(runtime: Runtime, target: FileTarget) -> Insisting:
    """Return what --wait, --close-handles and --yes say; `Usage` when there is nobody to ask."""
    text, yes = runtime.flags.get("wait"), "yes" in runtime.flags
    wait = None if text is None else times.waiting(text, option="--wait")
    look = runtime.settings.diagnose
    if "close-handles" not in runtime.flags:
        return Insisting(runtime, target, Insistence(wait=wait, look=look))
    question = f"close the open handles of {target}"
    runtime.check_can_ask(question, yes=yes)

    def close(handles: Sequence[Handle]) -> bool:
        for handle in handles:
            runtime.story(f"open: {described(handle)}")
        runtime.story("what these clients have not written yet is lost to them")
        runtime.confirm(f"{question} ({len(handles)})", yes=yes)
        return True

    return Insisting(runtime, target, Insistence(wait=wait, close=close, look=look))


def described(handle: Handle) -> str:
    """Return a handle as one line of a story."""
    since = f" since {handle.opened}" if handle.opened else ""
    return f"{handle.path} by {handle.client} for {handle.access}{since} (handle {handle.id})"

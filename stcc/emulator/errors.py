"""Failures of the local services, each with the next thing to type."""

from stcc.emulator.instance import Instance
from stcc.errors import StccError, Unavailable
from stcc.exits import Exit


class NoNode(Unavailable):
    """Neither PATH nor the installed packages have a Node.js that runs Azurite."""

    kind = "no-node"


class NoServer(Unavailable):
    """What serves Azure Files is not installed."""

    kind = "no-server"


class PortTaken(Unavailable):
    """Another program listens on the port, or this user may not."""

    kind = "port-taken"


class InstallFailed(Unavailable):
    """Azurite could not be fetched, or what came was not what the lock file pins."""

    kind = "install-failed"


class StartFailed(Unavailable):
    """Azurite or Azure Files ended, or kept silent, before its services answered."""

    kind = "start-failed"


class AlreadyRunning(StccError):
    """`start` found the instance of an earlier `start` alive."""

    kind = "already-running"
    exit_code = Exit.CONFLICT

    def __init__(self, instance: Instance) -> None:
        super().__init__(
            f"an emulator is already running (pid {instance.pid})",
            hint="use it with --emulator, or end it with: stcc emulator stop",
        )
        self.instance = instance

"""stcc emulator: its verbs, and the modules that have them; none is imported before it is asked for."""

from typing import Final

from stcc.commands.options import group

app = group("Azurite and Azure Files on this machine, for trying things out and for tests.")
VERBS: Final = {
    "start": "local",
    "stop": "local",
    "status": "local",
    "run": "local",
    "smb": "smb",
}

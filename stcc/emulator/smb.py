"""Simulated SMB clients of a running emulator: its requests beside the service's own."""

import http.client
import json
from collections.abc import Mapping
from typing import Any, Final

from stcc.errors import StccError, Unavailable

_PATIENCE: Final = 30.0


class Denied(StccError):
    """The server said no: `status` is what an SMB server would have said."""

    kind = "denied-by-smb"

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


def ask(port: int, act: str, asked: Mapping[str, object]) -> dict[str, Any]:
    """Let a simulated client do something; raise Denied when the server refuses, Unavailable when there is none."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    try:
        connection.request("POST", f"/-/smb/{act}", json.dumps(asked), {"Content-Type": "application/json"})
        response = connection.getresponse()
        answer: dict[str, Any] = json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unavailable(f"no emulator of Azure Files answers on port {port}", hint="stcc emulator start") from error
    finally:
        connection.close()
    if response.status != 200:
        raise Denied(str(answer["status"]), str(answer["message"]))
    return answer

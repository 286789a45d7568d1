"""A connection that leaves out WATCH, for negative controls: what must go wrong then, goes wrong."""

import time
from typing import Any

from stcc.redis_engine.server import Command, Line
from stcc.values.places import RedisServer


class Unwatched(Line):
    """It also takes `pause` seconds before a change, so that others get in between."""

    def __init__(self, server: RedisServer, *, timeout: float, pause: float = 0.002) -> None:
        super().__init__(server, timeout=timeout)
        self._pause = pause

    def ask(self, *commands: Command) -> list[Any]:
        if commands[0] == ("MULTI",):
            time.sleep(self._pause)
        return super().ask(*(("PING",) if one[0] == "WATCH" else one for one in commands))

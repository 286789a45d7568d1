"""A name that nobody needs any more."""

from stcc.redis_engine import lock, semaphore
from stcc.redis_engine.server import Line
from stcc.values.places import RedisPlace


def remove(line: Line, place: RedisPlace) -> None:
    """Delete every key of a name, whoever holds it, its last fence included."""
    keys = semaphore.keys_of(place.name) if place.kind == "semaphore" else lock.keys_of(place.name, place.kind)
    line.ask(("DEL", *keys))

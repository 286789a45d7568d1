"""A name that nobody needs any more."""

from stcc.redis_engine.lock import keys_of
from stcc.redis_engine.server import Line
from stcc.values.places import RedisPlace


def remove(line: Line, place: RedisPlace) -> None:
    """Delete every key of a name, whoever holds it, its last fence included."""
    if place.kind != "semaphore":
        line.ask(("DEL", *keys_of(place.name, place.kind)))
        return
    key = f"semaphore::{place.name}"
    line.ask(("DEL", *(f"{key}::{part}" for part in ("holders", "max_size", "stcc")), *_beside(key)))


def _beside(key: str) -> tuple[str, ...]:
    return (f"stcc::fence::{key}", f"stcc::wake::{key}")

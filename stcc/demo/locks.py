"""A lock that only its holder can release, and a semaphore of three: on Azure, or on a Redis server."""

from collections.abc import Iterator

from stcc.demo.place import Place, granted
from stcc.demo.steps import ended
from stcc.exits import Exit
from stcc.operations import locking, permits
from stcc.operations.locking import Lock, Patience
from stcc.operations.permits import PermitGranted, Semaphore
from stcc.operations.waiting import Clock
from stcc.outcomes import Refused
from stcc.outcomes.demo import Step
from stcc.values.claims import Claim

_HOUR = 3600.0


def lock(place: Place, *, clock: Clock) -> Iterator[Step]:
    """Peter has it, tom can neither take nor release it, and every grant has a higher number."""
    deploy = place.lock(clock)
    peter, tom = Claim("peter", _HOUR), Claim("tom", _HOUR)
    patience = Patience(wait=0, clock=clock, tell=_nothing)
    first = locking.acquire(deploy, peter, patience=patience)
    yield ended("peter acquires it for an hour", first, "it is his, with a fencing number", exits=Exit.DONE)
    busy = locking.acquire(deploy, tom, patience=patience)
    yield ended("tom acquires it", busy, "one holder at a time; who it is, is told", exits=Exit.BUSY)
    again = locking.acquire(deploy, peter, patience=patience)
    yield ended("peter acquires it again", again, "not twice either, unless --reentrant", exits=Exit.BUSY)
    refused = locking.release(deploy, "tom")
    yield ended("tom releases it", refused, "only its holder can", exits=Exit.CONFLICT)
    yield ended("show it", locking.show(deploy), "peter has it still", exits=Exit.DONE, holds=_holds(deploy, "peter"))
    yield ended("peter releases it", locking.release(deploy, "peter"), "free", exits=Exit.DONE)
    yield ended("show it", locking.show(deploy), "nobody holds it", exits=Exit.ABSENT)
    second = locking.acquire(deploy, tom, patience=patience)
    higher = (granted(second).tenure.fence or 0) > (granted(first).tenure.fence or 0)
    yield ended("tom acquires it", second, "now it is his, with a higher number", exits=Exit.DONE, holds=higher)
    yield ended("peter renews it", locking.renew(deploy, "peter"), "he is told that he lost it", exits=Exit.CONFLICT)
    yield ended("tom releases it", locking.release(deploy, "tom"), "free again", exits=Exit.DONE)


def semaphore(place: Place, *, clock: Clock) -> Iterator[Step]:
    """Four want one of three permits."""
    three = place.semaphore(clock)
    early = _permit(three, "peter", clock)
    yield ended("peter acquires a permit", early, "nobody has said how many there are", exits=Exit.ABSENT)
    made = permits.create(three, 3, clock=clock)
    yield ended("create it, for three", made, "three at a time from now on", exits=Exit.DONE)
    for number, name in enumerate(("peter", "jack", "tom"), 1):
        answer = _permit(three, name, clock)
        yield ended(f"{name} acquires a permit", answer, f"permit {number} of 3", exits=Exit.DONE)
    yield ended("mary acquires a permit", _permit(three, "mary", clock), "all three are held", exits=Exit.BUSY)
    given = permits.release(three, "jack", clock=clock)
    yield ended("jack releases his", given, "two are held", exits=Exit.DONE)
    twice = permits.release(three, "jack", clock=clock)
    yield ended("jack releases it again", twice, "he holds none any more", exits=Exit.CONFLICT)
    shown = permits.show(three)
    right = not isinstance(shown, Refused) and (shown.max, shown.current) == (3, 2)
    yield ended("show it", shown, "2 of 3, and who holds them", exits=Exit.DONE, holds=right)
    yield ended("mary acquires a permit", _permit(three, "mary", clock), "now there is one", exits=Exit.DONE)


def _permit(semaphore: Semaphore, name: str, clock: Clock) -> PermitGranted | Refused:
    patience = Patience(wait=0, clock=clock, tell=_nothing)
    return permits.acquire(semaphore, Claim(name, _HOUR), patience=patience)


def _holds(lock: Lock, name: str) -> bool:
    state = lock.read()
    return not isinstance(state, Refused) and state.held is not None and state.held.identity == name


def _nothing(_: str) -> None:
    """Tell nobody: the steps say it."""

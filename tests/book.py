"""Clients that know only identities: the keys and commands that others use for locks and semaphores on Redis."""

from collections.abc import Callable
from typing import Any

import redis


class BookLock:
    """A string key with the identity, SET with NX and EX; DEL under a WATCH."""

    def __init__(self, client: Any, key: str) -> None:
        self._client = client
        self._key = key

    def acquire(self, identity: str, seconds: int) -> bool:
        return bool(self._client.set(self._key, identity, ex=seconds, nx=True))

    def release(self, identity: str) -> bool:
        def delete(transaction: Any) -> bool:
            holder = transaction.get(self._key)
            if holder == identity.encode():
                transaction.multi()
                transaction.delete(self._key)
                transaction.execute()
            return holder in {None, identity.encode()}

        return _watched(self._client, (self._key,), delete)


class BookSemaphore:
    """A set of identities and a string with the maximum; SADD under a WATCH of both, SREM without."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._holders = f"semaphore::{name}::holders"
        self._max = f"semaphore::{name}::max_size"

    def set_max_size(self, size: int) -> None:
        self._client.set(self._max, size)

    def size(self) -> int:
        return int(self._client.scard(self._holders))

    def acquire(self, identity: str) -> bool:
        def add(transaction: Any) -> bool:
            if transaction.scard(self._holders) >= int(transaction.get(self._max)):
                return False
            transaction.multi()
            transaction.sadd(self._holders, identity)
            transaction.execute()
            return True

        return _watched(self._client, (self._max, self._holders), add)

    def release(self, identity: str) -> bool:
        return bool(self._client.srem(self._holders, identity) == 1)


def _watched(client: Any, keys: tuple[str, ...], work: Callable[[Any], bool]) -> bool:
    with client.pipeline() as transaction:
        transaction.watch(*keys)
        try:
            return work(transaction)
        except redis.WatchError:
            return False

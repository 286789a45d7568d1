"""A Redis server: commands go out together, and their replies come back, or it is clear why not.

Nothing is asked twice here. redis-py would, and a lock that was granted by a lost answer would look taken.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from stcc.errors import Denied, StccError, Unavailable, Unexpected, Usage
from stcc.operations.waiting import Clock
from stcc.values.places import RedisServer

T = TypeVar("T")
Command = tuple[str | bytes | int | float, ...]
# The server is there and does not do what it is asked, but may later; those that redis-py has no class for.
_NOT_NOW: Final = ("MISCONF", "NOREPLICAS", "BUSY")
_CONNECT_TIMEOUT: Final = 5.0
_WRONG_TYPE: Final = "WRONGTYPE"


class Lost(Exception):
    """The commands left, and not all of their replies came back; the text says why."""


class WrongType(Exception):
    """A key holds something else than what it is used for."""


# Those who release without stcc wake nobody: this is how late that is noticed.
LONGEST_BLOCK: Final = 1.0


class Line:
    """One connection, made when it is first needed and made again after it broke.

    `watching` is what the keys are watched for, by whoever watches them; it ends with the connection.
    `longest_block` is how many seconds a question may block, well below what an answer may take.
    """

    def __init__(
        self,
        server: RedisServer,
        *,
        timeout: float,
        trace: Callable[[str], None] | None = None,
        longest_block: float = LONGEST_BLOCK,
    ) -> None:
        self._trace = trace
        self._timeout = timeout
        self.longest_block = min(longest_block, timeout / 2)
        self.server = server
        self.watching: object = None
        self._redis = _library()
        self._connection = self._prepared()

    def ask(self, *commands: Command) -> list[Any]:
        """Send commands in one go, and return their replies.

        Raises `Unavailable` and `Denied` when nothing can have been done, `WrongType`, and `Lost` when replies
        are missing. A no to one command is raised after all replies are in.
        """
        started = time.monotonic()
        self._connect()
        try:
            self._connection.send_packed_command(self._connection.pack_commands(commands))
            replies = [self._reply() for _ in commands]
        except self._redis.RedisError as error:
            self.close()
            raise self._meaning(error) or Lost(str(error)) from error
        except BaseException:  # a signal: the replies would be taken for those to the next question
            self.close()
            raise
        finally:
            if self._trace is not None:
                self._trace(f"* {self.server} {_shown(commands)} {(time.monotonic() - started) * 1000:.1f} ms")
        for reply in replies:
            self._check(reply)
        return replies

    def transact(self, commands: Sequence[Command]) -> list[Any] | None:
        """Do all commands at once and return their replies; None if what is watched was touched, and nothing done."""
        replies: list[Any] | None = self.ask(("MULTI",), *commands, ("EXEC",))[-1]
        for reply in replies or ():
            if isinstance(reply, self._redis.ResponseError):  # it stopped nothing: the rest was done
                raise self._unexpected(reply)
        return replies

    def close(self) -> None:
        """End the connection; the next question makes a new one."""
        self.watching = None
        self._connection.disconnect()

    def _prepared(self) -> Any:
        at = self.server
        options: dict[str, Any] = {
            "db": at.db,
            "username": at.username,
            "password": at.password,
            "socket_timeout": self._timeout,
            "socket_connect_timeout": min(_CONNECT_TIMEOUT, self._timeout),
            "retry": self._redis.retry.Retry(self._redis.backoff.NoBackoff(), 0),
            "retry_on_error": (),
            "health_check_interval": 0,
            "protocol": 2,
        }
        if at.path is not None:
            return self._redis.UnixDomainSocketConnection(path=at.path, **options)
        kind = self._redis.SSLConnection if at.tls else self._redis.Connection
        return kind(host=at.host, port=at.port, **options)

    def _connect(self) -> None:
        try:
            self._connection.connect()
        except (self._redis.RedisError, UnicodeError) as error:  # a host name that is none cannot be encoded
            self.close()
            raise self._meaning(error) or self._unavailable(error) from error
        except BaseException:
            self.close()
            raise

    def _reply(self) -> Any:
        try:
            return self._connection.read_response()
        except self._redis.ResponseError as error:
            return error

    def _check(self, reply: Any) -> None:
        """Raise what a no means."""
        if isinstance(reply, self._redis.ResponseError):
            if str(reply).startswith(_WRONG_TYPE):
                raise WrongType(str(reply))
            raise self._meaning(reply) or self._unexpected(reply)

    def _meaning(self, error: Any) -> StccError | None:
        """Return what an error means, None for those that say only that the connection or the command is broken."""
        known = self._redis.exceptions
        later = (
            known.BusyLoadingError, known.ReadOnlyError, known.MasterDownError, known.ClusterDownError,
            known.TryAgainError, known.OutOfMemoryError,
        )  # fmt: skip
        if isinstance(error, (known.AuthenticationError, known.NoPermissionError)):
            return self._denied(error)
        if isinstance(error, later) or str(error).startswith(_NOT_NOW):
            return self._unavailable(error)
        return self._unexpected(error) if isinstance(error, known.ResponseError) else None

    def _unexpected(self, error: object) -> Unexpected:
        return Unexpected(f"{self.server}: {_text(error)}", target=str(self.server))

    def _denied(self, error: object) -> Denied:
        hint = "check user and password in the URL, and what the user may do"
        return Denied(f"{self.server}: {_text(error)}", target=str(self.server), hint=hint)

    def _unavailable(self, error: object) -> Unavailable:
        hint = "nothing was changed; try again later"
        return Unavailable(f"{self.server}: {_text(error)}", target=str(self.server), hint=hint)


def connect(server: RedisServer, *, timeout: float, trace: Callable[[str], None] | None = None) -> Line:
    """Return a way to a server; `timeout` is in seconds, for each answer. `trace` is told of all that is asked."""
    return Line(server, timeout=timeout, trace=trace)


def patiently(attempt: Callable[[], T], *, target: str, clock: Clock) -> T:
    """Return the answer to a question that changes nothing, asked up to four times; else `Unavailable`."""
    for pause in (0.05, 0.2, 0.5):
        try:
            return attempt()
        except Lost:
            clock.sleep(pause)
    try:
        return attempt()
    except Lost as lost:
        hint = "nothing was changed; try again later"
        raise Unavailable(f"{target}: no answer ({lost})", target=target, hint=hint) from lost


def _shown(commands: Sequence[Command]) -> str:
    """Return commands with their first keys, and without what is stored."""
    return ", ".join(" ".join(str(word) for word in command[:2]) for command in commands)


def _text(error: object) -> str:
    """Return an error as the server worded it; redis-py cuts off the first word of those that it knows."""
    code, text = getattr(error, "status_code", None), str(error)
    return text if code is None else f"{code} {text}"


def _library() -> Any:
    try:
        import redis
    except ModuleNotFoundError:
        raise Usage("Redis needs a package that is not installed", hint="pip install 'stcc[redis]'") from None
    return redis

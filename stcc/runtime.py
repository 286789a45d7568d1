"""What one invocation needs, opened when it is first used."""

import os
import sys
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, TextIO

from stcc import settings
from stcc.errors import Declined, Local, Usage
from stcc.settings import Settings
from stcc.streams import Patient

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from stcc.connection import Connection
    from stcc.knowledge.operations import Operation
    from stcc.output.progress import Advance, Bar
    from stcc.storage.account import Account
    from stcc.storage.wire import Exchange
    from stcc.values.conditions import Conditions
    from stcc.values.targets import Location


class Runtime:
    """The streams, the environment, and what the command line said.

    `flags` maps a shared option to its text (the last one wins), `given` a condition to its text.
    `opened` ends, at the end, what was started on the way. `lends_stdout`: stdout is a child's, so all that
    stcc itself says goes to stderr. `last_words` are lines for stderr that come after everything else, in every
    format: they say where something is that would be lost otherwise.
    """

    def __init__(
        self,
        *,
        environment: Mapping[str, str] | None = None,
        stdin: TextIO | None = None,
        stdout: TextIO | None = None,
        stderr: TextIO | None = None,
    ) -> None:
        self.environment = os.environ if environment is None else environment
        self.stdin = stdin or sys.stdin
        self.stdout = stdout or sys.stdout
        self.stderr = stderr or sys.stderr
        self.flags: dict[str, str] = {}
        self.given: dict[str, str] = {}
        self.opened = ExitStack()
        self.lends_stdout = False
        self.last_words: list[str] = []
        self._bar: Bar | None = None

    @cached_property
    def settings(self) -> Settings:
        """How to ask and how to answer."""
        return settings.settings(self.flags)

    @cached_property
    def connection(self) -> "Connection | None":
        """The account that flags, environment or profile name, or None."""
        if "emulator" in self.flags:
            return self._emulated()
        return settings.chosen_connection(self.flags, self.environment)

    def check(self) -> None:
        """Refuse what the shared options cannot mean, and an answer that nobody could read, before anything is done."""
        if self.stdout is None and self.settings.output != "none":
            raise Usage("stdout is closed: the answer would be lost", hint="send it to /dev/null, or say --output none")
        if self.settings.query is not None:
            from stcc.output.query import Query

            Query(self.settings.query)

    def account(self, at: "Location | None" = None, *, timeout: float | None = None) -> "Account":
        """Return the account to talk to: the one a URL target names, else the configured one.

        `timeout`: how many seconds one answer may take, where that is not for --timeout to say.
        """
        from stcc import connection

        chosen = self.connection
        if at is not None:
            chosen = connection.at_endpoint(at.endpoint, sas=at.sas, known=chosen)
        if chosen is None:
            msg = "no storage account is named"
            raise Usage(msg, hint=connection.WAYS)
        return self.account_of(chosen, timeout=timeout)

    def account_of(self, connection: "Connection", *, timeout: float | None = None) -> "Account":
        """Return the account of a connection, to be asked in the way the shared options say."""
        from stcc.storage.account import Account

        return Account(
            connection,
            timeout=timeout or self.settings.timeout,
            diagnose=self.settings.diagnose,
            trace=self._trace if self.settings.verbose else None,
        )

    def conditions(self, operation: "Operation") -> "Conditions":
        """Return the conditions on the command line, checked against what the operation honours."""
        from stcc.values import conditions

        return conditions.parse(operation, self.given, force="force" in self.flags, now=datetime.now(UTC))

    def confirm(self, question: str, *, yes: bool) -> None:
        """Ask before something that cannot be undone; `Usage` without a terminal, `Declined` on a no."""
        if yes:
            return
        self.check_can_ask(question, yes=yes)
        with self._undrawn():
            self.say(f"{question}? [y/N] ", end="")
            if self.stdin.readline().strip().lower() not in {"y", "yes"}:
                msg = "not confirmed; nothing was changed"
                raise Declined(msg)

    def check_can_ask(self, question: str, *, yes: bool) -> None:
        """Refuse what would have to be asked, when there is nobody to ask."""
        if not yes and not self.asks:
            msg = f"{question}: it needs --yes"
            raise Usage(msg, hint="there is no terminal to ask on")

    @property
    def asks(self) -> bool:
        """Whether there is a person to ask."""
        return _is_terminal(self.stdin) and _is_terminal(self.stderr)

    @property
    def watched(self) -> bool:
        """Whether a person reads what goes to stderr."""
        return _is_terminal(self.stderr)

    @property
    def shows_progress(self) -> bool:
        """Whether a progress bar may be drawn on stderr."""
        quiet = self.settings.quiet or "NO_COLOR" in self.environment
        return _is_terminal(self.stderr) and not quiet

    @contextmanager
    def progress(self, label: str, total: int | None) -> "Generator[Advance]":
        """Draw the progress of a transfer of `total` bytes until the block ends, if a person looks."""
        from stcc.output import progress
        from stcc.output.text import cell

        if not self.shows_progress:
            yield progress.Silent()
            return
        with progress.bar(cell(label), total, self.stderr) as self._bar:
            yield self._bar

    def _undrawn(self) -> "AbstractContextManager[None]":
        """Return a block in which no progress is drawn, for what is to be read or answered."""
        return nullcontext() if self._bar is None else self._bar.paused()

    def check_content(self) -> None:
        """Refuse a format that leaves no room for raw bytes on stdout."""
        if self.settings.query is not None:
            raise Usage("raw content cannot go to stdout with --query")
        if self.settings.output != "human":
            raise Usage(f"raw content cannot go to stdout with --output {self.settings.output}")

    @property
    def on_terminal(self) -> bool:
        """Whether stdout is read by a person."""
        return _is_terminal(self.stdout)

    @property
    def colours(self) -> bool:
        """Whether stdout may be coloured."""
        return self.on_terminal and "NO_COLOR" not in self.environment

    @property
    def bytes_in(self) -> Patient:
        """Stdin as bytes; `Local` when it is closed."""
        if self.stdin is None:
            msg = "stdin is closed"
            raise Local(msg)
        return Patient(self.stdin.buffer)

    def say(self, text: str, *, end: str = "\n") -> None:
        """Tell a person something while the command is still running."""
        from stcc.output.text import visible

        self.tell(visible(text) + end)

    def tell(self, text: str) -> None:
        """Write text that is known to be harmless to stderr; when it cannot be written, there is nobody to tell."""
        if self.stderr is None:
            return
        from stcc.output.text import without_secrets

        with self._undrawn():
            self.stderr.write(without_secrets(text))
            self.stderr.flush()

    def story(self, text: str) -> None:
        """Tell what is going on, unless told to be quiet or to speak to programs only."""
        if not self.settings.quiet and self.settings.output in {"human", "tsv"}:
            self.say(text)

    def _trace(self, exchange: "Exchange") -> None:
        status = (
            "no answer" if exchange.status is None else " ".join(filter(None, [str(exchange.status), exchange.code]))
        )
        parts = [f"{exchange.method} {exchange.url}", *(f"[{line}]" for line in exchange.conditions)]
        request = "" if exchange.request_id is None else f" (request {exchange.request_id})"
        self.say(f"* {' '.join(parts)} -> {status}{request} {exchange.seconds * 1000:.0f} ms")

    def _emulated(self) -> "Connection":
        from stcc import connection
        from stcc.emulator import instance

        excluded = self.flags.keys() & settings.CONNECTION_FLAGS
        if excluded:
            msg = f"--emulator excludes --{min(excluded)}"
            raise Usage(msg)
        running = instance.running()
        if running is None:
            msg = "no emulator is running"
            raise Usage(msg, hint="stcc emulator start")
        return connection.from_connection_string(running.connection_string)


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()

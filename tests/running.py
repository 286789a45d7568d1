"""Run stcc: in this process through `main`, or as a process of its own."""

import io
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from stcc.main import main
from stcc.runtime import Runtime


class Result(NamedTuple):
    """What a shell sees of a command; compared as a whole."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, kw_only=True)
class Stcc:
    """Calls stcc with a connection and nothing else in its environment."""

    connection_string: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def surroundings(self) -> dict[str, str]:
        named = {} if self.connection_string is None else {"AZURE_STORAGE_CONNECTION_STRING": self.connection_string}
        return {"STCC_CONFIG": "/nonexistent", **named, **self.environment}

    def __call__(self, *argv: str, stdin: bytes = b"") -> Result:
        """Run in this process; stdout and stderr are no terminals."""
        code, out, err = self.raw(*argv, stdin=stdin)
        return Result(code, out.decode(), err)

    def raw(self, *argv: str, stdin: bytes = b"") -> tuple[int, bytes, str]:
        """Run in this process, and return stdout as bytes."""
        out, err = io.BytesIO(), io.StringIO()
        stdout = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
        runtime = Runtime(
            environment=self.surroundings,
            stdin=io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"),
            stdout=stdout,
            stderr=err,
        )
        code = main(argv, runtime)
        stdout.flush()
        return code, out.getvalue(), err.getvalue()

    def process(self, *argv: str, **options: object) -> "subprocess.Popen[bytes]":
        """Start stcc as a process of its own; streams are pipes unless `options` say otherwise."""
        arguments: dict[str, object] = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "env": own_environment() | self.surroundings,
        }
        return subprocess.Popen([sys.executable, "-m", "stcc", *argv], **(arguments | options))  # type: ignore[call-overload, no-any-return]  # Popen's options

    def run(self, *argv: str, **options: object) -> Result:
        """Run stcc as a process of its own to its end."""
        process = self.process(*argv, **options)
        out, err = process.communicate()
        return Result(process.returncode, (out or b"").decode(), (err or b"").decode())


def own_environment() -> dict[str, str]:
    """Return what a Python process needs, and nothing that names an account."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("AZURE_", "STCC_"))}

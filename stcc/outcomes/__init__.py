"""Every answer: what storage said, as frozen values with an exit code.

Successes live beside this file, one module per noun; what they have in common
is here, and so is the one refusal.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

from stcc.exits import Exit


class Reply(NamedTuple):
    """The envelope of an answer; `settled` says how a lost answer was settled (`repeat`, `evidence`, `state`).

    What answers without HTTP has no status.
    """

    http_status: int | None
    request_id: str | None = None
    settled: str | None = None


class Outcome(Protocol):
    """What every success has: a noun that renders it, a kind for programs, and the answer's envelope.

    The other fields are its result, in the order in which `-o tsv` prints them. One with an `exit_code` of its
    own (a command that was run) ends the process with it, all others with 0.
    """

    noun: ClassVar[str]
    kind: ClassVar[str]

    @property
    def reply(self) -> Reply | None: ...
    @property
    def target(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Storage answered, and the answer was no.

    Without `http_status` it was not one answer of the service that said no, but what several of them, or Redis, told.
    `observed` is what was there a moment after the refusal; None when nobody looked.
    `summary` says what was refused and why, in one line; `hint` what to do next.
    """

    outcome: str
    exit_code: int
    target: str
    summary: str
    http_status: int | None = None
    error_code: str | None = None
    request_id: str | None = None
    hint: str = ""
    observed: Mapping[str, object] | None = None


class Ending(NamedTuple):
    """What came of many things, known when the last one has been produced.

    `summary` is one line for people, on stdout; `story` one on stderr.
    """

    kind: str
    exit_code: Exit = Exit.DONE
    summary: str = ""
    story: str = ""


class Listing(NamedTuple):
    """Many things of one kind, one at a time; `columns` are the fields that people and tsv see, in this order.

    Items are produced while they are printed: a failure comes out of the iterator.
    With a `noun`, people and tsv see what its `line` makes of each item. `reply` is there when one answer held all.
    `ending` is called after the last item, where not every end is a good one.
    """

    kind: str
    target: str
    columns: tuple[str, ...]
    items: Iterator[Mapping[str, object]]
    noun: str | None = None
    reply: Reply | None = None
    ending: Callable[[], Ending] | None = None

    def ended(self) -> Ending:
        """Return what came of it, once all items have been produced."""
        return Ending(kind=self.kind) if self.ending is None else self.ending()


class Content(NamedTuple):
    """Bytes for stdout, exactly as they are stored; `etag` belongs to them.

    `write` returns a refusal when the bytes changed while they were written.
    """

    kind: str
    target: str
    etag: str | None
    write: Callable[[Callable[[bytes], object]], Refused | None]


Answer = Outcome | Refused | Listing | Content

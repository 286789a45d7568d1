"""What the guided tour sees: one step for each request, compared with what was expected."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One request of a walk-through and its answer.

    `condition` is the header that travelled with the request, "" for none, `none (--force)` where none had to be
    said out loud; several are separated by `; `. `http_status` is None when nothing was sent, or no answer came;
    `exit_code` is the one of the command that asks the same. `expected` says what the answer had to be.
    """

    asked: str
    condition: str
    http_status: int | None
    error_code: str | None
    exit_code: int
    meaning: str
    expected: str
    as_expected: bool

    def item(self, strategy: str, number: int) -> dict[str, object]:
        """Return the fields of a listing; the steps of each strategy are counted from 1."""
        return {"strategy": strategy, "step": number, **asdict(self)}

"""The guided tour: each strategy as a walk-through of real requests, every answer compared with the expected one."""

from typing import Final, Literal, get_args

Strategy = Literal[
    "optimistic", "pessimistic", "last-writer-wins", "container", "table", "queue", "file", "lock", "semaphore"
]
STRATEGIES: Final[tuple[Strategy, ...]] = get_args(Strategy)
COLUMNS: Final = (
    "strategy",
    "step",
    "asked",
    "condition",
    "http_status",
    "error_code",
    "exit_code",
    "meaning",
    "expected",
    "as_expected",
)

"""What every parser of `stcc.values` promises about input that it cannot take."""

from collections.abc import Callable
from typing import TypeVar

import pytest

from stcc.errors import Usage
from stcc.output.render import failure
from stcc.settings import Settings
from tests.harmless import harmless

T = TypeVar("T")


def parsed_or_refused(parse: Callable[[], T]) -> T | None:
    """Return what was parsed, or None when it was refused in lines that can do no harm; nothing else may happen."""
    try:
        return parse()
    except Usage as refusal:
        check(refusal)
        return None


def refusal(parse: Callable[[], object]) -> str:
    """Return the message of the refusal."""
    with pytest.raises(Usage) as caught:
        parse()
    check(caught.value)
    return caught.value.message


def check(refusal: Usage) -> None:
    text = failure(refusal, Settings(quiet=True))
    first, *rest = text.err.split("\n")
    assert text.out == ""
    assert first.startswith("stcc: ")
    assert rest == [""]
    assert harmless(first)

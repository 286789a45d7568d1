"""JMESPath over results, imported only when asked for."""

from contextlib import suppress
from typing import Any

from stcc.errors import StccError, Usage


class Query:
    """A compiled expression; `Usage` when it is none."""

    def __init__(self, text: str) -> None:
        import jmespath
        from jmespath.exceptions import ArityError, JMESPathError, JMESPathTypeError, UnknownFunctionError

        self._error = JMESPathError
        try:
            self._compiled = jmespath.compile(text)
            with suppress(JMESPathTypeError):  # of a value that is not there yet
                self._compiled.search({})
        except (UnknownFunctionError, ArityError) as error:
            raise Usage(f"--query calls a function wrongly: {str(error).partition(chr(10))[0]}") from None
        except (JMESPathError, ValueError, RecursionError):  # a number too long; too deep
            msg = f"--query is not a JMESPath expression: {text!r}"
            raise Usage(msg, hint="https://jmespath.org; for example 'etag' or '[].name'") from None

    def __call__(self, value: object) -> Any:
        """Return what the expression finds; `StccError` when a function is applied to the wrong type."""
        try:
            return self._compiled.search(value)
        except self._error as error:
            # Too late for a usage error: what was asked has been done, and this is what came of it.
            msg = f"it was done, but --query cannot be applied to the answer: {str(error).partition(chr(10))[0]}"
            raise StccError(msg, observed={"result": value}) from None

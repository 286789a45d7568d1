"""The table service's answers, read by stcc itself.

The SDK signs and sends; its reading of an answer would round times to
microseconds, turn a 404 on a delete into a success, and fail on an answer that
was cut short. So the hook that it offers for the raw answer ends the call.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Never

from azure.core.exceptions import HttpResponseError

from stcc.storage.answers import Lost, Said, attempt, classified

_WHOLE_ETAG = re.compile(r'(W/)?"[^"]*"')


class _Heard(Exception):
    """An answer came, and it is a yes."""

    def __init__(self, said: Said[bytes]) -> None:
        super().__init__()
        self.said = said


def ask(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Said[bytes]:
    """Call a method of a table client once and return the body of its answer; raise as `answers.ask` does."""
    try:
        attempt(lambda: call(*args, raw_response_hook=_hear, **kwargs))
    except _Heard as heard:
        return heard.said
    raise AssertionError(call)  # the SDK calls the hook with every answer


def _hear(response: Any) -> Never:
    answer = response.http_response
    status: int = answer.status_code
    if not 200 <= status < 300:
        raise classified(HttpResponseError(response=answer))
    headers = {name.lower(): value for name, value in answer.headers.items()}
    raise _Heard(Said(answer.content, status, headers))


def ask_document(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Said[Mapping[str, Any]]:
    """Call a method of a table client that reads; `Lost` when the answer is not the JSON object that it should be."""
    said = ask(call, *args, **kwargs)
    try:
        document = json.loads(said.value)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise Lost("the answer could not be read")
    return Said(document, said.status, said.headers)  # pyright: ignore[reportUnknownArgumentType]


def etag(said: Said[Any]) -> str | None:
    """Return the ETag in the answer's header as the service wrote it, or None when it was cut off."""
    text = said.headers.get("etag", "")
    return text if _WHOLE_ETAG.fullmatch(text) else None


def ask_page(method: Callable[..., Any], token: Any, **kwargs: Any) -> tuple[list[dict[str, Any]], Mapping[str, str]]:
    """Ask a paged method of a table client for one page; return its items and the answer's headers."""

    def first(**hook: Any) -> Any:
        return next(method(**kwargs, **hook).by_page(continuation_token=token))

    said = ask_document(first)
    items = said.value.get("value")
    if not isinstance(items, list):
        raise Lost("the answer could not be read")
    return items, said.headers  # pyright: ignore[reportUnknownVariableType]

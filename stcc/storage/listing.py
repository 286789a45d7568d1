"""Reading a listing page by page, each page a read of its own."""

from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any, Final

from stcc.errors import Changed, Unexpected
from stcc.storage.answers import Rejected, attempt_to_read
from stcc.storage.settle import read

_PAGE: Final = 5000
# The items of one page, and what to ask the service for the next one with, None after the last.
Page = tuple[list[Any], Any]


def pages(call: Callable[..., Any], *, target: object, limit: int | None, **kwargs: Any) -> Iterator[Any]:
    """Return the items of a paged SDK call, at most `limit`; a page that fails is asked for again, as `walk` does."""
    size = min(limit or _PAGE, _PAGE)

    def page(token: Any) -> Page:
        by_page = call(results_per_page=size, **kwargs).by_page(continuation_token=token)
        return list(next(by_page, ())), by_page.continuation_token

    return walk(lambda token: attempt_to_read(lambda: page(token)), target=target, limit=limit)


def walk(page: Callable[[Any], Page], *, target: object, limit: int | None) -> Iterator[Any]:
    """Return the items of all pages, at most `limit`; a page that fails is asked for again.

    The first page is read at once, so a no to the question is raised here (`Rejected`); what fails later
    comes out of the iterator, as `Unavailable`, `Unexpected`, or `Changed` where pages are pinned to one state.
    """

    def ask_for(token: Any) -> Page:
        return read(lambda: page(token), target=target)

    first, token = ask_for(None)
    return islice(chain(first, _rest(ask_for, token, target=target)), limit)


def _rest(ask_for: Callable[[Any], Page], token: Any, *, target: object) -> Iterator[Any]:
    while token:
        try:
            found, token = ask_for(token)
        except Rejected as rejected:
            raise broken_off(rejected, target) from rejected
        yield from found


def broken_off(rejected: Rejected, target: object) -> Changed | Unexpected:
    """Return the error of a listing that was refused on the way."""
    changed = rejected.status == 412
    what = "it changed while it was listed" if changed else "the listing broke off"
    return (Changed if changed else Unexpected)(
        f"{target}: {what} ({rejected})",
        target=str(target),
        http_status=rejected.status,
        error_code=rejected.code,
        request_id=rejected.request_id,
    )

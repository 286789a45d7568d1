"""Reading a listing page by page, each page a read of its own."""

from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any, Final

from stcc.errors import Unexpected
from stcc.storage.answers import Rejected, attempt
from stcc.storage.settle import read

_PAGE: Final = 5000
Page = tuple[list[Any], str | None]


def pages(call: Callable[..., Any], *, target: object, limit: int | None, **kwargs: Any) -> Iterator[Any]:
    """Return the items of a paged SDK call, at most `limit`; a page that fails is asked for again.

    The first page is read at once, so a no to the question is raised here (`Rejected`); what fails later
    comes out of the iterator, as `Unavailable` or `Unexpected`.
    """
    size = min(limit or _PAGE, _PAGE)

    def page(token: str | None) -> Page:
        by_page = call(results_per_page=size, **kwargs).by_page(continuation_token=token)
        return list(next(by_page, ())), by_page.continuation_token

    def ask_for(token: str | None) -> Page:
        return read(lambda: attempt(lambda: page(token)), target=target)

    first, token = ask_for(None)
    return islice(chain(first, _rest(ask_for, token, target=target)), limit)


def _rest(ask_for: Callable[[str | None], Page], token: str | None, *, target: object) -> Iterator[Any]:
    while token:
        try:
            found, token = ask_for(token)
        except Rejected as rejected:
            msg = f"{target}: the listing broke off ({rejected})"
            raise Unexpected(
                msg, target=str(target), http_status=rejected.status, error_code=rejected.code
            ) from rejected
        yield from found

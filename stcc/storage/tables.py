"""Tables: one request each."""

from typing import Any, Final

from stcc.outcomes import Listing, Refused
from stcc.outcomes.table import COLUMNS, TableCreated, TableDeleted
from stcc.storage.account import Account
from stcc.storage.answers import Rejected
from stcc.storage.listing import Page, walk
from stcc.storage.odata import ask, ask_page
from stcc.storage.refusals import Look, refused
from stcc.storage.settle import change
from stcc.values.targets import TableTarget

PAGE: Final = 1000
_NEXT: Final = "x-ms-continuation-nexttablename"


def create(account: Account, target: TableTarget) -> TableCreated | Refused:
    """Create a table; a 409 after a lost answer proves nothing, so that stays unknown."""
    client, look = account.table(target.table), _look(account, target)
    try:
        said, settled = change(lambda: ask(client.create_table), target=target, look=look)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="create table", look=look)
    return TableCreated(reply=said.reply(settled=settled), target=str(target))


def delete(account: Account, target: TableTarget) -> TableDeleted | Refused:
    """Delete a table; a 404 after a lost answer proves nothing, so that stays unknown."""
    client, look = account.table(target.table), _look(account, target)
    try:
        said, settled = change(lambda: ask(client.delete_table), target=target, look=look)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="delete table", look=look)
    return TableDeleted(reply=said.reply(settled=settled), target=str(target))


def listing(account: Account, *, prefix: str, limit: int | None) -> Listing | Refused:
    """List the account's tables."""
    target = f"tables of {account.connection.account}"
    client = account.table_service()
    size = min(limit or PAGE, PAGE)

    def page(token: Any) -> Page:
        if prefix:
            found, headers = ask_page(client.query_tables, token, query_filter=_starting(prefix), results_per_page=size)
        else:
            found, headers = ask_page(client.list_tables, token, results_per_page=size)
        return found, headers.get(_NEXT)

    try:
        tables = walk(page, target=target, limit=limit)
    except Rejected as rejected:
        return refused(rejected, target=target, doing="list the")
    items = ({"name": one["TableName"]} for one in tables)
    return Listing(kind="tables-listed", target=target, columns=COLUMNS["tables-listed"], items=items)


def _starting(prefix: str) -> str:
    # No table's name holds a character after `z`, so this is where the names with the prefix end.
    return f"TableName ge '{prefix}' and TableName lt '{prefix}{{'"


def _look(account: Account, target: TableTarget) -> Look | None:
    if not account.diagnose:
        return None
    client, named = account.table_service(), f"TableName eq '{target.table}'"
    return lambda: {"exists": bool(ask_page(client.query_tables, None, query_filter=named)[0])}

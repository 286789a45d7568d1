"""An option that is given twice is refused: of two values, one would be dropped without a word."""

import pytest

from tests.azurite import ProxiedAccount
from tests.running import Result, Stcc

GUID = "1f812371-a41d-49e6-b123-f4b542e85144"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        pytest.param("blob put data/x /dev/null --if-match 0x1 --if-match *", "if-match", id="a condition"),
        pytest.param(f"blob put data/x /dev/null --lease-id _ --lease-id {GUID}", "lease-id", id="first one empty"),
        pytest.param(f"lease renew data/x --lease-id {GUID} --lease-id {GUID}", "lease-id", id="the same twice"),
        pytest.param("entity delete people a b --if-match W/x --if-match=*", "if-match", id="an entity's condition"),
        pytest.param("queue delete-message jobs i --pop-receipt a --pop-receipt b", "pop-receipt", id="a receipt"),
        pytest.param("blob get data/x - --range 0-1 --range 2-3", "range", id="an option of its own"),
    ],
)
def test_it_is_refused_and_nothing_is_sent(proxied: ProxiedAccount, proxied_stcc: Stcc, line: str, name: str) -> None:
    answer = proxied_stcc(*["" if word == "_" else word for word in line.split(" ")])

    assert (answer, proxied.requests) == (Result(2, "", f"stcc: --{name} is given more than once\n"), [])


def test_of_shared_options_the_last_one_wins(stcc: Stcc) -> None:
    assert stcc("-o", "json", "container", "list", "--prefix", "nobody", "-o", "tsv").out == ""

"""Proxies and certificates that the environment names."""

from dataclasses import replace

from tests.conftest import Names
from tests.running import Result, Stcc


def test_a_proxy_is_not_asked_for_this_machine(stcc: Stcc, names: Names) -> None:
    behind = replace(stcc, environment=dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY"), "http://127.0.0.1:1"))

    assert behind.run("container", "create", names(), "-q").code == 0


def test_a_file_of_certificates_that_is_not_there_is_named() -> None:
    stcc = Stcc(environment={"REQUESTS_CA_BUNDLE": "/nonexistent"})
    problem = "stcc: the certificates of the authorities cannot be read\n"
    hint = "  REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE names the file\n"

    assert stcc.run("blob", "show", "https://example.invalid/data/x?sig=x") == Result(2, "", problem + hint)

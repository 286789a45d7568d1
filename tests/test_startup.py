"""What a start imports: help, completion and usage errors must not pay for what they do not use."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import pytest

from stcc.app import NOUNS, command
from tests.running import own_environment

HEAVY = ("azure", "requests", "urllib3", "redis", "pydantic", "rich", "click", "jmespath", "aiohttp")
PROBE = """
import json, sys
from stcc.main import main
codes = [main(argv) for argv in json.loads(sys.argv[1])]
names = {*sys.modules} | {name.partition(".")[0] for name in sys.modules}
print("\\n" + json.dumps([codes, sorted(names)]), file=sys.stderr)
"""
KEY = "Zm9v"
REFUSING = "http://127.0.0.1:1/devstoreaccount1"
HERE = {
    "AZURE_STORAGE_CONNECTION_STRING": f"AccountName=devstoreaccount1;AccountKey={KEY};BlobEndpoint={REFUSING};"
    f"QueueEndpoint={REFUSING};TableEndpoint={REFUSING}"
}


class Start(NamedTuple):
    codes: list[int]
    modules: set[str]

    @property
    def heavy(self) -> set[str]:
        return self.modules & set(HEAVY)


def start(*lines: Sequence[str], environment: Mapping[str, str] | None = None) -> Start:
    """Run command lines one after the other in one fresh process, and see what it has imported then."""
    process = subprocess.run(
        [sys.executable, "-c", PROBE, json.dumps(lines)],
        env=own_environment() | {"STCC_CONFIG": "/nonexistent"} | dict(environment or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    codes, modules = json.loads(process.stderr.splitlines()[-1])
    return Start(codes, set(modules))


def verbs(noun: str) -> list[list[str]]:
    group: Any = cast("Any", command).commands[noun]
    return [[noun, verb] for verb in getattr(group, "commands", {})] or [[noun]]


@pytest.mark.parametrize("noun", NOUNS)
def test_the_help_of_a_noun_and_of_its_verbs_imports_nothing_heavy(noun: str) -> None:
    lines = [[*words, "--help"] for words in ([noun], *verbs(noun))]
    started = start(*lines)

    assert (started.codes, started.heavy) == ([0] * len(lines), set())


@pytest.mark.parametrize(
    "argv",
    [
        pytest.param(["--help"], id="help"),
        pytest.param(["-h"], id="help, short"),
        pytest.param(["--version"], id="version"),
        pytest.param(["-o", "json", "--help"], id="help after an option"),
    ],
)
def test_the_root_imports_no_noun(argv: list[str]) -> None:
    started = start(argv)

    assert started.codes == [0]
    assert started.modules & {*HEAVY, *(f"stcc.commands.{noun}" for noun in NOUNS)} == set()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_printed_without_anything_heavy(shell: str) -> None:
    started = start(["completion", shell])

    assert (started.codes, started.heavy) == ([0], set())


@pytest.mark.parametrize(
    "argv",
    [
        pytest.param(["frobnicate"], id="unknown noun"),
        pytest.param(["blob", "frobnicate"], id="unknown verb"),
        pytest.param(["blob", "show"], id="missing argument"),
        pytest.param(["blob", "show", "data/a", "b"], id="too many arguments"),
        pytest.param(["blob", "show", "data/a", "--frobnicate"], id="unknown option"),
        pytest.param(["blob", "show", "data/a", "--if-match"], id="option without its value"),
        pytest.param(["blob", "show", "data/a", "--if-match", ""], id="empty ETag"),
        pytest.param(["blob", "show", "data/a", "--if-match", 'a"b'], id="bad ETag"),
        pytest.param(["blob", "show", "data"], id="no blob in the target"),
        pytest.param(["blob", "show", "data/../x"], id="dots in the target"),
        pytest.param(["blob", "show", "http://h/?sig"], id="bad URL"),
        pytest.param(["blob", "delete", "data/a"], id="no condition"),
        pytest.param(["blob", "list", "data", "--limit", "0"], id="bad limit"),
        pytest.param(["blob", "get", "data/a", "--range", "9-1"], id="bad range"),
        pytest.param(["blob", "put", "data/a", "/nonexistent", "--force"], id="no such file"),
        pytest.param(["lease", "acquire", "data", "--duration", "3"], id="bad duration"),
        pytest.param(["lease", "renew", "data", "--lease-id", "x"], id="bad lease id"),
        pytest.param(["container", "show", "Data"], id="bad container"),
        pytest.param(["table", "show"], id="no such verb of a table"),
        pytest.param(["queue", "send", "jobs", "x", "--ttl", "0"], id="bad time to live"),
        pytest.param(["container", "show", "data", "--timeout", "soon"], id="bad timeout"),
        pytest.param(["container", "show", "data", "-o", "xml"], id="bad format"),
        pytest.param(["container", "show", "data", "--connection-string", "nonsense"], id="bad connection string"),
        pytest.param(["container", "show", "data", "--account-name", "data"], id="no credential"),
        *(
            pytest.param([*words.split(), *more], id=f"{words}: {more or 'no account'}")
            for words in ("queue show jobs", "queue peek jobs", "queue list", "table list", "entity get jobs p r")
            for more in ([], ["--sas-token", "x"])
        ),
        pytest.param(["container", "show", "data", "-o", "json"], id="no account, as JSON"),
        pytest.param(["-o", "json", "blob", "show"], id="missing argument, as JSON"),
    ],
)
def test_a_usage_error_imports_nothing_heavy(argv: list[str]) -> None:
    started = start(argv)

    assert (started.codes, started.heavy) == ([2], set())


@pytest.mark.parametrize(
    "options", [[], ["--auth-mode", "key"], ["-o", "json"], ["-o", "tsv"], ["-o", "ndjson"], ["-o", "none"]], ids=str
)
def test_a_request_with_a_key_imports_neither_identity_nor_jmespath_nor_rich(options: list[str]) -> None:
    started = start(["container", "show", "data", *options], environment=HERE)

    assert started.codes == [69]
    assert started.modules & {"azure.storage.blob", "azure.identity", "jmespath", "rich", "pydantic", "aiohttp"} == {
        "azure.storage.blob"
    }


def test_jmespath_is_imported_for_a_query_only() -> None:
    started = start(["container", "show", "data", "--query", "["])

    assert (started.codes, started.heavy) == ([2], {"jmespath"})


def test_a_login_without_tls_is_refused_before_identity_is_imported() -> None:
    started = start(
        ["blob", "list", "data", "--account-name", "acme", "--blob-endpoint", "http://127.0.0.1:1/acme"],
        ["blob", "list", "data", "--account-name", "acme", "--auth-mode", "login", "--blob-endpoint", REFUSING],
    )

    assert (started.codes, "azure.identity" in started.modules) == ([2, 2], False)


def test_a_login_imports_identity() -> None:
    nowhere = {
        "AZURE_TOKEN_CREDENTIALS": "EnvironmentCredential",
        "AZURE_TENANT_ID": "00000000-0000-0000-0000-000000000000",
        "AZURE_CLIENT_ID": "00000000-0000-0000-0000-000000000000",
        "PATH": os.environ["PATH"],
    }
    started = start(
        ["container", "show", "data", "--account-name", "acme", "--auth-mode", "login", "--blob-endpoint",
         "https://127.0.0.1:1"],
        environment=nowhere,
    )  # fmt: skip

    assert (started.codes, "azure.identity" in started.modules) == ([3], True)

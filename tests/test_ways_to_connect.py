"""Every way to connect, end to end; and no secret in anything that stcc says."""

import http.client
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from azure.core.credentials import AzureNamedKeyCredential
from azure.data.tables import AccountSasPermissions as TablePermissions
from azure.data.tables import ResourceTypes as TableResources
from azure.data.tables import generate_account_sas as table_sas
from azure.storage.blob import (
    AccountSasPermissions,
    ResourceTypes,
    Services,
    generate_account_sas,
    generate_container_sas,
)

from stcc.connection import DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY
from stcc.emulator import process
from stcc.emulator.instance import Instance
from stcc.emulator.launch import Setup, command, surroundings, wait_until_ready
from stcc.main import main
from stcc.runtime import Runtime
from tests.conftest import Names
from tests.running import Stcc

SOON = datetime.now(UTC) + timedelta(hours=1)
NOWHERE = "http://127.0.0.1:1/devstoreaccount1"


def endpoints(azurite: Instance) -> dict[str, str]:
    ports = {"blob": azurite.blob_port, "queue": azurite.queue_port, "table": azurite.table_port}
    return {service: f"http://127.0.0.1:{port}/{DEVELOPMENT_ACCOUNT}" for service, port in ports.items()}


def flags(azurite: Instance) -> list[str]:
    return [word for service, url in endpoints(azurite).items() for word in (f"--{service}-endpoint", url)]


def account_sas() -> str:
    everything = AccountSasPermissions(
        read=True, write=True, delete=True, list=True, add=True, create=True, update=True, process=True
    )
    resources = ResourceTypes(service=True, container=True, object=True)
    services = Services(blob=True, queue=True)
    sas: str = generate_account_sas(
        DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY, resources, everything, SOON, services=services
    )
    return sas


def sas_for_tables() -> str:
    key = AzureNamedKeyCredential(DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY)
    permissions = TablePermissions(read=True, write=True, delete=True, list=True, add=True, create=True)
    return table_sas(key, TableResources(service=True, object=True), permissions, SOON)


def with_connection_string(azurite: Instance, directory: Path) -> tuple[list[str], dict[str, str]]:
    return [], {"AZURE_STORAGE_CONNECTION_STRING": azurite.connection_string}


def with_connection_string_flag(azurite: Instance, directory: Path) -> tuple[list[str], dict[str, str]]:
    return ["--connection-string", azurite.connection_string], {}


def with_key(azurite: Instance, directory: Path) -> tuple[list[str], dict[str, str]]:
    return [*flags(azurite), "--account-name", DEVELOPMENT_ACCOUNT, "--account-key", DEVELOPMENT_KEY], {}


def with_key_file(azurite: Instance, directory: Path) -> tuple[list[str], dict[str, str]]:
    (directory / "key").write_text(DEVELOPMENT_KEY + "\n")
    return [*flags(azurite), "--account-name", DEVELOPMENT_ACCOUNT, "--account-key-file", str(directory / "key")], {}


def with_endpoints_alone(azurite: Instance, directory: Path) -> tuple[list[str], dict[str, str]]:
    return [*flags(azurite), "--account-key", DEVELOPMENT_KEY], {}


def with_profile(azurite: Instance, directory: Path) -> tuple[list[str], dict[str, str]]:
    config = directory / "config.toml"
    lines = [f'{service}_endpoint = "{url}"' for service, url in endpoints(azurite).items()]
    config.write_text("\n".join(["[profiles.local]", f'account_key = "{DEVELOPMENT_KEY}"', *lines]))
    return ["--profile", "local"], {"STCC_CONFIG": str(config)}


def with_sas(azurite: Instance, directory: Path) -> tuple[list[str], dict[str, str]]:
    return [*flags(azurite), "--account-name", DEVELOPMENT_ACCOUNT, "--sas-token", "?" + account_sas()], {}


def with_sas_in_connection_string(azurite: Instance, directory: Path) -> tuple[list[str], dict[str, str]]:
    at = endpoints(azurite)
    text = f"BlobEndpoint={at['blob']};QueueEndpoint={at['queue']};SharedAccessSignature={account_sas()}"
    return [], {"AZURE_STORAGE_CONNECTION_STRING": text}


Way = Callable[[Instance, Path], tuple[list[str], dict[str, str]]]
WITH_KEY: list[Way] = [
    with_connection_string, with_connection_string_flag, with_key, with_key_file, with_endpoints_alone, with_profile,
]  # fmt: skip
WITH_SAS: list[Way] = [with_sas, with_sas_in_connection_string]


@pytest.mark.parametrize("way", [*WITH_KEY, *WITH_SAS], ids=lambda way: way.__name__)
def test_blobs_and_queues_answer(azurite: Instance, names: Names, tmp_path: Path, way: Way) -> None:
    options, environment = way(azurite, tmp_path)
    stcc, name = Stcc(environment=environment), names()

    assert stcc("container", "create", name, *options).code == 0
    assert stcc("blob", "put", f"{name}/a", "-", *options, stdin=b"hello").code == 0
    assert stcc("blob", "get", f"{name}/a", "-", *options).out == "hello"
    assert stcc("queue", "create", name, *options).code == 0
    assert stcc("queue", "send", name, "hello", *options).code == 0


@pytest.mark.parametrize("way", WITH_KEY, ids=lambda way: way.__name__)
def test_tables_answer(azurite: Instance, names: Names, tmp_path: Path, way: Way) -> None:
    options, environment = way(azurite, tmp_path)
    assert Stcc(environment=environment)("table", "create", names(), *options).code == 0


def test_entities_answer_to_a_sas(azurite: Instance, stcc: Stcc, names: Names) -> None:
    name = names()
    assert stcc("table", "create", name).code == 0
    options = [*flags(azurite), "--account-name", DEVELOPMENT_ACCOUNT, "--sas-token", sas_for_tables()]
    assert Stcc()("entity", "insert", name, "p", "r", "a=1", *options).code == 0


@pytest.fixture
def url(azurite: Instance, stcc: Stcc, names: Names) -> str:
    """Store a blob that says hello, and return its URL."""
    name = names()
    stcc("container", "create", name)
    stcc("blob", "put", f"{name}/a", "-", stdin=b"hello")
    return f"{endpoints(azurite)['blob']}/{name}/a"


def container_sas(url: str) -> str:
    sas: str = generate_container_sas(
        DEVELOPMENT_ACCOUNT, url.split("/")[-2], account_key=DEVELOPMENT_KEY, permission="r", expiry=SOON
    )
    return sas


@pytest.mark.parametrize(
    "environment", [{}, {"AZURE_STORAGE_CONNECTION_STRING": f"BlobEndpoint={NOWHERE};AccountKey=Zm9v"}]
)
def test_a_url_with_a_sas_needs_nothing_else(url: str, environment: dict[str, str]) -> None:
    code, out, _ = Stcc(environment=environment)("blob", "get", f"{url}?{container_sas(url)}", "-")
    assert (code, out) == (0, "hello")


def test_the_sas_of_a_url_counts_on_the_same_endpoint_too(url: str, stcc: Stcc) -> None:
    forged = container_sas(url).replace("sig=", "sig=AAAA")

    assert stcc("blob", "get", url, "-").out == "hello"
    assert stcc("blob", "get", f"{url}?{forged}", "-").code == 3


def test_a_url_on_another_endpoint_gets_no_credential(url: str, stcc: Stcc) -> None:
    answer = stcc("blob", "show", url.replace("127.0.0.1", "localhost"))
    assert (answer.code, answer.out) in {(3, ""), (4, "")}


SECRETS: Mapping[str, Callable[[str], tuple[list[str], dict[str, str]]]] = {
    "a key": lambda url: (["--blob-endpoint", url.rsplit("/", 2)[0], "--account-key", DEVELOPMENT_KEY], {}),
    "a SAS": lambda url: (["--blob-endpoint", url.rsplit("/", 2)[0], "--sas-token", container_sas(url)], {}),
}


@pytest.mark.parametrize("output", ["human", "json", "ndjson", "tsv"])
@pytest.mark.parametrize(
    "verb", [["blob", "show"], ["lease", "acquire"], ["blob", "delete", "--if-match", "0x1"]], ids=str
)
@pytest.mark.parametrize("debug", [{}, {"STCC_DEBUG": "1"}], ids=["", "debug"])
def test_a_sas_shows_nowhere(url: str, output: str, verb: list[str], debug: dict[str, str]) -> None:
    sas = container_sas(url)
    signature = sas.partition("sig=")[2].partition("&")[0]
    for text in (f"{url}?{sas}", f"{url}x?{sas}", f"{url.replace('127.0.0.1', 'h.invalid')}?{sas}"):
        answer = Stcc(environment=debug)(*verb, text, "-v", "-o", output, "--timeout", "2s")
        assert signature not in answer.out + answer.err
        assert "sig=" not in answer.out + answer.err


@pytest.mark.parametrize("place", ["127.0.0.1:1", "h.invalid"])
@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("debug", [{}, {"STCC_DEBUG": "1"}], ids=["", "debug"])
def test_a_credential_shows_in_no_failure(url: str, place: str, secret: str, debug: dict[str, str]) -> None:
    options, environment = SECRETS[secret](f"http://{place}/{DEVELOPMENT_ACCOUNT}/{url.split('/')[-2]}/a")
    answer = Stcc(environment=environment | debug)("blob", "put", f"{url.split('/')[-2]}/a", "-", "-v", *options)

    assert answer.code == 69
    assert DEVELOPMENT_KEY not in answer.out + answer.err
    assert "sig=" not in answer.out + answer.err


class Broken(dict[str, str]):
    """An environment that cannot be looked at, as a bug would have it."""

    def __getitem__(self, name: str) -> str:
        raise LookupError(f"https://acme/x?sv=1&sig=U0VDUkVU and AccountName=acme;AccountKey=U0VDUkVU;{name}")


@pytest.mark.parametrize("debug", [{}, {"STCC_DEBUG": "1"}], ids=["", "debug"])
def test_a_bug_is_one_line_and_its_traceback_tells_no_secret(debug: dict[str, str], tmp_path: Path) -> None:
    with (tmp_path / "out").open("w+") as out, (tmp_path / "err").open("w+") as err:
        environment = Broken({"AZURE_STORAGE_ACCOUNT": "x"} | debug)
        assert main(["container", "list"], Runtime(environment=environment, stdout=out, stderr=err)) == 1
        out.seek(0)
        err.seek(0)
        lines = err.read().splitlines()
    assert (tmp_path / "out").read_text() == ""
    assert lines[-2:] == [
        "stcc: a bug in stcc: LookupError",
        "  run it again with STCC_DEBUG=1 and report what it prints",
    ]
    assert ("Traceback (most recent call last):" in lines, len(lines) > 2) == (bool(debug), bool(debug))
    assert "U0VDUkVU" not in "".join(lines)


@pytest.fixture(scope="module")
def strict_azurite() -> Iterator[Instance]:
    """Run an Azurite as somebody else would start it: it checks the API version of every request."""
    arguments = [word for word in command(Setup(), progress=lambda _: None) if word != "--skipApiVersionCheck"]
    with tempfile.TemporaryFile() as log:
        child = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", env=surroundings(), process_group=0
        )
        try:
            ports = wait_until_ready(log.fileno(), alive=lambda: child.poll() is None)
            started = process.identity(child.pid) or ""
            # Azurite alone: nobody here asks for files.
            yield Instance(
                pid=child.pid,
                started=started,
                data=None,
                file_port=1,
                file_pid=child.pid,
                file_started=started,
                **ports,
            )
        finally:
            child.kill()
            child.wait()


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(["container create NAME", "container show NAME", "container list", "container delete NAME --yes"],
                     id="containers"),
        pytest.param(["container create NAME", "blob put NAME/a -", "blob show NAME/a", "blob get NAME/a -",
                      "blob list NAME", "lease acquire NAME/a --duration 15", "lease break NAME/a --period 0 --yes",
                      "blob delete NAME/a --force"], id="blobs and leases"),
        pytest.param(["queue create NAME", "queue send NAME hello", "queue peek NAME", "queue dequeue NAME",
                      "queue list", "queue clear NAME --yes", "queue delete NAME --yes"], id="queues"),
        pytest.param(["table create NAME", "entity insert NAME p r a=1", "entity get NAME p r", "entity query NAME",
                      "entity replace NAME p r a=2 --force", "entity delete NAME p r --force", "table list",
                      "table delete NAME --yes"], id="tables"),
    ],
)  # fmt: skip
def test_an_azurite_that_checks_versions_answers(strict_azurite: Instance, names: Names, lines: list[str]) -> None:
    stcc, name = Stcc(connection_string=strict_azurite.connection_string), names()
    answers = {line: stcc(*line.replace("NAME", name).split(), stdin=b"hello") for line in lines}

    assert {line: answer.err for line, answer in answers.items() if answer.code != 0} == {}


def test_that_azurite_does_check_versions(strict_azurite: Instance) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", strict_azurite.blob_port)
    connection.request("GET", f"/{DEVELOPMENT_ACCOUNT}?comp=list", headers={"x-ms-version": "2099-01-01"})
    answer = connection.getresponse()
    connection.close()

    assert (answer.status, answer.getheader("x-ms-error-code")) == (400, "InvalidHeaderValue")

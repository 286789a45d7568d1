"""Copies from a URL with a signature: it is used, and never shown."""

from datetime import UTC, datetime, timedelta

import pytest
from azure.storage.blob import generate_account_sas, generate_blob_sas

from stcc.connection import DEVELOPMENT_KEY
from tests.azurite import ProxiedAccount
from tests.running import Stcc
from tests.situations import CONTENT, Situation
from tests.wire import Answer, Drop, writes


def refusal(status: int, code: str) -> Answer:
    return Answer(status, {"x-ms-error-code": code})


@pytest.fixture
def signature(there: Situation) -> str:
    """Return a SAS that lets everybody read `blob`."""
    container, blob = there.blob.split("/")
    return generate_blob_sas(
        "devstoreaccount1",
        container,
        blob,
        account_key=DEVELOPMENT_KEY,
        permission="r",
        expiry=datetime.now(UTC) + timedelta(hours=1),
    )


@pytest.mark.parametrize("options", [[], ["--sync"]])
@pytest.mark.parametrize("form", ["human", "json", "tsv"])
def test_the_signature_of_a_source_is_used_and_never_shown(
    form: str, options: list[str], stcc: Stcc, there: Situation, signature: str
) -> None:
    source = f"http://127.0.0.1:{there.azurite.blob_port}/devstoreaccount1/{there.blob}?{signature}"
    code, out, err = stcc("blob", "copy", source, there.new_blob, *options, "--verbose", "-o", form)

    assert (code, there.content(there.new_blob)) == (0, CONTENT)
    assert [part for part in ("sig=", signature.partition("sig=")[2]) if part in out + err] == []


@pytest.mark.parametrize("form", ["human", "json"])
@pytest.mark.parametrize(
    ("fault", "code"),
    [
        pytest.param(refusal(403, "CannotVerifyCopySource"), 3, id="denied"),
        pytest.param(refusal(404, "CannotVerifyCopySource"), 4, id="absent"),
        pytest.param(refusal(412, "SourceConditionNotMet"), 12, id="refused"),
        pytest.param(
            Answer(400, {}, b"<Error><Code>InvalidHeaderValue</Code><Message>{source}</Message></Error>"),
            1,
            id="quoted by the service",
        ),
        pytest.param(Drop(), 70, id="lost"),
        pytest.param(Answer(503), 69, id="unavailable"),
    ],
)
def test_no_refusal_shows_the_signature_of_a_source(
    fault: Answer | Drop,
    code: int,
    form: str,
    proxied: ProxiedAccount,
    proxied_stcc: Stcc,
    there: Situation,
    signature: str,
) -> None:
    source = f"http://127.0.0.1:{proxied.blob.port}/devstoreaccount1/{there.blob}?{signature}"
    if isinstance(fault, Answer):
        fault = Answer(fault.code, fault.headers, fault.body.replace(b"{source}", source.encode()))
    proxied.fail(fault, when=writes, times=4)
    result = proxied_stcc("blob", "copy", source, there.new_blob, "--verbose", "-o", form)

    assert proxied.requests[0].headers["x-ms-copy-source"].endswith(signature.partition("sig=")[2])
    shown = result.out + result.err
    assert (result.code, signature.partition("sig=")[2] in shown, there.blob in shown) == (code, False, code < 69)


def test_the_signature_of_the_account_reads_the_source(proxied: ProxiedAccount, there: Situation) -> None:
    signature = generate_account_sas(
        "devstoreaccount1",
        account_key=DEVELOPMENT_KEY,
        resource_types="sco",
        permission="rwc",
        expiry=datetime.now(UTC) + timedelta(hours=1),
    )
    endpoint = f"http://127.0.0.1:{proxied.blob.port}/devstoreaccount1"
    stcc = Stcc(connection_string=f"BlobEndpoint={endpoint};SharedAccessSignature={signature}")
    code, out, err = stcc("blob", "copy", there.blob, there.new_blob, "--verbose")

    assert (code, out) == (0, f"{there.properties(there.new_blob).etag}\n")
    assert proxied.requests[0].headers["x-ms-copy-source"] == f"{endpoint}/{there.blob}?{signature}"
    assert signature.partition("sig=")[2] not in err

"""Secrets that somebody pasted into the wrong place are not quoted back."""

import pytest

from stcc.connection import DEVELOPMENT_KEY
from tests.running import Stcc

STRING = f"DefaultEndpointsProtocol=https;AccountName=example;AccountKey={DEVELOPMENT_KEY};EndpointSuffix=example.com"
SIGNED = "https://example.blob.core.windows.net/data/x?sv=2021-12-02&sig=c2VjcmV0%3D"


@pytest.mark.parametrize("secret", [STRING, SIGNED, DEVELOPMENT_KEY], ids=["connection string", "URL", "key"])
@pytest.mark.parametrize(
    "line",
    [
        "--profile _ container list",
        "--auth-mode _ container list",
        "--timeout _ container list",
        "--query _ container list",
        "-o _ container list",
        "blob put data/x _",
        "blob show _ --snapshot _",
        "blob show data/x --if-match _",
        "blob get data/x - --range _",
        "lease renew data/x --lease-id _",
        "lease acquire data/x --duration _",
        "blob set-metadata data/x _",
        "blob set-tags data/x _",
        "blob set-tier data/x _",
        "blob set-headers data/x --content-md5 _",
        "container set-acl data --policy _",
        "container set-acl data --from _",
        "queue dequeue jobs --visibility _",
        "entity get people a b c _",
        "completion _",
        "_",
    ],
)
@pytest.mark.parametrize("form", ["human", "json"])
def test_it_is_not_quoted_back(stcc: Stcc, line: str, secret: str, form: str) -> None:
    words = [secret if word == "_" else word for word in line.split(" ")]
    code, out, err = stcc("-o", form, *words)

    assert code in {2, 3, 4}
    assert [hidden for hidden in (DEVELOPMENT_KEY, "c2VjcmV0") if hidden in out + err] == []

"""A blob that changes while it is downloaded is refused, and the local file stays as it was."""

from pathlib import Path

import pytest

from tests.azurite import ProxiedAccount
from tests.conftest import Names
from tests.running import Stcc
from tests.wire import Answer, Recorded

BEYOND_ONE_REQUEST = 33 * 1024 * 1024


def later_range(request: Recorded) -> bool:
    """Tell the ranges after the first, which carry the ETag of the first answer."""
    return request.headers.get("x-ms-range", "bytes=0-").startswith("bytes=3")


@pytest.fixture
def large(stcc: Stcc, names: Names, tmp_path: Path) -> str:
    """Store a blob that takes more than one request to get, and return its name."""
    container, source = names(), tmp_path / "source"
    source.write_bytes(bytes(BEYOND_ONE_REQUEST))
    assert stcc("container", "create", container).code == 0
    assert stcc("blob", "put", f"{container}/large", str(source)).code == 0
    return f"{container}/large"


def test_a_blob_that_changes_midway_leaves_the_old_file(
    proxied: ProxiedAccount, proxied_stcc: Stcc, large: str, tmp_path: Path
) -> None:
    old = tmp_path / "copy"
    old.write_text("old")
    proxied.fail(Answer(412, {"x-ms-error-code": "ConditionNotMet"}), when=later_range)
    code, out, err = proxied_stcc("blob", "get", large, str(old), "--force", "--no-diagnose")

    assert (code, out, err.splitlines()[0]) == (
        12,
        "",
        f"stcc: cannot get {large}: it changed since you looked (412 ConditionNotMet)",
    )
    assert (old.read_text(), sorted(one.name for one in tmp_path.iterdir())) == ("old", ["copy", "source"])


def test_every_range_after_the_first_carries_the_first_etag(
    proxied: ProxiedAccount, proxied_stcc: Stcc, large: str, tmp_path: Path
) -> None:
    code, etag, _ = proxied_stcc("blob", "get", large, str(tmp_path / "copy"))
    ranges = [(one.headers["x-ms-range"], one.headers.get("if-match")) for one in proxied.requests]

    assert (code, ranges) == (
        0,
        [("bytes=0-33554431", None), ("bytes=33554432-34603007", etag.strip())],
    )
    assert (tmp_path / "copy").stat().st_size == BEYOND_ONE_REQUEST

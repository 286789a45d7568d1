"""blob put -r and get -r: an outcome for each file, and nothing outside of the folder."""

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import requests
from azure.storage.blob import ContainerSasPermissions, generate_container_sas

from stcc.connection import DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY
from stcc.emulator.instance import Instance
from tests.azurite import ProxiedAccount
from tests.running import Result, Stcc
from tests.situations import Situation
from tests.wire import Answer


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "sub" / "deep").mkdir(parents=True)
    (root / "a.txt").write_text("a")
    (root / "sub" / "b.html").write_text("bb")
    (root / "sub" / "deep" / "ü").write_text("ccc")
    return root


@pytest.fixture
def home(there: Situation) -> str:
    assert there.home
    return there.container


def names_in(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def items(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.out.splitlines()]


def raw_blob(azurite: Instance, container: str, name: str) -> int:
    """Put a blob of any name, every character of it percent-encoded, past what an SDK would make of it."""
    sas = generate_container_sas(
        DEVELOPMENT_ACCOUNT,
        container,
        account_key=DEVELOPMENT_KEY,
        permission=ContainerSasPermissions(write=True, create=True),
        expiry="2099-01-01T00:00:00Z",
    )
    encoded = "".join(f"%{byte:02X}" for byte in name.encode())
    url = f"http://127.0.0.1:{azurite.blob_port}/{DEVELOPMENT_ACCOUNT}/{container}/"
    request = requests.Request("PUT", f"{url}x?{sas}", data=b"evil", headers={"x-ms-blob-type": "BlockBlob"}).prepare()
    request.url = f"{url}{encoded}?{sas}"
    with requests.Session() as session:
        return session.send(request).status_code


def test_a_folder_is_put_and_got(stcc: Stcc, home: str, tree: Path, tmp_path: Path, there: Situation) -> None:
    put = stcc("blob", "put", "-r", f"{home}/up", str(tree))
    names = ["up/a.txt", "up/sub/b.html", "up/sub/deep/ü"]
    etags = [there.properties(f"{home}/{name}").etag for name in names]
    rows = [
        f"0\tblob-put\t{home}/{name}\t{tree}/{name.removeprefix('up/')}\t{etag}\t{size}\t201\t\t\n"
        for name, etag, size in zip(names, etags, (1, 2, 3), strict=True)
    ]
    assert put == Result(0, "".join(rows), "3 in all: 3 done\n")
    assert there.properties(f"{home}/up/sub/b.html").content_settings.content_type == "text/html"

    got = stcc("blob", "get", "-r", f"{home}/up", str(tmp_path / "down"), "-o", "ndjson")
    assert [item["etag"] for item in items(got)[:-1]] == etags
    assert items(got)[-1] == {"outcome": "blobs-got", "exit_code": 0}
    assert (tmp_path / "down/sub/deep/ü").read_text() == "ccc"


def test_a_prefix_is_a_folder(stcc: Stcc, home: str, there: Situation, tmp_path: Path) -> None:
    there.named("dir/one")
    there.named("dirty")

    assert stcc("blob", "get", "-r", f"{home}/dir", str(tmp_path / "down")).code == 0
    assert names_in(tmp_path / "down") == ["one"]


def test_one_refusal_among_many_is_no_success(stcc: Stcc, home: str, tree: Path, there: Situation) -> None:
    there.named("up/sub/b.html", b"old")

    result = stcc("blob", "put", "-r", f"{home}/up", str(tree), "-o", "ndjson")

    assert (result.code, [item["exit_code"] for item in items(result)]) == (9, [0, 9, 0, 9])
    assert items(result)[-1]["outcome"] == "blobs-put-in-part"
    assert there.content(f"{home}/up/sub/b.html") == b"old"
    assert stcc("blob", "put", "-r", f"{home}/up", str(tree), "--force").code == 0
    assert there.content(f"{home}/up/sub/b.html") == b"bb"


def test_links_and_pipes_are_not_followed_and_said(stcc: Stcc, home: str, tree: Path) -> None:
    (tree / "link").symlink_to("/etc/passwd")
    (tree / "folder").symlink_to("/etc")
    os.mkfifo(tree / "pipe")

    result = stcc("blob", "put", "-r", home, str(tree), "-o", "ndjson")

    refused = {item["path"]: item["message"] for item in items(result)[:-1] if item["exit_code"]}
    assert (result.code, refused) == (
        1,
        {
            str(tree / "folder"): "it is a symbolic link, which is not followed",
            str(tree / "link"): "it is a symbolic link, which is not followed",
            str(tree / "pipe"): "it is no regular file",
        },
    )


def test_different_failures_are_1_and_an_unknown_one_is_70(
    proxied: ProxiedAccount, proxied_stcc: Stcc, home: str, tree: Path, there: Situation
) -> None:
    there.named("up/a.txt")
    argv = ["blob", "put", "-r", f"{home}/up", str(tree), "--no-diagnose", "--no-marker"]
    proxied.fail(Answer(403, {"x-ms-error-code": "AuthorizationFailure"}), when=lambda one: one.path.endswith("b.html"))
    assert proxied_stcc(*argv).code == 1
    proxied.clear()
    proxied.fail(Answer(500), when=lambda one: one.path.endswith("b.html"), times=9)
    assert proxied_stcc(*argv).code == 70


def test_after_a_denial_the_rest_is_not_tried(
    proxied: ProxiedAccount, proxied_stcc: Stcc, home: str, tmp_path: Path
) -> None:
    for number in range(40):
        (tmp_path / f"{number:02}").write_text("x")
    proxied.fail(Answer(403, {"x-ms-error-code": "AuthorizationFailure"}), times=99)

    result = proxied_stcc("blob", "put", "-r", home, str(tmp_path), "-o", "ndjson")

    outcomes = [item["outcome"] for item in items(result)[:-1]]
    assert (len(outcomes), outcomes[0], outcomes[-1], len(proxied.requests) < 10) == (40, "denied", "not-tried", True)
    assert result.code != 0


@pytest.mark.parametrize(
    "name", ["../evil", "a/../../evil", "/abs", "a//b", "a/./b", "..", "dir/", "%2e%2e/evil", "a\\..\\evil"]
)
def test_a_name_that_leads_astray_is_refused_and_the_others_come(
    name: str, stcc: Stcc, azurite: Instance, home: str, there: Situation, tmp_path: Path
) -> None:
    there.named("good", b"good")
    assert raw_blob(azurite, home, name) == 201, quote(name)
    listed = {one.name for one in there.home.list_blobs()}
    down = tmp_path / "outer" / "down"

    result = stcc("blob", "get", "-r", home, str(down), "-o", "ndjson")

    codes = {item["path"]: item["exit_code"] for item in items(result)[:-1]}
    astray = (listed - {"good"}).pop()
    assert (result.code, codes) == (1, {"good": 0, astray: 2})
    everything = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert everything == ["outer/down/good"]


def test_a_planted_link_leads_nowhere(stcc: Stcc, home: str, there: Situation, tmp_path: Path) -> None:
    there.named("sub/file", b"new")
    there.named("plain", b"new")
    outside, down = tmp_path / "outside", tmp_path / "down"
    outside.mkdir()
    down.mkdir()
    (outside / "victim").write_text("precious")
    (down / "sub").symlink_to(outside)
    (down / "plain").symlink_to(outside / "victim")

    result = stcc("blob", "get", "-r", home, str(down), "--force", "-o", "ndjson")

    assert [(item["path"], item["exit_code"]) for item in items(result)[:-1]] == [("plain", 0), ("sub/file", 74)]
    assert (names_in(outside), (outside / "victim").read_text()) == (["victim"], "precious")
    assert ((down / "plain").is_symlink(), (down / "plain").read_text()) == (False, "new")


def test_a_file_that_is_there_stays_unless_forced(stcc: Stcc, home: str, there: Situation, tmp_path: Path) -> None:
    there.named("one", b"new")
    (tmp_path / "one").write_text("old")

    assert stcc("blob", "get", "-r", home, str(tmp_path)).code == 1
    assert (tmp_path / "one").read_text() == "old"
    assert stcc("blob", "get", "-r", home, str(tmp_path), "--force").code == 0
    assert ((tmp_path / "one").read_text(), names_in(tmp_path)) == ("new", ["one"])


def test_each_file_is_one_request_and_comes_as_it_was_listed(
    proxied: ProxiedAccount, proxied_stcc: Stcc, home: str, tree: Path, tmp_path: Path
) -> None:
    assert proxied_stcc("blob", "put", "-r", home, str(tree)).code == 0
    assert sorted((one.method, one.headers.get("if-none-match")) for one in proxied.requests) == [("PUT", "*")] * 3
    proxied.clear()
    assert proxied_stcc("blob", "get", "-r", home, str(tmp_path / "down")).code == 0
    assert [one.method for one in proxied.requests] == ["GET"] * 4
    assert all(one.headers.get("if-match") for one in proxied.requests[1:])


@pytest.mark.parametrize(
    "argv",
    [
        "blob put -r {container} FOLDER --if-match 0x1",
        "blob put -r {container} FOLDER --lease-id {held}",
        "blob put -r {container} FOLDER --if-none-match 0x1",
        "blob put -r {container} /nonexistent",
        "blob put -r {container} -",
        "blob get -r {container} FOLDER --if-match 0x1",
        "blob get -r {container} -",
        "blob get -r {container} FOLDER --range 0-1",
    ],
)
def test_what_is_one_blobs_alone_is_refused(
    argv: str, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation, tmp_path: Path
) -> None:
    words = there.argv(argv.replace("FOLDER", str(tmp_path)))

    assert (proxied_stcc(*words).code, proxied.requests) == (2, [])


def test_nothing_to_do_is_said(stcc: Stcc, home: str, tmp_path: Path) -> None:
    assert stcc("blob", "put", "-r", home, str(tmp_path)) == Result(0, "", "nothing to do\n")
    assert stcc("blob", "get", "-r", home, str(tmp_path)) == Result(4, "", "nothing to do\n")


def test_an_empty_folder_name_is_not_the_current_folder(stcc: Stcc, home: str) -> None:
    hint = "  is the variable set? . is the current folder\n"

    assert stcc("blob", "put", "-r", home, "") == Result(2, "", f"stcc: the source is empty\n{hint}")
    assert stcc("blob", "get", "-r", home, "") == Result(2, "", f"stcc: the destination is empty\n{hint}")

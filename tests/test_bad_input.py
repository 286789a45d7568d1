"""Bad input: one line that says so, the right exit code, and nothing on the wire."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from stcc.emulator.instance import Instance
from tests.azurite import ProxiedAccount
from tests.bad_input import ACLS, GUID, rows
from tests.harmless import harmless
from tests.running import Stcc

ROWS = list(rows())


def named(number: int, what: str, argv: list[str]) -> str:
    return f"{number} {' '.join(argv[:2])} {what}".encode("ascii", "backslashreplace").decode()


@pytest.fixture(scope="module")
def wire(azurite: Instance) -> Iterator[ProxiedAccount]:
    """Keep one set of proxies for the many calls of this module."""
    with ProxiedAccount(azurite) as account:
        yield account


def check(wire: ProxiedAccount, argv: list[str]) -> None:
    """Run a command line, in human and in JSON, that has to be refused before anything is sent."""
    wire.clear()
    stcc = Stcc(connection_string=wire.connection_string)
    code, out, err = stcc.raw(*argv, stdin=b"hello")
    lines = err.splitlines()
    assert (code, out, err[-1:], lines[0][:6], len(lines) <= 2) == (2, b"", "\n", "stcc: ", True)
    assert all(harmless(line) for line in lines)
    assert "Traceback" not in err
    assert "U0VDUkVU" not in err
    if "-o" not in argv:
        code, out, err = stcc.raw(*argv, "-o", "json", stdin=b"hello")
        document = json.loads(out)
        assert (code, err, document["outcome"], document["exit_code"]) == (2, "", "usage", 2)
        if harmless(document["message"]) and not document["message"].startswith("raw content"):  # a second mistake
            assert lines[0] == f"stcc: {document['message']}"
    assert wire.requests == []


@pytest.mark.parametrize(
    "argv", [pytest.param(argv, id=named(number, what, argv)) for number, (what, argv) in enumerate(ROWS)]
)
def test_bad_input_is_refused_before_anything_is_sent(wire: ProxiedAccount, argv: list[str]) -> None:
    check(wire, argv)


def test_the_table_is_long() -> None:
    assert len(ROWS) > 800
    assert len({tuple(argv) for _, argv in ROWS}) > 800


@pytest.mark.parametrize("verb", ["put", "get"])
@pytest.mark.parametrize(
    "path",
    [
        pytest.param("", id="empty"),
        pytest.param("/nonexistent/file", id="no such directory"),
        pytest.param("x" * 300, id="a name too long"),
        pytest.param("/\x1b[31m/[red]x", id="escapes and markup"),
        pytest.param("/\udcff/x", id="not UTF-8"),
        pytest.param("/etc/", id="a directory that is none of ours"),
    ],
)
def test_local_files_are_checked_first(wire: ProxiedAccount, verb: str, path: str) -> None:
    argv = ["blob", verb, "data/etc/passwd", path, *(["--force"] if verb == "put" else [])]
    check(wire, argv[:4] if path == "/etc/" and verb == "get" else argv)


def test_an_existing_destination_stays_as_it_is(wire: ProxiedAccount, tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("mine")

    check(wire, ["blob", "get", "data/a", str(file)])
    check(wire, ["blob", "get", "data/a", str(tmp_path)])
    check(wire, ["blob", "get", "data/a", str(file / "below")])
    assert file.read_text() == "mine"


@pytest.mark.parametrize("format_", ["json", "ndjson", "tsv", "none"])
def test_raw_content_leaves_no_room_for_a_format(wire: ProxiedAccount, format_: str) -> None:
    wire.clear()
    answer = Stcc(connection_string=wire.connection_string)("blob", "get", "data/a", "-", "-o", format_)
    said = (
        json.loads(answer.out)["message"] + "\n" if format_ in {"json", "ndjson"} else answer.err.removeprefix("stcc: ")
    )

    assert (answer.code, said, wire.requests) == (2, f"raw content cannot go to stdout with --output {format_}\n", [])


def test_raw_content_leaves_no_room_for_a_query(wire: ProxiedAccount) -> None:
    check(wire, ["blob", "get", "data/a", "-", "--query", "etag"])


@pytest.mark.parametrize(
    "argv",
    [
        pytest.param("blob put data/a - --force --if-match 0x1", id="force with an ETag"),
        pytest.param(f"blob delete data/a --force --lease-id {GUID}", id="force with a lease id"),
        pytest.param("entity replace jobs p r a=1 --force --if-match 0x1", id="force with an entity's ETag"),
        pytest.param(f"blob put data/a - --if-none-match * --lease-id {GUID}", id="only if there is none, leased"),
        pytest.param("blob show data/a --if-none-match *", id="only if there is none, on a read"),
        pytest.param("blob delete data/a --if-none-match *", id="only if there is none, on a delete"),
        pytest.param("lease acquire data/a --if-none-match *", id="only if there is none, on a lease"),
        pytest.param("blob put data/a - --if-match 0x1 --if-none-match 0x2", id="both ETags"),
        pytest.param("blob put data/a - --if-match 0x1 --if-modified-since now", id="ETag and the wrong date"),
        pytest.param(
            "blob delete data/a --if-none-match 0x1 --if-unmodified-since now", id="no ETag and the wrong date"
        ),
        pytest.param(
            "container delete data --yes --if-modified-since now-1h --if-unmodified-since now", id="both dates"
        ),
        pytest.param("blob delete data/a", id="a delete without a condition"),
        pytest.param("entity delete jobs p r", id="an entity's delete without a condition"),
        pytest.param("entity upsert jobs p r a=1", id="an upsert without a mode"),
        pytest.param("entity upsert jobs p r a=1 --mode merge --if-match 0x1", id="an upsert with a condition"),
        pytest.param(
            "blob delete data/a --force --snapshot 2026-01-31T12:00:00.1234567Z --snapshots only", id="two kinds"
        ),
        pytest.param("blob set-metadata data/a", id="no metadata"),
        pytest.param("blob set-metadata data/a a=b --clear", id="metadata and none"),
        pytest.param("container set-metadata data", id="no metadata of a container"),
        pytest.param("blob set-tags data/a", id="no tags"),
        pytest.param("blob set-tags data/a a=b --if-match 0x1", id="tags with an ETag"),
        pytest.param("blob set-tier data/a hot --if-match 0x1", id="a tier with an ETag"),
        pytest.param("blob set-tier data/a archive --rehydrate-priority high", id="into the archive, fast"),
        pytest.param("blob set-headers data/a", id="no header"),
        pytest.param("blob set-headers data/a --replace", id="no header to replace them by"),
        pytest.param("blob set-headers data/a --replace --content-type a/b --clear content-md5", id="with --clear"),
        pytest.param("blob set-headers data/a --cache-control x --clear cache-control", id="set and clear"),
        pytest.param("blob snapshot data/a --if-none-match *", id="a snapshot only if there is no blob"),
        pytest.param("container set-metadata data a=b --if-unmodified-since now", id="a date that is ignored"),
        pytest.param("container set-acl data", id="no change of an ACL"),
        pytest.param("container set-acl data --policy p:permissions=r --remove p", id="added and removed"),
        pytest.param("container set-acl data --from - --remove p", id="all and one less"),
        pytest.param("container set-acl data --from - --policy p:permissions=r", id="all and one more"),
        pytest.param("container set-acl data --replace --policy p:permissions=r", id="replaced, access not said"),
        pytest.param("container set-acl data --replace --public-access none --remove p", id="replaced and removed"),
        pytest.param("container set-acl data --replace --public-access none --attempts 3", id="replaced in rounds"),
        pytest.param("container set-acl data --public-access none --if-modified-since now-1h", id="no room to pin"),
        pytest.param("container set-acl data --public-access none --if-match 0x1", id="an ACL with an ETag"),
        pytest.param("lease acquire data/a --wait 1s --no-wait", id="wait and do not wait"),
        pytest.param("container delete data", id="nobody to confirm"),
        pytest.param("lease break data/a", id="nobody to confirm a break"),
        pytest.param("queue clear jobs", id="nobody to confirm a clear"),
    ],
)
def test_what_excludes_each_other_is_refused(wire: ProxiedAccount, argv: str) -> None:
    check(wire, argv.split())


@pytest.mark.parametrize("text", ACLS)
def test_a_document_that_is_no_acl_is_refused(wire: ProxiedAccount, tmp_path: Path, text: str) -> None:
    file = tmp_path / "acl.json"
    file.write_text(text)

    check(wire, ["container", "set-acl", "data", "--from", str(file)])


@pytest.mark.parametrize("words", [[], ["blob"], ["queue"]], ids=str)
def test_without_a_command_there_is_help_and_an_error(words: list[str]) -> None:
    code, out, err = Stcc()(*words)
    assert (code, out, err.partition(" [")[0]) == (2, "", " ".join(["Usage: stcc", *words]))
    assert err.endswith("\n\nstcc: missing command.\n")
    code, out, err = Stcc()("-o", "json", *words)
    assert (code, json.loads(out)["message"], err) == (2, "missing command.", "")


WORDS = st.sampled_from(["blob", "container", "lease", "queue", "table", "entity", "show", "put", "get",
    "delete", "list",
                         "acquire", "data", "data/..", "-", "--", "--if-match", "--lease-id", "-o", "json", "--limit",
                         "--query", "--timeout", "--account-name", "--profile", "--snapshot", "", "*"])  # fmt: skip


@given(st.lists(WORDS | st.text(max_size=8), max_size=6))
@hypothesis_settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_command_line_ends_in_a_bug(argv: list[str]) -> None:
    code, out, err = Stcc(environment={"AZURE_STORAGE_CONNECTION_STRING": "nonsense"}).raw(*argv)
    assert (code, b"Traceback" in out, "bug" in err) in {(0, False, False), (2, False, False), (74, False, False)}
    assert all(harmless(line) for line in err.splitlines())


@given(st.sampled_from(["--if-match", "--if-none-match", "--if-tags", "--if-modified-since", "--lease-id",
    "--range", "-o",
                        "--timeout", "--query", "--snapshot"]), st.text())  # fmt: skip
@hypothesis_settings(deadline=None, max_examples=150)
def test_any_value_of_an_option_is_taken_or_refused(flag: str, text: str) -> None:
    stcc = Stcc(connection_string="AccountName=acme;AccountKey=Zm9v;BlobEndpoint=http://127.0.0.1:1/acme")
    code, out, err = stcc.raw("blob", "get", "data/..", "-", flag, text)  # the target is refused in any case
    assert (code, out, err[:6]) == (2, b"", "stcc: ") or json.loads(out)["outcome"] == "usage"
    assert all(harmless(line) for line in err.splitlines())

"""Entities: what is refused before anything is sent."""

import json
import shlex
from pathlib import Path

import pytest

from tests.azurite import ProxiedAccount
from tests.running import Result, Stcc

ETAG = """'W/"datetime'"'"'2026-01-31T12%3A00%3A00Z'"'"'"'"""
UPDATE, MERGE, DELETE = "Update Entity", "Merge Entity", "Delete Entity"
UPSERT = "Insert Or Replace Entity / Insert Or Merge Entity"
WRITES = (("replace jobs p r a=1", UPDATE), ("merge jobs p r a=1", MERGE), ("delete jobs p r", DELETE))

KEYS = [
    ("get '' p r", "the target is empty"),
    ("get a-b p r", "not the name of a table: 'a-b'"),
    ("get jobs '' r", "the PartitionKey is empty"),
    ("delete jobs p '' --force", "the RowKey is empty"),
    ("get jobs p a/b", "the RowKey cannot contain '/'"),
    ("get jobs p '\x1b[31m'", r"the RowKey cannot contain '\x1b'"),
    ("get jobs p", "missing argument 'RK'."),
    ("get jobs p r x", "got unexpected extra argument(s) (x)"),
]
READS = [
    (f"get jobs p r --if-match {ETAG}", "Get Entity takes no --if-match"),
    (f"get jobs p r --if-none-match {ETAG}", "Get Entity takes no --if-none-match"),
    ("query jobs --if-tags x", "Query Entities takes no --if-tags"),
    ("query jobs --filter ''", "--filter is empty"),
    ("query jobs --select ''", "not the name of a property: ''"),
]
PROPERTIES = [
    ("insert jobs p r a", "not a property: 'a'"),
    ("insert jobs p r '\x1b[31m=a'", r"not the name of a property: '\x1b[31m'"),
    ("insert jobs p r a:=NaN", "property 'a' cannot be read as JSON: NaN is not JSON"),
    (f"insert jobs p r a:={'9' * 5000}", "property 'a' cannot be read as JSON: a number has too many digits"),
    ("insert jobs p r a:datetime=2026-01-31T12:00:00", "property 'a' is not DateTime: '2026-01-31T12:00:00'"),
    ("insert jobs p r 'a:guid=\x1b[31m'", r"property 'a' is not Guid: '\x1b[31m'"),
    (f"insert jobs p r a={'x' * 32769}", "property 'a' is larger than 64 KiB"),
    ("insert jobs p r a=1 --marker a", "--marker a is the name of a property that is given, too"),
    ("insert jobs p r --marker ''", "not the name of a property: ''"),
    ("replace jobs p r --force", "no property is given"),
    ("merge jobs p r --force", "no property is given"),
    ("upsert jobs p r --mode replace", "no property is given"),
    ("upsert jobs p r a=1", "an upsert needs --mode replace or --mode merge"),
    ("upsert jobs p r a=1 --mode ''", "invalid value for '--mode': '' is not one of 'replace', 'merge'."),
]
CONDITIONS = [
    ("insert jobs p r --if-match '*'", "Insert Entity takes no --if-match"),
    ("insert jobs p r --if-none-match '*'", "Insert Entity takes no --if-none-match"),
    ("insert jobs p r --lease-id x", "Insert Entity takes no --lease-id"),
    ("insert jobs p r --force", "no such option: --force (Possible options: --from)"),
    (f"upsert jobs p r a=1 --mode merge --if-match {ETAG}", f"{UPSERT} takes no --if-match"),
    ("upsert jobs p r a=1 --mode merge --force", "no such option: --force (Possible options: --from, --mode)"),
    *((write, f"{operation} needs a condition: --if-match or --force") for write, operation in WRITES),
    *(
        (f"{write} --force --if-match {ETAG}", "--force is unconditional; it excludes --if-match")
        for write, _ in WRITES
    ),
    *(
        (f"{write} {flag} x", f"{operation} takes no {flag}")
        for write, operation in WRITES
        for flag in ("--if-none-match", "--if-modified-since", "--if-unmodified-since", "--if-tags", "--lease-id")
    ),
    *(
        (f"{write} --if-match {shlex.quote(etag)}", f"--if-match {words}")
        for write, _ in WRITES
        for etag, words in (
            ("", "is empty"),
            (" ", "is empty"),
            ('""', "is not one ETag: '\"\"'"),
            ('W/""', "is not one ETag: 'W/\"\"'"),
            ("W/", "is not one ETag: 'W/'"),
            ('"a", "b"', 'is not one ETag: \'"a", "b"\''),
            ('"a\x1b[31m"', r"""is not one ETag: '"a\x1b[31m"'"""),
            ("a\r\nx: y", r"is not one ETag: 'a\r\nx: y'"),
        )
    ),
]


@pytest.mark.parametrize(
    ("command", "words"), [*KEYS, *READS, *PROPERTIES, *CONDITIONS], ids=lambda value: repr(value)[:80]
)
def test_what_cannot_be_asked_is_refused_and_nothing_is_sent(
    proxied: ProxiedAccount, proxied_stcc: Stcc, command: str, words: str
) -> None:
    assert proxied_stcc("entity", *shlex.split(command), "-q") == Result(2, "", f"stcc: {words}\n")
    assert proxied.requests == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"", "cannot be read as JSON: Expecting value (line 1, column 1)", id="nothing"),
        pytest.param(b"\xff{}", "is not UTF-8: SOURCE", id="not UTF-8"),
        pytest.param(b'{"a": "\xed\xa0\x80"}', "is not UTF-8: SOURCE", id="half a character"),
        pytest.param(b"[1]", "is not a JSON object", id="not an object"),
        pytest.param(b'{"a":1,"a":2}', "cannot be read as JSON: 'a' is given twice", id="twice"),
        pytest.param(b'{"a":1e999}', "cannot be read as JSON: 1e999 is too large for a number", id="a huge number"),
        pytest.param(b'{"a":Infinity}', "cannot be read as JSON: Infinity is not JSON", id="infinity"),
        pytest.param(
            b'{"\x1b[31m":1}', "cannot be read as JSON: Invalid control character at (line 1, column 3)", id="a control"
        ),
        pytest.param(b'{"PartitionKey":"q","a":1}', "has another PartitionKey: 'q'", id="another key"),
        pytest.param(b'{"a":' + b"[" * 100_000, "is nested too deeply", id="nested"),
        pytest.param(b" " * (16 * 1024 * 1024) + b"{}", "is larger than an entity can be: SOURCE", id="endless"),
    ],
)
def test_a_document_that_is_no_entity_is_refused_and_nothing_is_sent(
    proxied: ProxiedAccount, proxied_stcc: Stcc, tmp_path: Path, content: bytes, words: str
) -> None:
    file = tmp_path / "entity.json"
    file.write_bytes(content)
    for source, stdin in (("-", content), (str(file), b"")):
        told = f"stcc: --from {words}\n".replace("SOURCE", repr(source))

        assert proxied_stcc("entity", "insert", "jobs", "p", "r", "--from", source, "-q", stdin=stdin) == Result(
            2, "", told
        )
    assert proxied.requests == []


def test_a_file_that_cannot_be_read_is_refused_and_nothing_is_sent(
    proxied: ProxiedAccount, proxied_stcc: Stcc, tmp_path: Path
) -> None:
    missing = str(tmp_path / "none")
    for source, words in (
        ("", "--from is empty\n  is the variable set? - is stdin\n"),
        (missing, f"--from cannot be read: {missing!r}\n  No such file or directory\n"),
        (str(tmp_path), f"--from cannot be read: {str(tmp_path)!r}\n  Is a directory\n"),
        ("a\0b", "--from cannot be read: 'a\\x00b'\n  it is not the name of a file\n"),
    ):
        code, out, err = proxied_stcc("entity", "upsert", "jobs", "p", "r", "--mode", "merge", "--from", source)

        assert (code, out, err) == (2, "", f"stcc: {words}")
    assert proxied_stcc("entity", "insert", "jobs", "p", "r", "a=1", "--from", "-") == Result(
        2, "", "stcc: --from and NAME=VALUE exclude each other\n"
    )
    assert proxied.requests == []


def test_a_usage_error_is_one_document_in_json(stcc: Stcc) -> None:
    assert json.loads(stcc("entity", "get", "jobs", "", "r", "-o", "json").out) == {
        "outcome": "usage",
        "exit_code": 2,
        "http_status": None,
        "error_code": None,
        "request_id": None,
        "target": None,
        "result": None,
        "observed": None,
        "message": "the PartitionKey is empty",
        "hint": "is the variable set? the service allows an empty key, stcc does not",
    }

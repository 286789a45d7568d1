"""blob update and entity update: what a command makes of the content is written, only over what it was made of."""

import json
import signal
import time
from pathlib import Path

import pytest
from azure.storage.blob import ContentSettings

from tests.azurite import ProxiedAccount
from tests.running import Result, Stcc
from tests.situations import CONTENT, HELD, Situation
from tests.wire import Answer, Drop, writes

UPPER = ("--", "tr", "a-z", "A-Z")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def etag(there: Situation, target: str) -> str:
    return str(there.properties(target).etag)


def test_the_content_goes_through_the_command(stcc: Stcc, there: Situation) -> None:
    result = stcc("blob", "update", there.blob, *UPPER)

    assert result == Result(0, f"{etag(there, there.blob)}\n", f"updated {there.blob}, 13 bytes\n")
    assert there.content(there.blob) == CONTENT.upper()


def test_the_answer_for_programs(stcc: Stcc, there: Situation) -> None:
    document = json.loads(stcc("blob", "update", there.blob, "-o", "json", *UPPER).out)

    assert (document["outcome"], document["exit_code"], document["target"], document["result"]) == (
        "updated",
        0,
        there.blob,
        {"etag": etag(there, there.blob), "changed": True, "attempts": 1, "size": 13},
    )


def test_headers_metadata_and_tags_stay(stcc: Stcc, there: Situation) -> None:
    there.client(there.blob).set_http_headers(
        ContentSettings(content_type="text/x-one", content_encoding="e", content_language="de", cache_control="no")
    )
    there.client(there.blob).set_blob_metadata({"owner": "anna"})
    there.client(there.blob).set_blob_tags({"stage": "done"})

    assert stcc("blob", "update", there.blob, "--no-marker", *UPPER).code == 0
    found = there.properties(there.blob)
    kept = found.content_settings
    assert (kept.content_type, kept.content_encoding, kept.content_language, kept.cache_control) == (
        "text/x-one",
        "e",
        "de",
        "no",
    )
    assert (found.metadata, there.client(there.blob).get_blob_tags()) == ({"owner": "anna"}, {"stage": "done"})


def test_what_comes_out_the_same_is_not_written(stcc: Stcc, there: Situation) -> None:
    before = etag(there, there.blob)

    assert stcc("blob", "update", there.blob, "--", "cat") == Result(0, f"{before}\n", f"{there.blob} is unchanged\n")
    assert etag(there, there.blob) == before


@pytest.mark.parametrize(
    ("command", "code", "why"),
    [
        (["false"], 1, "'false' ended with 1: BLOB was not changed\n"),
        (["sh", "-c", "cat; exit 7"], 7, "'sh' ended with 7: BLOB was not changed\n"),
        (["sh", "-c", "kill -9 $$"], 137, "'sh' was ended by signal 9: BLOB was not changed\n"),
        (["/nonexistent"], 127, "cannot run '/nonexistent': no such file or directory\n"),
        (["/etc/passwd"], 126, "cannot run '/etc/passwd': permission denied\n"),
        (["true"], 1, "'true' wrote nothing: BLOB was not changed\n  --allow-empty if that is meant\n"),
    ],
)
def test_a_command_that_fails_changes_nothing(
    command: list[str], code: int, why: str, stcc: Stcc, there: Situation
) -> None:
    before = etag(there, there.blob)

    result = stcc("blob", "update", there.blob, "--", *command)

    assert result == Result(code, "", f"stcc: {why}".replace("BLOB", there.blob))
    assert (etag(there, there.blob), there.content(there.blob)) == (before, CONTENT)


def test_nothing_is_written_over_something_if_that_is_meant(stcc: Stcc, there: Situation) -> None:
    assert stcc("blob", "update", there.blob, "--allow-empty", "--", "true").code == 0
    assert there.content(there.blob) == b""


def test_a_blob_that_is_missing(stcc: Stcc, there: Situation) -> None:
    missing = stcc("blob", "update", there.new_blob, "--", "echo", "one")
    assert missing == Result(4, "", f"stcc: cannot get {there.new_blob}: there is no such blob (404 BlobNotFound)\n")

    assert stcc("blob", "update", there.new_blob, "--create", "--", "echo", "one").code == 0
    assert there.content(there.new_blob) == b"one\n"


def test_a_lease_goes_with_the_write(stcc: Stcc, there: Situation) -> None:
    without = stcc("blob", "update", there.leased_blob, *UPPER)
    assert (without.code, "(412 LeaseIdMissing)" in without.err, there.content(there.leased_blob)) == (
        12,
        True,
        CONTENT,
    )
    assert stcc("blob", "update", there.leased_blob, "--lease-id", HELD, *UPPER).code == 0


@pytest.mark.parametrize("target", ["append_blob", "page_blob"])
def test_another_kind_of_blob_is_left_alone(target: str, stcc: Stcc, there: Situation) -> None:
    result = stcc("blob", "update", getattr(there, target), *UPPER)

    assert (result.code, result.out, "only block blobs up to 256 MiB can be rewritten" in result.err) == (9, "", True)


def test_who_is_overtaken_begins_again_with_what_is_there_then(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    first = tmp_path / "first"
    other = f'[ -e {first} ] || {{ touch {first}; printf "somebody else" > {first}.text; }}'
    script = f"cat; {other}; [ -e {first}.done ] || {{ touch {first}.done; sleep 1; }}"
    process = stcc.process("blob", "update", there.blob, "--no-local-lock", "--", "sh", "-c", f"{script}; echo mine")
    until = time.monotonic() + 60
    while not first.exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    there.named("free", b"somebody else's, ")
    out, err = process.communicate()

    assert (process.returncode, there.content(there.blob)) == (0, b"somebody else's, mine\n")
    assert out.decode() == f"{etag(there, there.blob)}\n"
    assert err.decode() == f"updated {there.blob}, 22 bytes, in round 2: others were writing, too\n"


def test_attempts_are_used_up(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    argv = there.argv("blob update {blob} --attempts 3")
    proxied.fail(Answer(412, {"x-ms-error-code": "ConditionNotMet"}), when=writes, times=9)

    result = proxied_stcc(*argv, *UPPER)

    assert (result.code, result.out, [one.method for one in proxied.requests]) == (12, "", ["GET", "PUT"] * 3)


def test_a_lost_answer_is_settled_by_the_mark(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    argv = there.argv("blob update {blob}")
    proxied.fail(Drop(), when=writes)

    result = proxied_stcc(*argv, *UPPER)
    assert (result.code, result.out) == (0, f"{etag(there, there.blob)}\n")


def test_a_signal_goes_to_the_command_and_nothing_is_changed(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    process = stcc.process("blob", "update", there.blob, "--", "sh", "-c", f"touch {ready}; exec sleep 60")
    until = time.monotonic() + 60
    while not ready.exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    process.communicate()

    assert (process.returncode, there.content(there.blob)) == (143, CONTENT)


def test_metadata_is_a_json_object(stcc: Stcc, there: Situation) -> None:
    there.client(there.blob).set_blob_metadata({"count": "1"})

    assert stcc("blob", "update", there.blob, "--metadata", "--no-marker", "--", "jq", '.count = "2"').code == 0
    assert (there.properties(there.blob).metadata, there.content(there.blob)) == ({"count": "2"}, CONTENT)


@pytest.mark.parametrize("text", ["[]", "not json", '{"a": 1}', '{"1": "x"}', '{"a": "\\u00e4"}', '{"stcc_op": "x"}'])
def test_what_is_no_metadata_is_not_written(text: str, stcc: Stcc, there: Situation) -> None:
    before = etag(there, there.blob)
    result = stcc("blob", "update", there.blob, "--metadata", "--", "printf", "%s", text)

    assert (result.code, result.out, "nothing was changed" in result.err) == (1, "", True)
    assert etag(there, there.blob) == before


def test_an_entity_keeps_its_types(stcc: Stcc, there: Situation) -> None:
    stcc("entity", "merge", there.table, "P", "R", "big:int64=9007199254740993", "--force")

    assert stcc("entity", "update", there.table, "P", "R", "--", "jq", ".n += 1").code == 0
    shown = json.loads(stcc("entity", "get", there.table, "P", "R", "-o", "json").out)["result"]["properties"]
    assert shown == {"n": 2, "big": "9007199254740993", "big@odata.type": "Edm.Int64"}


@pytest.mark.parametrize("text", ["", "[]", "nonsense", '{"PartitionKey": "other"}', '{"a": {}}'])
def test_what_is_no_entity_is_not_written(text: str, stcc: Stcc, there: Situation) -> None:
    before = stcc("entity", "get", there.table, "P", "R", "-o", "json", "--query", "[etag, properties]").out
    result = stcc("entity", "update", there.table, "P", "R", "--", "printf", "%s", text)

    assert (result.code, result.out, "nothing was changed" in result.err) == (1, "", True)
    after = stcc("entity", "get", there.table, "P", "R", "-o", "json", "--query", "[etag, properties]").out
    assert json.loads(after)["result"] == json.loads(before)["result"]


@pytest.mark.parametrize(
    "argv",
    [
        ["blob", "update", "{blob}"],
        ["blob", "update", "{blob}", "--"],
        ["blob", "update", "{blob}", "--attempts", "0", "--", "cat"],
        ["blob", "update", "{blob}", "--if-match", "0x1", "--", "cat"],
        ["blob", "update", "{blob}", "--force", "--", "cat"],
        ["blob", "update", "{blob}", "--create", "--metadata", "--", "cat"],
        ["blob", "update", "{blob}", "--create", "--lease-id", HELD, "--", "cat"],
        ["entity", "update", "{table}", "P", "R"],
        ["entity", "update", "{table}", "P", "R", "--lease-id", HELD, "--", "cat"],
    ],
    ids=str,
)
def test_what_cannot_be_meant_is_refused(
    argv: list[str], proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    assert (proxied_stcc(*there.argv(argv)).code, proxied.requests) == (2, [])

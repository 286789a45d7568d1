"""Metadata, headers, tiers and snapshots of blobs: what each command prints and returns."""

import base64
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from stcc.values.times import iso
from tests.azurite import ProxiedAccount
from tests.commands.answers import document, seen
from tests.running import Result, Stcc
from tests.situations import HELD, OTHER, Situation
from tests.wire import Answer, Recorded, writes

MD5 = "HLJR7A1WjeapKbUgxK7Y0Q=="
UNMET = "look at what is there, and at the condition"


def headers(there: Situation, target: str) -> dict[str, object]:
    """Return what is stored, without what is not."""
    found: object = there.properties(target).content_settings
    return {name: value for name, value in vars(found).items() if value is not None}


def test_metadata_is_replaced_as_a_whole(stcc: Stcc, there: Situation) -> None:
    there.client(there.blob).set_blob_metadata({"old": "1"})
    code, etag, story = stcc("blob", "set-metadata", there.blob, "Owner=anna", "empty=")

    found = there.properties(there.blob)
    mark = found.metadata.pop("stcc_op")
    assert (code, etag, story) == (0, f"{found.etag}\n", f"set the metadata of {there.blob}\n")
    assert (found.metadata, len(mark), there.content(there.blob)) == (
        {"Owner": "anna", "empty": ""},
        36,
        b"first content",
    )


def test_metadata_without_a_mark_and_no_metadata_at_all(stcc: Stcc, there: Situation) -> None:
    assert stcc("blob", "set-metadata", there.blob, "a=b", "--no-marker", "-q").code == 0
    assert there.properties(there.blob).metadata == {"a": "b"}
    assert stcc("blob", "set-metadata", there.blob, "--clear", "--no-marker", "-q").code == 0
    assert there.properties(there.blob).metadata == {}


def test_metadata_in_every_format(stcc: Stcc, there: Situation) -> None:
    answer = document(stcc("blob", "set-metadata", there.blob, "a=b", "-o", "json"))
    found = there.properties(there.blob)

    assert answer == {
        "outcome": "blob-metadata-set",
        "exit_code": 0,
        "http_status": 200,
        "error_code": None,
        "target": there.blob,
        "result": {"etag": found.etag, "last_modified": iso(found.last_modified)},
        "observed": None,
    }
    code, out, _ = stcc("blob", "set-metadata", there.blob, "a=b", "-o", "tsv")
    found = there.properties(there.blob)
    assert (code, out) == (0, f"{found.etag}\t{iso(found.last_modified)}\n")


REFUSED: dict[str, tuple[list[str], str]] = {
    "set-metadata": (["a=b"], "set the metadata of"),
    "set-headers": (["--content-type", "text/csv", "--replace"], "set the headers of"),
    "snapshot": ([], "take a snapshot of"),
}


@pytest.mark.parametrize("verb", REFUSED)
def test_what_changed_since_is_refused(verb: str, stcc: Stcc, there: Situation) -> None:
    more, doing = REFUSED[verb]

    assert stcc("blob", verb, there.blob, *more, "--if-match", "0x8D1") == Result(
        12,
        "",
        f"stcc: cannot {doing} {there.blob}: it changed since you looked (412 ConditionNotMet)\n"
        + seen(there, there.blob, expected='"0x8D1"')
        + "  read it again, decide again, and use the current ETag\n",
    )
    assert stcc("blob", verb, there.blob, *more, "--if-match", there.etag, "-q").code == 0


@pytest.mark.parametrize("verb", REFUSED)
def test_what_is_not_there_is_absent(verb: str, stcc: Stcc, there: Situation) -> None:
    more, doing = REFUSED[verb]

    assert stcc("blob", verb, there.new_blob, *more) == Result(
        4,
        "",
        f"stcc: cannot {doing} {there.new_blob}: there is no such blob (404 BlobNotFound)\n"
        "  seen afterwards: exists false\n",
    )


@pytest.mark.parametrize("verb", ["set-metadata", "set-headers"])
def test_what_is_leased_needs_its_id(verb: str, stcc: Stcc, there: Situation) -> None:
    (more, doing), target = REFUSED[verb], there.leased_blob

    assert stcc("blob", verb, target, *more) == Result(
        12,
        "",
        f"stcc: cannot {doing} {target}: it is leased and no lease id was given (412 LeaseIdMissing)\n"
        + seen(there, target)
        + "  pass --lease-id if the lease is yours; else wait\n",
    )
    assert stcc("blob", verb, target, *more, "--lease-id", OTHER, "-q") == Result(
        12,
        "",
        f"stcc: cannot {doing} {target}: it is leased under another id (412 LeaseIdMismatchWithBlobOperation)\n",
    )
    assert stcc("blob", verb, target, *more, "--lease-id", HELD, "-q").code == 0


def test_a_snapshot_is_no_target_of_a_write(stcc: Stcc, there: Situation) -> None:
    taken = "2026-01-31T12:00:00.1234567Z"
    url = f"http://127.0.0.1:{there.azurite.blob_port}/devstoreaccount1/{there.blob}?snapshot={taken}"

    assert stcc("blob", "set-metadata", url, "a=b") == Result(2, "", "stcc: a snapshot cannot be written\n")


def test_headers_that_are_not_named_stay(stcc: Stcc, there: Situation) -> None:
    line = ["--content-type", "text/csv", "--cache-control", "no-cache", "--content-md5", MD5]
    assert stcc("blob", "set-headers", there.blob, *line, "-q").code == 0
    code, etag, story = stcc("blob", "set-headers", there.blob, "--content-language", "de", "--clear", "cache-control")

    assert (code, etag, story) == (0, f"{there.properties(there.blob).etag}\n", f"set the headers of {there.blob}\n")
    assert headers(there, there.blob) == {
        "content_type": "text/csv",
        "content_language": "de",
        "content_md5": bytearray(base64.b64decode(MD5)),
    }


def test_every_header_can_be_set_and_all_but_the_type_cleared(stcc: Stcc, there: Situation) -> None:
    set_all = ["--content-type", "a/b", "--content-encoding", "gzip", "--content-language", "de"]
    set_all += ["--content-disposition", "inline", "--cache-control", "no-store", "--content-md5", MD5]
    assert stcc("blob", "set-headers", there.blob, *set_all, "-q").code == 0
    assert headers(there, there.blob) == {
        "content_type": "a/b",
        "content_encoding": "gzip",
        "content_language": "de",
        "content_disposition": "inline",
        "cache_control": "no-store",
        "content_md5": bytearray(base64.b64decode(MD5)),
    }

    names = ["content-encoding", "content-language", "content-disposition", "cache-control", "content-md5"]
    cleared = [word for name in names for word in ("--clear", name)]
    assert stcc("blob", "set-headers", there.blob, *cleared, "-q").code == 0
    assert headers(there, there.blob) == {"content_type": "a/b"}


def test_replace_clears_what_is_not_given(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    there.client(there.blob).set_http_headers(there.properties(there.blob).content_settings)
    argv = there.argv("blob set-headers {blob} --content-language de --replace -q")

    assert (proxied_stcc(*argv).code, headers(there, there.blob)) == (0, {"content_language": "de"})
    assert len(proxied.requests) == 1


def test_what_is_kept_is_pinned_to_the_state_it_was_read_from(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    etag = there.etag
    line = "blob set-headers {blob} --content-language de -q --if-unmodified-since now+1h --if-tags a='b'"
    assert proxied_stcc(*there.argv(line)).code in {0, 12}  # Azurite does not look at tags beside an ETag

    read, write = proxied.requests
    assert (read.method, write.method) == ("HEAD", "PUT")
    assert {name: write.headers.get(name) for name in ("if-match", "if-unmodified-since", "x-ms-if-tags")} == {
        "if-match": etag,
        "if-unmodified-since": None,
        "x-ms-if-tags": "a='b'",
    }


@pytest.mark.parametrize("condition", ["--if-match 0x8D1", "--if-none-match {etag}", "--if-modified-since now+1h"])
def test_a_condition_that_what_was_read_does_not_meet_is_refused(
    condition: str, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = there.argv(f"blob set-headers {{blob}} --content-language de -q {condition}")
    code, out, err = proxied_stcc(*argv)

    assert (code, out, err.endswith("(checked before the write)\n")) == (12, "", True)
    assert [request.method for request in proxied.requests if writes(request)] == []


def overwritten_before(there: Situation, *, times: int) -> Any:
    """Let somebody else set a header just before our write arrives, so many times."""
    left = [times]

    def arrives(request: Recorded) -> bool:
        if writes(request) and left[0]:
            left[0] -= 1
            found = there.properties(there.blob).content_settings
            found.cache_control = f"theirs {left[0]}"
            there.client(there.blob).set_http_headers(found)
        return False

    return arrives


def test_whoever_was_overtaken_reads_again_and_loses_nothing(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    proxied.fail(Answer(500), when=overwritten_before(there, times=2))

    assert proxied_stcc("blob", "set-headers", there.blob, "--content-language", "de", "-q").code == 0
    assert headers(there, there.blob) == {
        "content_type": "application/octet-stream",
        "content_language": "de",
        "cache_control": "theirs 0",
    } | {name: value for name, value in headers(there, there.blob).items() if name == "content_md5"}
    assert [request.status for request in proxied.requests if writes(request)] == [412, 412, 200]


def test_with_a_condition_there_is_no_second_round(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = there.argv("blob set-headers {blob} --content-language de -q --if-match {etag}")
    proxied.fail(Answer(500), when=overwritten_before(there, times=1))

    assert proxied_stcc(*argv).code == 12
    assert [request.status for request in proxied.requests if writes(request)] == [412]


def test_writers_of_different_headers_all_keep_theirs(stcc: Stcc, there: Situation) -> None:
    target = there.blob
    line = ["--content-language de", "--cache-control no-store", "--content-disposition inline"]

    def change(words: str) -> int:
        return stcc.run("blob", "set-headers", target, *words.split(), "-q").code

    with ThreadPoolExecutor(3) as pool:
        codes = list(pool.map(change, line))

    found = headers(there, target)
    assert (codes, found["content_language"], found["cache_control"], found["content_disposition"]) == (
        [0, 0, 0],
        "de",
        "no-store",
        "inline",
    )


def test_a_tier_is_set_and_the_way_out_of_the_archive_is_pending(stcc: Stcc, there: Situation) -> None:
    target = there.blob

    assert stcc("blob", "set-tier", target, "COLD") == Result(0, "", f"{target} is in tier Cold\n")
    assert stcc("blob", "set-tier", target, "archive", "-q") == Result(0, "", "")
    assert document(stcc("blob", "set-tier", target, "hot", "--rehydrate-priority", "high", "-o", "json")) == {
        "outcome": "blob-tier-set",
        "exit_code": 0,
        "http_status": 202,
        "error_code": None,
        "target": target,
        "result": {"tier": "Hot", "pending": True},
        "observed": None,
    }
    assert stcc("blob", "set-tier", target, "archive", "-q").code == 0
    assert stcc("blob", "set-tier", target, "cool") == Result(
        0, "", f"{target} is being brought back to Cool, which takes hours: blob show\n"
    )
    assert stcc("blob", "set-tier", target, "cool", "-o", "tsv").out == "Cool\tfalse\n"


def test_the_priority_is_sent(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    proxied_stcc(*there.argv("blob set-tier {blob} hot --rehydrate-priority standard"))

    sent = proxied.requests[0].headers
    assert (sent["x-ms-access-tier"], sent["x-ms-rehydrate-priority"]) == ("Hot", "Standard")


def test_a_tier_that_a_blob_cannot_have_is_not_accepted(stcc: Stcc, there: Situation) -> None:
    why = "The access tier is not supported for this blob type. (400 AccessTierNotSupportedForBlobType)"

    assert stcc("blob", "set-tier", there.blob, "P4") == Result(
        1, "", f"stcc: cannot set the tier of {there.blob}: {why}\n"
    )


def test_a_lost_answer_about_a_tier_shows_the_tier(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    target = there.blob
    proxied.fail(Answer(500), when=writes, times=9)
    code, out, err = proxied_stcc("blob", "set-tier", target, "cool")

    assert (code, out, "tier Hot" in err) == (70, "", True)


def test_a_snapshot_is_named_by_its_time(stcc: Stcc, there: Situation) -> None:
    target = there.blob
    code, out, story = stcc("blob", "snapshot", target)
    there.client(target).upload_blob(b"changed", overwrite=True)

    assert (code, story) == (0, f"took a snapshot of {target}\n")
    assert stcc("blob", "get", target, "-", "--snapshot", out.strip()) == Result(0, "first content", "")
    answer = document(stcc("blob", "snapshot", target, "--metadata", "why=backup", "-o", "json"))
    taken = answer["result"]["snapshot"]
    found = there.client(target).get_blob_properties()
    assert answer == {
        "outcome": "blob-snapshot-taken",
        "exit_code": 0,
        "http_status": 201,
        "error_code": None,
        "target": target,
        "result": {"snapshot": taken, "etag": found.etag, "last_modified": iso(found.last_modified)},
        "observed": None,
    }
    shown = document(stcc("blob", "show", target, "--snapshot", taken, "-o", "json"))
    assert shown["result"]["metadata"] == {"why": "backup"}


def test_a_snapshot_of_a_leased_blob_needs_no_id(stcc: Stcc, there: Situation) -> None:
    target = there.leased_blob

    assert stcc("blob", "snapshot", target, "-q").code == 0
    assert stcc("blob", "snapshot", target, "--lease-id", HELD, "-q").code == 0
    assert stcc("blob", "snapshot", target, "--lease-id", OTHER, "-q").code == 12


@pytest.mark.parametrize("condition", ["--if-none-match {etag}", "--if-modified-since now+1h"])
def test_a_snapshot_is_a_write_also_where_it_is_answered_as_a_read(
    condition: str, stcc: Stcc, there: Situation
) -> None:
    # Azurite answers 304, which the documentation allows for; the service answers 412.
    assert stcc(*there.argv(f"blob snapshot {{blob}} {condition}")) == Result(
        12,
        "",
        f"stcc: cannot take a snapshot of {there.blob}: a condition is not met (304 ConditionNotMet)\n"
        + seen(there, there.blob)
        + f"  {UNMET}\n",
    )

"""Index tags of blobs: what is printed and returned, and what guards them."""

import json

from tests.commands.answers import document, seen
from tests.running import Result, Stcc
from tests.situations import HELD, OTHER, Situation


def test_tags_are_replaced_as_a_whole_and_the_etag_stays(stcc: Stcc, there: Situation) -> None:
    target, etag = there.blob, there.etag
    there.client(target).set_blob_tags({"old": "1"})

    assert stcc("blob", "set-tags", target, "stage=done", "the owner=a/b:c") == Result(
        0, "", f"set the tags of {target}\n"
    )
    assert there.client(target).get_blob_tags() == {"stage": "done", "the owner": "a/b:c"}
    assert there.properties(target).etag == etag


def test_tags_are_shown_in_every_format(stcc: Stcc, there: Situation) -> None:
    target = there.blob
    there.client(target).set_blob_tags({"stage": "done", "name": "x y"})

    assert stcc("blob", "get-tags", target) == Result(0, "stage=done\nname=x y\n", "")
    assert stcc("blob", "get-tags", target, "-o", "tsv") == Result(0, "stage\tdone\nname\tx y\n", "")
    assert stcc("blob", "get-tags", target, "--query", "tags.stage") == Result(0, "done\n", "")
    assert json.loads(stcc("blob", "get-tags", target, "-o", "json").out) == {
        "outcome": "blob-tags-shown",
        "exit_code": 0,
        "http_status": 200,
        "error_code": None,
        "request_id": None,
        "target": target,
        "result": {"tags": {"stage": "done", "name": "x y"}},
        "observed": None,
    }


def test_no_tags_are_said_to_be_none(stcc: Stcc, there: Situation) -> None:
    target = there.blob
    there.client(target).set_blob_tags({"stage": "done"})
    answer = document(stcc("blob", "set-tags", target, "--clear", "-o", "json"))

    assert (answer["outcome"], answer["http_status"], answer["result"]) == ("blob-tags-set", 204, {})
    assert stcc("blob", "get-tags", target) == Result(0, "", f"{target} has no tags\n")
    assert stcc("blob", "get-tags", target, "-o", "tsv", "-q") == Result(0, "", "")


def test_tags_of_a_snapshot(stcc: Stcc, there: Situation) -> None:
    client = there.client(there.blob)
    client.set_blob_tags({"stage": "then"})
    taken = str(client.create_snapshot()["snapshot"])
    client.set_blob_tags({"stage": "now"})

    assert stcc("blob", "get-tags", there.blob, "--snapshot", taken).out == "stage=then\n"


def test_tags_that_are_not_as_expected_are_not_read(stcc: Stcc, there: Situation) -> None:
    there.client(there.blob).set_blob_tags({"stage": "done"})

    assert stcc("blob", "get-tags", there.blob, "--if-tags", "stage = 'done'").out == "stage=done\n"
    assert stcc("blob", "get-tags", there.blob, "--if-tags", "stage = 'draft'") == Result(
        12,
        "",
        f"stcc: cannot get the tags of {there.blob}: a condition is not met (412 ConditionNotMet)\n"
        + seen(there, there.blob)
        + "  look at what is there, and at the condition\n",
    )


def test_tags_of_what_is_leased_need_its_id(stcc: Stcc, there: Situation) -> None:
    target = there.leased_blob
    code, out, err = stcc("blob", "set-tags", target, "a=b")

    assert (code, out, err) == (
        12,
        "",
        f"stcc: cannot set the tags of {target}: it is leased and no lease id was given (412 LeaseIdMissing)\n"
        + seen(there, target)
        + "  pass --lease-id if the lease is yours; else wait\n",
    )
    assert stcc("blob", "set-tags", target, "a=b", "--lease-id", OTHER, "-q").code == 12
    assert stcc("blob", "set-tags", target, "a=b", "--lease-id", HELD, "-q") == Result(0, "", "")
    assert stcc("blob", "get-tags", target) == Result(0, "a=b\n", "")


def test_an_etag_is_refused_because_it_says_nothing_about_tags(stcc: Stcc, there: Situation) -> None:
    assert stcc("blob", "set-tags", there.blob, "a=b", "--if-match", there.etag) == Result(
        2, "", "stcc: Set Blob Tags takes no --if-match\n  tags have no ETag: --if-tags or a lease can guard them\n"
    )


def test_tags_of_what_is_not_there_are_absent(stcc: Stcc, there: Situation) -> None:
    for argv, doing in ((["set-tags", there.new_blob, "a=b"], "set"), (["get-tags", there.new_blob], "get")):
        assert stcc("blob", *argv) == Result(
            4,
            "",
            f"stcc: cannot {doing} the tags of {there.new_blob}: there is no such blob (404 BlobNotFound)\n"
            "  seen afterwards: exists false\n",
        )

"""Metadata, public access and stored access policies of containers: what is printed, and that nothing is lost."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stcc.values.times import iso
from tests.azurite import ProxiedAccount
from tests.commands.answers import document, seen
from tests.running import Result, Stcc
from tests.situations import HELD, OTHER, Situation
from tests.wire import Answer, Drop, Recorded, Refuse, writes

READ = "readers:permissions=lr,start=2026-01-01T00:00:00Z,expiry=2027-01-01T00:00:00Z"
READERS = {
    "id": "readers",
    "start": "2026-01-01T00:00:00Z",
    "expiry": "2027-01-01T00:00:00Z",
    "permissions": "rl",
}


def acl(stcc: Stcc, name: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(stcc("container", "get-acl", name, "-o", "json").out)["result"]
    return {"public_access": found["public_access"], "policies": found["policies"]}


def replaced(stcc: Stcc, name: str, *argv: str) -> None:
    """Set an ACL at once, without the wait of a change."""
    assert stcc("container", "set-acl", name, "--replace", *argv, "-q").code == 0


def test_metadata_is_replaced_as_a_whole(stcc: Stcc, there: Situation) -> None:
    name = there.existing_container
    there.client(name).set_container_metadata({"old": "1"})
    code, etag, story = stcc("container", "set-metadata", name, "Owner=anna")

    found = there.properties(name)
    assert (code, etag, story) == (0, f"{found.etag}\n", f"set the metadata of container {name}\n")
    assert {key: len(value) for key, value in found.metadata.items()} == {"Owner": 4, "stcc_op": 36}
    answer = document(stcc("container", "set-metadata", name, "--clear", "--no-marker", "-o", "json"))
    found = there.properties(name)
    assert (answer["outcome"], answer["result"], found.metadata) == (
        "container-metadata-set",
        {"etag": found.etag, "last_modified": iso(found.last_modified)},
        {},
    )


def test_metadata_of_what_was_not_modified_since_is_refused(stcc: Stcc, there: Situation) -> None:
    name = there.existing_container

    assert stcc("container", "set-metadata", name, "a=b", "--if-modified-since", "now+1h") == Result(
        12,
        "",
        f"stcc: cannot set the metadata of container {name}: a condition is not met (412 ConditionNotMet)\n"
        + seen(there, name, sized=False)
        + "  look at what is there, and at the condition\n",
    )
    assert stcc("container", "set-metadata", name, "a=b", "--if-modified-since", "now-1h", "-q").code == 0


@pytest.mark.parametrize("line", ["set-metadata {it} a=b", "get-acl {it}", "set-acl {it} --public-access blob"])
def test_a_lease_id_that_is_given_must_be_the_one(line: str, stcc: Stcc, there: Situation) -> None:
    words = line.replace("{it}", there.leased_container).split()
    code, out, err = stcc("container", *words, "--lease-id", OTHER, "-q")

    assert (code, out, "(412 LeaseIdMismatchWithContainerOperation)" in err) == (12, "", True)
    assert stcc("container", *words, "--lease-id", HELD, "-q").code == 0
    assert stcc("container", *words, "-q").code == 0


def test_show_takes_a_lease_id(stcc: Stcc, there: Situation) -> None:
    name = there.leased_container

    assert stcc("container", "show", name, "--lease-id", HELD, "--query", "lease_state") == Result(0, "leased\n", "")
    assert stcc("container", "show", name, "--lease-id", OTHER, "-q").code == 12


def test_what_is_not_there_is_absent(stcc: Stcc, there: Situation) -> None:
    name = there.new_container
    for words, doing in (
        (["set-metadata", name, "a=b"], "set the metadata of"),
        (["get-acl", name], "show the ACL of"),
        (["set-acl", name, "--public-access", "none"], "show the ACL of"),
        (["set-acl", name, "--public-access", "none", "--replace"], "set the ACL of"),
    ):
        assert stcc("container", *words) == Result(
            4,
            "",
            f"stcc: cannot {doing} container {name}: there is no such container (404 ContainerNotFound)\n"
            "  seen afterwards: exists false\n  stcc container create NAME\n",
        )


def test_an_acl_is_shown_in_every_format(stcc: Stcc, there: Situation) -> None:
    name = there.existing_container
    replaced(stcc, name, "--policy", READ, "--policy", "empty id:permissions=w", "--public-access", "blob")
    found = there.properties(name)
    when = iso(found.last_modified)

    assert stcc("container", "get-acl", name) == Result(
        0,
        f"container      {name}\n"
        "public access  blob\n"
        f"etag           {found.etag}\n"
        f"last modified  {when}\n"
        "id        start                 expiry                permissions\n"
        "readers   2026-01-01T00:00:00Z  2027-01-01T00:00:00Z  rl\n"
        "empty id                                              w\n",
        "",
    )
    assert stcc("container", "get-acl", name, "-o", "tsv") == Result(
        0, "readers\t2026-01-01T00:00:00Z\t2027-01-01T00:00:00Z\trl\nempty id\t\t\tw\n", ""
    )
    assert document(stcc("container", "get-acl", name, "-o", "json")) == {
        "outcome": "container-acl-shown",
        "exit_code": 0,
        "http_status": 200,
        "error_code": None,
        "target": name,
        "result": {
            "public_access": "blob",
            "policies": [READERS, {"id": "empty id", "start": None, "expiry": None, "permissions": "w"}],
            "etag": found.etag,
            "last_modified": when,
        },
        "observed": None,
    }


def test_no_policies_are_said_to_be_none(stcc: Stcc, there: Situation) -> None:
    name = there.existing_container
    found = there.properties(name)

    assert stcc("container", "get-acl", name) == Result(
        0,
        f"container      {name}\npublic access  none\netag           {found.etag}\n"
        f"last modified  {iso(found.last_modified)}\npolicies       none\n",
        "",
    )
    assert stcc("container", "get-acl", name, "-o", "tsv") == Result(0, "", "")


def test_a_change_leaves_the_rest_as_it_is(stcc: Stcc, there: Situation) -> None:
    name = there.existing_container
    replaced(stcc, name, "--policy", READ, "--policy", "old:permissions=r", "--public-access", "blob")
    answer = stcc("container", "set-acl", name, "--policy", "new:permissions=wr", "--remove", "old")

    waited = f"container {name} was changed just now: waiting 2.0 s, to see who else changes it\n"
    assert answer == Result(0, f"{there.properties(name).etag}\n", f"{waited}set the ACL of container {name}\n")
    assert acl(stcc, name) == {
        "public_access": "blob",
        "policies": [READERS, {"id": "new", "start": None, "expiry": None, "permissions": "rw"}],
    }


def test_what_is_so_already_is_not_written(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    name = there.existing_container
    replaced(proxied_stcc, name, "--policy", READ, "--public-access", "none")
    proxied.clear()

    assert proxied_stcc("container", "set-acl", name, "--policy", READ) == Result(
        0, f"{there.properties(name).etag}\n", f"the ACL of container {name} is so already\n"
    )
    assert [request.method for request in proxied.requests] == ["GET"]


def test_what_was_printed_is_taken_back(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    name, file = there.existing_container, tmp_path / "acl.json"
    replaced(stcc, name, "--policy", READ, "--public-access", "container")
    before = acl(stcc, name)
    file.write_text(stcc("container", "get-acl", name, "-o", "json").out)
    replaced(stcc, name, "--public-access", "none")

    replaced(stcc, name, "--from", str(file))
    assert acl(stcc, name) == before
    code, out, _ = stcc(
        "container", "set-acl", name, "--from", "-", "--replace", "--public-access", "none", "-o", "json",
        stdin=json.dumps(before).encode(),
    )  # fmt: skip
    found = there.properties(name)
    assert (code, json.loads(out)["result"]) == (
        0,
        {**before, "public_access": "none", "etag": found.etag, "last_modified": iso(found.last_modified)},
    )


def test_a_document_takes_the_place_of_all_policies_and_leaves_the_access(stcc: Stcc, there: Situation) -> None:
    name = there.existing_container
    replaced(stcc, name, "--policy", "old:permissions=r", "--public-access", "blob")

    given = b'{"policies": [{"id": "new", "permissions": "wr"}]}'
    assert stcc("container", "set-acl", name, "--from", "-", "-q", stdin=given).code == 0
    assert acl(stcc, name) == {
        "public_access": "blob",
        "policies": [{"id": "new", "start": None, "expiry": None, "permissions": "rw"}],
    }


def test_a_sixth_policy_is_refused(stcc: Stcc, there: Situation) -> None:
    name = there.existing_container
    five = [word for number in range(5) for word in ("--policy", f"p{number}:permissions=r")]
    replaced(stcc, name, *five, "--public-access", "none")

    assert stcc("container", "set-acl", name, "--policy", "p5:permissions=r") == Result(
        9,
        "",
        f"stcc: cannot set the ACL of container {name}: it would have 6 policies, 5 are the most\n"
        "  --remove ID makes room; container get-acl lists them\n",
    )


def test_what_was_modified_since_is_refused_in_one_round(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    name = there.existing_container
    line = ["container", "set-acl", name, "--public-access", "blob", "--if-unmodified-since", "now-1h"]

    assert proxied_stcc(*line) == Result(
        12,
        "",
        f"stcc: cannot set the ACL of container {name}: a condition is not met (412 ConditionNotMet)\n"
        + seen(there, name, sized=False)
        + "  look at what is there, and at the condition\n",
    )
    assert [request.status for request in proxied.requests if writes(request)] == [412]
    assert proxied_stcc(*line, "--replace", "-q").code == 12


def test_the_state_that_was_read_is_what_the_write_is_pinned_to(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    name = there.leased_container
    when = there.properties(name).last_modified.strftime("%a, %d %b %Y %H:%M:%S GMT")
    line = ["--public-access", "blob", "--if-unmodified-since", "now+1h", "--lease-id", HELD]
    assert proxied_stcc("container", "set-acl", name, *line, "-q").code == 0

    names = ("if-unmodified-since", "x-ms-lease-id")
    sent = [[request.method, *(request.headers.get(header) for header in names)] for request in proxied.requests]
    assert sent == [["GET", None, HELD], ["GET", None, HELD], ["PUT", when, HELD]]


def test_a_lost_answer_is_settled_by_what_is_there(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    name = there.existing_container
    proxied.fail(Drop(), when=writes)
    code, out, err = proxied_stcc("container", "set-acl", name, "--policy", "p:permissions=r")

    assert (code, out, err.splitlines()[1:]) == (
        0,
        f"{there.properties(name).etag}\n",
        [
            "the answer was lost on the way; what is there now is what was asked for",
            f"set the ACL of container {name}",
        ],
    )


def test_a_change_that_never_arrived_is_made_on_top_of_what_others_wrote(
    proxied: ProxiedAccount, proxied_stcc: Stcc, stcc: Stcc, there: Situation
) -> None:
    name = there.existing_container
    met: list[Recorded] = []

    def first_write(request: Recorded) -> bool:
        if writes(request) and not met:
            met.append(request)
            replaced(stcc, name, "--policy", READ, "--public-access", "blob")
            return True
        return False

    proxied.fail(Refuse(), when=first_write)
    line = ["container", "set-acl", name, "--policy", "p:permissions=r", "-o", "json"]
    answer = json.loads(proxied_stcc(*line).out)

    assert (answer["exit_code"], answer["observed"]) == (0, {"answer_lost": True, "settled_by": "repeat"})
    assert acl(stcc, name) == {
        "public_access": "blob",
        "policies": [READERS, {"id": "p", "start": None, "expiry": None, "permissions": "r"}],
    }


def test_a_lost_answer_about_metadata_is_settled_by_the_mark(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    name = there.existing_container
    for more, code in (["-q"], 0), (["-q", "--no-marker"], 70):
        proxied.fail(Drop(), when=writes)
        proxied.fail(Answer(503), when=writes, times=9)
        assert proxied_stcc("container", "set-metadata", name, "a=b", *more).code == code
        proxied.clear()


def test_writers_of_different_policies_all_keep_theirs(stcc: Stcc, there: Situation) -> None:
    name = there.existing_container

    def add(policy: str) -> int:
        return stcc.run("container", "set-acl", name, "--policy", f"{policy}:permissions=r").code

    with ThreadPoolExecutor(3) as pool:
        codes = list(pool.map(add, "abc"))

    assert codes == [0, 0, 0]
    assert set(stcc("container", "get-acl", name, "--query", "policies[].id").out.split()) == {*"abc"}

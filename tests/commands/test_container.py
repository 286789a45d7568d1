"""Containers: what each command prints and returns."""

import json

from stcc.values.times import iso
from tests.commands.answers import document, seen
from tests.conftest import Names
from tests.running import Result, Stcc
from tests.situations import HELD, OTHER, Situation


def test_a_container_is_created_once(stcc: Stcc, names: Names) -> None:
    name = names()
    code, etag, story = stcc("container", "create", name)

    assert (code, story) == (0, f"created container {name}\n")
    shown = json.loads(stcc("-o", "json", "container", "show", name).out)
    assert etag == shown["result"]["etag"] + "\n"
    assert stcc("container", "create", name) == Result(
        9,
        "",
        f"stcc: cannot create container {name}: there is a container of that name (409 ContainerAlreadyExists)\n"
        f"  seen afterwards: etag {shown['result']['etag']}, last modified {shown['result']['last_modified']}, "
        "lease state available, lease status unlocked\n",
    )


def test_a_container_that_is_not_there_is_absent(stcc: Stcc, names: Names) -> None:
    name = names()

    assert stcc("container", "show", name, "-q") == Result(
        4, "", f"stcc: cannot show container {name}: there is no such container (404 ContainerNotFound)\n"
    )


def test_create_and_show_in_every_format(stcc: Stcc, there: Situation) -> None:
    name = there.new_container
    created = document(stcc("container", "create", name, "--metadata", "Owner=me", "-o", "json"))

    found = there.properties(name)
    when, mark = iso(found.last_modified), found.metadata["stcc_op"]
    assert created == {
        "outcome": "container-created",
        "exit_code": 0,
        "http_status": 201,
        "error_code": None,
        "target": name,
        "result": {"etag": found.etag, "last_modified": when},
        "observed": None,
    }
    assert stcc("container", "show", name) == Result(
        0,
        f"container       {name}\netag            {found.etag}\nlast modified   {when}\n"
        "lease           available\nmetadata Owner  me\n",
        "",
    )
    assert document(stcc("container", "show", name, "-o", "json"))["result"] == {
        "etag": found.etag,
        "last_modified": when,
        "lease_state": "available",
        "lease_status": "unlocked",
        "lease_duration": None,
        "public_access": None,
        "metadata": {"Owner": "me", "stcc_op": mark},
    }
    assert stcc("container", "show", name, "-o", "tsv") == Result(
        0, f"{found.etag}\t{when}\tavailable\tunlocked\t\t\tOwner=me stcc_op={mark}\n", ""
    )
    assert stcc("container", "show", name, "-o", "none") == Result(0, "", "")


def test_no_marker_leaves_the_metadata_alone(stcc: Stcc, there: Situation) -> None:
    assert stcc("container", "create", there.new_container, "--no-marker", "-q").code == 0
    assert there.properties(there.new_container).metadata == {}


def test_list_shows_leases(stcc: Stcc, there: Situation) -> None:
    free, leased = there.existing_container, there.leased_container
    facts = [(one, iso(there.properties(one).last_modified), there.properties(one).etag) for one in (free, leased)]

    assert stcc("container", "list", "--prefix", free) == Result(
        0,
        f"name{' ' * (len(free) - 4)}  lease state  lease duration  last modified         etag\n"
        f"{free}  available                    {facts[0][1]}  {facts[0][2]}\n",
        "",
    )
    assert stcc("container", "list", "--prefix", leased, "-o", "tsv") == Result(
        0, f"{leased}\tleased\tinfinite\t{facts[1][1]}\t{facts[1][2]}\n", ""
    )
    assert stcc("container", "list", "--prefix", leased, "--query", "[].lease_status") == Result(0, "locked\n", "")


def test_delete_needs_yes_without_a_terminal(stcc: Stcc, there: Situation) -> None:
    name = there.existing_container

    assert stcc("container", "delete", name) == Result(
        2,
        "",
        f"stcc: delete container {name} with all its blobs: it needs --yes\n  there is no terminal to ask on\n",
    )
    assert stcc("container", "delete", name, "--yes") == Result(0, "", f"deleted container {name}\n")
    assert not there.client(name).exists()


def test_delete_of_a_leased_container_needs_its_id(stcc: Stcc, there: Situation) -> None:
    name = there.leased_container

    assert stcc("container", "delete", name, "--yes") == Result(
        12,
        "",
        f"stcc: cannot delete container {name}: it is leased and no lease id was given (412 LeaseIdMissing)\n"
        f"{seen(there, name, sized=False)}  pass --lease-id if the lease is yours; else wait\n",
    )
    assert stcc("container", "delete", name, "--yes", "--lease-id", OTHER, "--no-diagnose") == Result(
        12,
        "",
        f"stcc: cannot delete container {name}: it is leased under another id "
        "(412 LeaseIdMismatchWithContainerOperation)\n"
        "  the lease is not yours any more: stop, read it again, acquire again\n",
    )
    assert stcc("container", "delete", name, "--yes", "--lease-id", HELD).code == 0


def test_delete_of_what_is_not_there_is_absent(stcc: Stcc, there: Situation) -> None:
    name = there.new_container

    assert stcc("container", "delete", name, "--yes") == Result(
        4,
        "",
        f"stcc: cannot delete container {name}: there is no such container (404 ContainerNotFound)\n"
        "  seen afterwards: exists false\n  stcc container create NAME\n",
    )


def test_delete_of_what_has_changed_since_is_refused(stcc: Stcc, there: Situation) -> None:
    name = there.existing_container

    assert stcc("container", "delete", name, "--yes", "--if-unmodified-since", "now-1h", "-q") == Result(
        12, "", f"stcc: cannot delete container {name}: a condition is not met (412 ConditionNotMet)\n"
    )


def test_an_etag_is_refused_because_the_service_ignores_it(stcc: Stcc, there: Situation) -> None:
    assert stcc("container", "delete", there.existing_container, "--yes", "--if-match", "0x8D1") == Result(
        2,
        "",
        "stcc: Delete Container takes no --if-match\n  the service ignores ETag and tag conditions on containers\n",
    )

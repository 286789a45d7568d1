"""Shares: what each command prints and returns."""

import json
from typing import Any

import pytest
from azure.storage.fileshare import ShareLeaseClient

from stcc.values.times import iso
from tests.commands.answers import document
from tests.conftest import Names
from tests.running import Result, Stcc
from tests.teams import HELD, OTHER, Team


def seen(team: Team) -> str:
    """Return the line that tells what is there after a refusal."""
    found = team.client.get_share_properties()
    duration = f", lease duration {found.lease.duration}" if found.lease.duration else ""
    lease = f"lease state {found.lease.state}, lease status {found.lease.status}{duration}"
    return f"  seen afterwards: etag {found.etag}, last modified {iso(found.last_modified)}, {lease}\n"


def test_a_share_is_created_once(stcc: Stcc, names: Names, team: Team) -> None:
    name = names()
    code, etag, story = stcc("share", "create", name, "--quota", "7", "--metadata", "owner=anna")

    found = team.at(name).get_share_properties()
    assert (code, etag, story) == (0, f"{found.etag}\n", f"created share {name}\n")
    assert (found.quota, found.metadata["owner"]) == (7, "anna")
    assert stcc("share", "create", name, "--no-diagnose") == Result(
        9, "", f"stcc: cannot create share {name}: there is a share of that name (409 ShareAlreadyExists)\n"
    )


def test_a_share_is_shown_in_every_format(stcc: Stcc, team: Team) -> None:
    found = team.client.get_share_properties()
    when = iso(found.last_modified)
    fields: dict[str, Any] = {
        "etag": found.etag,
        "last_modified": when,
        "lease_state": "available",
        "lease_status": "unlocked",
        "lease_duration": None,
        "quota": 5120,
        "tier": "TransactionOptimized",
        "metadata": {},
    }

    assert stcc("share", "show", team.share) == Result(
        0,
        f"share          {team.share}\netag           {found.etag}\nlast modified  {when}\nlease          available\n"
        "quota          5120 GiB\ntier           TransactionOptimized\n",
        "",
    )
    assert document(stcc("share", "show", team.share, "-o", "json")) == {
        "outcome": "share-shown",
        "exit_code": 0,
        "http_status": 200,
        "error_code": None,
        "target": team.share,
        "result": fields,
        "observed": None,
    }
    assert stcc("share", "show", team.share, "-o", "tsv").out == (
        f"{found.etag}\t{when}\tavailable\tunlocked\t\t5120\tTransactionOptimized\t\n"
    )


def test_a_share_that_is_not_there_is_absent(stcc: Stcc, names: Names) -> None:
    name = names()

    for argv, doing in (
        (["share", "show", name], "show share"),
        (["share", "delete", name, "--yes"], "delete share"),
        (["share", "set-metadata", name, "a=b"], "set the metadata of share"),
        (["share", "snapshot", name], "take a snapshot of share"),
        (["file", "list", name], "list"),
    ):
        assert stcc(*argv, "-q") == Result(
            4, "", f"stcc: cannot {doing} {name}: there is no such share (404 ShareNotFound)\n"
        )


def test_metadata_is_replaced_as_a_whole(stcc: Stcc, team: Team) -> None:
    assert stcc("share", "set-metadata", team.share, "a=1", "b=2").code == 0
    code, etag, story = stcc("share", "set-metadata", team.share, "b=3", "--no-marker")

    found = team.client.get_share_properties()
    assert (code, etag, story) == (0, f"{found.etag}\n", f"set the metadata of share {team.share}\n")
    assert found.metadata == {"b": "3"}
    assert stcc("share", "set-metadata", team.share, "--clear", "--no-marker").code == 0
    assert team.client.get_share_properties().metadata == {}


def test_a_snapshot_is_named_by_its_time(stcc: Stcc, team: Team) -> None:
    team.put("a.txt", b"first")
    code, out, story = stcc("share", "snapshot", team.share)
    taken = out.rstrip("\n")
    team.put("a.txt", b"second")

    assert (code, story) == (0, f"took a snapshot of share {team.share}\n")
    assert stcc("file", "get", f"{team.share}/a.txt", "-", "--snapshot", taken).out == "first"
    assert stcc("file", "get", f"{team.share}/a.txt", "-").out == "second"
    assert stcc("share", "show", team.share, "--snapshot", taken, "--query", "lease_state").out == "available\n"
    assert stcc("file", "list", team.share, "--snapshot", taken, "--query", "[].name").out == "a.txt\n"
    listed = stcc("share", "list", "--prefix", team.share, "--include", "snapshots", "-o", "json")
    assert [one["snapshot"] for one in json.loads(listed.out)["result"]] == [taken, None]


def test_nothing_in_a_snapshot_can_be_changed(stcc: Stcc, team: Team) -> None:
    url = f"{team.client.primary_endpoint}?sharesnapshot=2026-01-31T12:00:00.1234567Z"
    file = f"{team.client.primary_endpoint}/a.txt?sharesnapshot=2026-01-31T12:00:00.1234567Z"

    for verb in ("create", "snapshot", "set-metadata"):
        argv = ["share", verb, url, *(["a=b"] if verb == "set-metadata" else [])]
        assert stcc(*argv) == Result(2, "", "stcc: a snapshot cannot be changed\n")
    for argv in (["delete", file], ["mkdir", file], ["set-metadata", file, "a=b"], ["rename", file, f"{file}2"]):
        assert stcc("file", *argv) == Result(2, "", "stcc: nothing in a snapshot can be changed\n")


def test_a_share_with_snapshots_is_deleted_with_them_or_not_at_all(stcc: Stcc, team: Team) -> None:
    taken = stcc("share", "snapshot", team.share).out.rstrip("\n")

    assert stcc("share", "delete", team.share, "--yes") == Result(
        9,
        "",
        f"stcc: cannot delete share {team.share}: the share has snapshots (409 ShareHasSnapshots)\n{seen(team)}"
        "  --snapshots include deletes them, too\n",
    )
    assert stcc("share", "delete", team.share, "--snapshot", taken, "--yes") == Result(
        0, "", f"deleted share {team.share}?sharesnapshot={taken}\n"
    )
    assert stcc("share", "snapshot", team.share).code == 0
    assert stcc("share", "delete", team.share, "--snapshots", "include", "--yes") == Result(
        0, "", f"deleted share {team.share} with its snapshots\n"
    )


def test_a_share_is_not_deleted_without_being_asked(stcc: Stcc, team: Team) -> None:
    assert stcc("share", "delete", team.share) == Result(
        2,
        "",
        f"stcc: delete share {team.share} with all its files: it needs --yes\n  there is no terminal to ask on\n",
    )


def test_a_leased_share_is_deleted_by_its_holder(stcc: Stcc, team: Team) -> None:
    ShareLeaseClient(team.client, lease_id=HELD).acquire(lease_duration=-1)

    refusals = {
        None: ("it is leased and no lease id was given (412 LeaseIdMissing)", "pass --lease-id if the lease is yours;"),
        OTHER: ("it is leased under another id (412 LeaseIdMismatchWithContainerOperation)", "the lease is not yours"),
    }
    for given, (words, hint) in refusals.items():
        code, out, err = stcc("share", "delete", team.share, "--yes", *([] if given is None else ["--lease-id", given]))
        assert (code, out) == (12, "")
        assert err.startswith(f"stcc: cannot delete share {team.share}: {words}\n{seen(team)}  {hint}")
    assert stcc("share", "delete", team.share, "--yes", "--lease-id", HELD).code == 0


def test_shares_are_listed(stcc: Stcc, team: Team) -> None:
    found = team.client.get_share_properties()
    when = iso(found.last_modified)

    assert stcc("share", "list", "--prefix", team.share, "-o", "tsv") == Result(
        0, f"{team.share}\t\t5120\tavailable\t\t{when}\t{found.etag}\n", ""
    )
    assert json.loads(stcc("share", "list", "--prefix", team.share, "--limit", "1", "-o", "json").out)["result"] == [
        {
            "name": team.share,
            "snapshot": None,
            "quota": 5120,
            "tier": "TransactionOptimized",
            "etag": found.etag,
            "last_modified": when,
            "lease_state": "available",
            "lease_status": "unlocked",
            "lease_duration": None,
        }
    ]


@pytest.mark.parametrize("name", ["Team", "a", "te--am", "team/", "$root", ""])
def test_what_no_share_can_be_called_is_refused(stcc: Stcc, name: str) -> None:
    assert stcc("share", "show", name).code == 2


def test_files_know_no_conditions(stcc: Stcc, team: Team) -> None:
    target = team.put()

    for flag, value in (("--if-match", team.etag()), ("--if-none-match", "*"), ("--if-unmodified-since", "now")):
        assert stcc("file", "delete", target, flag, value) == Result(
            2,
            "",
            f"stcc: Delete File takes no {flag}\n  the file service has none: it knows no conditions, only leases\n",
        )

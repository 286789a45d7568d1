"""Between a lost answer and its repeat somebody else is there too: exit 0 never hides whose state is there now."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.azurite import ProxiedAccount
from tests.running import Stcc
from tests.situations import HELD, THIRD, Situation
from tests.wire import Drop, Fault, Recorded, Refuse, writes

Deed = Callable[[Situation], object]


def before_the_repeat(deed: Callable[[], object]) -> Callable[[Recorded], bool]:
    """Do something when the request that this is asked about arrives, once; it matches nothing."""
    done: list[object] = []

    def arrives(request: Recorded) -> bool:
        if writes(request) and not done:
            done.append(deed())
        return False

    return arrives


def overwrite(target: str) -> Deed:
    return lambda there: there.client(getattr(there, target)).upload_blob(b"theirs", overwrite=True)


def overwrite_and_keep_metadata(target: str) -> Deed:
    """Write as a tool does that reads a blob, changes its content and puts it back with all its metadata."""

    def write(there: Situation) -> object:
        blob = there.client(getattr(there, target))
        return blob.upload_blob(b"theirs", overwrite=True, metadata=blob.get_blob_properties().metadata)

    return write


def add_metadata(target: str) -> Deed:
    def write(there: Situation) -> object:
        blob = there.client(getattr(there, target))
        return blob.set_blob_metadata({**blob.get_blob_properties().metadata, "theirs": "1"})

    return write


def create_container(there: Situation) -> object:
    return there.blobs.create_container(there.new_container)


def delete_and_create_container(there: Situation) -> object:
    there.blobs.delete_container(there.new_container)
    return create_container(there)


def take_over(target: str) -> Deed:
    def write(there: Situation) -> object:
        lease = there.lease(getattr(there, target), THIRD)
        lease.break_lease(0)
        return lease.acquire(60)

    return write


def acquire(target: str) -> Deed:
    return lambda there: there.lease(getattr(there, target), THIRD).acquire(60)


def end(target: str) -> Deed:
    return lambda there: there.lease(getattr(there, target)).break_lease(0)


APPLIED, NOT_APPLIED = Drop(), Refuse()


@pytest.mark.parametrize(
    ("argv", "fault", "deed"),
    [
        pytest.param("blob put {new_blob} -", APPLIED, overwrite("new_blob"), id="created, then overwritten"),
        pytest.param("blob put {new_blob} -", NOT_APPLIED, overwrite("new_blob"), id="somebody else created it"),
        pytest.param(
            "blob put {new_blob} -",
            APPLIED,
            overwrite_and_keep_metadata("new_blob"),
            id="created, then overwritten with the operation id kept",
        ),
        pytest.param("blob put {new_blob} -", APPLIED, add_metadata("new_blob"), id="created, then metadata added"),
        pytest.param("blob put {blob} - --if-match {etag}", APPLIED, overwrite("blob"), id="replaced twice"),
        pytest.param("blob put {blob} - --if-match {etag}", NOT_APPLIED, overwrite("blob"), id="replaced by another"),
        pytest.param(
            "blob put {blob} - --if-match {etag}",
            APPLIED,
            overwrite_and_keep_metadata("blob"),
            id="replaced twice with the operation id kept",
        ),
        pytest.param("blob delete {blob} --if-match {etag}", NOT_APPLIED, overwrite("blob"), id="not deleted"),
        pytest.param("blob set-metadata {blob} a=b --if-match {etag}", APPLIED, overwrite("blob"), id="metadata gone"),
        pytest.param(
            "blob set-metadata {blob} a=b --if-match {etag}", NOT_APPLIED, overwrite("blob"), id="metadata not set"
        ),
        pytest.param(
            "blob set-metadata {blob} a=b --if-match {etag}", APPLIED, add_metadata("blob"), id="more metadata added"
        ),
        pytest.param(
            "blob set-headers {blob} --content-type a/b --replace --if-match {etag}",
            APPLIED,
            overwrite("blob"),
            id="headers gone",
        ),
        pytest.param("container create {new_container}", NOT_APPLIED, create_container, id="their container"),
        pytest.param(
            "container create {new_container}", APPLIED, delete_and_create_container, id="their container, anew"
        ),
    ],
)
def test_a_change_that_somebody_else_has_met_since_is_unknown(
    argv: str, fault: Fault, deed: Deed, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    words = there.argv(argv)
    proxied.fail(fault, when=writes)
    proxied.fail(fault, when=before_the_repeat(lambda: deed(there)))

    assert proxied_stcc(*words, stdin=b"text")[:2] == (70, "")
    assert len([request for request in proxied.requests if writes(request)]) == 2


@pytest.mark.parametrize(
    ("argv", "fault", "deed", "holder"),
    [
        pytest.param("acquire {blob} --proposed-id {other}", NOT_APPLIED, acquire("blob"), THIRD, id="theirs first"),
        pytest.param("acquire {blob} --proposed-id {other}", APPLIED, take_over("blob"), THIRD, id="broken"),
        pytest.param("renew {leased_blob} --lease-id {held}", APPLIED, take_over("leased_blob"), THIRD, id="renewed"),
        pytest.param("renew {leased_blob} --lease-id {held}", NOT_APPLIED, take_over("leased_blob"), THIRD, id="not"),
        pytest.param("renew {leased_blob} --lease-id {held}", APPLIED, end("leased_blob"), None, id="ended"),
        pytest.param(
            "change {leased_blob} --lease-id {held} --proposed-id {other}",
            APPLIED,
            take_over("leased_blob"),
            THIRD,
            id="changed",
        ),
        pytest.param("release {leased_blob} --lease-id {held}", APPLIED, acquire("leased_blob"), THIRD, id="released"),
        pytest.param(
            "release {leased_blob} --lease-id {held}", NOT_APPLIED, take_over("leased_blob"), THIRD, id="not released"
        ),
        pytest.param("break {leased_blob} --yes", APPLIED, acquire("leased_blob"), None, id="break is never repeated"),
    ],
)
def test_a_lease_that_somebody_else_has_taken_since_stays_theirs(
    argv: str,
    fault: Fault,
    deed: Deed,
    holder: str | None,
    proxied: ProxiedAccount,
    proxied_stcc: Stcc,
    there: Situation,
) -> None:
    words = there.argv(argv)
    proxied.fail(fault, when=writes)
    proxied.fail(fault, when=before_the_repeat(lambda: deed(there)))

    assert proxied_stcc("lease", *words)[:2] == (70, "")
    assert is_held_under(there, words[1], THIRD) is (holder is not None)


def is_held_under(there: Situation, target: str, lease_id: str) -> bool:
    from azure.core.exceptions import HttpResponseError

    try:
        there.lease(target, lease_id).renew()
    except HttpResponseError:
        return False
    return True


def test_a_put_under_a_lease_that_was_taken_over_is_unknown(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    words = there.argv("blob put {leased_blob} - --lease-id {held}")

    def meddle() -> Any:
        take_over("leased_blob")(there)
        return there.client(there.leased_blob).upload_blob(b"theirs", overwrite=True, lease=THIRD)

    proxied.fail(APPLIED, when=writes)
    proxied.fail(APPLIED, when=before_the_repeat(meddle))

    assert proxied_stcc(*words, stdin=b"text")[:2] == (70, "")
    assert (there.content(there.leased_blob), is_held_under(there, there.leased_blob, HELD)) == (b"theirs", False)


def test_a_put_by_force_that_is_repeated_is_the_last_writer(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    words = there.argv("blob put {blob} - --force")
    proxied.fail(APPLIED, when=writes)
    proxied.fail(APPLIED, when=before_the_repeat(lambda: overwrite("blob")(there)))

    code, out, _ = proxied_stcc(*words, stdin=b"text")

    assert (code, out) == (0, f"{there.properties(there.blob).etag}\n")
    assert there.content(there.blob) == b"text"

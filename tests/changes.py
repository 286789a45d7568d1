"""Every command that changes a container, blob, share, file or lease, and how to find out whether it was applied."""

from collections.abc import Callable
from dataclasses import dataclass

from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.storage.fileshare import ShareServiceClient

from tests.calls import verb_of
from tests.situations import CONTENT, HELD, OTHER, Situation

Truth = Callable[[Situation], object]


@dataclass(frozen=True, kw_only=True)
class Change:
    """A command that changes something; `{name}` is a property of a `Situation`.

    `applied` looks for the effect and for what the command prints (the ETag, the id); `lost` is the exit code when
    it was applied and its answer is lost once; `repeated` says whether it may be sent a second time.
    """

    argv: str
    printed: Truth
    lost: int
    before: object = None
    repeated: bool = True

    @property
    def verb(self) -> str:
        return verb_of(self.argv)


def etag(target: str) -> Truth:
    return lambda there: there.properties(getattr(there, target)).etag


def etag_if_written(target: str) -> Truth:
    """Return the ETag of a blob that has what `stcc` wrote, which is "text"."""

    def look(there: Situation) -> object:
        name = getattr(there, target)
        return there.properties(name).etag if exists(target)(there) and there.content(name) == b"text" else None

    return look


def exists(target: str) -> Truth:
    return lambda there: there.client(getattr(there, target)).exists()


def etag_if_there(target: str) -> Truth:
    return lambda there: there.properties(getattr(there, target)).etag if exists(target)(there) else None


def etag_if_longer(target: str) -> Truth:
    """Return the ETag of an append blob to which "text" was appended once."""

    def look(there: Situation) -> object:
        name = getattr(there, target)
        return there.properties(name).etag if there.content(name) == CONTENT + b"text" else None

    return look


def etag_if_not_zero(target: str) -> Truth:
    """Return the ETag of a page blob whose first byte was written."""

    def look(there: Situation) -> object:
        name = getattr(there, target)
        return there.properties(name).etag if there.content(name)[0] else None

    return look


def staged(target: str, block: str) -> Truth:
    """Return the id of a block when it is staged."""

    def look(there: Situation) -> object:
        try:
            _, uncommitted = there.client(getattr(there, target)).get_block_list("all")
        except HttpResponseError:
            return None
        return block if block in {one.id for one in uncommitted} else None

    return look


def gone(target: str) -> Truth:
    return lambda there: None if exists(target)(there) else ""


def lease_state(target: str, state: str) -> Truth:
    """Return "" when the lease is in this state; None before."""
    return lambda there: "" if there.properties(getattr(there, target)).lease.state == state else None


def held_under(target: str, lease_id: str) -> Truth:
    """Return the id under which something is leased when it is this one; renewing it finds out."""

    def look(there: Situation) -> object:
        try:
            there.lease(getattr(there, target), lease_id).renew()
        except HttpResponseError:
            return None
        return lease_id

    return look


def etag_if_metadata(target: str) -> Truth:
    """Return the ETag of what has the metadata a=b."""

    def look(there: Situation) -> object:
        found = there.properties(getattr(there, target))
        return found.etag if found.metadata.get("a") == "b" else None

    return look


def etag_if_language(target: str) -> Truth:
    """Return the ETag of a blob whose Content-Language is `de`."""

    def look(there: Situation) -> object:
        found = there.properties(getattr(there, target))
        return found.etag if found.content_settings.content_language == "de" else None

    return look


def tagged(there: Situation) -> object:
    return "" if there.client(there.blob).get_blob_tags() == {"a": "b"} else None


def cooled(there: Situation) -> object:
    return "" if there.properties(there.blob).blob_tier == "Cool" else None


def snapshot_of_blob(there: Situation) -> object:
    """Return the time of the only snapshot of `blob`; fails where there are more."""
    assert there.blob
    times = [found.snapshot for found in there.home.list_blobs(include=["snapshots"]) if found.snapshot]
    assert len(times) < 2
    return times[0] if times else None


def share_etag(target: str, *, marked: bool = False) -> Truth:
    """Return the ETag of a share that is there and, with `marked`, has the metadata a=b."""

    def look(there: Situation) -> object:
        try:
            found = there.team.at(getattr(there, target)).get_share_properties()
        except ResourceNotFoundError:
            return None
        return None if marked and found.metadata.get("a") != "b" else found.etag

    return look


def share_gone(there: Situation) -> object:
    return None if share_etag("share")(there) else ""


def share_snapshot(there: Situation) -> object:
    """Return the time of the only snapshot of `share`."""
    names = ShareServiceClient.from_connection_string(there.azurite.connection_string)
    times = [one.snapshot for one in names.list_shares(there.share, include_snapshots=True) if one.snapshot]
    assert len(times) < 2
    return times[0] if times else None


def of_file(target: str, *, marked: bool = False) -> Truth:
    """Return the ETag of a file that is there and, with `marked`, has the metadata a=b."""

    def look(there: Situation) -> object:
        try:
            found = there.team.properties(getattr(there, target).partition("/")[2])
        except ResourceNotFoundError:
            return None
        return None if marked and found.metadata.get("a") != "b" else found.etag

    return look


def directory_made(there: Situation) -> object:
    share, _, path = there.new_file.partition("/")
    found = there.team.at(share).get_directory_client(path)
    return found.get_directory_properties().etag if found.exists() else None


def file_gone(there: Situation) -> object:
    return None if of_file("file")(there) else ""


def handles_closed(there: Situation) -> object:
    assert there.opened_file
    return None if there.team.handles("opened") else "1"


def etag_if_policy(there: Situation) -> object:
    container = there.client(there.existing_container)
    ids = [one.id for one in container.get_container_access_policy()["signed_identifiers"]]
    return there.properties(there.existing_container).etag if ids == ["p"] else None


CHANGES = [
    Change(argv="container create {new_container}", printed=etag_if_there("new_container"), lost=0),
    Change(argv="container create {new_container} --no-marker", printed=etag_if_there("new_container"), lost=70),
    Change(argv="container delete {existing_container} --yes", printed=gone("existing_container"), lost=70),
    Change(argv="blob put {new_blob} -", printed=etag_if_written("new_blob"), lost=0),
    Change(argv="blob put {new_blob} - --no-marker", printed=etag_if_written("new_blob"), lost=70),
    Change(argv="blob put {blob} - --if-match {etag}", printed=etag_if_written("blob"), lost=0),
    Change(argv="blob put {blob} - --if-match {etag} --no-marker", printed=etag_if_written("blob"), lost=70),
    Change(argv="blob put {blob} - --if-unmodified-since now+1h", printed=etag_if_written("blob"), lost=0),
    Change(argv="blob put {leased_blob} - --lease-id {held}", printed=etag_if_written("leased_blob"), lost=0),
    Change(argv="blob put {blob} - --force", printed=etag_if_written("blob"), lost=0),
    Change(argv="blob delete {blob} --if-match {etag}", printed=gone("blob"), lost=70),
    Change(argv="blob delete {blob} --force", printed=gone("blob"), lost=70),
    Change(argv="blob copy {blob} {new_blob}", printed=etag_if_there("new_blob"), lost=70),
    Change(argv="blob copy {blob} {new_blob} --metadata a=b", printed=etag_if_there("new_blob"), lost=0),
    Change(argv="blob copy {blob} {new_blob} --force", printed=etag_if_there("new_blob"), lost=0),
    Change(argv="blob append {append_blob} -", printed=etag_if_longer("append_blob"), lost=70, repeated=False),
    Change(argv="blob append {append_blob} - --append-position 13", printed=etag_if_longer("append_blob"), lost=70),
    Change(argv="blob append {append_blob} - --if-match {append_etag}", printed=etag_if_longer("append_blob"), lost=70),
    Change(argv="blob block stage {new_blob} - --id one", printed=staged("new_blob", "one"), lost=0),
    Change(argv="blob block commit {new_blob} {staged}", printed=etag_if_there("new_blob"), lost=0),
    Change(argv="blob block commit {new_blob} {staged} --no-marker", printed=etag_if_there("new_blob"), lost=0),
    Change(argv="blob block commit {new_blob} {own_staged} --no-marker", printed=etag_if_there("new_blob"), lost=70),
    Change(argv="blob page create {new_blob} 512", printed=etag_if_there("new_blob"), lost=0),
    Change(argv="blob page create {new_blob} 512 --no-marker", printed=etag_if_there("new_blob"), lost=70),
    Change(argv="blob page put {page_blob} {page} --offset 0", printed=etag_if_not_zero("page_blob"), lost=0),
    Change(
        argv="blob page put {page_blob} {page} --offset 0 --if-match {page_etag}",
        printed=etag_if_not_zero("page_blob"),
        lost=70,
    ),
    Change(argv="blob update {blob} --no-local-lock -- echo -n text", printed=etag_if_written("blob"), lost=0),
    Change(
        argv="blob update {blob} --no-local-lock --no-marker -- echo -n text",
        printed=etag_if_written("blob"),
        lost=70,
    ),
    Change(argv="lease acquire {blob} --proposed-id {other}", printed=held_under("blob", OTHER), lost=0),
    Change(
        argv="lease acquire {existing_container} --proposed-id {other}",
        printed=held_under("existing_container", OTHER),
        lost=0,
    ),
    Change(argv="lease acquire {blob} --proposed-id {other} --wait 1s", printed=held_under("blob", OTHER), lost=0),
    Change(
        argv="lease renew {leased_blob} --lease-id {held}",
        printed=held_under("leased_blob", HELD),
        lost=0,
        before=HELD,
    ),
    Change(
        argv="lease change {leased_blob} --lease-id {held} --proposed-id {other}",
        printed=held_under("leased_blob", OTHER),
        lost=0,
    ),
    Change(
        argv="lease change {leased_container} --lease-id {held} --proposed-id {other}",
        printed=held_under("leased_container", OTHER),
        lost=0,
    ),
    Change(
        argv="lease release {leased_blob} --lease-id {held}", printed=lease_state("leased_blob", "available"), lost=70
    ),
    Change(
        argv="lease release {leased_container} --lease-id {held}",
        printed=lease_state("leased_container", "available"),
        lost=70,
    ),
    Change(
        argv="lease break {leased_blob} --period 0 --yes -q",
        printed=lease_state("leased_blob", "broken"),
        lost=70,
        repeated=False,
    ),
    Change(argv="blob set-metadata {blob} a=b --if-match {etag}", printed=etag_if_metadata("blob"), lost=0),
    Change(argv="blob set-metadata {blob} a=b", printed=etag_if_metadata("blob"), lost=0),
    Change(argv="blob set-metadata {blob} a=b --no-marker", printed=etag_if_metadata("blob"), lost=0),
    Change(
        argv="blob set-metadata {blob} a=b --if-match {etag} --no-marker", printed=etag_if_metadata("blob"), lost=70
    ),
    Change(argv="blob set-headers {blob} --content-language de --replace", printed=etag_if_language("blob"), lost=0),
    Change(argv="blob set-headers {blob} --content-language de", printed=etag_if_language("blob"), lost=70),
    Change(
        argv="blob set-headers {blob} --content-language de --replace --if-match {etag}",
        printed=etag_if_language("blob"),
        lost=70,
    ),
    Change(argv="blob set-tags {blob} a=b", printed=tagged, lost=0),
    Change(argv="blob set-tier {blob} cool", printed=cooled, lost=0),
    Change(argv="blob snapshot {blob}", printed=snapshot_of_blob, lost=70, repeated=False),
    Change(
        argv="container set-metadata {existing_container} a=b", printed=etag_if_metadata("existing_container"), lost=0
    ),
    Change(
        argv="container set-acl {existing_container} --replace --public-access none --policy p:permissions=r",
        printed=etag_if_policy,
        lost=0,
    ),
    Change(
        argv="container set-acl {existing_container} --policy p:permissions=r",
        printed=etag_if_policy,
        lost=0,
        repeated=False,
    ),
    Change(argv="share create {new_share}", printed=share_etag("new_share"), lost=0),
    Change(argv="share create {new_share} --no-marker", printed=share_etag("new_share"), lost=70),
    Change(argv="share delete {share} --yes", printed=share_gone, lost=70),
    Change(argv="share snapshot {share}", printed=share_snapshot, lost=70, repeated=False),
    Change(argv="share set-metadata {share} a=b", printed=share_etag("share", marked=True), lost=0),
    Change(argv="file mkdir {new_file}", printed=directory_made, lost=0),
    Change(argv="file mkdir -p {new_file}", printed=directory_made, lost=0),
    Change(argv="file mkdir {new_file} --no-marker", printed=directory_made, lost=70),
    Change(argv="file delete {file}", printed=file_gone, lost=70),
    Change(argv="file set-metadata {file} a=b", printed=of_file("file", marked=True), lost=0),
    Change(argv="file set-metadata {file} a=b --no-marker", printed=of_file("file", marked=True), lost=0),
    Change(argv="file rename {file} {new_file}", printed=of_file("new_file"), lost=70),
    Change(argv="file close-handles {opened_file} --yes", printed=handles_closed, lost=70, repeated=False),
]

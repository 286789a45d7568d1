"""The unmodified SDK on the emulator, and what it sees there."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, Final

import pytest
from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceNotFoundError
from azure.storage.fileshare import (
    AccessPolicy,
    ContentSettings,
    NTFSAttributes,
    ShareClient,
    ShareLeaseClient,
    ShareSasPermissions,
    ShareServiceClient,
)

from tests.azfiles.conftest import Files
from tests.azfiles.serving import Service

SDDL: Final = "O:S-1-5-21-1G:S-1-5-21-2D:AI(A;;FA;;;SY)(A;;FA;;;BA)S:NO_ACCESS_CONTROL"


def uploaded(share: Any, path: str, content: bytes = b"content") -> Any:
    file: Any = share.get_file_client(path)
    file.upload_file(content)
    return file


def content(file: Any) -> bytes:
    return bytes(file.download_file().readall())


def written(file: Any) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in file.list_ranges()]


def clear(files: Files, path: str, start: int, length: int) -> int:
    """Clear a range; the SDK refuses those that are not of whole sectors."""
    headers = {"x-ms-write": "clear", "x-ms-range": f"bytes={start}-{start + length - 1}"}
    return files.ask("PUT", f"{path}?comp=range", headers).status


def refusal(ask: Callable[[], object]) -> tuple[int | None, str]:
    with pytest.raises(HttpResponseError) as failure:
        ask()
    error: Any = failure.value
    return error.status_code, str(getattr(error.error_code, "value", error.error_code))


def test_nine_mebibytes_and_a_bit_come_back_as_they_went(share: ShareClient) -> None:
    data = os.urandom(9 * 1024 * 1024 + 17)
    file: Any = uploaded(share, "big", data)

    ranges = written(file)
    part = file.download_file(offset=4_194_300, length=10).readall()

    assert (content(file) == data, ranges, part) == (
        True,
        [(0, len(data) - 1)],
        data[4_194_300:4_194_310],
    )


def test_a_file_of_forty_mebibytes_is_read_in_pieces_of_one_moment(share: ShareClient) -> None:
    file: Any = share.get_file_client("long")
    file.create_file(40 * 1024 * 1024)
    file.upload_range(b"begin", 0, 5)
    file.upload_range(b"end", 40 * 1024 * 1024 - 3, 3)

    read = file.download_file(max_concurrency=2).readall()

    assert (len(read), read[:7], read[-5:], read.strip(b"\0").count(0)) == (
        40 * 1024 * 1024,
        b"begin\0\0",
        b"\0\0end",
        40 * 1024 * 1024 - 8,
    )


def test_an_empty_file_reads_as_nothing(share: ShareClient) -> None:
    assert content(uploaded(share, "empty", b"")) == b""


def test_ranges_are_written_cleared_and_listed_by_sectors(share: ShareClient) -> None:
    file: Any = share.get_file_client("f")
    file.create_file(200_000)
    file.upload_range(b"a" * 1024, 512, 1024)
    file.upload_range(b"b" * 70_000, 65_000, 70_000)
    file.clear_range(1024, 512)
    file.clear_range(65_536, 512 * 3)
    file.upload_range(b"c", 199_999, 1)

    assert written(file) == [(512, 1023), (64_512, 65_535), (67_072, 135_167), (199_680, 199_999)]
    assert content(file) == (
        bytes(512) + b"a" * 512 + bytes(63_976) + b"b" * 536 + bytes(1536) + b"b" * 67_928 + bytes(64_999) + b"c"
    )


def test_ranges_are_listed_in_pages(share: ShareClient) -> None:
    file: Any = share.get_file_client("f")
    file.create_file(10_240)
    for number in range(5):
        file.upload_range(b"x" * 512, number * 2048, 512)

    pages = [[one.start for one in page] for page in file.list_ranges(results_per_page=2).by_page()]

    assert pages == [[0, 2048], [4096, 6144], [8192]]


@pytest.mark.parametrize(
    ("start", "length", "kept", "ranges"),
    [
        pytest.param(100, 300, b"x" * 100 + bytes(300) + b"x" * 1100, [(0, 1499)], id="within a sector"),
        pytest.param(500, 30, b"x" * 500 + bytes(30) + b"x" * 970, [(0, 1499)], id="over an edge"),
        pytest.param(
            500, 600, b"x" * 500 + bytes(600) + b"x" * 400, [(0, 511), (1024, 1499)], id="a whole one and two in part"
        ),
        pytest.param(1000, 500, b"x" * 1000 + bytes(500), [(0, 1023)], id="to the end"),
        pytest.param(0, 1500, bytes(1500), [], id="everything"),
    ],
)
def test_a_clear_forgets_whole_sectors_and_writes_zeros_into_others(
    files: Files, start: int, length: int, kept: bytes, ranges: list[tuple[int, int]]
) -> None:
    files.create("/f", b"x" * 1500)

    status = clear(files, "/f", start, length)

    found = files.ask("GET", "/f?comp=rangelist").xml.findall("Range")
    listed = [(int(one.findtext("Start") or ""), int(one.findtext("End") or "")) for one in found]
    assert (status, files.ask("GET", "/f").body, listed) == (201, kept, ranges)


def test_a_shorter_file_forgets_what_was_behind_its_end(share: ShareClient) -> None:
    file: Any = uploaded(share, "f", b"x" * 70_000)
    file.resize_file(66_000)
    file.resize_file(70_000)

    assert content(file) == b"x" * 66_000 + bytes(4000)


def test_every_change_has_another_etag_and_reads_have_none(share: ShareClient) -> None:
    file: Any = uploaded(share, "f", bytes(1024))
    changes: list[Callable[[], Any]] = [
        lambda: file.upload_range(b"x", 0, 1),
        lambda: file.clear_range(0, 512),
        lambda: file.set_file_metadata({"a": "b"}),
        lambda: file.set_http_headers(ContentSettings(content_type="a/b")),
        lambda: file.resize_file(3),
        lambda: file.create_file(7),
    ]

    seen = [file.get_file_properties().etag]
    for change in changes:
        told = change()["etag"]
        content(file)
        seen += [told, file.get_file_properties().etag]

    assert [told == shown for told, shown in zip(seen[1::2], seen[2::2], strict=True)] == [True] * len(changes)
    assert len(set(seen)) == len(changes) + 1
    assert all(before <= after for before, after in pairwise(seen))


def test_properties_are_what_was_said(share: ShareClient) -> None:
    file: Any = share.get_file_client("f")
    settings = ContentSettings(
        content_type="text/x",
        content_encoding="gzip",
        content_language="fr",
        content_disposition="inline",
        cache_control="no-cache",
        content_md5=bytearray(16),
    )
    made = datetime(2020, 2, 3, 4, 5, 6, 789_000, tzinfo=UTC)
    file.create_file(
        7,
        content_settings=settings,
        metadata={"Hello": "World", "a_b": "2", "ab": "3", "Ab1": "4"},
        file_attributes=NTFSAttributes(read_only=False, hidden=True, archive=True),
        file_creation_time=made,
        file_last_write_time=made,
        file_permission=SDDL,
    )
    found = file.get_file_properties()
    shown: Any = found.content_settings

    assert {name: getattr(shown, name) for name in vars(settings)} == vars(settings)
    assert (found.size, found.file_attributes, found.creation_time, found.last_write_time) == (
        7,
        "Hidden | Archive",
        made,
        made,
    )
    assert found.metadata == {"Hello": "World", "a_b": "2", "ab": "3", "Ab1": "4"}
    assert share.get_permission_for_share(found.permission_key) == SDDL


def test_names_of_metadata_come_back_as_they_were_written(files: Files) -> None:
    files.create("/f", b"", **{"x-ms-meta-HelloWorld": "1"})

    assert "x-ms-meta-HelloWorld" in files.ask("HEAD", "/f").spelled


def test_a_resize_keeps_the_headers_and_new_headers_replace_all(share: ShareClient) -> None:
    file: Any = uploaded(share, "f")
    file.set_http_headers(ContentSettings(content_type="a/b", content_language="fr"))
    file.resize_file(3)
    kept = file.get_file_properties().content_settings
    file.set_http_headers(ContentSettings(content_type="c/d"))
    replaced = file.get_file_properties().content_settings

    assert (kept.content_type, kept.content_language) == ("a/b", "fr")
    assert (replaced.content_type, replaced.content_language) == ("c/d", None)


def test_a_directory_is_listed_in_pages(share: ShareClient) -> None:
    for name in ("b", "a", "C", "d", "e"):
        uploaded(share, name, name.encode())
    share.create_directory("bb")
    root: Any = share.get_directory_client()

    pages = [[one["name"] for one in page] for page in root.list_directories_and_files(results_per_page=4).by_page()]
    prefixed = [(one["name"], one["is_directory"]) for one in root.list_directories_and_files("B")]
    full: Any = [*root.list_directories_and_files(include=["timestamps", "Etag", "Attributes", "PermissionKey"])]

    # Within a page the SDK puts directories first.
    assert (pages, prefixed) == ([["bb", "a", "b", "C"], ["d", "e"]], [("bb", True), ("b", False)])
    properties: Any = share.get_file_client("a").get_file_properties()
    found = next(one for one in full if one["name"] == "a")
    assert (found["etag"], found["file_id"], found["file_attributes"], found["permission_key"], found["size"]) == (
        properties.etag,
        properties.file_id,
        "Archive",
        properties.permission_key,
        1,
    )


def test_shares_are_listed_in_pages_with_their_snapshots(service: Service, share: ShareClient) -> None:
    prefix = f"{share.share_name[:20]}"
    with ShareServiceClient.from_connection_string(service.connection_string) as account:
        for number in range(3):
            account.create_share(f"{prefix}-{number}", metadata={"number": str(number)}, quota=number + 1)
        snapshot: Any = share.create_snapshot()
        pages = [
            [(one["name"], one["snapshot"]) for one in page]
            for page in account.list_shares(prefix, include_snapshots=True, results_per_page=2).by_page()
        ]
        full: Any = [*account.list_shares(prefix, include_metadata=True)]

    names = [*(f"{prefix}-{number}" for number in range(3)), share.share_name]
    shown = [(name, None) for name in names[:3]] + [(share.share_name, snapshot["snapshot"]), (share.share_name, None)]
    assert pages == [shown[:2], shown[2:4], shown[4:]]
    assert [(one.name, one.metadata, one.quota) for one in full] == [
        (names[0], {"number": "0"}, 1),
        (names[1], {"number": "1"}, 2),
        (names[2], {"number": "2"}, 3),
        (names[3], {}, 5120),
    ]


def test_a_snapshot_stays_what_it_was(share: ShareClient, service: Service) -> None:
    directory = share.create_directory("d")
    file: Any = directory.get_file_client("f")
    file.upload_file(b"before")
    snapshot: Any = share.create_snapshot(metadata={"kept": "1"})
    file.upload_range(b"AFTER", 0, 5)
    uploaded(directory, "g", b"new")

    with ShareClient.from_connection_string(
        service.connection_string, share.share_name, snapshot=snapshot["snapshot"]
    ) as old:
        then: Any = old.get_file_client("d/f")
        listed = [one["name"] for one in old.get_directory_client("d").list_directories_and_files()]
        seen = (content(then), listed, old.get_share_properties().metadata)
        old.delete_share()

    assert seen == (b"before", ["f"], {"kept": "1"})
    assert (seen, content(file)) == ((b"before", ["f"], {"kept": "1"}), b"AFTERe")


def test_a_copy_is_complete_at_once_and_apart_from_its_source(share: ShareClient) -> None:
    source: Any = share.get_file_client("source")
    source.upload_file(b"one", metadata={"a": "b"}, content_settings=ContentSettings(content_type="x/y"))
    target: Any = uploaded(share, "target", b"longer than that")

    copied = target.start_copy_from_url(source.url)
    source.upload_range(b"TWO", 0, 3)
    found = target.get_file_properties()

    assert (copied["copy_status"], content(target), content(source)) == ("success", b"one", b"TWO")
    assert (found.metadata, found.content_settings.content_type, found.copy.id, found.copy.progress) == (
        {"a": "b"},
        "x/y",
        copied["copy_id"],
        "3/3",
    )
    assert refusal(lambda: target.abort_copy(copied["copy_id"])) == (409, "NoPendingCopyOperation")


def test_a_source_may_be_named_as_in_the_cloud(share: ShareClient) -> None:
    """The Azure CLI does so, whatever endpoint it was given."""
    uploaded(share, "source", b"one")
    target: Any = share.get_file_client("target")
    target.start_copy_from_url(f"https://devstoreaccount1.file.core.windows.net/{share.share_name}/source")

    assert content(target) == b"one"


def test_a_file_is_no_directory_and_a_directory_no_file(share: ShareClient) -> None:
    uploaded(share, "f")
    share.create_directory("d")

    assert (share.get_directory_client("f").exists(), share.get_file_client("d").exists()) == (False, False)


def test_a_file_comes_back_from_a_snapshot(share: ShareClient) -> None:
    file: Any = uploaded(share, "f", b"before")
    snapshot: Any = share.create_snapshot()
    file.upload_file(b"spoilt")
    file.start_copy_from_url(f"{file.url}?sharesnapshot={snapshot['snapshot']}")

    assert content(file) == b"before"


def test_a_copy_outlives_its_source(share: ShareClient) -> None:
    source: Any = uploaded(share, "source", b"one")
    target: Any = share.get_file_client("target")
    target.start_copy_from_url(source.url)
    source.delete_file()

    assert content(target) == b"one"


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        pytest.param({}, False, id="nothing of the source"),
        pytest.param(
            {
                "file_attributes": "source",
                "file_permission": "source",
                "file_creation_time": "source",
                "file_last_write_time": "source",
            },
            True,
            id="all of the source",
        ),
    ],
)
def test_a_copy_takes_over_what_it_is_told_to(share: ShareClient, options: dict[str, str], *, kept: bool) -> None:
    made = datetime(2020, 2, 3, tzinfo=UTC)
    source: Any = share.get_file_client("source")
    source.create_file(
        1,
        file_attributes="Hidden",
        file_permission=SDDL,
        file_creation_time=made,
        file_last_write_time=made,
    )
    target: Any = share.get_file_client("target")
    target.start_copy_from_url(source.url, **options)

    found = target.get_file_properties()

    assert (
        found.file_attributes == "Hidden",
        found.permission_key == source.get_file_properties().permission_key,
        found.creation_time == made,
        found.last_write_time == made,
    ) == (kept,) * 4


def test_a_rename_moves_a_file_and_replaces_another_when_told_to(share: ShareClient) -> None:
    share.create_directory("d")
    file: Any = uploaded(share, "a", b"one")
    before = file.get_file_properties()
    uploaded(share, "d/b", b"two")

    refused = refusal(lambda: file.rename_file("d/b"))
    moved: Any = file.rename_file("d/b", overwrite=True)
    after = moved.get_file_properties()

    assert (refused, content(moved), after.file_id) == ((409, "ResourceAlreadyExists"), b"one", before.file_id)
    assert refusal(file.get_file_properties) == (404, "ResourceNotFound")


def test_a_rename_replaces_a_read_only_file_only_when_told_to(share: ShareClient) -> None:
    file: Any = uploaded(share, "a", b"one")
    share.get_file_client("b").create_file(1, file_attributes="ReadOnly")

    refused = refusal(lambda: file.rename_file("b", overwrite=True))

    assert refused == (409, "ReadOnlyAttribute")
    assert content(file.rename_file("b", overwrite=True, ignore_read_only=True)) == b"one"


def test_a_leased_file_is_renamed_with_its_id_and_keeps_its_lease(share: ShareClient) -> None:
    file: Any = uploaded(share, "a")
    target: Any = uploaded(share, "b")
    lease = file.acquire_lease()
    held = target.acquire_lease()

    refusals = [
        refusal(lambda: file.rename_file("b", overwrite=True)),
        refusal(lambda: file.rename_file("b", overwrite=True, source_lease=lease)),
        refusal(lambda: file.rename_file("b", overwrite=True, source_lease=lease, destination_lease=lease)),
    ]
    moved: Any = file.rename_file("b", overwrite=True, source_lease=lease, destination_lease=held)

    assert refusals == [
        (412, "LeaseIdMissing"),
        (412, "LeaseIdMissing"),
        (412, "LeaseIdMismatchWithFileOperation"),
    ]
    assert (moved.get_file_properties().lease.state, refusal(moved.delete_file)) == ("leased", (412, "LeaseIdMissing"))


def test_a_directory_is_renamed_with_what_is_in_it(share: ShareClient) -> None:
    share.create_directory("d")
    share.create_directory("d/e")
    uploaded(share, "d/e/f", b"deep")
    directory: Any = share.get_directory_client("d")

    inside = refusal(lambda: directory.rename_directory("d/e/d"))
    directory.rename_directory("D2")

    assert (inside, content(share.get_file_client("d2/E/f"))) == ((400, "InvalidHeaderValue"), b"deep")
    assert refusal(directory.get_directory_properties) == (404, "ResourceNotFound")


def test_the_case_of_a_name_does_not_count_and_stays(share: ShareClient) -> None:
    file: Any = uploaded(share, "Read.Me", b"one")
    uploaded(share, "READ.ME", b"two")
    root: Any = share.get_directory_client()

    first = [one["name"] for one in root.list_directories_and_files()]
    file.rename_file("read.me")

    assert (first, content(file)) == (["Read.Me"], b"two")
    assert [one["name"] for one in root.list_directories_and_files()] == ["read.me"]


def test_letters_count_one_by_one(share: ShareClient) -> None:
    for name in ("stra\u00dfe", "STRASSE", "STRA\u00dfE"):
        uploaded(share, name)

    listed = {one["name"] for one in share.get_directory_client().list_directories_and_files()}

    assert listed == {"stra\u00dfe", "STRASSE"}


def test_leases_of_the_sdk(share: ShareClient) -> None:
    file: Any = uploaded(share, "f")
    lease = file.acquire_lease()
    first = lease.id
    lease.change("cccccccc-0000-4000-8000-000000000003")
    file.upload_range(b"x", 0, 1, lease=lease)
    wrong = refusal(lambda: file.upload_range(b"x", 0, 1, lease=first))
    lease.release()
    of_share: Any = ShareLeaseClient(share)
    of_share.acquire(lease_duration=15)
    of_share.renew()
    held = refusal(share.delete_share)

    assert (wrong, held) == ((412, "LeaseIdMismatchWithFileOperation"), (412, "LeaseIdMissing"))
    assert (of_share.break_lease(lease_break_period=5), share.get_share_properties().lease.state) == (5, "breaking")


def test_handles_are_listed_in_pages_and_closed(share: ShareClient, files: Files, service: Service) -> None:
    share.create_directory("d")
    file: Any = uploaded(share, "d/f")
    uploaded(share, "g")
    own = Files(service=service, share=share.share_name)
    opened = [own.open(path, "rw", "rwd", client_name="DESK") for path in ("d/f", "d/f", "g", "d", "")]
    root: Any = share.get_directory_client()
    directory: Any = share.get_directory_client("d")

    pages = [
        [handle["id"] for handle in page] for page in root.list_handles(recursive=True, results_per_page=2).by_page()
    ]
    flat = [[handle["id"] for handle in one.list_handles()] for one in (root, directory, file)]
    handle = next(iter(file.list_handles()))
    closed = [
        file.close_handle("999999"),
        file.close_handle(opened[0]),
        directory.close_all_handles(recursive=True),
        root.close_all_handles(),
    ]

    assert pages == [opened[:2], opened[2:4], opened[4:]]
    assert flat == [[opened[4]], [opened[3]], opened[:2]]
    assert (handle.path, handle.file_id, handle.client_ip, handle.client_name, handle.access_rights) == (
        "d/f",
        file.get_file_properties().file_id,
        "10.0.0.4:50445",
        "DESK",
        ["Read", "Write"],
    )
    assert closed == [{"closed_handles_count": count, "failed_handles_count": 0} for count in (0, 1, 2, 1)]
    assert [one["id"] for one in root.list_handles(recursive=True)] == [opened[2]]


def test_a_share_has_quota_tier_policies_and_statistics(share: ShareClient) -> None:
    uploaded(share, "f", b"12345")
    policy = AccessPolicy(
        permission=ShareSasPermissions(read=True), expiry="2040-01-01T00:00:00Z", start="2020-01-01T00:00:00Z"
    )
    share.set_share_quota(7)
    share.set_share_properties(access_tier="Hot")
    share.set_share_metadata({"a": "b"})
    share.set_share_access_policy({"first": policy})
    found: Any = share.get_share_properties()
    known: Any = share.get_share_access_policy()["signed_identifiers"]

    assert (found.quota, found.access_tier, found.metadata, share.get_share_stats()) == (7, "Hot", {"a": "b"}, 5)
    assert [(one.id, one.access_policy.permission, one.access_policy.expiry) for one in known] == [
        ("first", "r", "2040-01-01T00:00:00Z")
    ]


def test_what_is_not_there_or_is_there_already_raises_the_sdks_own_errors(share: ShareClient) -> None:
    uploaded(share, "f")
    share.create_directory("d")
    uploaded(share, "d/f")

    for ask in (
        lambda: share.get_file_client("x").get_file_properties(),
        lambda: share.get_file_client("x/y").create_file(1),
        lambda: share.get_directory_client("x").get_directory_properties(),
    ):
        with pytest.raises(ResourceNotFoundError):
            ask()
    for again in (share.create_share, lambda: share.create_directory("d"), lambda: share.create_directory("f")):
        with pytest.raises(ResourceExistsError):
            again()
    assert refusal(share.get_directory_client("d").delete_directory) == (409, "DirectoryNotEmpty")
    assert refusal(lambda: share.get_file_client("f/g").create_file(1)) == (404, "ParentNotFound")
    assert refusal(lambda: share.get_file_client("d").create_file(1)) == (409, "ResourceTypeMismatch")

"""Rows of `conditions.json`: what each operation on blobs and containers honours, and what it answers otherwise.

`accepts_conditions` are the headers of the REST operation, `unmet` status and code by header. Each row is asked
for by the command that sends it, with a condition that is met, one that is not, and on something that is missing.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from azure.storage.blob import BlobBlock, BlobLeaseClient

from stcc.emulator.instance import Instance
from tests.situations import HELD, OTHER, Situation

BLOCK: Final = "0123456789abcdef0123456789abcdef-00000"
YESTERDAY: Final = "now-1d"
TAGS: Final = {"stage": "done"}
SEQUENCE: Final = 5
# Operation -> what it is done to, and the command that asks for it.
COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "Put Blob (BlockBlob)": ("block", "blob put {it} -"),
    "Put Block List": ("block", "blob block commit {it} {block}"),
    "Get Block List": ("block", "blob block list {it}"),
    "Append Block": ("append", "blob append {it} -"),
    "Put Blob (PageBlob)": ("page", "blob page create {it} 512"),
    "Put Page (update)": ("page", "blob page put {it} {page} --offset 0"),
    "Put Page (clear)": ("page", "blob page clear {it} --offset 0 --length 512"),
    "Get Page Ranges": ("page", "blob page ranges {it}"),
    "Get Blob": ("block", "blob get {it} {file} --force"),
    "Get Blob Properties": ("block", "blob show {it}"),
    "Delete Blob": ("block", "blob delete {it}"),
    "Set Blob Properties": ("block", "blob set-headers {it} --content-type text/plain --replace"),
    "Set Blob Metadata": ("block", "blob set-metadata {it} a=b"),
    "Lease Blob: acquire": ("block", "lease acquire {it}"),
    "Lease Blob: renew": ("leased", "lease renew {it} --lease-id {held}"),
    "Lease Blob: change": ("leased", "lease change {it} --lease-id {held} --proposed-id {other}"),
    "Lease Blob: release": ("leased", "lease release {it} --lease-id {held}"),
    "Lease Blob: break": ("leased", "lease break {it} --yes"),
    "Snapshot Blob": ("block", "blob snapshot {it}"),
    "Copy Blob (async)": ("block", "blob copy {source} {it}"),
    "Copy Blob From URL (sync)": ("block", "blob copy {source} {it} --sync"),
    "Set Blob Tier": ("block", "blob set-tier {it} cool"),
    "Get Blob Tags": ("block", "blob get-tags {it}"),
    "Set Blob Tags": ("block", "blob set-tags {it} a=b"),
    "Delete Container": ("container", "container delete {it} --yes"),
    "Set Container Metadata": ("container", "container set-metadata {it} a=b"),
    "Set Container ACL": ("container", "container set-acl {it} --replace --public-access none"),
    "Lease Container: acquire": ("container", "lease acquire {it}"),
    "Lease Container: renew": ("leased container", "lease renew {it} --lease-id {held}"),
    "Lease Container: change": ("leased container", "lease change {it} --lease-id {held} --proposed-id {other}"),
    "Lease Container: release": ("leased container", "lease release {it} --lease-id {held}"),
    "Lease Container: break": ("leased container", "lease break {it} --yes"),
}
# Why an operation is in no command, or has nothing to be asked here.
NOT_ASKED: Final = {
    "Put Block": "no condition",
    "Abort Copy Blob": "no condition",
    "Create Container": "no condition",
    "Get Container Properties": "no condition",
    "Get Container ACL": "no condition",
    "List Blobs": "no condition",
    "Get Page Ranges (diff)": "as Get Page Ranges; Azurite has no differences",
    "Put Blob (AppendBlob)": "only `blob append --create` asks for it, with If-None-Match: *",
    **dict.fromkeys(
        (
            *("Put Blob From URL", "Put Block From URL", "Append Block From URL", "Put Page From URL"),
            *("Append Blob Seal", "Set Blob Properties (page resize)", "Set Blob Properties (page sequence number)"),
            *("Incremental Copy Blob", "Undelete Blob", "Query Blob Contents", "Set Blob Immutability Policy"),
            *("Delete Blob Immutability Policy", "Set Blob Legal Hold", "Restore Container", "Find Blobs by Tags"),
        ),
        "no command",
    ),
}
_CREATING: Final = frozenset({"Put Blob (BlockBlob)", "Put Blob (PageBlob)", "Put Block List"})
# A page, so that it does not matter what kind of blob it is put into.
CONTENT: Final = bytes(512)


class Asked(NamedTuple):
    """What came of it: exit code, and status and code on the wire."""

    exit_code: int
    status: int | None
    code: str | None


@dataclass(frozen=True, kw_only=True)
class Row:
    operation: str
    accepts: tuple[str, ...]
    unmet: Mapping[str, str]

    @property
    def of_container(self) -> bool:
        return "container" in COMMANDS[self.operation][0]

    @property
    def creates(self) -> bool:
        return self.operation in _CREATING or self.operation.startswith("Copy Blob")

    def when_unmet(self, header: str) -> Asked:
        """Return what the service answers to an unmet condition."""
        if header.startswith("x-ms-source-if-"):
            return self._when_source_unmet(header)
        key = {"If-None-Match": "If-None-Match(etag)"}.get(header, header)
        if header.startswith("x-ms-if-sequence-number"):
            key = "x-ms-if-sequence-number-*"
        status, code = self.unmet[key].split()
        return Asked(30 if status == "304" else 12, int(status), code)

    def _when_source_unmet(self, header: str) -> Asked:
        if "sync" not in self.operation.replace("async", ""):
            return Asked(12, 412, "ConditionNotMet" if header.endswith("tags") else "SourceConditionNotMet")
        is_read_like = header in {"x-ms-source-if-none-match", "x-ms-source-if-modified-since"}
        return Asked(12, 304 if is_read_like else 412, "CannotVerifyCopySource")

    def when_missing(self, header: str) -> Asked | None:
        """Return what the service answers where there is nothing; None for a success."""
        if self.of_container:
            return Asked(4, 404, "ContainerNotFound")
        if not self.creates:
            return Asked(4, 404, "BlobNotFound")
        return Asked(12, 412, "ConditionNotMet") if header == "If-Match" else None


def rows() -> list[Row]:
    """Return the rows that a command asks for."""
    return [
        Row(operation=one["operation"], accepts=tuple(one["accepts_conditions"]), unmet=one["unmet"])
        for one in document()
        if one["operation"] in COMMANDS
    ]


def document() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((Path(__file__).parent / "conditions.json").read_text(encoding="utf-8"))
    return found


def flag(header: str) -> str:
    """Return the option that sends a header."""
    named = {"x-ms-blob-condition-appendpos": "--append-position", "x-ms-blob-condition-maxsize": "--max-size"}
    return named.get(header, "--" + header.lower().removeprefix("x-ms-"))


class Thing(Situation):
    """What one row is about: a blob or a container that is there, or is missing."""

    def __init__(self, azurite: Instance, kind: str, *, missing: bool) -> None:
        super().__init__(azurite)
        self._kind = kind
        self._missing = missing

    @cached_property
    def it(self) -> str:
        if "container" in self._kind:
            return self.new_container if self._missing else self._made_container
        return self.new_blob if self._missing else self._made_blob

    @property
    def _made_container(self) -> str:
        return self.leased_container if self._kind.startswith("leased") else self.existing_container

    @property
    def _made_blob(self) -> str:
        target = f"{self.container}/it"
        assert self.home
        client = self.client(target)
        if self._kind == "page":
            client.create_page_blob(512, sequence_number=SEQUENCE, tags=TAGS)
        elif self._kind == "append":
            client.create_append_blob(tags=TAGS)
            client.append_block(CONTENT)
        else:
            client.upload_blob(CONTENT, tags=TAGS)
        if self._kind == "leased":
            BlobLeaseClient(client, lease_id=HELD).acquire(-1)
        return target

    @cached_property
    def block(self) -> str:
        """Return the id of a block that was staged for the blob."""
        self.client(self.it).stage_block(BLOCK, CONTENT)
        return BlobBlock(BLOCK).id

    @cached_property
    def source(self) -> str:
        """Return another blob, with tags of its own."""
        assert self.home
        self.client(f"{self.container}/source").upload_blob(CONTENT, tags=TAGS)
        return f"{self.container}/source"

    @property
    def held(self) -> str:
        return HELD

    @property
    def other(self) -> str:
        return OTHER

    def value(self, header: str, *, met: bool) -> str:
        """Return what to compare with, so that the condition is met or is not."""
        name = header.removeprefix("x-ms-").lower()
        if name == "if-tags" or name == "source-if-tags":
            return f""""stage" = '{"done" if met else "never"}'"""
        if "sequence-number" in name:
            return str(SEQUENCE + {"le": (-1, 0), "lt": (0, 1), "eq": (1, 0)}[name[-2:]][met])
        if name.startswith("blob-condition"):
            return str(
                {"appendpos": (0, len(CONTENT)), "maxsize": (len(CONTENT), 1 << 20)}[name.rpartition("-")[2]][met]
            )
        return self._compared(name, met=met)

    def _compared(self, name: str, *, met: bool) -> str:
        of_source = name.startswith("source-")
        if self._missing and not of_source:
            return '"0x8D0000000000001"' if name.endswith("match") else YESTERDAY
        found = self.properties(self.source if of_source else self.it)
        match name.removeprefix("source-"):
            case "if-match":
                return str(found.etag) if met else '"0x8D0000000000001"'
            case "if-none-match":
                return '"0x8D0000000000001"' if met else str(found.etag)
            case "if-modified-since":
                return YESTERDAY if met else found.last_modified.isoformat()
            case _:
                return found.last_modified.isoformat() if met else YESTERDAY


def cases() -> Iterator[tuple[Row, str]]:
    """Yield every row with every condition that it honours."""
    for row in rows():
        for header in row.accepts:
            yield row, header

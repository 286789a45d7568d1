"""Every command that asks storage: how it is called, and which conditions it honours.

Written out by hand, so that neither the table in the code nor the commands can be wrong unnoticed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from stcc.app import command
from stcc.knowledge.operations import POSITION, SEQUENCE, SOURCE, Operation
from tests.situations import Situation

DATES: Final = frozenset({"--if-modified-since", "--if-unmodified-since"})
ETAGS: Final = frozenset({"--if-match", "--if-none-match"})
EVERYTHING: Final = ETAGS | DATES | {"--if-tags", "--lease-id"}
TAGS: Final = frozenset({"--if-tags", "--lease-id"})
LEASE: Final = frozenset({"--lease-id"})
LEASES: Final = EVERYTHING - {"--lease-id"}
IF_MATCH: Final = frozenset({"--if-match"})


def verb_of(argv: str) -> str:
    """Return the words that name a command: three where a verb has verbs of its own."""
    words = argv.split()
    return " ".join(words[: 3 if words[1] in {"block", "page"} else 2])


def beside(argv: Sequence[str], *options: str) -> list[str]:
    """Return a command line with more options, which go before the command that stcc is to run."""
    at = argv.index("--") if "--" in argv else len(argv)
    return [*argv[:at], *options, *argv[at:]]


@dataclass(frozen=True, kw_only=True)
class Call:
    """One way to call a command; `{name}` is a property of a `Situation`.

    `argv` succeeds together with `said`, which stands for the condition where one is needed. `sends` is what goes
    over the wire then: method and query, in order. `honours` are the conditions; with `create_only`, also
    If-None-Match: *. With `pins`, the last request carries the ETag that the one before it has read.
    """

    argv: str
    said: str = ""
    sends: tuple[str, ...] = ("GET",)
    honours: frozenset[str] = frozenset()
    create_only: bool = False
    weak: bool = False
    pins: bool = False

    @property
    def verb(self) -> str:
        return verb_of(self.argv)

    def arguments(self, there: Situation) -> list[str]:
        return there.argv(self.argv)

    def succeeding(self, there: Situation) -> list[str]:
        return beside(self.arguments(there), *self.said.split())


IN_CONTAINER: Final = "restype=container"
OF_SHARE: Final = "restype=share"
CALLS: Final = (
    Call(argv="container create {new_container}", sends=(f"PUT {IN_CONTAINER}",)),
    Call(argv="container show {existing_container}", sends=(f"GET {IN_CONTAINER}",), honours=frozenset({"--lease-id"})),
    Call(
        argv="container list --prefix {existing_container}",
        sends=("GET comp=list&include=&maxresults=5000&prefix=...",),
    ),
    Call(
        argv="container delete {existing_container} --yes",
        sends=(f"DELETE {IN_CONTAINER}",),
        honours=DATES | {"--lease-id"},
    ),
    Call(
        argv="container set-metadata {existing_container} a=b",
        sends=(f"PUT comp=metadata&{IN_CONTAINER}",),
        honours=frozenset({"--if-modified-since", "--lease-id"}),
    ),
    Call(
        argv="container get-acl {existing_container}",
        sends=(f"GET comp=acl&{IN_CONTAINER}",),
        honours=frozenset({"--lease-id"}),
    ),
    Call(
        argv="container set-acl {existing_container} --replace --public-access none --policy p:permissions=r",
        sends=(f"PUT comp=acl&{IN_CONTAINER}",),
        honours=DATES | {"--lease-id"},
    ),
    Call(argv="blob put {new_blob} -", sends=("PUT",), honours=EVERYTHING, create_only=True),
    Call(argv="blob get {blob} -", honours=EVERYTHING),
    Call(argv="blob show {blob}", sends=("HEAD",), honours=EVERYTHING),
    Call(argv="blob list {existing_container}", sends=(f"GET comp=list&maxresults=5000&{IN_CONTAINER}",)),
    Call(argv="blob delete {blob}", said="--force", sends=("DELETE",), honours=EVERYTHING),
    Call(argv="blob set-metadata {blob} a=b", sends=("PUT comp=metadata",), honours=EVERYTHING),
    Call(
        argv="blob set-headers {blob} --content-type text/csv --replace",
        sends=("PUT comp=properties",),
        honours=EVERYTHING,
    ),
    Call(argv="blob set-tags {blob} a=b", sends=("PUT comp=tags",), honours=TAGS),
    Call(argv="blob get-tags {blob}", sends=("GET comp=tags",), honours=TAGS),
    Call(argv="blob set-tier {blob} cool", sends=("PUT comp=tier",), honours=TAGS),
    Call(argv="blob snapshot {blob}", sends=("PUT comp=snapshot",), honours=EVERYTHING),
    Call(
        argv="blob copy {blob} {new_blob}",
        sends=("PUT",),
        honours=EVERYTHING | {*SOURCE},
        create_only=True,
    ),
    Call(
        argv="blob copy {blob} {new_blob} --sync",
        sends=("PUT",),
        honours=EVERYTHING | {*SOURCE} - {"--source-if-tags"},
        create_only=True,
    ),
    Call(argv="blob append {append_blob} -", sends=("PUT comp=appendblock",), honours=EVERYTHING | {*POSITION}),
    Call(
        argv="blob block stage {new_blob} -", sends=("PUT blockid=...&comp=block",), honours=frozenset({"--lease-id"})
    ),
    Call(argv="blob block list {blob}", sends=("GET blocklisttype=all&comp=blocklist",), honours=TAGS),
    Call(
        argv="blob block commit {new_blob} {staged}",
        sends=("PUT comp=blocklist",),
        honours=EVERYTHING,
        create_only=True,
    ),
    Call(argv="blob page create {new_blob} 512", sends=("PUT",), honours=EVERYTHING, create_only=True),
    Call(
        argv="blob page put {page_blob} {page} --offset 0",
        sends=("PUT comp=page",),
        honours=EVERYTHING | {*SEQUENCE},
    ),
    Call(
        argv="blob page clear {page_blob} --offset 0 --length 512",
        sends=("PUT comp=page",),
        honours=EVERYTHING | {*SEQUENCE},
    ),
    Call(argv="blob page ranges {page_blob}", sends=("GET comp=pagelist&maxresults=5000",), honours=EVERYTHING),
    Call(
        argv="blob update {blob} --no-local-lock -- tr a-z A-Z",
        sends=("GET", "PUT"),
        honours=frozenset({"--lease-id"}),
        pins=True,
    ),
    Call(argv="lease acquire {blob}", sends=("PUT comp=lease",), honours=LEASES),
    Call(argv="lease renew {leased_blob} --lease-id {held}", sends=("PUT comp=lease",), honours=LEASES),
    Call(
        argv="lease change {leased_blob} --lease-id {held} --proposed-id {other}",
        sends=("PUT comp=lease",),
        honours=LEASES,
    ),
    Call(argv="lease release {leased_blob} --lease-id {held}", sends=("PUT comp=lease",), honours=LEASES),
    Call(argv="lease break {leased_blob} --yes", sends=("HEAD", "PUT comp=lease"), honours=LEASES),
    Call(argv="lease show {leased_blob}", sends=("HEAD",)),
    Call(argv="lease acquire {existing_container}", sends=(f"PUT comp=lease&{IN_CONTAINER}",), honours=DATES),
    Call(
        argv="lease renew {leased_container} --lease-id {held}",
        sends=(f"PUT comp=lease&{IN_CONTAINER}",),
        honours=DATES,
    ),
    Call(
        argv="lease change {leased_container} --lease-id {held} --proposed-id {other}",
        sends=(f"PUT comp=lease&{IN_CONTAINER}",),
        honours=DATES,
    ),
    Call(
        argv="lease release {leased_container} --lease-id {held}",
        sends=(f"PUT comp=lease&{IN_CONTAINER}",),
        honours=DATES,
    ),
    Call(
        argv="lease break {leased_container} --yes",
        sends=(f"GET {IN_CONTAINER}", f"PUT comp=lease&{IN_CONTAINER}"),
        honours=DATES,
    ),
    Call(argv="lease show {leased_container}", sends=(f"GET {IN_CONTAINER}",)),
    Call(argv="table create {new_table}", sends=("POST",)),
    Call(argv="table list --prefix {table}", sends=("GET $filter=...&$top=1000",)),
    Call(argv="table delete {table} --yes", sends=("DELETE",)),
    Call(argv="entity get {table} P R"),
    Call(argv="entity query {table}", sends=("GET $top=1000",)),
    Call(argv="entity insert {table} P new n:=2", sends=("POST",)),
    Call(argv="entity replace {table} P R n:=2", said="--force", sends=("PUT",), honours=IF_MATCH, weak=True),
    Call(argv="entity merge {table} P R n:=2", said="--force", sends=("PATCH",), honours=IF_MATCH, weak=True),
    Call(argv="entity delete {table} P R", said="--force", sends=("DELETE",), honours=IF_MATCH, weak=True),
    Call(argv="entity upsert {table} P R n:=2 --mode replace", sends=("PUT",)),
    Call(argv="entity upsert {table} P R n:=2 --mode merge", sends=("PATCH",)),
    Call(argv="entity update {table} P R --no-local-lock -- jq -c .n=7", sends=("GET", "PUT"), pins=True, weak=True),
    Call(argv="queue create {new_queue}", sends=("PUT",)),
    Call(argv="queue list --prefix {queue}", sends=("GET comp=list&include=metadata&maxresults=5000&prefix=...",)),
    Call(argv="queue show {queue}", sends=("GET comp=metadata",)),
    Call(argv="queue delete {queue} --yes", sends=("DELETE",)),
    Call(argv="queue clear {queue} --yes", sends=("DELETE",)),
    Call(argv="queue send {queue} text", sends=("POST",)),
    Call(argv="queue dequeue {queue}", sends=("GET numofmessages=1&visibilitytimeout=30",)),
    Call(argv="queue peek {queue}", sends=("GET numofmessages=1&peekonly=true",)),
    Call(
        argv="queue update {queue} {message} --pop-receipt {receipt} --visibility 60",
        sends=("PUT popreceipt=...&visibilitytimeout=60",),
    ),
    Call(argv="queue delete-message {queue} {message} --pop-receipt {receipt}", sends=("DELETE popreceipt=...",)),
    Call(argv="share create {new_share}", sends=(f"PUT {OF_SHARE}",)),
    Call(argv="share show {share}", sends=(f"GET {OF_SHARE}",), honours=LEASE),
    Call(argv="share list --prefix {share}", sends=("GET comp=list&include=&maxresults=5000&prefix=...",)),
    Call(argv="share delete {share} --yes", sends=(f"DELETE {OF_SHARE}",), honours=LEASE),
    Call(argv="share snapshot {share}", sends=(f"PUT comp=snapshot&{OF_SHARE}",)),
    Call(argv="share set-metadata {share} a=b", sends=(f"PUT comp=metadata&{OF_SHARE}",), honours=LEASE),
    Call(argv="file mkdir {new_file}", sends=("PUT restype=directory",)),
    Call(argv="file get {file} -", honours=LEASE),
    Call(argv="file show {file}", sends=("HEAD",), honours=LEASE),
    # The service leaves out what is about to be deleted: the handles tell of it.
    Call(
        argv="file list {share}",
        sends=("GET comp=list&include=...&maxresults=5000&restype=directory", "GET comp=listhandles&maxresults=5000"),
    ),
    Call(argv="file delete {file}", sends=("DELETE",), honours=LEASE),
    Call(argv="file set-metadata {file} a=b", sends=("PUT comp=metadata",), honours=LEASE),
    Call(argv="file rename {file} {new_file}", sends=("PUT comp=rename",)),
    Call(argv="file handles {file}", sends=("GET comp=listhandles&maxresults=5000",)),
    Call(argv="file close-handles {file} --yes", sends=("PUT comp=...",)),
)


# What cannot succeed by itself (it needs an editor, or a copy that is under way), or takes many requests, each of
# which has the id of the lease. Their own tests ask for them.
ELSEWHERE: Final = frozenset({"blob edit", "entity edit", "blob copy-abort", "file put"})


def operations() -> Iterator[tuple[str, Operation]]:
    """Yield the words and the operation of every command that has one."""
    yield from _below(command, ())


def _below(one: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Operation]]:
    operation: Operation | None = getattr(one, "operation", None)
    if operation is not None:
        yield " ".join(path), operation
    for name, inner in getattr(one, "commands", {}).items():
        yield from _below(inner, (*path, name))

"""Command lines that are wrong in one way each, built from every command and the values that it cannot take."""

from collections.abc import Iterator, Sequence
from itertools import chain

GUID = "1f812371-a41d-49e6-b123-f4b542e85144"
ACME = "https://acme.blob.core.windows.net"
BLOB_READS = ["blob show data/a", "blob get data/a -"]
BLOB_WRITES = [
    "blob put data/a -",
    "blob delete data/a",
    "blob set-metadata data/a x=y",
    "blob set-headers data/a --content-type text/plain",
    "blob snapshot data/a",
]
# Of the conditions, these know tags and leases only.
BLOB_TAGS = ["blob set-tags data/a x=y", "blob get-tags data/a", "blob set-tier data/a cool"]
CONTAINER_ACL = "container set-acl data --public-access none"
LEASES = [
    f"lease {verb} data/a"
    for verb in ("acquire", f"renew --lease-id {GUID}", f"release --lease-id {GUID}", "break --yes")
]
BLOBS = [*BLOB_READS, *BLOB_WRITES, *LEASES]
CONTAINERS = [
    "container create",
    "container show",
    "container delete --yes",
    "container set-metadata T x=y",
    "container get-acl",
    "container set-acl --public-access none",
    "blob list",
    "lease acquire",
    "lease show",
]
QUEUES = [
    "queue create",
    "queue show",
    "queue delete --yes",
    "queue clear --yes",
    "queue send T x",
    "queue dequeue",
    "queue peek",
]
TABLES = ["table create", "table delete --yes", "entity get T p r", "entity query", "entity insert T p r a=1",
          "entity delete T p r --force"]  # fmt: skip
EVERY = [*BLOBS, "container show data", "container list", "lease show data", "queue show jobs", "queue list",
    "table list",
         "entity get jobs p r", "entity query jobs"]  # fmt: skip

ETAGS = [
    "",
    " ",
    '""',
    "W/",
    '"a',
    'a"',
    '"a","b"',
    '"a\n"',
    '"a\r\nX: y"',
    '"\x1b[31m"',
    "ä",
    "\udcff",
    "a b",
    "[red]a b[/red]",
]
TIMES = ["", " ", "2026-01-31", "2026-01-31T12:00:00", "yesterday", "now-", "now-999999999d", "\x1b[2J", "\udcff",
         "Sat, 31 Jan 2026 12:00:00"]  # fmt: skip
IDS = ["", " ", "x", GUID[:-1], GUID + "0", GUID.replace("f8", "f_"), f"{GUID},{GUID}", "\x1b]0;x\x07", "\udcff"]
TAGS = ["", " ", "a = 'ä'", "a\r\nX: y", "\x1b[31m", "\udcff", "a\x00"]
BLOB_NAMES = [
    "", " ", "data", "data/", "data/.", "data/..", "data/a/../b", "data/./a", "data/%2e%2e/b", "data/%2E", "data/..\\b",
    "data/a%2f..%2fb", "data/\x00", "data/\udcff", "data/" + "x" * 1025, "DATA/a", "da/a", "d--a/a",
        "data\x1b[31m/a", "../data/a",
    "/data/a", "data/a?sig=U0VDUkVU", f"{ACME}/data/%2e%2e/b", f"{ACME}/data/a?snapshot=", f"{ACME}/data/a?x=1",
    f"{ACME}/data/a#b", f"{ACME}/data/a b", "ftp://acme/data/a", "https://",
        "http://127.0.0.1:10000/../data/a", f"{ACME}:0x/data/a",
]  # fmt: skip
NAMES = ["", " ", "ab", "a" * 64, "Data_", "-abc", "a--b", "a.b", "äbc", "abc\n", "\x1b[31mabc", "\udcff",
    "\x00", "..", "%2e%2e",
         "[bold]abc", f"{ACME}/..", "https:///", f"{ACME}/abc?sig=", "abc?sig=U0VDUkVU"]  # fmt: skip
DURATIONS = [
    "",
    " ",
    "14",
    "61",
    "-1",
    "15.5",
    "1h",
    "forever",
    "Infinite",
    "15s15s",
    "\x1b[31m",
    "\udcff",
    "nan",
    "9" * 40,
]
TIMEOUTS = ["", "0", "1ms", "2h", "-1", "soon", "nan", "\x1b[31m", "\udcff"]
LIMITS = ["", "0", "-1", "x", "1.5", "9" * 30, "\x1b[31m", "\udcff", "\u0661x"]
FORMATS = ["", "xml", "JSON", "json ", "\x1b[31m", "\udcff"]
QUERIES = ["", "[", "a.", "a ||", "@@", "\x1b[31m", "\udcff", "[" * 3000, f"[{'9' * 5000}]", "a\nb ["]
RANGES = ["", "-", "a-b", "5-1", "-5", "1-2-3", "1,2", "9" * 19 + "-", " 0-1", "\u0660-\u0669", "\x1b[31m"]
TYPES = ["", " ", "text/ä", "text/plain\r\nX: y", "\x1b[31m", "\udcff", "a\x00b"]
METADATA = [
    "",
    "a",
    "=a",
    "a-b=1",
    "1=1",
    "a=ä",
    "a=1\r\nX: y",
    "a=\x1b[31m",
    "\udcff=1",
    "a=\udcff",
    "a= b",
    "ä=1",
]
INDEX_TAGS = ["", "a", "=a", "a=!", "a=\x1b[31m", "a=\udcff", "a=" + "v" * 257, "n" * 129 + "=1"]
STRINGS = ["", " ", "U0VDUkVU", "AccountName=acme", "AccountName=acme;AccountKey=!", "AccountKey=U0VDUkVU", "a=b;;c",
           "BlobEndpoint=x;AccountKey=Zm9v", "\x1b[31m", "\udcff", "AccountName=acme\x00;AccountKey=Zm9v"]  # fmt: skip

Row = tuple[str, list[str]]  # what is wrong, and the command line


def rows() -> Iterator[Row]:
    """Yield every row of the table."""
    return chain(
        conditions(), lease_ids(), names(), shared(), limits_and_ranges(), metadata(), snapshots(), attributes(), acls()
    )


def each(command: str, option: str, bad: Sequence[str], *more: str) -> Iterator[Row]:
    """Yield a command with every bad value of an option."""
    for text in bad:
        yield f"{option} {text[:20]!r}", [*command.split(), *more, option, text]


def conditions() -> Iterator[Row]:
    """Yield bad ETags, times and tag expressions."""
    for command in BLOBS:
        for flag, bad in (
            ("--if-match", ETAGS),
            ("--if-none-match", ETAGS),
            ("--if-modified-since", TIMES),
            ("--if-unmodified-since", TIMES),
            ("--if-tags", TAGS),
        ):
            yield from each(command, flag, bad)
    for verb, more in (("replace", ["a=1"]), ("merge", ["a=1"]), ("delete", [])):
        yield from each(f"entity {verb} jobs p r", "--if-match", ETAGS, *more)


def lease_ids() -> Iterator[Row]:
    """Yield bad lease ids, durations and periods."""
    containers = [f"container {line}" for line in ("show data", "delete data --yes", "set-metadata data x=y")]
    for command in (*BLOB_READS, *BLOB_WRITES, *BLOB_TAGS, *containers, "container get-acl data", CONTAINER_ACL):
        yield from each(command, "--lease-id", IDS)
    for command in ("lease renew data", "lease release data", f"lease change data --proposed-id {GUID}"):
        yield from each(command, "--lease-id", IDS)
    for command in ("lease acquire data", f"lease change data --lease-id {GUID}"):
        yield from each(command, "--proposed-id", IDS)
    yield from each("lease acquire data", "--duration", DURATIONS)
    yield from each("lease break data --yes", "--period", [text for text in DURATIONS if text != "14"])


def names() -> Iterator[Row]:
    """Yield bad targets."""
    for command in BLOBS:
        forced = f"{command} --lease-id {GUID}" if command == "blob delete data/a" else command
        for text in BLOB_NAMES:
            if not (command.startswith("lease") and text == "data"):  # that is a container
                words = [text if word == "data/a" else word for word in forced.split()]
                yield f"name {text[:30]!r}", words
    for command in (*CONTAINERS, *QUEUES, *TABLES):
        noun, verb, *rest = command.split()
        for text in NAMES:
            yield f"name {text[:20]!r}", [noun, verb, text, *(rest[1:] if rest[:1] == ["T"] else rest)]


def shared() -> Iterator[Row]:
    """Yield bad values of the options that every command takes."""
    for command in EVERY:
        known = f"{command} --force" if command == "blob delete data/a" else command
        yield from each(known, "--timeout", TIMEOUTS)
        yield from each(known, "-o", FORMATS)
        yield from each(known, "--query", QUERIES)
        yield from each(known, "--connection-string", STRINGS)


def limits_and_ranges() -> Iterator[Row]:
    """Yield bad numbers, spans of bytes, media types and prefixes."""
    for command in ("container list", "queue list", "table list", "blob list data", "entity query jobs"):
        yield from each(command, "--limit", LIMITS)
    for noun in ("container", "queue", "table"):
        yield from each(f"{noun} list", "--prefix", ["\udcff", "\x00"])
    yield from each("blob get data/a -", "--range", RANGES)
    yield from each("blob put data/a -", "--content-type", TYPES)


def metadata() -> Iterator[Row]:
    """Yield bad metadata and tags."""
    yield from each("blob put data/a -", "--metadata", [*METADATA, "stcc_op=1"])
    yield from each("container create data", "--metadata", [*METADATA, "stcc_op=1"])
    yield from each("queue create jobs", "--metadata", METADATA)
    yield from each("blob put data/a -", "--tag", INDEX_TAGS)


def snapshots() -> Iterator[Row]:
    """Yield bad snapshots."""
    for command in (*BLOB_READS, "blob delete data/a --force"):
        yield from each(command, "--snapshot", ["", "yesterday", "2026-01-31T12:00:00Z", "\x1b[31m"])


def attributes() -> Iterator[Row]:
    """Yield bad metadata, headers, tags and tiers, and what is written to a snapshot."""
    for command in BLOB_TAGS:
        yield from each(command, "--if-tags", TAGS)
    for noun in ("blob set-metadata data/a", "container set-metadata data"):
        for text in [*METADATA, "stcc_op=1"]:
            yield f"metadata {text[:20]!r}", [*noun.split(), text]
        yield "metadata twice", [*noun.split(), "a=1", "A=2"]
    for text in INDEX_TAGS:
        yield f"tag {text[:20]!r}", ["blob", "set-tags", "data/a", text]
    yield "eleven tags", ["blob", "set-tags", "data/a", *(f"t{number}=x" for number in range(11))]
    for name in ("type", "encoding", "language", "disposition"):
        yield from each("blob set-headers data/a", f"--content-{name}", [*TYPES, " de"])
    yield from each("blob set-headers data/a", "--cache-control", TYPES)
    yield from each("blob set-headers data/a", "--content-md5", [*TYPES, "Zm9v", "not base64!", "A" * 24])
    yield from each("blob set-headers data/a", "--clear", ["", "content-type", "x", "\x1b[31m"])
    for text in ("", " ", "lukewarm", "P5", "P4 ", "\x1b[31m", "\udcff"):
        yield f"tier {text!r}", ["blob", "set-tier", "data/a", text]
    yield from each("blob set-tier data/a hot", "--rehydrate-priority", ["", "soon"])
    yield from each("blob snapshot data/a", "--metadata", [*METADATA, "stcc_op=1"])
    yield from each("blob get-tags data/a", "--snapshot", ["", "yesterday"])
    for command in (*BLOB_WRITES[2:], BLOB_TAGS[0], BLOB_TAGS[2]):
        at = f"{ACME}/data/a?snapshot=2026-01-31T12:00:00.1234567Z"
        yield "a snapshot", [at if word == "data/a" else word for word in command.split()]


POLICIES = [
    "",
    " ",
    "p",
    "p:",
    ":permissions=r",
    " p:permissions=r",
    "p:permissions=",
    "p:permissions=rr",
    "p:permissions=R",
    "p:permissions=\u0660",
    "p:permissions=r,permissions=w",
    "p:rights=r",
    "p:start=",
    "p:start=yesterday",
    "p:start=2026-01-31",
    "p:expiry=2026-01-31T12:00:00",
    "p:expiry=now+",
    "x" * 65 + ":permissions=r",
    "p\x1b[31m:permissions=r",
    "\udcff:permissions=r",
]
ACLS = ["", "{", "[]", "{}", '{"policies": {}}', '{"policies": [1]}', '{"policies": [{}]}', '{"policies": [], "x": 1}',
        '{"policies": [], "public_access": "all"}', '{"policies": [], "public_access": ["none"]}',
        '{"policies": [{"id": "p", "x": 1}]}',
        '{"policies": [{"id": "p", "start": 1}]}', '{"policies": [{"id": "p"}, {"id": "p"}]}',
        '{"policies": [{"id": "p", "permissions": "rr"}]}', '{"policies": [], "policies": []}',
        '{"outcome": "x", "result": []}',
        '{"policies": [' + ",".join(f'{{"id": "p{number}"}}' for number in range(6)) + "]}"]  # fmt: skip


def acls() -> Iterator[Row]:
    """Yield bad policies, and documents that are none of an ACL."""
    yield from each("container set-acl data", "--policy", POLICIES)
    yield from each("container set-acl data", "--remove", ["", " ", "x" * 65, "\x1b[31m", "\udcff"])
    yield from each("container set-acl data", "--public-access", ["", "all", "None", "\x1b[31m"])
    yield from each("container set-acl data", "--from", ["", " ", "/nonexistent", "/", "\x00", "\udcff"])
    yield from each(CONTAINER_ACL, "--attempts", LIMITS)
    yield "twice", ["container", "set-acl", "data", "--policy", "p:permissions=r", "--policy", "p:permissions=w"]
    yield "six", ["container", "set-acl", "data", *(w for n in range(6) for w in ("--policy", f"p{n}:permissions=r"))]

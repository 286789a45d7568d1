"""Three strategies for one blob: check before you write, lock before you write, or just write."""

import io
import uuid
from collections.abc import Iterator
from typing import Final

from stcc import files
from stcc.demo.place import Place, granted
from stcc.demo.steps import FORCED, step
from stcc.outcomes import Refused
from stcc.outcomes.blob import BlobGot, BlobPut
from stcc.outcomes.demo import Step
from stcc.storage import download, upload
from stcc.storage.account import Account
from stcc.storage.leases import Leases
from stcc.values.attributes import Attributes
from stcc.values.conditions import Conditions
from stcc.values.targets import BlobTarget

SECONDS: Final = 15
# A reader that names a range is answered 206, also when the range holds everything.
READ: Final = (200, 206)
NONE_YET: Final = Conditions({"--if-none-match": "*"})
ALWAYS: Final = Conditions()


def optimistic(place: Place) -> Iterator[Step]:
    """Two writers read the same version; the second one to write is told."""
    page = Page(place)
    created = page.put("first draft", NONE_YET)
    yield step("put it, if there is none yet", created, "created; we keep its ETag", sent=NONE_YET, status=201)
    ours = granted(created).etag

    forced = page.put("their draft", FORCED)
    other = isinstance(forced, BlobPut) and forced.etag != ours
    yield step(
        "somebody else overwrites it", forced, "every write makes a new ETag", sent=FORCED, status=201, holds=other
    )
    theirs = granted(forced).etag

    kept = Conditions({"--if-match": ours})
    stale = page.put("our draft", kept)
    seen = isinstance(stale, Refused) and (stale.observed is None or stale.observed.get("etag") == theirs)
    yield step(
        "put ours, with the ETag we kept",
        stale,
        f"it changed since; its ETag is {theirs} now",
        sent=kept,
        status=412,
        codes=["ConditionNotMet"],
        holds=seen,
    )

    got, text = page.get(ALWAYS)
    right = text == "their draft"
    yield step("read it again", got, "what they wrote, and the ETag of it", status=READ, holds=right)

    current = Conditions({"--if-match": granted(got).etag})
    merged = page.put("both drafts", current)
    yield step("put both, with the current ETag", merged, "nothing of theirs is lost", sent=current, status=201)

    known = Conditions({"--if-none-match": granted(merged).etag})
    again, _ = page.get(known)
    yield step("read it, unless we have it", again, "nothing new, nothing sent", sent=known, status=304)


def pessimistic(place: Place) -> Iterator[Step]:
    """Take a lease: while it lasts, only who has its id can write."""
    page = Page(place)
    granted(page.put("first draft", NONE_YET))
    lease, ours, theirs, renamed = Leases(place.account, page.target), _guid(), _guid(), _guid()

    with_id = f"x-ms-proposed-lease-id: {ours}"
    acquired = lease.acquire(ours, seconds=SECONDS, conditions=ALWAYS)
    yield step(f"acquire a lease for {SECONDS} seconds", acquired, "it is ours", sent=with_id, status=201)
    granted(acquired)
    with_id = f"x-ms-proposed-lease-id: {theirs}"
    second = lease.acquire(theirs, seconds=SECONDS, conditions=ALWAYS)
    taken = ["LeaseAlreadyPresent"]
    yield step("acquire it a second time", second, "one holder at a time", sent=with_id, status=409, codes=taken)

    without, mine, wrong = page.put("theirs", FORCED), leased(ours), leased(theirs)
    missing = ["LeaseIdMissing"]
    yield step("put without the id", without, "others cannot write", sent=FORCED, status=412, codes=missing)
    yield step("put with the id", page.put("ours", mine), "the holder can", sent=mine, status=201)
    got, text = page.get(ALWAYS)
    yield step("read without the id", got, "everybody can read", status=READ, holds=text == "ours")
    mismatch = ["LeaseIdMismatchWithBlobOperation"]
    got, _ = page.get(wrong)
    yield step("read with another id", got, "an id that is sent is checked", sent=wrong, status=412, codes=mismatch)

    renewed = lease.renew(ours, conditions=ALWAYS)
    yield step("renew it", renewed, f"{SECONDS} seconds from now", sent=mine, status=200)
    changed, mine = lease.change(ours, renamed, conditions=ALWAYS), leased(renamed)
    with_id = f"x-ms-proposed-lease-id: {renamed}"
    yield step("change its id", changed, "handed over to whoever has the new id", sent=with_id, status=200)
    granted(changed)
    yield from _ended(page, lease, renamed)


def _ended(page: "Page", lease: Leases, held: str) -> Iterator[Step]:
    mine = leased(held)
    broken = lease.break_(period=0, conditions=ALWAYS)
    yield step("break it, as an operator would", broken, "no id is needed, and it ends at once", status=202)
    # Azurite says of a broken lease what the service says of one that was never there.
    ended = ["LeaseLost", "LeaseNotPresentWithBlobOperation"]
    late, told = page.put("too late", mine), "the holder is told (the service says LeaseLost)"
    yield step("put with the id nevertheless", late, told, sent=mine, status=412, codes=ended)
    released = lease.release(held, conditions=ALWAYS)
    yield step("release it", released, "also a broken one can be released", sent=mine, status=200)
    free = page.put("next", FORCED)
    yield step("put without an id", free, "free for everybody again", sent=FORCED, status=201)


def last_writer_wins(place: Place) -> Iterator[Step]:
    """Send no condition: right where nobody else writes, or where the newest is all that counts."""
    page = Page(place)
    first, second = page.put("one", FORCED), page.put("two", FORCED)
    yield step("one writer puts it", first, "whatever was there", sent=FORCED, status=201)
    yield step("another writer puts it", second, "nobody is told", sent=FORCED, status=201)
    got, text = page.get(ALWAYS)
    yield step("read it", got, "the first write is gone without a trace", status=READ, holds=text == "two")


class Page:
    """The blob that everybody wants to write."""

    def __init__(self, place: Place) -> None:
        self._account: Account = place.account
        self.target = BlobTarget(container=place.container().container, blob="page.txt")

    def put(self, text: str, conditions: Conditions) -> BlobPut | Refused:
        """Write the blob."""
        return put(self._account, self.target, text, conditions)

    def get(self, conditions: Conditions) -> tuple[BlobGot | Refused, str]:
        """Read the blob."""
        found = download.get(
            self._account, self.target, conditions=conditions, span=None, progress=lambda _done, _total: None
        )
        if isinstance(found, Refused):
            return found, ""
        content = io.BytesIO()
        return found.poured(content.write, path="-"), content.getvalue().decode()


def put(account: Account, target: BlobTarget, text: str, conditions: Conditions) -> BlobPut | Refused:
    """Write a text to a blob."""
    attributes = Attributes(content_type="text/plain", metadata={}, tags={}, marker=True)
    source = files.Source(io.BytesIO(text.encode()), name="text", size=len(text.encode()))
    return upload.put(
        account, target, source, attributes=attributes, conditions=conditions, progress=lambda _bytes: None
    )


def leased(lease_id: str) -> Conditions:
    """Return what sends this id."""
    return Conditions({"--lease-id": lease_id})


def _guid() -> str:
    return str(uuid.uuid4())

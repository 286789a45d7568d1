"""A file: the last writer wins, SMB clients can be in the way, and a lease keeps other writers out."""

import io
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit

from stcc import files
from stcc.demo.blobs import ALWAYS, READ, leased
from stcc.demo.place import Place, granted
from stcc.demo.steps import aside, ended, step, unsent
from stcc.emulator import smb
from stcc.exits import Exit
from stcc.knowledge.operations import PUT_FILE
from stcc.outcomes import Refused
from stcc.outcomes.demo import Step
from stcc.outcomes.file import FileGot
from stcc.outcomes.file_put import FilePut
from stcc.storage import file_download, file_upload, handles
from stcc.storage import files as stored
from stcc.storage.leases import Leases
from stcc.storage.putting import Wanted
from stcc.values.targets import FileTarget

T = TypeVar("T")


def file(place: Place) -> Iterator[Step]:
    """Overwrite a file, meet an SMB client that has it open, lease it."""
    report = Report(place)
    yield from _last_writer_wins(report)
    client = Client.of(place, report.target)
    if client is None:
        place.tell("file: without the steps that need an SMB client, for those are simulated by the emulator only")
    else:
        yield from _in_the_way(report, client)
        yield from _neither_there_nor_gone(report, client)
    yield from _leased(place, report)


def _last_writer_wins(report: "Report") -> Iterator[Step]:
    first = report.put("one")
    yield ended("one writer puts it", first, "under another name, then renamed: nobody sees half", exits=Exit.DONE)
    yield ended("another writer puts it", report.put("two"), "nobody is told", exits=Exit.DONE)
    got, text = report.get()
    yield step("read it", got, "the first write is gone without a trace", status=READ, holds=text == "two")
    ignored = "stcc sends nothing: the service knows no conditions for files"
    yield unsent("put it, with the first ETag", PUT_FILE, granted(first).etag, ignored)


def _in_the_way(report: "Report", client: "Client") -> Iterator[Step]:
    yield client.does("open", {"access": "rd", "shared": ""}, "an SMB client opens it", "and shares it with nobody")
    violation = ["SharingViolation"]
    got, _ = report.get()
    yield step("read it", got, "the client does not share reading", status=409, codes=violation)
    yield step("delete it", report.delete(), "nor does it share deletion", status=409, codes=violation)
    found = granted(handles.listing(report.account, report.target, recursive=False, limit=None))
    who = [str(one["client"]) for one in found.items]
    yield aside("list what is open", "who has it, for what, since when", instead=None if len(who) == 1 else str(who))


def _neither_there_nor_gone(report: "Report", client: "Client") -> Iterator[Step]:
    yield client.does("mark-delete", {"undo": False}, "the SMB client deletes it", "it goes when the client closes it")
    pending = ["DeletePending", "SMBDeletePending"]
    yield step("show it", report.show(), "409, not 404: it is still there", status=409, codes=pending)
    yield step("put it", report.put("three"), "and its name is taken", status=409, codes=pending)
    yield client.does("close", {}, "the SMB client closes it", "with the last handle the file goes")
    yield step("show it", report.show(), "now it is really gone", status=404, codes=["ResourceNotFound"])


def _leased(place: Place, report: "Report") -> Iterator[Step]:
    yield ended("put it", report.put("next"), "its name is free again", exits=Exit.DONE)
    lease, held = Leases(place.account, report.target), str(uuid.uuid4())
    mine = leased(held)
    acquired, with_id = lease.acquire(held, seconds=None, conditions=ALWAYS), f"x-ms-proposed-lease-id: {held}"
    yield step("acquire its lease", acquired, "ours, without end: files know no other", sent=with_id, status=201)
    granted(acquired)
    without, missing = report.put("theirs", in_place=True), ["LeaseIdMissing"]
    yield step("put without the id", without, "others cannot write", status=412, codes=missing)
    yield step("delete without the id", report.delete(), "nor delete", status=412, codes=missing)
    yield ended("put with the id", report.put("ours", lease_id=held, in_place=True), "the holder can", exits=Exit.DONE)
    got, text = report.get()
    yield step("read without the id", got, "everybody can read", status=READ, holds=text == "ours")
    released = lease.release(held, conditions=ALWAYS)
    yield step("release it", released, "free for everybody again", sent=mine, status=200)


class Report:
    """The file that everybody wants to write."""

    def __init__(self, place: Place) -> None:
        self.account = place.account
        self.target = FileTarget(share=place.share().share, path="report.csv")

    def put(self, text: str, *, lease_id: str | None = None, in_place: bool = False) -> FilePut | Refused:
        """Write it."""
        way = file_upload.put_in_place if in_place else file_upload.put_by_rename
        source = files.Source(io.BytesIO(text.encode()), name="text", size=len(text.encode()))
        wanted = Wanted(content_type="text/csv", metadata=None, unchanged=None, lease_id=lease_id)
        return way(self.account, self.target, source, wanted=wanted, progress=lambda _bytes: None, persist=_once)

    def get(self) -> tuple[FileGot | Refused, str]:
        """Read it."""
        found = file_download.get(
            self.account, self.target, conditions=ALWAYS, span=None, progress=lambda _done, _total: None
        )
        if isinstance(found, Refused):
            return found, ""
        content = io.BytesIO()
        return found.poured(content.write, path="-"), content.getvalue().decode()

    def show(self) -> Any:
        """Look at it."""
        return stored.show(self.account, self.target, conditions=ALWAYS)

    def delete(self) -> Any:
        """Delete it."""
        return stored.delete(self.account, self.target, conditions=ALWAYS)


class Client:
    """An SMB client that has the file open, or will; on the emulator only."""

    def __init__(self, port: int, target: FileTarget) -> None:
        self._port = port
        self._asked: dict[str, object] = {"share": target.share, "path": target.path}

    @classmethod
    def of(cls, place: Place, target: FileTarget) -> "Client | None":
        """Return a client, or None where there is no emulator."""
        endpoint = urlsplit(place.account.connection.endpoint("file"))
        if endpoint.hostname != "127.0.0.1" or endpoint.port is None:
            return None
        return cls(endpoint.port, target)

    def does(self, act: str, how: Mapping[str, object], asked: str, meaning: str) -> Step:
        """Let it do something; the handle it opens is the one it goes on with."""
        try:
            answer = smb.ask(self._port, act, self._asked | dict(how))
        except smb.Denied as denied:
            return aside(asked, meaning, instead=f"{denied.message} ({denied.status})")
        self._asked["handle"] = answer["handle"]
        return aside(asked, meaning, instead=None)


def _once(attempt: Callable[[], T | Refused]) -> T | Refused:
    return attempt()

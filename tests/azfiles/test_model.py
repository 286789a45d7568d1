"""Random operations on the emulator and on a model that is simple enough to be right: they always agree."""

import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.azfiles.serving import Answer, Service, serving

FILES: Final = ["a", "d/a"]
DIRECTORIES: Final = ["d", "e"]
IDS: Final = ["aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"]
SIZE: Final = 2000
names = st.sampled_from([*FILES, "A", "B", "e/a"])
ids = st.sampled_from(["", *IDS])


@dataclass(frozen=True)
class Known:
    """A file of the model; `lease` is the active id, `handles` are (access, shared) by handle."""

    content: bytes
    lease: str = ""
    metadata: str = ""
    handles: tuple[tuple[str, str, str], ...] = ()

    def refuses(self, lease: str, needs: str) -> int:
        """Return the status that a change with this lease id gets, 0 when it may be made."""
        if (self.lease or lease) and lease != self.lease:
            return 412
        if any(needs == "d" or not set(needs) <= set(shared) for _, _, shared in self.handles):
            return 409
        return 0


class Share(RuleBasedStateMachine):
    """One share: files in two directories, each with a content, a lease, handles."""

    service: Service

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, Known] = {}
        self.directories: set[str] = set()
        self.stack = ExitStack()

    @initialize()
    def start(self) -> None:
        directory = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.service = self.stack.enter_context(serving(directory))
        self.ask("PUT", "?restype=share")
        self.make_directory("d")
        for name in FILES:
            self.create(name, "")

    def teardown(self) -> None:
        self.stack.close()

    def ask(self, method: str, target: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Answer:
        return self.service.ask(method, f"/share{target}", headers, body)

    def parent_is_missing(self, name: str) -> bool:
        return "/" in name and name.partition("/")[0] not in self.directories

    def at(self, name: str) -> Known | None:
        return self.files.get(name.lower())

    def missing(self, name: str) -> int | None:
        return None if not self.parent_is_missing(name) and self.at(name) else 404

    def keep(self, name: str, known: Known) -> None:
        self.files[name.lower()] = known

    @rule(name=st.sampled_from(DIRECTORIES))
    def make_directory(self, name: str) -> None:
        status = self.ask("PUT", f"/{name}?restype=directory").status
        assert status == (409 if name in self.directories else 201)
        self.directories.add(name)

    @rule(name=st.sampled_from(DIRECTORIES))
    def remove_directory(self, name: str) -> None:
        status = self.ask("DELETE", f"/{name}?restype=directory").status
        full = any(path.startswith(f"{name}/") for path in self.files)
        assert status == (404 if name not in self.directories else 409 if full else 202)
        if status == 202:
            self.directories.remove(name)

    @rule(name=names, lease=ids)
    def create(self, name: str, lease: str) -> None:
        headers = {"x-ms-type": "file", "x-ms-content-length": str(SIZE)} | given(lease)
        status = self.ask("PUT", f"/{name}", headers).status
        old = self.at(name)
        if self.parent_is_missing(name):
            assert status == 404
            return
        refused = (412 if lease else 0) if old is None else old.refuses(lease, "wd")
        assert status == (refused or 201)
        if not refused:
            kept = old or Known(b"")
            self.keep(name, Known(bytes(SIZE), kept.lease, "", kept.handles))

    @rule(
        name=names,
        lease=ids,
        start=st.integers(0, SIZE - 1),
        length=st.integers(1, 700),
        letter=st.binary(min_size=1, max_size=1),
        clears=st.booleans(),
    )
    def write(self, name: str, lease: str, start: int, length: int, letter: bytes, *, clears: bool) -> None:
        body = b"" if clears else letter * length
        headers = {"x-ms-write": "clear" if clears else "update", "x-ms-range": f"bytes={start}-{start + length - 1}"}
        status = self.ask("PUT", f"/{name}?comp=range", headers | given(lease), body).status
        old = self.at(name)
        if self.missing(name) or old is None:
            assert status == 404
            return
        refused = old.refuses(lease, "w") or (416 if start + length > SIZE else 0)
        assert status == (refused or 201)
        if not refused:
            content = old.content[:start] + (body or bytes(length)) + old.content[start + length :]
            self.keep(name, replace(old, content=content))

    @rule(name=names, lease=ids, value=st.sampled_from(["1", "2"]))
    def set_metadata(self, name: str, lease: str, value: str) -> None:
        status = self.ask("PUT", f"/{name}?comp=metadata", {"x-ms-meta-a": value} | given(lease)).status
        old = self.at(name)
        if self.missing(name) or old is None:
            assert status == 404
            return
        refused = old.refuses(lease, "w")
        assert status == (refused or 200)
        if not refused:
            self.keep(name, replace(old, metadata=value))

    @rule(name=names, lease=ids)
    def delete(self, name: str, lease: str) -> None:
        status = self.ask("DELETE", f"/{name}", given(lease)).status
        old = self.at(name)
        if self.missing(name) or old is None:
            assert status == 404
            return
        refused = old.refuses(lease, "d")
        assert status == (refused or 202)
        if not refused:
            del self.files[name.lower()]

    @rule(source=names, goal=names, lease=ids, held=ids, replaces=st.booleans())
    def rename(self, source: str, goal: str, lease: str, held: str, *, replaces: bool) -> None:
        headers = {
            "x-ms-file-rename-source": self.service.url(f"/share/{source}"),
            "x-ms-file-rename-replace-if-exists": str(replaces).lower(),
            **({"x-ms-source-lease-id": lease} if lease else {}),
            **({"x-ms-destination-lease-id": held} if held else {}),
        }
        status = self.ask("PUT", f"/{goal}?comp=rename", headers).status
        old, other = self.at(source), self.at(goal)
        if self.missing(source) or old is None:
            assert status == 404
            return
        refused = old.refuses(lease, "d") or (404 if self.parent_is_missing(goal) else 0)
        if not refused and other is not None and goal.lower() != source.lower():
            refused = other.refuses(held, "d") if replaces else 409
        assert status == (refused or 200)
        if not refused:
            del self.files[source.lower()]
            self.keep(goal, old)

    @rule(source=names, goal=names, lease=ids)
    def copy(self, source: str, goal: str, lease: str) -> None:
        headers = {"x-ms-copy-source": self.service.url(f"/share/{source}")} | given(lease)
        status = self.ask("PUT", f"/{goal}", headers).status
        old, other = self.at(source), self.at(goal)
        if self.missing(source) or old is None:
            assert status == 404
            return
        refused = 409 if any("r" not in shared for _, _, shared in old.handles) else 0
        refused = refused or (404 if self.parent_is_missing(goal) else 0)
        refused = refused or ((412 if lease else 0) if other is None else other.refuses(lease, "wd"))
        assert status == (refused or 202)
        if not refused:
            kept = other or Known(b"")
            self.keep(goal, Known(old.content, kept.lease, old.metadata, kept.handles))

    @rule(name=names, lease=st.sampled_from(IDS))
    def acquire(self, name: str, lease: str) -> None:
        headers = {"x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1", "x-ms-proposed-lease-id": lease}
        status = self.ask("PUT", f"/{name}?comp=lease", headers).status
        old = self.at(name)
        if self.missing(name) or old is None:
            assert status == 404
            return
        refused = 409 if old.lease not in {"", lease} or old.refuses(old.lease, "rwd") else 0
        refused = refused or (409 if any(set(access) & {"w", "d"} for _, access, _ in old.handles) else 0)
        assert status == (refused or 201)
        if not refused:
            self.keep(name, replace(old, lease=lease))

    @rule(name=names, lease=st.sampled_from(IDS))
    def release(self, name: str, lease: str) -> None:
        status = self.ask("PUT", f"/{name}?comp=lease", {"x-ms-lease-action": "release"} | given(lease)).status
        old = self.at(name)
        if self.missing(name) or old is None:
            assert status == 404
            return
        assert status == (200 if old.lease == lease else 409)
        if status == 200:
            self.keep(name, replace(old, lease=""))

    @rule(name=names, access=st.sampled_from(["r", "rw", "rwd"]), shared=st.sampled_from(["", "r", "rw", "rwd"]))
    def open(self, name: str, access: str, shared: str) -> None:
        status, answer = self.service.smb("open", share="share", path=name, access=access, shared=shared)
        old = self.at(name)
        if self.missing(name) or old is None:
            assert status == 409
            return
        free = all(set(access) <= set(theirs) and set(own) <= set(shared) for _, own, theirs in old.handles)
        allowed = free and not (old.lease and set(access) & {"w", "d"})
        assert status == (200 if allowed else 409)
        if allowed:
            self.keep(name, replace(old, handles=(*old.handles, (answer["handle"], access, shared))))

    @rule(name=names)
    def close(self, name: str) -> None:
        status = self.ask("PUT", f"/{name}?comp=forceclosehandles", {"x-ms-handle-id": "*"}).status
        old = self.at(name)
        assert status == (404 if self.missing(name) else 200)
        if status == 200 and old is not None:
            self.keep(name, replace(old, handles=()))

    @invariant()
    def everything_is_as_the_model_says(self) -> None:
        listed: set[str] = set()
        for place in ["", *(f"/{name}" for name in self.directories)]:
            found: Any = self.ask("GET", f"{place}?restype=directory&comp=list").xml
            listed |= {f"{place}/{one.text}".lower().removeprefix("/") for one in found.findall("Entries/File/Name")}
        assert listed == set(self.files)
        for name, known in self.files.items():
            shown = self.ask("HEAD", f"/{name}").headers
            assert shown.get("x-ms-meta-a", "") == known.metadata
            assert shown["x-ms-lease-state"] == ("leased" if known.lease else "available")
            if all("r" in shared for _, _, shared in known.handles):
                assert self.ask("GET", f"/{name}").body == known.content


def given(lease: str) -> dict[str, str]:
    return {"x-ms-lease-id": lease} if lease else {}


Share.TestCase.settings = settings(
    max_examples=40,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    derandomize=True,
)
TestShare = Share.TestCase

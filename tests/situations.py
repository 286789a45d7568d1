"""What there is before a command runs: containers, blobs, leases, tables, queues, shares, made when first named.

Made with the SDKs, directly at the service, so that nothing of it goes through stcc or a proxy.
"""

import tempfile
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from azure.data.tables import TableServiceClient
from azure.storage.blob import BlobLeaseClient, BlobServiceClient, ContainerClient
from azure.storage.queue import QueueServiceClient

from stcc.emulator.instance import Instance
from tests.teams import Team

API: Final = "2021-12-02"
HELD: Final = "0f8fad5b-d9cb-469f-a165-70867728950e"
OTHER: Final = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
THIRD: Final = "11111111-2222-4333-8444-555555555555"
CONTENT: Final = b"first content"


class Situation:
    """One situation for one command; `{name}` in an argument stands for the property of that name."""

    def __init__(self, azurite: Instance) -> None:
        self.azurite = azurite
        self._string = azurite.connection_string
        self._unique = uuid4().hex[:20]

    def argv(self, template: str | Sequence[str]) -> list[str]:
        """Fill in an argument list; a text is one, split at its spaces."""
        words = template.split() if isinstance(template, str) else template
        return [word.format_map(_Properties(self)) for word in words]

    @cached_property
    def blobs(self) -> Any:
        return BlobServiceClient.from_connection_string(self._string, api_version=API)

    @cached_property
    def home(self) -> ContainerClient:
        """Return the container that every blob of this situation is in."""
        client: ContainerClient = self.blobs.get_container_client(self.container)
        client.create_container()
        return client

    @cached_property
    def container(self) -> str:
        return f"c{self._unique}"

    @cached_property
    def existing_container(self) -> str:
        """Return a container that nothing else uses, so that it can be deleted."""
        name = f"e{self._unique}"
        self.blobs.create_container(name)
        return name

    @cached_property
    def new_container(self) -> str:
        return f"n{self._unique}"

    @cached_property
    def leased_container(self) -> str:
        """Return a container that is leased for ever under `HELD`."""
        name = f"l{self._unique}"
        BlobLeaseClient(self.blobs.create_container(name), lease_id=HELD).acquire(-1)
        return name

    @cached_property
    def blob(self) -> str:
        """Return a blob that nobody has leased."""
        return self.named("free")

    @cached_property
    def new_blob(self) -> str:
        assert self.home
        return f"{self.container}/new"

    @cached_property
    def empty_blob(self) -> str:
        return self.named("empty", b"")

    @cached_property
    def append_blob(self) -> str:
        """Return an append blob of as many bytes as `CONTENT`."""
        self.home.get_blob_client("appended").create_append_blob()
        self.home.get_blob_client("appended").append_block(CONTENT)
        return f"{self.container}/appended"

    @cached_property
    def page_blob(self) -> str:
        """Return a page blob of two pages, whose sequence number is 5."""
        self.home.get_blob_client("pages").create_page_blob(1024, sequence_number=5)
        return f"{self.container}/pages"

    @cached_property
    def staged(self) -> str:
        """Return the id of a block that was staged for `new_blob`, made up as stcc does."""
        block = f"{uuid4().hex}-00000"
        self.client(self.new_blob).stage_block(block, b"text")
        return block

    @cached_property
    def own_staged(self) -> str:
        """Return the id of a block that was staged for `new_blob`, chosen by hand."""
        self.client(self.new_blob).stage_block("mine", b"text")
        return "mine"

    @cached_property
    def page(self) -> str:
        """Return a file of one page."""
        path = Path(tempfile.mkdtemp()) / "page"
        path.write_bytes(b"p" * 512)
        return str(path)

    @cached_property
    def page_etag(self) -> str:
        return str(self.properties(self.page_blob).etag)

    @cached_property
    def append_etag(self) -> str:
        return str(self.properties(self.append_blob).etag)

    @cached_property
    def leased_blob(self) -> str:
        """Return a blob that is leased for ever under `HELD`."""
        target = self.named("leased")
        self.lease(target).acquire(-1)
        return target

    @property
    def held(self) -> str:
        return HELD

    @property
    def other(self) -> str:
        return OTHER

    @cached_property
    def etag(self) -> str:
        """Return the ETag of `blob`."""
        return str(self.properties(self.blob).etag)

    @cached_property
    def table(self) -> str:
        """Return a table with an entity P, R."""
        name = f"T{self._unique}"
        table = self._tables.create_table(name)
        table.create_entity({"PartitionKey": "P", "RowKey": "R", "n": 1})
        return name

    @cached_property
    def new_table(self) -> str:
        return f"N{self._unique}"

    @cached_property
    def queue(self) -> str:
        name = f"q{self._unique}"
        self._queues.create_queue(name).send_message("first")
        return name

    @cached_property
    def new_queue(self) -> str:
        return f"m{self._unique}"

    @cached_property
    def message(self) -> str:
        """Return the id of a message in `queue` that has just been dequeued."""
        return str(self._dequeued.id)

    @cached_property
    def receipt(self) -> str:
        return str(self._dequeued.pop_receipt)

    @cached_property
    def team(self) -> Team:
        """Return the share that every file of this situation is in."""
        return Team(self.azurite)

    @cached_property
    def share(self) -> str:
        """Return a share that nothing else uses, so that it can be deleted."""
        return Team(self.azurite).share

    @cached_property
    def new_share(self) -> str:
        return f"f{self._unique}"

    @cached_property
    def file(self) -> str:
        """Return a file that nobody has leased or opened."""
        return self.team.put("file", CONTENT)

    @cached_property
    def new_file(self) -> str:
        return f"{self.team.share}/new"

    @cached_property
    def opened_file(self) -> str:
        """Return a file that one SMB client has open."""
        target = self.team.put("opened", CONTENT)
        self.team.open("opened", access="r", shared="rwd")
        return target

    def named(self, name: str, content: bytes = CONTENT) -> str:
        """Put a blob, and return its target."""
        self.home.upload_blob(name, content, overwrite=True)
        return f"{self.container}/{name}"

    def client(self, target: str) -> Any:
        """Return the SDK's client of a blob or a container."""
        container, _, blob = target.partition("/")
        found = self.blobs.get_container_client(container)
        return found.get_blob_client(blob) if blob else found

    def lease(self, target: str, lease_id: str = HELD) -> BlobLeaseClient:
        return BlobLeaseClient(self.client(target), lease_id=lease_id)

    def properties(self, target: str) -> Any:
        client = self.client(target)
        return client.get_blob_properties() if "/" in target else client.get_container_properties()

    def content(self, target: str) -> bytes:
        return bytes(self.client(target).download_blob().readall())

    @cached_property
    def _tables(self) -> Any:
        return TableServiceClient.from_connection_string(self._string)

    @cached_property
    def _queues(self) -> Any:
        return QueueServiceClient.from_connection_string(self._string, api_version=API)

    @cached_property
    def _dequeued(self) -> Any:
        return self._queues.get_queue_client(self.queue).receive_message(visibility_timeout=300)


class _Properties(dict[str, str]):
    def __init__(self, situation: Situation) -> None:
        super().__init__()
        self._situation = situation

    def __missing__(self, name: str) -> str:
        return str(getattr(self._situation, name))


Situations = Callable[[], Situation]

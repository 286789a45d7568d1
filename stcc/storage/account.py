"""An account: the clients of its services, made when first asked for."""

import logging
from collections.abc import Callable
from functools import cached_property
from typing import Any, Final

from azure.core.credentials import AzureNamedKeyCredential, AzureSasCredential

from stcc.connection import ANONYMOUS, WAYS, Connection, Credential, Service
from stcc.errors import Usage
from stcc.storage.wire import Exchange, Wire
from stcc.values.targets import BlobTarget, FileTarget, ShareTarget

# One version for everybody, so that an Azurite of any age and the service answer alike.
API_VERSION: Final = "2021-12-02"
# Files have their own: handles tell their access since 2023-01-03, and shares know tokens since 2024-11-04.
FILES_VERSION: Final = "2024-11-04"
# Measured: beyond one request, four connections with 8 MiB each are as fast as it gets.
ONE_REQUEST: Final = 32 * 1024 * 1024
BLOCK: Final = 8 * 1024 * 1024
CONNECTIONS: Final = 4


# The SDKs log what they also raise, and without a handler Python would print it.
logging.getLogger("azure").addHandler(logging.NullHandler())
# It warns when a connection beyond the tenth is closed instead of kept, which is as it should be.
logging.getLogger("urllib3").addHandler(logging.NullHandler())


class Account:
    """Hands out SDK clients that never retry, never follow a redirect, and share one way to the network.

    `diagnose` says whether a refusal is followed by a look at what is there now.
    """

    def __init__(
        self, connection: Connection, *, timeout: float, diagnose: bool, trace: Callable[[Exchange], None] | None
    ) -> None:
        self.connection = connection
        self.diagnose = diagnose
        self._timeout = timeout
        self._trace = trace

    def hurried(self) -> "Account":
        """Return the same account for a last word: an answer may take two seconds."""
        return Account(self.connection, timeout=min(self._timeout, 2.0), diagnose=False, trace=self._trace)

    @cached_property
    def _wire(self) -> Wire:
        """The connections to all services, kept from one client to the next."""
        return Wire(timeout=self._timeout, trace=self._trace)

    def without_looking(self) -> "Account":
        """Return the same account for what asks again by itself: a refusal is not followed by a look."""
        return Account(self.connection, timeout=self._timeout, diagnose=False, trace=self._trace)

    def options(self, service: Service) -> dict[str, Any]:
        """Return the keyword arguments with which every client of a service is made."""
        endpoint = self.connection.endpoint(service)
        pinned = {} if service == "table" else {"api_version": FILES_VERSION if service == "file" else API_VERSION}
        return {
            "credential": _credential(self.connection.credential, self.connection.account, endpoint, service),
            "transport": self._wire,
            "retry_total": 0,
            "permit_redirects": False,
            "user_agent": "stcc",
            **pinned,
        }

    def blob_service(self) -> Any:
        """Return a client of the blob service as a whole."""
        from azure.storage.blob import BlobServiceClient

        return BlobServiceClient(self.connection.endpoint("blob"), **self.options("blob"))

    def container(self, name: str) -> Any:
        """Return a client of one container."""
        from azure.storage.blob import ContainerClient

        return ContainerClient(self.connection.endpoint("blob"), name, **self.options("blob"))

    def blob(self, target: BlobTarget) -> Any:
        """Return a client of one blob, which moves up to 32 MiB in one request."""
        from azure.storage.blob import BlobClient

        return BlobClient(
            self.connection.endpoint("blob"),
            target.container,
            target.blob,
            snapshot=target.snapshot,
            max_single_put_size=ONE_REQUEST,
            max_single_get_size=ONE_REQUEST,
            max_chunk_get_size=BLOCK,
            **self.options("blob"),
        )

    def queue_service(self) -> Any:
        """Return a client of the queue service as a whole."""
        from azure.storage.queue import QueueServiceClient

        return QueueServiceClient(self.connection.endpoint("queue"), **self.options("queue"))

    def queue(self, name: str) -> Any:
        """Return a client of one queue, which passes the text of messages on as it is."""
        from azure.storage.queue import QueueClient

        return QueueClient(self.connection.endpoint("queue"), name, **self.options("queue"))

    def table_service(self) -> Any:
        """Return a client of the table service as a whole."""
        from azure.data.tables import TableServiceClient

        return TableServiceClient(self.connection.endpoint("table"), **self._table_options())

    def table(self, name: str) -> Any:
        """Return a client of one table."""
        from azure.data.tables import TableClient

        return TableClient(self.connection.endpoint("table"), name, **self._table_options())

    def share_service(self) -> Any:
        """Return a client of the file service as a whole."""
        from azure.storage.fileshare import ShareServiceClient

        return ShareServiceClient(self.connection.endpoint("file"), **self._file_options())

    def share(self, target: ShareTarget) -> Any:
        """Return a client of one share, or of a snapshot of it."""
        from azure.storage.fileshare import ShareClient

        options = self._file_options()
        return ShareClient(self.connection.endpoint("file"), target.share, snapshot=target.snapshot, **options)

    def directory(self, target: FileTarget) -> Any:
        """Return a client of one directory; with an empty path, of the root."""
        from azure.storage.fileshare import ShareDirectoryClient

        options = self._file_options()
        return ShareDirectoryClient(
            self.connection.endpoint("file"), target.share, target.path, snapshot=target.snapshot, **options
        )

    def file(self, target: FileTarget) -> Any:
        """Return a client of one file, which reads up to 32 MiB in one request."""
        from azure.storage.fileshare import ShareFileClient

        return ShareFileClient(
            self.connection.endpoint("file"),
            target.share,
            target.path,
            snapshot=target.snapshot,
            max_single_get_size=ONE_REQUEST,
            max_chunk_get_size=ONE_REQUEST,
            **self._file_options(),
        )

    def _file_options(self) -> dict[str, Any]:
        """Return options with which names are sent as they are; without them, the dots at their ends get lost."""
        if self.connection.credential == ANONYMOUS:
            msg = "shares are never public: a credential is needed"
            raise Usage(msg, hint=WAYS)
        intent = {"token_intent": "backup"} if self.connection.credential.kind == "login" else {}
        return {"allow_trailing_dot": True, "allow_source_trailing_dot": True, **intent, **self.options("file")}

    def _table_options(self) -> dict[str, Any]:
        if self.connection.credential == ANONYMOUS:
            msg = "tables are never public: a credential is needed"
            raise Usage(msg, hint=WAYS)
        return self.options("table")


def _credential(credential: Credential, account: str, endpoint: str, service: Service) -> Any:
    match credential.kind:
        case "key":
            named = {"account_name": account, "account_key": credential.secret}
            return AzureNamedKeyCredential(account, credential.secret) if service == "table" else named
        case "sas":
            return AzureSasCredential(credential.secret)
        case "anonymous":
            return None
        case "login":
            return _login(endpoint)


def _login(endpoint: str) -> Any:
    if not endpoint.startswith("https:"):
        msg = "--auth-mode login needs an https endpoint: a token is never sent in the clear"
        raise Usage(msg)
    from azure.identity import DefaultAzureCredential

    return DefaultAzureCredential()

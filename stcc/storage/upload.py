"""Putting a blob: one request, or blocks and a commit.

The operation id in the metadata, and block ids that nobody else can have
chosen, are the evidence that settles a lost answer.
"""

import hashlib
import itertools
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Final, Protocol

from azure.storage.blob import BlobBlock, ContentSettings

from stcc.outcomes import Refused
from stcc.outcomes.blob import BlobPut
from stcc.storage.account import BLOCK, CONNECTIONS, ONE_REQUEST, Account
from stcc.storage.answers import Rejected, Said, ask, ask_properties, ask_tagged
from stcc.storage.blobs import look_at
from stcc.storage.commits import commit_refused, committed_as
from stcc.storage.marker import left_in, marked, version
from stcc.storage.settle import change, read
from stcc.values import judgement
from stcc.values.attributes import Attributes
from stcc.values.conditions import Conditions
from stcc.values.judgement import Seen
from stcc.values.targets import BlobTarget

_MOST_BLOCKS: Final = 50_000


class Source(Protocol):
    """Where the bytes come from: read to its end, once; `size` is known for a regular file."""

    @property
    def size(self) -> int | None: ...
    def read(self, size: int, /) -> bytes: ...


Progress = Callable[[int], object]


def put(
    account: Account,
    target: BlobTarget,
    source: Source,
    *,
    attributes: Attributes,
    conditions: Conditions,
    progress: Progress,
) -> BlobPut | Refused:
    """Put a block blob; `progress` is told how many bytes have arrived.

    Up to 32 MiB in one request. Beyond, the conditions are judged before the first block is sent, and
    travel with the commit.
    """
    writer = _Writer(account, target, attributes=attributes, conditions=conditions)
    head = [source.read(ONE_REQUEST + 1)]
    try:
        if len(head[0]) <= ONE_REQUEST:
            progress(len(head[0]))
            return writer.put_at_once(head[0])
        return writer.judged() or writer.put_in_blocks(head, source, progress=progress)
    except Rejected as rejected:
        return writer.refused(rejected)


class _Writer:
    """One put, known by its operation id."""

    def __init__(self, account: Account, target: BlobTarget, *, attributes: Attributes, conditions: Conditions) -> None:
        self._client = account.blob(target)
        self._look = look_at(account, self._client)
        self._target = target
        self._conditions = conditions
        self._blocks = uuid.uuid4().hex
        self._attributes = attributes
        metadata = marked(attributes.metadata, marker=attributes.marker)
        self._stored: dict[str, Any] = {"metadata": metadata, "headers": conditions.headers()}
        if attributes.tags:
            self._stored["tags"] = dict(attributes.tags)

    def put_at_once(self, data: bytes) -> BlobPut:
        """Send everything in one request."""
        settings = self._settings(md5=None)
        said, settled = change(
            # overwrite: without it the SDK would add a condition of its own and rename a 412.
            lambda: ask_tagged(
                self._client.upload_blob, data, length=len(data), overwrite=True, content_settings=settings,
                **self._fresh(),
            ),
            target=self._target,
            evidence=lambda: self._marked(_md5(data)),
            look=self._unless_same(data),
        )  # fmt: skip
        return self._done(said, settled, size=len(data), blocks=0)

    def judged(self) -> Refused | None:
        """Return the refusal that the commit would meet, as far as a look can tell."""
        sent = {name: value for name, value in self._conditions.headers().items() if name.startswith("x-ms-")}
        try:
            found = read(
                lambda: ask_properties(self._client.get_blob_properties, headers=sent), target=self._target
            ).value
            seen = Seen(
                etag=found.etag, last_modified=found.last_modified, leased=found.lease.state in {"leased", "breaking"}
            )
        except Rejected as rejected:
            if rejected.status != 404 or rejected.code == "ContainerNotFound":
                return self.refused(rejected)
            seen = None
        verdict = judgement.of_put(self._conditions, seen)
        return None if verdict is None else self.refused(Rejected(*verdict, "", {}), before="checked before the upload")

    def put_in_blocks(self, head: list[bytes], source: Source, *, progress: Progress) -> BlobPut:
        """Send blocks over a few connections, then commit them all at once."""
        digest, total, count = hashlib.md5(usedforsecurity=False), 0, 0
        pool = ThreadPoolExecutor(CONNECTIONS)
        flying: set[Future[int]] = set()
        try:
            for block in _in_blocks(head, source, _block_sizes(source.size)):
                digest.update(block)
                total += len(block)
                flying.add(pool.submit(self._stage, count, block))
                count += 1
                if len(flying) == CONNECTIONS:
                    flying = _landed(flying, progress)
            while flying:
                flying = _landed(flying, progress)
        finally:
            # Whoever ends this early (a refusal, Ctrl-C) does not wait for blocks that nobody will commit.
            pool.shutdown(wait=False, cancel_futures=True)
        return self._commit(count, size=total, md5=digest.digest())

    def refused(self, rejected: Rejected, *, before: str | None = None) -> Refused:
        """Return a refusal of this put."""
        return commit_refused(
            rejected, conditions=self._conditions, target=self._target, doing="put", look=self._look, before=before
        )

    def _fresh(self) -> dict[str, Any]:
        """Return what is stored beside the bytes, in dictionaries that the SDK may write into."""
        return {name: dict(value) for name, value in self._stored.items()}

    def _stage(self, number: int, block: bytes) -> int:
        # Nothing is visible before the commit, so a block is as safe to repeat as a read.
        name, lease = self._block_id(number), self._conditions.lease_id
        read(
            lambda: ask(self._client.stage_block, name, block, length=len(block), lease=lease),
            target=self._target,
        )
        return len(block)

    def _commit(self, count: int, *, size: int, md5: bytes) -> BlobPut:
        ids = [self._block_id(number) for number in range(count)]
        blocks = [BlobBlock(block) for block in ids]
        settings = self._settings(md5=md5)
        said, settled = change(
            lambda: ask_tagged(self._client.commit_block_list, blocks, content_settings=settings, **self._fresh()),
            target=self._target,
            evidence=lambda: self._marked(md5) or committed_as(self._client, ids),
            look=self._look,
        )
        return self._done(said, settled, size=size, blocks=count)

    def _settings(self, *, md5: bytes | None) -> ContentSettings:
        headers: dict[str, Any] = dict(self._attributes.headers)
        if md5 is not None:  # of one request, the service makes it up itself
            headers["content_md5"] = bytearray(md5)
        return ContentSettings(content_type=self._attributes.content_type, **headers)

    def _block_id(self, number: int) -> str:
        return f"{self._blocks}-{number:05d}"

    def _marked(self, md5: bytes) -> Said[dict[str, Any]] | None:
        return left_in(self._client.get_blob_properties, self._stored["metadata"], md5=md5)

    def _unless_same(self, data: bytes) -> Any:
        """Return a look that also tells whether the content is the same, which somebody else may have written too."""
        look = self._look
        if look is None:
            return None

        def looking() -> Mapping[str, object]:
            stored = ask(self._client.get_blob_properties).value.content_settings.content_md5
            return {**look(), "same_content": stored == _md5(data)}

        return looking

    def _done(self, said: Said[dict[str, Any]], settled: str | None, *, size: int, blocks: int) -> BlobPut:
        return BlobPut(
            reply=said.reply(settled=settled),
            target=str(self._target),
            size=size,
            blocks=blocks,
            **version(said.value),
        )


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


def _in_blocks(head: list[bytes], source: Source, sizes: Iterator[int]) -> Iterator[bytes]:
    """Yield the bytes already read and those to come, in blocks of these sizes; only the last may be smaller.

    The head is taken out of its list, so that nobody keeps it in memory.
    """
    rest = memoryview(head.pop())
    size = next(sizes)
    while len(rest) >= size:
        yield bytes(rest[:size])
        rest = rest[size:]
        size = next(sizes)
    block = bytes(rest) + source.read(size - len(rest))
    del rest
    while block:
        yield block
        block = source.read(next(sizes))


def _block_sizes(known: int | None) -> Iterator[int]:
    """Yield the size of each block: 8 MiB, or more where 50,000 of those would not do.

    Nobody knows how long a stream is, so its blocks grow: the last fifth of them are 16 times the first.
    """
    if known is not None:
        yield from itertools.repeat(max(BLOCK, -(-known // _MOST_BLOCKS)))
    for number in itertools.count():
        yield BLOCK << number // (_MOST_BLOCKS // 5)


def _landed(flying: set[Future[int]], progress: Progress) -> set[Future[int]]:
    """Wait for one block at least and return those still under way; raise what a block met."""
    landed, flying = wait(flying, return_when=FIRST_COMPLETED)
    for block in landed:
        progress(block.result())
    return flying

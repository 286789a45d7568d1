"""A container: its lease guards its deletion and nothing else, and its conditions are dates."""

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from stcc.demo.blobs import ALWAYS, NONE_YET, SECONDS, put
from stcc.demo.place import Place, granted
from stcc.demo.steps import step, unsent
from stcc.knowledge.operations import DELETE_CONTAINER
from stcc.outcomes.demo import Step
from stcc.storage import containers
from stcc.storage.leases import Leases
from stcc.values import conditions
from stcc.values.conditions import Conditions
from stcc.values.targets import BlobTarget, ContainerTarget


def container(place: Place) -> Iterator[Step]:
    """Lease a container, see what that keeps others from, delete it."""
    account, target, held = place.account, place.container(), str(uuid.uuid4())
    acquired = Leases(account, target).acquire(held, seconds=SECONDS, conditions=ALWAYS)
    with_id = f"x-ms-proposed-lease-id: {held}"
    yield step(f"acquire a lease for {SECONDS} seconds", acquired, "it is ours", sent=with_id, status=201)
    granted(acquired)

    written = put(account, BlobTarget(container=target.container, blob="page.txt"), "text", NONE_YET)
    yield step("put a blob into it", written, "the lease does not guard the blobs", sent=NONE_YET, status=201)
    shown = containers.show(account, target, conditions=ALWAYS)
    yield step("show it", shown, "nor its properties", status=200)

    refused, missing = containers.delete(account, target, conditions=ALWAYS), ["LeaseIdMissing"]
    yield step("delete it without the id", refused, "it guards the deletion", status=412, codes=missing)
    ignored = "stcc sends nothing: the service would ignore the ETag"
    yield unsent("delete it with its ETag", DELETE_CONTAINER, granted(shown).etag, ignored)
    yield _by_date(place, target, held)

    mine = Conditions({"--lease-id": held})
    deleted = containers.delete(account, target, conditions=mine)
    yield step("delete it with the id", deleted, "gone, with all its blobs", sent=mine, status=202)


def _by_date(place: Place, target: ContainerTarget, held: str) -> Step:
    yesterday = f"{datetime.now(UTC) - timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}"
    given = {"--if-unmodified-since": yesterday, "--lease-id": held}
    sent = conditions.parse(DELETE_CONTAINER, given, now=datetime.now(UTC))
    refused = containers.delete(place.account, target, conditions=sent)
    unmet = ["ConditionNotMet"]
    return step("delete it, if unchanged for a day", refused, "a date is checked", sent=sent, status=412, codes=unmet)

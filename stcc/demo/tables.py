"""An entity: an update names the ETag it is based on, or says `*` to overwrite."""

from collections.abc import Iterator
from typing import Final

from stcc.demo.place import BrokenOff, Place, granted
from stcc.demo.steps import step
from stcc.outcomes import Refused
from stcc.outcomes.demo import Step
from stcc.outcomes.entity import EntityWritten
from stcc.storage import entities
from stcc.values.conditions import Conditions
from stcc.values.edm import Edm, Typed
from stcc.values.entities import Content, EntityTarget

ANY: Final = Conditions({"--if-match": "*"})


def table(place: Place) -> Iterator[Step]:
    """Insert, replace with an ETag that is current and with one that is not, overwrite, delete."""
    account = place.account
    entity = EntityTarget(table=place.table(), partition_key="customers", row_key="17")
    inserted = entities.insert(account, entity, _email("first"))
    yield step("insert it", inserted, "inserted; we keep its ETag", status=204)
    first = Conditions({"--if-match": _etag(inserted)})
    again, exists = entities.insert(account, entity, _email("again")), ["EntityAlreadyExists"]
    yield step("insert it again", again, "an insert never overwrites", status=409, codes=exists)

    replaced = entities.replace(account, entity, _email("second"), conditions=first)
    yield step("replace it, with the ETag we kept", replaced, "it was current", sent=first, status=204)
    stale, unmet = entities.replace(account, entity, _email("third"), conditions=first), ["UpdateConditionNotSatisfied"]
    yield step("replace it, with the same ETag", stale, "it changed since", sent=first, status=412, codes=unmet)
    forced = entities.replace(account, entity, _email("forced"), conditions=ANY)
    yield step("replace it, whatever it is", forced, "it only has to be there", sent=ANY, status=204)
    upserted = entities.upsert(account, entity, _email("upserted"), mode="replace")
    yield step("upsert it", upserted, "no check at all: the last writer wins", status=204)

    refused = entities.delete(account, entity, conditions=first)
    yield step("delete it, with the first ETag", refused, "it changed since", sent=first, status=412, codes=unmet)
    shown = entities.get(account, entity)
    right = not isinstance(shown, Refused) and shown.properties == {"email": "upserted"}
    yield step("read it", shown, "what the last writer wrote, and its ETag", status=200, holds=right)
    current = Conditions({"--if-match": granted(shown).etag})
    deleted = entities.delete(account, entity, conditions=current)
    yield step("delete it, with the current ETag", deleted, "gone", sent=current, status=204)
    gone = entities.delete(account, entity, conditions=current)
    yield step("delete it again", gone, "nothing to delete is no success", sent=current, status=404)


def _email(text: str) -> Content:
    return Content(properties={"email": Typed(Edm.STRING, text)})


def _etag(answer: EntityWritten | Refused) -> str:
    if isinstance(answer, Refused):
        raise BrokenOff(answer.summary)
    if answer.etag is None:
        raise BrokenOff("the answer was lost, and with it the ETag")
    return answer.etag

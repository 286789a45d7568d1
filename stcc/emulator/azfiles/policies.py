"""Stored access policies of a share, as documents and as values."""

import json
from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree as ET

from stcc.emulator.azfiles.refusals import Refusal
from stcc.emulator.azfiles.reply import element
from stcc.emulator.azfiles.sas import Policy

MOST: Final = 5
_FIELDS: Final = {"start": "Start", "expiry": "Expiry", "permission": "Permission"}


def read(body: bytes) -> list[Policy]:
    """Return the policies of a document; raise Refusal for one that is not well formed."""
    if b"<!" in body:  # nothing that the service sends or takes declares anything
        raise Refusal("InvalidXmlDocument")
    if not body.strip():
        return []
    try:
        top = ET.fromstring(body)  # noqa: S314  # no declarations, so nothing to expand
    except ET.ParseError:
        raise Refusal("InvalidXmlDocument") from None
    if top.tag != "SignedIdentifiers" or len(top) > MOST:
        raise Refusal("InvalidXmlDocument")
    return [_policy(one) for one in top]


def written(found: Sequence[Policy]) -> str:
    inside = "".join(
        f"<SignedIdentifier>{element('Id', one['id'])}<AccessPolicy>"
        + "".join(element(_FIELDS[name], one[name]) for name in _FIELDS if one.get(name))
        + "</AccessPolicy></SignedIdentifier>"
        for one in found
    )
    return f"<SignedIdentifiers>{inside}</SignedIdentifiers>" if inside else "<SignedIdentifiers />"


def loaded(text: str) -> list[Policy]:
    found: list[Policy] = json.loads(text) if text else []
    return found


def _policy(one: ET.Element) -> Policy:
    name = one.findtext("Id")
    if one.tag != "SignedIdentifier" or not name or len(name) > 64:
        raise Refusal("InvalidXmlDocument")
    texts = {field: one.findtext(f"AccessPolicy/{tag}") for field, tag in _FIELDS.items()}
    return {"id": name, **{field: text for field, text in texts.items() if text}}

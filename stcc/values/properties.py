"""The properties of an entity: from arguments, from annotated JSON, and back to annotated JSON.

Arguments: `name=text`, `age:=3` (a JSON literal: an integer is Int32, or Int64
where it is too large for that; a fraction or exponent is Double), and
`when:datetime=2026-01-31T12:00:00Z` with one of the types of `stcc.values.edm`.

Annotated JSON is the service's own form, with every Double annotated too, so
that no program on the way can make an integer of `1.0`:
`{"n@odata.type": "Edm.Int64", "n": "5", "age": 3}`.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final

from stcc.errors import Usage
from stcc.values.edm import NAMES, Edm, Typed, inferred, shortened, typed
from stcc.values.strict_json import strict_json

Properties = Mapping[str, Typed]

ANNOTATION: Final = "@odata.type"
SYSTEM: Final = ("PartitionKey", "RowKey", "Timestamp")
PROPERTIES_LIMIT: Final = 252
_NAME_LIMIT: Final = 255
_VALUE_LIMIT: Final = 64 * 1024
_ENTITY_LIMIT: Final = 1024 * 1024
_ARGUMENT = re.compile(r"([^:=]*)(?::([^=]*))?=(.*)", re.DOTALL)
_SELF_EVIDENT: Final = frozenset({Edm.STRING, Edm.BOOLEAN, Edm.INT32})
_FIXED_SIZES: Final = {Edm.BOOLEAN: 1, Edm.INT32: 4, Edm.INT64: 8, Edm.DOUBLE: 8, Edm.DATETIME: 8, Edm.GUID: 16}
# What C# allows in an identifier, which is what the service allows in a name.
_FIRST: Final = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nl"})
_LATER: Final = _FIRST | {"Mn", "Mc", "Nd", "Pc", "Cf"}


class Annotated(dict[str, object]):
    """Properties as annotated JSON; as text, one compact line of it."""

    def __str__(self) -> str:
        return json.dumps(self, ensure_ascii=False, separators=(",", ":"))


def from_arguments(arguments: Sequence[str]) -> Properties:
    """Parse `name=text`, `name:=JSON` and `name:type=text`; `Usage` for anything else, and for a name given twice."""
    found: dict[str, Typed] = {}
    for argument in arguments:
        name, value = _argument(argument)
        if name in found:
            msg = f"property {name!r} is given twice"
            raise Usage(msg)
        found[name] = value
    return found


def _argument(argument: str) -> tuple[str, Typed]:
    match = _ARGUMENT.fullmatch(argument)
    if match is None:
        msg = f"not a property: {shortened(argument)}"
        raise Usage(msg, hint="name=text, name:=3, name:int64=5; stcc entity insert --help")
    name, kind, text = property_name(match[1]), match[2], match[3]
    if not _is_utf8(text):
        msg = f"property {name!r} is not UTF-8 text"
        raise Usage(msg, hint="name:binary=BASE64 for bytes")
    match kind:
        case None:
            return name, Typed(Edm.STRING, text)
        case "":
            return name, inferred(name, strict_json(text, what=f"property {name!r}"))
        case _ if kind in NAMES:
            return name, typed(name, NAMES[kind], text)
        case _:
            msg = f"property {name!r} has no such type: {shortened(kind)}"
            raise Usage(msg, hint=", ".join(NAMES))


def property_name(name: str) -> str:
    """Check the name of a property: an identifier as in C#, up to 255 characters, and not one of the system's."""
    if name in SYSTEM:
        msg = f"{name} cannot be set as a property"
        raise Usage(msg, hint="the keys are arguments of their own; the service writes Timestamp")
    categories = [unicodedata.category(char) for char in name.replace("_", "a")]
    if not categories or categories[0] not in _FIRST or not _LATER.issuperset(categories):
        msg = f"not the name of a property: {shortened(name)}"
        raise Usage(msg, hint="letters, digits and underscores, not a digit first")
    if utf16_length(name) > _NAME_LIMIT:
        msg = f"the name of a property is longer than {_NAME_LIMIT} characters: {shortened(name)}"
        raise Usage(msg)
    return name


def from_document(document: object, *, partition_key: str, row_key: str) -> Properties:
    """Parse annotated JSON; keys in it must be those of the entity, its ETag and Timestamp are left to the service."""
    document = _unwrapped(document)
    if not isinstance(document, dict):
        raise Usage("--from is not a JSON object", hint='{"name": "text", "n@odata.type": "Edm.Int64", "n": "5"}')
    members: dict[str, Any] = {n: v for n, v in document.items() if not n.startswith("odata.")}  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType, reportUnknownArgumentType]
    for name, key in (("PartitionKey", partition_key), ("RowKey", row_key)):
        if members.get(name, key) != key:
            msg = f"--from has another {name}: {shortened(members[name])}"
            raise Usage(msg, hint=f"the command line says {shortened(key)}")
    values = {n: v for n, v in members.items() if not n.endswith(ANNOTATION)}
    types = {n.removesuffix(ANNOTATION): v for n, v in members.items() if n.endswith(ANNOTATION)}
    if unused := types.keys() - values.keys():
        msg = f"--from has a type for a property that it does not have: {shortened(min(unused))}"
        raise Usage(msg)
    return {
        property_name(name): typed(name, _edm(name, types[name]), raw) if name in types else inferred(name, raw)
        for name, raw in values.items()
        if name not in SYSTEM
    }


def _unwrapped(document: Any) -> Any:
    """Return the properties in what `entity get -o json` prints; any other document as it is."""
    if not isinstance(document, dict) or not {"outcome", "exit_code", "result"} <= document.keys():
        return document  # pyright: ignore[reportUnknownVariableType]
    result: Any = document["result"]  # pyright: ignore[reportUnknownVariableType]
    return result.get("properties", result) if isinstance(result, dict) else document  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]


def _edm(name: str, annotation: object) -> Edm:
    for edm in Edm:
        if edm == annotation:
            return edm
    msg = f"property {name!r} has no such type: {shortened(annotation)}"
    raise Usage(msg, hint=", ".join(Edm))


def from_answer(document: Mapping[str, Any]) -> Properties:
    """Return the properties in an answer of the service, unchecked: whatever is stored can be shown.

    A null stands for a selected property that the entity does not have.
    """
    return {
        name: _stored(document.get(name + ANNOTATION), value)
        for name, value in document.items()
        if value is not None and name not in SYSTEM and not name.startswith("odata.") and not name.endswith(ANNOTATION)
    }


def _stored(annotation: Any, value: Any) -> Typed:
    return inferred("", value) if annotation is None else Typed(str(annotation), value)


def annotated(properties: Properties) -> Annotated:
    """Return the JSON from which `from_document` reads the same properties."""
    found = Annotated()
    for name, one in properties.items():
        if one.edm not in _SELF_EVIDENT:
            found[name + ANNOTATION] = str(one.edm)
        found[name] = one.value
    return found


def check_size(properties: Properties, *, keys: Sequence[str]) -> None:
    """Refuse what the service has no room for: 252 properties, 64 KiB in one, 1 MiB in all."""
    if len(properties) > PROPERTIES_LIMIT:
        msg = f"{len(properties)} properties are too many"
        raise Usage(msg, hint=f"an entity has at most {PROPERTIES_LIMIT}")
    sizes = {name: _size(one) for name, one in properties.items()}
    for name, size in sizes.items():
        if size > _VALUE_LIMIT:
            msg = f"property {name!r} is larger than 64 KiB"
            raise Usage(msg, hint="32,768 characters, or 65,536 bytes of binary; keep more in a blob")
    named = sum(8 + 2 * utf16_length(name) + size for name, size in sizes.items())
    if 4 + sum(2 * utf16_length(key) for key in keys) + named > _ENTITY_LIMIT:
        raise Usage("the entity is larger than 1 MiB", hint="keep the large part in a blob")


def _size(one: Typed) -> int:
    text = str(one.value)
    if one.edm == Edm.BINARY:
        return len(text) // 4 * 3 - text.count("=", -2)
    return 2 * utf16_length(text) if one.edm == Edm.STRING else _FIXED_SIZES.get(Edm(one.edm), 0)


def utf16_length(text: str) -> int:
    """Return the length as the service counts it: in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

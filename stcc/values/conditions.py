"""The conditions of one request: parsed from flags, checked against what the operation honours, turned into headers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from stcc.errors import Usage
from stcc.knowledge.operations import EVERY_CONDITION, HEADERS, SOURCE, Operation
from stcc.values import etags, times

_CONTROL = r"[\x00-\x1f\x7f]"
_GUID = r"\{?[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}\}?"
# The pairs in which the service lets the ETag decide; every other pair is a 400 on writes.
_WRITE_PAIRS: Final = (
    {"--if-match", "--if-unmodified-since"},
    {"--if-none-match", "--if-modified-since"},
)
_COMPARED: Final = ("--if-match", "--if-none-match", "--if-modified-since", "--if-unmodified-since")


@dataclass(frozen=True, slots=True)
class Conditions:
    """Flag -> header value, in the order of `EVERY_CONDITION`; `force` says "unconditional" out loud."""

    values: Mapping[str, str] = field(default_factory=dict[str, str])
    force: bool = False

    def headers(self) -> dict[str, str]:
        """Return the headers that carry the conditions."""
        return {HEADERS[flag]: value for flag, value in self.values.items()}

    @property
    def lease_id(self) -> str | None:
        """The lease id that travels with the request."""
        return self.values.get("--lease-id")

    @property
    def expected_etag(self) -> str | None:
        """The ETag that the caller believes is current."""
        return self.values.get("--if-match")

    def __bool__(self) -> bool:
        return bool(self.values)


def parse(operation: Operation, given: Mapping[str, str], *, force: bool = False, now: datetime) -> Conditions:
    """Return the conditions, or refuse: empty and malformed values, what the service ignores, pairs that it rejects."""
    for flag in given:
        if flag not in operation.honours:
            msg = f"{operation.name} takes no {flag}"
            raise Usage(msg, hint=operation.why_not)
    of_target = [flag for flag in given if flag not in SOURCE]
    if force and of_target:
        msg = f"--force is unconditional; it excludes {', '.join(of_target)}"
        raise Usage(msg, hint="with a lease id, no --force is needed")
    values = {flag: _value(operation, flag, given[flag], now=now) for flag in EVERY_CONDITION if flag in given}
    _check_star(operation, values)
    _check_pairs(operation, values, prefix="--")
    _check_pairs(operation, values, prefix="--source-")
    if operation.says_force and not of_target and not force:
        return _unconditional(operation, values)
    return Conditions(values, force=force)


def _unconditional(operation: Operation, of_source: Mapping[str, str]) -> Conditions:
    """Return what an operation does without a condition that was not said to be forced: create, or refuse."""
    if operation.creates:
        return Conditions({"--if-none-match": "*", **of_source})
    ways = ", ".join(flag for flag in ("--if-match", "--lease-id") if flag in operation.honours)
    msg = f"{operation.name} needs a condition: {ways} or --force"
    raise Usage(msg, hint="--force is the last writer wins: whatever is there, whoever wrote it")


def lease_id(text: str, *, option: str) -> str:
    """Return a lease id in the form the service prints: a GUID in lower case."""
    if not text.strip():
        msg = f"{option} is empty"
        raise Usage(msg, hint="is the variable set? an empty lease id would be a request without one")
    if re.fullmatch(_GUID, text.strip()) is None:  # UUID() alone takes underscores and the digits of other scripts
        msg = f"{option} is not a GUID: {text!r}"
        raise Usage(msg, hint="as printed by lease acquire: 1f812371-a41d-49e6-b123-f4b542e85144")
    return str(UUID(text.strip()))


def _value(operation: Operation, flag: str, text: str, *, now: datetime) -> str:
    match flag:
        case "--if-match" | "--if-none-match" | "--source-if-match" | "--source-if-none-match":
            etag = etags.entity_etag if operation.weak_etags else etags.blob_etag
            force = operation.says_force and not flag.startswith("--source-")
            return etag(text, option=flag, force=force)
        case "--if-tags" | "--source-if-tags":
            return _tags(text, option=flag)
        case "--lease-id":
            return lease_id(text, option=flag)
        case "--append-position" | "--max-size":
            return _number(text, option=flag)
        case _ if flag.startswith("--if-sequence-number-"):
            return _number(text, option=flag)
        case _:
            return times.http_date(times.moment(text, option=flag, now=now))


def _tags(text: str, *, option: str) -> str:
    if not text.strip():
        msg = f"{option} is empty"
        raise Usage(msg, hint="""an expression such as "stage" = 'done'""")
    if re.search(_CONTROL, text) or not text.isascii():
        msg = f"{option} cannot be sent in a header: {text!r}"
        raise Usage(msg, hint="printable ASCII only")
    return text.strip()


def _number(text: str, *, option: str) -> str:
    if re.fullmatch(r"\s*[0-9]{1,19}\s*", text) is None or int(text) >= 2**63:
        msg = f"{option} is not a whole number: {text!r}"
        raise Usage(msg, hint="is the variable set?" if not text.strip() else "0 or more, in digits")
    return str(int(text))


def _check_star(operation: Operation, values: Mapping[str, str]) -> None:
    if values.get("--source-if-none-match") == "*":
        msg = "--source-if-none-match takes no '*'"
        raise Usage(msg, hint="it could never succeed: there must be a source")
    if values.get("--if-none-match") != "*":
        return
    if not operation.creates:
        msg = f"{operation.name} takes no --if-none-match '*'"
        raise Usage(msg, hint="it could never succeed: 'only if there is none' belongs to creating verbs")
    if "--lease-id" in values:
        msg = "--if-none-match '*' and --lease-id exclude each other"
        raise Usage(msg, hint="with a valid lease id the service overwrites the blob all the same; use --if-match")


def _check_pairs(operation: Operation, values: Mapping[str, str], *, prefix: str) -> None:
    compared = {flag for flag in _COMPARED if flag.replace("--", prefix) in values}
    if operation.reads or len(compared) < 2 or compared in _WRITE_PAIRS:
        return
    names = " and ".join(flag.replace("--", prefix) for flag in _COMPARED if flag in compared)
    msg = f"the service rejects {names} together on a write"
    hint = (
        f"{prefix}if-match goes with {prefix}if-unmodified-since, {prefix}if-none-match with {prefix}if-modified-since"
    )
    raise Usage(msg, hint=hint)


def utc_now() -> datetime:
    """Return the moment that `now-10m` counts from."""
    return datetime.now(UTC)

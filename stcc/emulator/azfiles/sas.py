"""Shared access signatures: of the account, or of a share or file."""

import hmac
import ipaddress
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Final

from stcc.emulator.azfiles.grants import Grant
from stcc.emulator.azfiles.refusals import Refusal
from stcc.emulator.azfiles.sharedkey import failed, signature

# Since this version there is one more line, for the encryption scope.
_SCOPED: Final = "2020-12-06"
_OVERRIDES: Final = {
    "rscc": "cache-control",
    "rscd": "content-disposition",
    "rsce": "content-encoding",
    "rscl": "content-language",
    "rsct": "content-type",
}
Policy = Mapping[str, str]


def check(
    query: Mapping[str, str],
    *,
    resource: str,
    account: str,
    key: str,
    client: str,
    now: float,
    policy: Callable[[str], Policy | None],
) -> Grant:
    """Return what a signature grants; raise Refusal when it is not ours, not valid now or not for this place.

    `resource` is /account/share/path as decoded from the URL; `policy` finds a stored policy of the share by its id.
    """
    if "skoid" in query:
        raise Refusal("NotImplemented", about="The Azure Files emulator does not emulate user delegation signatures.")
    of_account = "ss" in query
    if of_account:
        text = _account_text(query, account)
    else:
        resource = _signed_resource(query, resource)
        text = _service_text(query, resource)
    if not hmac.compare_digest(query.get("sig", "").encode(), signature(key, text).encode()):
        raise failed(f"Signature did not match. String to sign used was {text}")
    found: Policy = {} if of_account else _stored(query, policy)
    _check_time(query.get("st") or found.get("start", ""), query.get("se") or found.get("expiry", ""), now)
    _check_sender(query, client)
    if of_account and "f" not in query["ss"]:
        raise Refusal("AuthorizationServiceMismatch")
    return Grant(
        kind="account" if of_account else "service",
        permissions=query.get("sp") or found.get("permission", ""),
        types=query.get("srt", ""),
        overrides={header: query[name] for name, header in _OVERRIDES.items() if query.get(name)},
    )


def _account_text(query: Mapping[str, str], account: str) -> str:
    names = ("sp", "ss", "srt", "st", "se", "sip", "spr", "sv")
    lines = [account, *(query.get(name, "") for name in names)]
    if query.get("sv", "") >= _SCOPED:
        lines.append(query.get("ses", ""))
    return "\n".join(lines) + "\n"


def _service_text(query: Mapping[str, str], resource: str) -> str:
    before, after = ("sp", "st", "se"), ("si", "sip", "spr", "sv", *_OVERRIDES)
    names = (*(query.get(name, "") for name in before), f"/file{resource}", *(query.get(name, "") for name in after))
    return "\n".join(names)


def _signed_resource(query: Mapping[str, str], resource: str) -> str:
    kind = query.get("sr", "")
    if kind == "s":
        return "/".join(resource.split("/")[:3])
    if kind == "f" and resource.count("/") > 2:
        return resource
    raise failed(f"Signature is not for this resource: sr is '{kind}'.")


def _stored(query: Mapping[str, str], policy: Callable[[str], Policy | None]) -> Policy:
    if not query.get("si"):
        return {}
    found = policy(query["si"])
    if found is None:
        raise failed(f"The signed identifier '{query['si']}' is not known.")
    return found


def _check_time(start: str, expiry: str, now: float) -> None:
    begins, ends = _moment(start) if start else None, _moment(expiry) if expiry else None
    if ends is None:
        raise failed("Signed expiry must be given in the token or in a stored policy.")
    if now >= ends or (begins is not None and now < begins):
        present = datetime.fromtimestamp(now, UTC)
        raise failed(
            f"Signature not valid in the specified time frame: Start [{start}] - Expiry [{expiry}] - "
            f"Current [{present:%Y-%m-%dT%H:%M:%SZ}]"
        )


def _moment(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text[:26] + text[27:] if len(text) == 28 else text)  # seven digits
    except ValueError:
        raise failed(f"Signed time '{text}' is not well formed.") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _check_sender(query: Mapping[str, str], client: str) -> None:
    if query.get("spr", "").lower() == "https":
        raise Refusal("AuthorizationProtocolMismatch")
    first, _, last = query.get("sip", "").partition("-")
    if not first:
        return
    try:
        lowest, highest = ipaddress.ip_address(first), ipaddress.ip_address(last or first)
    except ValueError:
        raise failed("The signed address is not well formed.") from None
    if not int(lowest) <= int(ipaddress.ip_address(client)) <= int(highest):
        raise Refusal("AuthorizationSourceIPMismatch", about=client)

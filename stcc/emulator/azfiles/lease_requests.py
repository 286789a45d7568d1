"""Requests about leases: of a file, of a share or of its snapshot."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from stcc.emulator.azfiles import handles, leases, nodes, shares, sharing
from stcc.emulator.azfiles.call import Call, changed
from stcc.emulator.azfiles.leases import Lease
from stcc.emulator.azfiles.refusals import bad_header, missing_header
from stcc.emulator.azfiles.reply import Reply
from stcc.emulator.azfiles.request import Request

LONGEST: Final = 60
SHORTEST: Final = 15
_STATUS: Final = {"acquire": 201, "renew": 200, "change": 200, "release": 200, "break": 202}


def of_file(call: Call) -> Reply:
    request = call.request
    action = _action(request)
    if action == "renew":
        raise bad_header("x-ms-lease-action", action)
    if request.headers.get("x-ms-lease-break-period"):
        raise bad_header("x-ms-lease-break-period", request.headers["x-ms-lease-break-period"])
    node = call.file(call.share_to_change())
    if action == "acquire" and _duration(request) != leases.ENDLESS:
        raise bad_header("x-ms-lease-duration", request.headers["x-ms-lease-duration"])
    lease = _ACTIONS[action](request, node.lease, call.store.now)
    if action == "acquire":
        handles.check(call.store, node, sharing.LEASE)
    nodes.save(call.store, replace(node, lease=lease))
    return _answer(action, lease, node.etag, call.store.now)


def of_share(call: Call) -> Reply:
    action = _action(call.request)
    share = call.share_to_read()
    lease = _ACTIONS[action](call.request, share.lease, call.store.now)
    shares.save(call.store, replace(share, lease=lease))
    return _answer(action, lease, share.etag, call.store.now)


def _action(request: Request) -> str:
    action = request.required("x-ms-lease-action").lower()
    if action not in _STATUS:
        raise bad_header("x-ms-lease-action", action)
    return action


def _answer(action: str, lease: Lease, etag: int, now: float) -> Reply:
    headers = changed(etag)
    if action in {"acquire", "renew", "change"}:
        headers["x-ms-lease-id"] = lease.id
    else:
        headers["x-ms-lease-time"] = str(lease.left(now))
    return Reply(status=_STATUS[action], headers=headers)


def _acquire(request: Request, lease: Lease, now: float) -> Lease:
    proposed = request.guid("x-ms-proposed-lease-id")
    return leases.acquire(lease, proposed=proposed, duration=_duration(request), now=now)


def _renew(request: Request, lease: Lease, now: float) -> Lease:
    return leases.renew(lease, given=_given(request), now=now)


def _change(request: Request, lease: Lease, _: float) -> Lease:
    proposed = request.guid("x-ms-proposed-lease-id")
    if proposed is None:
        raise missing_header("x-ms-proposed-lease-id")
    return leases.change(lease, given=_given(request), proposed=proposed)


def _release(request: Request, lease: Lease, _: float) -> Lease:
    return leases.release(lease, given=_given(request))


def _break(request: Request, lease: Lease, now: float) -> Lease:
    return leases.broken(lease, period=request.number("x-ms-lease-break-period", least=0, most=LONGEST), now=now)


_ACTIONS: Final[dict[str, Callable[[Request, Lease, float], Lease]]] = {
    "acquire": _acquire,
    "renew": _renew,
    "change": _change,
    "release": _release,
    "break": _break,
}


def _given(request: Request) -> str:
    given = request.guid("x-ms-lease-id")
    if given is None:
        raise missing_header("x-ms-lease-id")
    return given


def _duration(request: Request) -> int:
    request.required("x-ms-lease-duration")
    duration = request.number("x-ms-lease-duration", least=leases.ENDLESS, most=LONGEST)
    if duration is None or not (duration == leases.ENDLESS or duration >= SHORTEST):
        raise bad_header("x-ms-lease-duration", request.headers["x-ms-lease-duration"])
    return duration

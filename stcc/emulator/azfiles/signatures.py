"""Who is asking: with the account's key, or with a shared access signature."""

import json
from collections.abc import Mapping
from typing import Final

from stcc.emulator.azfiles import names, sas, sharedkey, shares
from stcc.emulator.azfiles.grants import Grant
from stcc.emulator.azfiles.refusals import Refusal, unsupported
from stcc.emulator.azfiles.request import Request
from stcc.emulator.azfiles.sas import Policy
from stcc.emulator.azfiles.store import Store
from stcc.emulator.instance import ACCOUNT, KEY

_OTHER_SCHEMES: Final = {"bearer": "sign-in with Microsoft Entra", "sharedkeylite": "SharedKeyLite"}


def grant(request: Request, store: Store) -> Grant:
    """Return what the request may do; raise Refusal when nobody known has signed it."""
    authorization = request.headers.get("authorization", "")
    scheme = authorization.partition(" ")[0].lower()
    if scheme in _OTHER_SCHEMES:
        raise unsupported(_OTHER_SCHEMES[scheme])
    if authorization:
        sharedkey.check(request, account=ACCOUNT, key=KEY, now=store.now)
        return Grant(kind="key")
    if "sig" not in request.query:
        raise Refusal("NoAuthenticationInformation")
    if request.account != ACCOUNT:
        raise sharedkey.failed(f"There is no account '{request.account}'.")
    resource = names.decoded(request.raw_path).removesuffix("/")
    return verified(store, request.query, share=request.share or "", resource=resource, client=request.client)


def verified(store: Store, query: Mapping[str, str], *, share: str, resource: str, client: str) -> Grant:
    """Return what a signature grants that came with a URL; raise Refusal."""

    def policy(wanted: str) -> Policy | None:
        found = shares.find(store, share)
        known: list[Policy] = [] if found is None or not found.policies else json.loads(found.policies)
        return next((one for one in known if one["id"] == wanted), None)

    return sas.check(query, resource=resource, account=ACCOUNT, key=KEY, client=client, now=store.now, policy=policy)

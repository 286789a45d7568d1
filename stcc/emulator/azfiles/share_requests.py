"""Requests about one share."""

import json
from dataclasses import replace

from stcc.emulator.azfiles import leases, moments, nodes, permissions, policies, shares
from stcc.emulator.azfiles.call import Call, changed, metadata_headers
from stcc.emulator.azfiles.names import check_share
from stcc.emulator.azfiles.nodes import Node
from stcc.emulator.azfiles.refusals import Refusal, bad_header, unsupported
from stcc.emulator.azfiles.reply import Reply, document, element
from stcc.emulator.azfiles.request import Request
from stcc.emulator.azfiles.shares import Share

_TIERS = ("TransactionOptimized", "Hot", "Cool", "Premium")
_PREMIUM = (
    "x-ms-root-squash",
    "x-ms-enable-snapshot-virtual-directory-access",
    "x-ms-share-paid-bursting-enabled",
    "x-ms-share-provisioned-iops",
    "x-ms-share-provisioned-bandwidth-mibps",
    "x-ms-enable-smb-directory-lease",
)
MOST_SNAPSHOTS = 200


def create(call: Call) -> Reply:
    check_share(call.share_name)
    if shares.find(call.store, call.share_name) is not None:
        raise Refusal("ShareAlreadyExists")
    if call.request.headers.get("x-ms-enabled-protocols", "SMB").upper() != "SMB":
        raise unsupported("NFS shares")
    moment = call.store.moment()
    share = Share(name=call.share_name, etag=moment, metadata=call.request.metadata, tier_changed=moment)
    share = shares.add(call.store, _with_properties(call.request, share))
    root = Node(
        share=share.id,
        parent=-share.id,
        name="",
        is_directory=True,
        etag=moment,
        created=moment,
        written=moment,
        changed=moment,
        attributes="Directory",
        permission=permissions.key_of(permissions.INHERITED),
    )
    shares.save(call.store, replace(share, root=nodes.add(call.store, root).id))
    return Reply(status=201, headers=changed(moment))


def show(call: Call) -> Reply:
    share = call.share_to_read()
    leases.check_share(share.lease, call.lease_id)
    headers = changed(share.etag) | {
        "x-ms-share-quota": str(share.quota),
        "x-ms-access-tier": share.tier,
        "x-ms-access-tier-change-time": moments.http_date(share.tier_changed),
        "x-ms-has-immutability-policy": "false",
        "x-ms-has-legal-hold": "false",
    }
    return Reply(status=200, headers=headers | leases.described(share.lease) | metadata_headers(share))


def show_metadata(call: Call) -> Reply:
    share = call.share_to_read()
    leases.check_share(share.lease, call.lease_id)
    return Reply(status=200, headers=changed(share.etag) | metadata_headers(share))


def set_properties(call: Call) -> Reply:
    share = call.share_to_change()
    leases.check_share(share.lease, call.lease_id)
    return _saved(call, _with_properties(call.request, share))


def set_metadata(call: Call) -> Reply:
    share = call.share_to_change()
    leases.check_share(share.lease, call.lease_id)
    return _saved(call, replace(share, metadata=call.request.metadata))


def statistics(call: Call) -> Reply:
    share = call.share_to_read()
    leases.check_share(share.lease, call.lease_id)
    used = "SELECT coalesce(sum(length), 0) FROM node WHERE share = ?"
    total = call.store.rows.execute(used, (share.id,)).fetchone()[0]
    return document(200, f"<ShareStats>{element('ShareUsageBytes', total)}</ShareStats>", changed(share.etag))


def delete(call: Call) -> Reply:
    share = call.share_to_read()
    leases.check_share_delete(share.lease, call.lease_id)
    for snapshot in [] if share.snapshot else _snapshots_to_delete(call):
        shares.delete(call.store, snapshot)
    shares.delete(call.store, share)
    return Reply(status=202)


def snapshot(call: Call) -> Reply:
    share = call.share_to_change()
    if len(shares.snapshots(call.store, share.name)) >= MOST_SNAPSHOTS:
        raise Refusal("ShareSnapshotCountExceeded")
    moment = call.store.moment()
    metadata = call.request.metadata or share.metadata
    time = moments.iso(moment)
    copy = replace(share, id=0, snapshot=time, root=0, etag=moment, metadata=metadata, lease=leases.NONE)
    copy = shares.add(call.store, copy)
    shares.save(call.store, replace(copy, root=nodes.copy_tree(call.store, share, copy)))
    return Reply(status=201, headers=changed(moment) | {"x-ms-snapshot": time})


def get_policies(call: Call) -> Reply:
    share = call.share_to_read()
    leases.check_share(share.lease, call.lease_id)
    return document(200, policies.written(policies.loaded(share.policies)), changed(share.etag))


def set_policies(call: Call) -> Reply:
    share = call.share_to_change()
    leases.check_share(share.lease, call.lease_id)
    found = policies.read(call.request.body)
    return _saved(call, replace(share, policies=json.dumps(found)))


def create_permission(call: Call) -> Reply:
    share = call.share_to_change()
    key = permissions.keep(call.store, share.name, _permission_in(call.request.body))
    return Reply(status=201, headers={"x-ms-file-permission-key": key})


def get_permission(call: Call) -> Reply:
    share = call.share_to_change()
    if call.request.headers.get("x-ms-file-permission-format", "sddl").lower() != "sddl":
        raise unsupported("permissions in the binary format")
    key = call.request.required("x-ms-file-permission-key")
    found = permissions.find(call.store, share.name, key)
    if found is None:
        raise Refusal("ResourceNotFound")
    body = json.dumps({"permission": found}, separators=(",", ":")).encode()
    return Reply(status=200, headers={"content-type": "application/json"}, body=body)


def _saved(call: Call, share: Share) -> Reply:
    share = replace(share, etag=call.store.moment())
    shares.save(call.store, share)
    return Reply(status=200, headers=changed(share.etag))


def _with_properties(request: Request, share: Share) -> Share:
    for header in _PREMIUM:
        if request.headers.get(header):
            raise unsupported(f"premium shares ({header})")
    quota = request.number("x-ms-share-quota", least=1, most=shares.LARGEST_QUOTA)
    tier = request.headers.get("x-ms-access-tier") or share.tier
    known = {name.lower(): name for name in _TIERS}
    if tier.lower() not in known:
        raise bad_header("x-ms-access-tier", tier)
    if known[tier.lower()] == "Premium":
        raise unsupported("premium shares")
    return replace(share, quota=quota or share.quota, tier=known[tier.lower()])


def _snapshots_to_delete(call: Call) -> list[Share]:
    found = shares.snapshots(call.store, call.share_name)
    how = call.request.headers.get("x-ms-delete-snapshots", "").lower()
    if how not in {"", "include", "include-leased"}:
        raise bad_header("x-ms-delete-snapshots", how)
    if found and not how:
        raise Refusal("ShareHasSnapshots")
    if how == "include" and any(one.lease.is_active for one in found):
        raise Refusal("DeleteShareWhenSnapshotLeased")
    return found


def _permission_in(body: bytes) -> str:
    try:
        document: dict[str, object] = json.loads(body)
        sddl = document["permission"]
    except (ValueError, KeyError, TypeError):
        raise Refusal("FileInvalidPermission") from None
    if not isinstance(sddl, str) or str(document.get("format", "sddl")).lower() != "sddl":
        raise Refusal("FileInvalidPermission")
    return sddl

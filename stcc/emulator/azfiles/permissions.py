"""Security descriptors: kept once for a share, known by their keys."""

import hashlib
import re
from typing import Final

from stcc.emulator.azfiles.refusals import Refusal, bad_header
from stcc.emulator.azfiles.store import Store

INHERITED: Final = "O:SYG:SYD:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;0x1301bf;;;AU)(A;OICIID;0x1200a9;;;BU)"
LONGEST_IN_HEADER: Final = 8 * 1024
_SDDL: Final = re.compile(r"(O:[A-Za-z0-9-]+)(G:[A-Za-z0-9-]+)?(D:[A-Z_]*(\(.*\))*)?(S:.*)?", re.DOTALL)


def key_of(sddl: str) -> str:
    digest = hashlib.sha256(sddl.encode()).digest()
    return f"{int.from_bytes(digest[:8])}*{int.from_bytes(digest[8:16])}"


def keep(store: Store, share: str, sddl: str) -> str:
    """Remember a descriptor and return its key; raise Refusal for what is none."""
    if _SDDL.fullmatch(sddl) is None:
        raise Refusal("FileInvalidPermission")
    key = key_of(sddl)
    store.rows.execute("INSERT OR IGNORE INTO permission VALUES (?, ?, ?)", (share, key, sddl))
    return key


def find(store: Store, share: str, key: str) -> str | None:
    if key == key_of(INHERITED):
        return INHERITED
    row = store.rows.execute("SELECT sddl FROM permission WHERE share = ? AND key = ?", (share, key)).fetchone()
    return None if row is None else str(row[0])


def known(store: Store, share: str, key: str) -> str:
    """Return a key that was given instead of a descriptor, once it is known to be one of the share's."""
    if find(store, share, key) is None:
        raise bad_header("x-ms-file-permission-key", key)
    return key

"""Entity tags as people paste them: quoted, unquoted, weak.

An empty tag is never "no condition": it is what an unset shell variable looks
like, and it must not turn a conditional write into an unconditional one.
"""

import re

from stcc.errors import Usage

_QUOTED = r'(W/)?"([\x21\x23-\x7e]+)"'
# Without quotes only what ETags are made of; a URL, or a list, is something else that was pasted here.
_BARE = r"[0-9A-Za-z_.:%'()+-]+"


def blob_etag(text: str, *, option: str, force: bool = False) -> str:
    """Return the tag of a blob or container as the service writes it: `"0x8D..."`, or `*`.

    Their tags are always strong; a `W/` was put before it by something on the
    way, and would make every comparison fail, so it is taken off.
    """
    return text if text == "*" else f'"{_opaque(text, option=option, force=force)}"'


def entity_etag(text: str, *, option: str, force: bool = False) -> str:
    """Return the tag of a table entity as the service writes it, always weak: `W/"datetime'...'"`, or `*`."""
    return text if text == "*" else f'W/"{_opaque(text, option=option, force=force)}"'


def _opaque(text: str, *, option: str, force: bool) -> str:
    """Return what is between the quotes; `force`: the command has an option that says "no condition"."""
    if not text.strip():
        msg = f"{option} is empty"
        way = "say --force for that" if force else f"leave {option} out for that"
        raise Usage(msg, hint=f"is the variable set? an empty ETag never means 'no condition'; {way}")
    if quoted := re.fullmatch(_QUOTED, text):
        return quoted[2]
    bare = text.removeprefix("W/")  # what a shell leaves of W/"..." without quotes around it
    if re.fullmatch(_BARE, bare):
        return bare
    msg = f"{option} is not one ETag: {text!r}"
    raise Usage(msg, hint="""one tag as the service printed it, for example '"0x8DEA1B2C3D4E5F6"', or '*'""")

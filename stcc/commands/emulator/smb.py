"""stcc emulator smb: open, close, list, mark-delete."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

import typer

from stcc.commands.options import StccCommand, group, runtime_of
from stcc.errors import Usage
from stcc.exits import Exit
from stcc.outcomes import Listing, Refused
from stcc.outcomes.smb import COLUMNS, SmbClosed, SmbMarked, SmbOpened
from stcc.runtime import Runtime

app = group("SMB clients, simulated: what they have open decides what REST requests may do.")
_LETTERS: Final = "rwd"
_FILE_ENDPOINT: Final = re.compile(r"(?i)(?:^|;)\s*FileEndpoint=([^;]+)")

Port = Annotated[
    int | None,
    typer.Option("--file-port", metavar="PORT", help="Else the connection string's, else the running emulator's."),
]
HandleId = Annotated[str, typer.Argument(metavar="HANDLE", help="What open printed.")]


@app.command("open", cls=StccCommand)
def open_(
    ctx: typer.Context,
    target: Annotated[str, typer.Argument(metavar="SHARE/PATH", help="A file or a directory.")],
    access: Annotated[str, typer.Option("--access", metavar="rwd", help="What the client may do.")] = "r",
    share: Annotated[str, typer.Option("--share", metavar="none|rwd", help="What others may do meanwhile.")] = "none",
    lock: Annotated[
        list[str] | None, typer.Option("--lock", metavar="FIRST-LAST", help="Bytes to lock; repeatable.")
    ] = None,
    client: Annotated[str, typer.Option("--client", metavar="ADDRESS:PORT", help="Who it is.")] = "10.0.0.4:50445",
    port: Port = None,
) -> SmbOpened | Refused:
    """Open a file as an SMB client would, and print the handle; 9 if its server would refuse.

    It stays open until it is closed, here or by force through REST.

    stcc emulator smb open data/report.xlsx --access rw --share r
    """
    runtime = runtime_of(ctx)
    name, _, path = target.partition("/")
    if not name:
        raise Usage(f"{target!r} names no share", hint="SHARE/PATH, or SHARE for its root directory")
    asked = {
        "share": name,
        "path": path,
        "access": _letters("--access", access),
        "shared": _letters("--share", share),
        "locks": [_range(one) for one in lock or []],
        "client": client,
    }
    answer = _ask(runtime, port, "open", asked, target=target)
    if isinstance(answer, Refused):
        return answer
    facts = {field: answer[field] for field in ("handle", "access", "shared", "client", "opened")}
    return SmbOpened(target=target, **facts)


@app.command(cls=StccCommand)
def close(ctx: typer.Context, handle: HandleId, port: Port = None) -> SmbClosed | Refused:
    """Close a handle as its client would; with the last one goes what is marked for deletion.

    stcc emulator smb close 7
    """
    runtime = runtime_of(ctx)
    answer = _ask(runtime, port, "close", {"handle": _number(handle)}, target=handle)
    if isinstance(answer, Refused):
        return answer
    return SmbClosed(target=_place(answer), handle=answer["handle"], deleted=answer["deleted"])


@app.command("list", cls=StccCommand)
def list_(
    ctx: typer.Context,
    target: Annotated[str, typer.Argument(metavar="SHARE[/PATH]", help="A share, or something in it.")],
    port: Port = None,
) -> Listing | Refused:
    """List what SMB clients have open.

    stcc emulator smb list data
    """
    runtime = runtime_of(ctx)
    name, _, path = target.partition("/")
    answer = _ask(runtime, port, "list", {"share": name, "path": path}, target=target)
    if isinstance(answer, Refused):
        return answer
    return Listing(kind="smb-listed", target=target, columns=COLUMNS["smb-listed"], items=iter(answer["handles"]))


@app.command("mark-delete", cls=StccCommand)
def mark_delete(
    ctx: typer.Context,
    handle: HandleId,
    undo: Annotated[bool, typer.Option("--undo", help="Take the mark back.")] = False,
    port: Port = None,
) -> SmbMarked | Refused:
    """Mark a file for deletion, which comes with its last close; until then REST answers 409 DeletePending.

    stcc emulator smb mark-delete 7
    """
    runtime = runtime_of(ctx)
    answer = _ask(runtime, port, "mark-delete", {"handle": _number(handle), "undo": undo}, target=handle)
    if isinstance(answer, Refused):
        return answer
    return SmbMarked(target=_place(answer), handle=answer["handle"], delete_pending=answer["delete_pending"])


def _ask(
    runtime: Runtime, port: int | None, act: str, asked: Mapping[str, object], *, target: str
) -> dict[str, Any] | Refused:
    from stcc.emulator import smb

    try:
        return smb.ask(_port(runtime) if port is None else port, act, asked)
    except smb.Denied as denied:
        return Refused(
            outcome=denied.kind,
            exit_code=Exit.CONFLICT,
            error_code=denied.status,
            target=target,
            summary=f"{target}: {denied.message} ({denied.status})",
        )


def _port(runtime: Runtime) -> int:
    """Return where the emulator is: the one of `emulator run` around us, else the one that `start` started."""
    found = _FILE_ENDPOINT.search(runtime.environment.get("AZURE_STORAGE_CONNECTION_STRING", ""))
    if found is not None and (url := urlsplit(found[1])).hostname == "127.0.0.1" and url.port is not None:
        return url.port
    from stcc.emulator import instance

    running = instance.running()
    if running is None:
        raise Usage("no emulator is running", hint="stcc emulator start")
    return running.file_port


def _place(answer: Mapping[str, Any]) -> str:
    return f"{answer['share']}/{answer['path']}"


def _letters(option: str, text: str) -> str:
    if text == "none" and option == "--share":
        return ""
    if not text or not set(text) <= set(_LETTERS):
        raise Usage(f"{option} is made of r, w and d, not {text!r}")
    return text


def _range(text: str) -> dict[str, object]:
    found = re.fullmatch(r"(?a)(\d{1,18})-(\d{1,18})", text)
    if found is None or int(found[1]) > int(found[2]):
        raise Usage(f"--lock is FIRST-LAST, two positions of bytes, not {text!r}")
    return {"start": int(found[1]), "end": int(found[2]), "exclusive": True}


def _number(handle: str) -> int:
    if not re.fullmatch(r"(?a)\d{1,18}", handle):
        raise Usage(f"{handle!r} is no handle", hint="what `stcc emulator smb open` printed")
    return int(handle)

"""blob edit and entity edit, in a real terminal with a scripted editor; whatever happens, no text is lost."""

import os
import pty
import re
import shlex
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from stcc.emulator.instance import Instance
from tests.azurite import ProxiedAccount
from tests.running import Result, Stcc, own_environment
from tests.situations import CONTENT, HELD, Situation
from tests.wire import Answer, Drop, writes

Script = Callable[..., str]
SOMEBODY = """
import sys
from azure.storage.blob import BlobClient
blob = BlobClient.from_connection_string(sys.argv[1], sys.argv[2], sys.argv[3], api_version="2021-12-02")
blob.upload_blob(sys.argv[4].encode(), overwrite=True)
"""


class Terminal(NamedTuple):
    code: int
    shown: str

    @property
    def kept(self) -> Path | None:
        """Where the text is that was not written, as it was told."""
        told = re.findall(r"your text is in (\S+)", self.shown)
        return Path(told[-1]) if told else None


def in_terminal(stcc: Stcc, *argv: str, editor: str) -> Terminal:
    """Run stcc in a terminal of its own, with a script as its editor: `$1` is the file."""
    environment = own_environment() | stcc.surroundings | {"VISUAL": editor, "NO_COLOR": "1"}
    pid, master = pty.fork()
    if pid == 0:
        os.execvpe(sys.executable, [sys.executable, "-m", "stcc", *argv], environment)
    shown = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not piece:
            break
        shown += piece
    os.close(master)
    _, status = os.waitpid(pid, 0)
    return Terminal(os.waitstatus_to_exitcode(status), shown.decode().replace("\r\n", "\n"))


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))


@pytest.fixture
def script(tmp_path: Path, azurite: Instance) -> Script:
    """Make an editor of a shell script, in which `somebody TEXT` writes the blob meanwhile."""

    def make(text: str, target: str = "") -> str:
        container, _, blob = target.partition("/")
        somebody = shlex.join([sys.executable, "-c", SOMEBODY, azurite.connection_string, container, blob])
        path = tmp_path / "editor"
        path.write_text(f'#!/bin/sh\nsomebody() {{ {somebody} "$1"; }}\n{text}\n')
        path.chmod(0o755)
        return str(path)

    return make


def etag(there: Situation) -> str:
    return str(there.properties(there.blob).etag)


def test_what_the_editor_saves_is_put(stcc: Stcc, there: Situation, script: Script) -> None:
    editor = script('grep -q "^first content$" "$1" && echo edited > "$1"')

    result = in_terminal(stcc, "blob", "edit", there.blob, editor=editor)

    assert result == Terminal(0, f"{etag(there)}\nupdated {there.blob}, 7 bytes\n")
    assert there.content(there.blob) == b"edited\n"


def test_nobody_else_can_read_the_file_and_it_keeps_its_ending(
    stcc: Stcc, there: Situation, script: Script, tmp_path: Path
) -> None:
    target = there.named("dir/app.toml", b"a = 1\n")
    editor = script(f'ls -ld "$1" "$(dirname "$1")" > {tmp_path}/seen; echo "$1" > {tmp_path}/name')

    assert in_terminal(stcc, "blob", "edit", target, editor=editor).shown.endswith(f"{target} is unchanged\n")
    modes = [line.split()[0] for line in (tmp_path / "seen").read_text().splitlines()]
    path = Path((tmp_path / "name").read_text().strip())
    assert sorted(modes) == sorted([stat.filemode(0o100600), stat.filemode(0o40700)])
    assert (path.name, path.parent.exists()) == ("app.toml", False)


def test_an_editor_that_changes_nothing_writes_nothing(stcc: Stcc, there: Situation) -> None:
    before = etag(there)

    assert in_terminal(stcc, "blob", "edit", there.blob, editor="true") == Terminal(
        0, f"{before}\n{there.blob} is unchanged\n"
    )
    assert etag(there) == before


def test_changes_of_others_are_merged(stcc: Stcc, there: Situation, script: Script) -> None:
    target = there.named("text", b"one\ntwo\nthree\nfour\n")
    editor = script('somebody "ONE\ntwo\nthree\nfour\n"; sed -i s/four/FOUR/ "$1"', target)

    result = in_terminal(stcc, "blob", "edit", target, editor=editor)

    assert (result.code, there.content(target)) == (0, b"ONE\ntwo\nthree\nFOUR\n")
    assert f"somebody else has changed {target} too, in other lines: merged\n" in result.shown


def test_where_both_changed_the_same_lines_the_editor_opens_again(
    stcc: Stcc, there: Situation, script: Script, tmp_path: Path
) -> None:
    target = there.named("text", b"one\ntwo\n")
    editor = script(
        f'if [ ! -e {tmp_path}/again ]; then touch {tmp_path}/again; somebody "ONE\ntwo\n"; sed -i s/one/uno/ "$1"\n'
        f'else cp "$1" {tmp_path}/conflict; printf "one and all\\ntwo\\n" > "$1"; fi',
        target,
    )
    before = there.properties(target).etag

    result = in_terminal(stcc, "blob", "edit", target, editor=editor)

    assert (result.code, there.content(target)) == (0, b"one and all\ntwo\n")
    shown = (tmp_path / "conflict").read_text()
    assert shown.startswith(
        f"<<<<<<< yours\nuno\n||||||| as you found it {before}\none\n=======\nONE\n>>>>>>> somebody"
    )
    assert f"somebody else has changed {target} too, once in the same lines\n" in result.shown


def test_marks_that_stay_are_never_written(stcc: Stcc, there: Situation, script: Script) -> None:
    target = there.named("text", b"one\n")
    editor = script('grep -q "<<<<<<<" "$1" || { somebody "ONE\n"; echo uno > "$1"; }', target)

    result = in_terminal(stcc, "blob", "edit", target, editor=editor)

    assert (result.code, there.content(target)) == (12, b"ONE\n")
    assert result.kept is not None
    assert "uno\n" in result.kept.read_text()


def test_what_is_no_text_is_not_merged_but_kept(stcc: Stcc, there: Situation, script: Script) -> None:
    target = there.named("binary", b"\xff\x00")
    editor = script('somebody "theirs"; printf "\\377mine" > "$1"', target)

    result = in_terminal(stcc, "blob", "edit", target, editor=editor)

    assert (result.code, there.content(target)) == (12, b"theirs")
    assert result.kept is not None
    assert result.kept.read_bytes() == b"\xffmine"


@pytest.mark.parametrize("end", ["exit 3", "kill -9 $$", "kill -TERM $$"])
def test_an_editor_that_fails_changes_nothing_and_the_text_is_kept(
    end: str, stcc: Stcc, there: Situation, script: Script
) -> None:
    result = in_terminal(stcc, "blob", "edit", there.blob, editor=script(f'echo mine > "$1"; {end}'))

    assert (result.code, there.content(there.blob)) == (1, CONTENT)
    assert result.kept is not None
    assert result.kept.read_text() == "mine\n"


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Answer(403, {"x-ms-error-code": "AuthorizationFailure"}), 3),
        (Answer(503), 69),
        (Answer(500), 70),
        (Answer(404, {"x-ms-error-code": "BlobNotFound"}), 4),
        (Answer(412, {"x-ms-error-code": "LeaseIdMissing"}), 12),
    ],
    ids=lambda value: str(getattr(value, "code", value)),
)
def test_a_text_that_could_not_be_written_is_kept(
    fault: Answer, code: int, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation, script: Script
) -> None:
    target = there.blob
    proxied.fail(fault, when=writes, times=9)

    argv = ("blob", "edit", target, "--no-marker")
    result = in_terminal(proxied_stcc, *argv, editor=script('echo mine > "$1"'))

    assert (result.code, there.content(target)) == (code, CONTENT)
    assert result.kept is not None
    assert result.kept.read_text() == "mine\n"


def test_ctrl_c_after_the_editor_keeps_the_text(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation, tmp_path: Path, script: Script
) -> None:
    editor = script(f'echo mine > "$1"; (sleep 1; kill -INT $PPID) > /dev/null 2>&1 & touch {tmp_path}/done')
    target = there.blob
    proxied.fail(Drop(), when=writes, times=9)

    result = in_terminal(proxied_stcc, "blob", "edit", target, "--no-marker", editor=editor)

    assert result.code in {70, 130}  # the signal may come a moment too late
    assert result.kept is not None
    assert result.kept.read_text() == "mine\n"


def test_a_lost_answer_is_settled(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation, script: Script
) -> None:
    target = there.blob
    proxied.fail(Drop(), when=writes)

    result = in_terminal(proxied_stcc, "blob", "edit", target, editor=script('echo mine > "$1"'))

    assert (result.code, there.content(target), result.kept) == (0, b"mine\n", None)


def test_a_lease_goes_with_the_write(stcc: Stcc, there: Situation, script: Script) -> None:
    editor = script('echo mine > "$1"')

    assert in_terminal(stcc, "blob", "edit", there.leased_blob, editor=editor).code == 12
    assert in_terminal(stcc, "blob", "edit", there.leased_blob, "--lease-id", HELD, editor=editor).code == 0


def test_the_ends_of_lines_stay_as_they_are(stcc: Stcc, there: Situation, script: Script) -> None:
    target = there.named("dos", b"one\r\ntwo\r\nthree")
    editor = script('somebody "$(printf "ONE\\r\\ntwo\\r\\nthree")"; sed -i s/three/THREE/ "$1"', target)

    assert in_terminal(stcc, "blob", "edit", target, editor=editor).code == 0
    assert there.content(target) == b"ONE\r\ntwo\r\nTHREE"


def test_metadata_and_entities_are_edited_as_json(stcc: Stcc, there: Situation, script: Script) -> None:
    there.client(there.blob).set_blob_metadata({"a": "1"})
    editor = script('sed -i "s/1/2/" "$1"')

    assert in_terminal(stcc, "blob", "edit", there.blob, "--metadata", "--no-marker", editor=editor).code == 0
    assert there.properties(there.blob).metadata == {"a": "2"}
    assert in_terminal(stcc, "entity", "edit", there.table, "P", "R", editor=editor).code == 0
    assert stcc("entity", "get", there.table, "P", "R", "--query", "properties.n").out == "2\n"


def test_a_document_that_was_spoilt_is_kept(stcc: Stcc, there: Situation, script: Script) -> None:
    result = in_terminal(stcc, "entity", "edit", there.table, "P", "R", editor=script('echo "{" > "$1"'))

    assert (result.code, result.kept is not None and result.kept.read_text()) == (1, "{\n")


def test_marks_of_others_belong_to_the_text(stcc: Stcc, there: Situation, script: Script, tmp_path: Path) -> None:
    """A blob may hold an unfinished merge of something else."""
    foreign = b"<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> main\nlast\n"
    target = there.named("merge", foreign)
    editor = script(
        f'if [ -e {tmp_path}/again ]; then sed -i "/yours/d;/as you/d;/somebody/d" "$1"; else touch {tmp_path}/again;'
        f' somebody "$(cat "$1")!"; echo mine >> "$1"; fi',
        target,
    )

    assert in_terminal(stcc, "blob", "edit", target, editor=editor).code == 0
    assert there.content(target).startswith(b"<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> main\n")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("instead", ["mkfifo", "mkdir"])
def test_an_editor_that_leaves_no_file_is_no_riddle(
    instead: str, stcc: Stcc, there: Situation, script: Script, tmp_path: Path
) -> None:
    result = in_terminal(stcc, "blob", "edit", there.blob, editor=script(f'rm "$1"; {instead} "$1"'))

    assert (result.code, result.kept, there.content(there.blob)) == (74, None, CONTENT)
    assert result.shown.endswith(" is no file any more; nothing was changed\n")
    assert list(tmp_path.glob("stcc-edit-*")) == []


def test_without_a_terminal_no_editor_is_guessed(stcc: Stcc, there: Situation) -> None:
    assert stcc("blob", "edit", there.blob) == Result(
        2,
        "",
        "stcc: there is no terminal to edit on\n  VISUAL or EDITOR may name a program that needs none\n",
    )


def test_what_the_editor_leaves_beside_the_file_goes_with_it(
    stcc: Stcc, there: Situation, script: Script, tmp_path: Path
) -> None:
    editor = script('cp "$1" "$1~"; touch "$(dirname "$1")/.swp"; echo edited > "$1"')

    assert in_terminal(stcc, "blob", "edit", there.blob, editor=editor).code == 0
    assert list(tmp_path.glob("stcc-edit-*")) == []


def test_without_a_place_for_the_text_nothing_begins(stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    shell = subprocess.run(
        ["bash", "-c", 'ulimit -f 0; exec "$0" -m stcc blob edit "$1"', sys.executable, there.blob],
        env=own_environment() | stcc.surroundings | {"VISUAL": f"touch {tmp_path}/opened"},
        capture_output=True,
        check=False,
    )

    assert (shell.returncode, shell.stdout, there.content(there.blob)) == (74, b"", CONTENT)
    assert shell.stderr.startswith(b"stcc: no temporary file can be made: no usable temporary directory found in [")
    assert shell.stderr.endswith(b"]; nothing was changed\n")
    assert list(tmp_path.iterdir()) == []


def test_stdout_that_is_captured_stays_clean(stcc: Stcc, there: Situation, script: Script) -> None:
    editor = script('echo mine > "$1"; echo "the editor draws"')
    result = stcc.run("blob", "edit", there.blob, env=own_environment() | stcc.surroundings | {"EDITOR": editor})

    assert (result.code, result.out) == (0, f"{etag(there)}\n")
    assert result.err == f"the editor draws\nupdated {there.blob}, 5 bytes\n"


@pytest.mark.parametrize(("editor", "code"), [("'unclosed", 2), ("/nonexistent/editor", 127), ("/etc/passwd", 126)])
def test_an_editor_that_cannot_be_run(editor: str, code: int, stcc: Stcc, there: Situation, tmp_path: Path) -> None:
    assert in_terminal(stcc, "blob", "edit", there.blob, editor=editor).code == code
    assert list(tmp_path.glob("stcc-edit-*")) == []

"""The transcripts of the documentation are typed into a real bash, and what they promise is what comes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from stcc.emulator.instance import Instance

ROOT = Path(__file__).resolve().parent.parent
ETAG = re.compile(r'W/"datetime[^"]*"|"0x[0-9A-F]+"')
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
BETWEEN = "=====next====="


def transcript(page: str) -> list[tuple[str, str]]:
    """Return the commands of a page's console blocks, each with the output that is shown below it."""
    steps: list[tuple[str, str]] = []
    for block in re.findall(r"```console\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], ""))
            else:
                command, shown = steps[-1]
                steps[-1] = (command, f"{shown}{line}\n")
    return steps


def same_but_for_values(text: str) -> str:
    """Return text with ETags and moments replaced by their kind."""
    return MOMENT.sub("MOMENT", ETAG.sub("ETAG", text))


def pattern(shown: str) -> re.Pattern[str]:
    """Return what matches the shown output; `...` stands for anything."""
    return re.compile(re.escape(same_but_for_values(shown)).replace(r"\.\.\.", ".*"), re.DOTALL)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "page",
    ["README.md", "docs/blobs.md", "docs/emulator-files.md", "docs/entities.md", "docs/files.md", "docs/queues.md"],
)
def test_the_transcript_is_true(page: str, azurite: Instance, tmp_path: Path) -> None:
    steps = transcript(page)
    script = "".join(f"{command}\necho '{BETWEEN}'\n" for command, _ in steps)
    script = script.replace("source .venv/bin/activate", ":")
    # The README starts an emulator of its own; the other pages are typed where one is known.
    home = {
        "AZURE_STORAGE_CONNECTION_STRING": azurite.connection_string,
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "STCC_CONFIG": "/nonexistent",
    }
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AZURE_", "STCC_"))}
    shell = subprocess.run(
        ["bash"],
        input=script,
        cwd=tmp_path,
        env={**kept, **home, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    came = [same_but_for_values(text) for text in shell.stdout.split(f"{BETWEEN}\n")]

    assert len(came) == len(steps) + 1
    for (command, shown), text in zip(steps, came, strict=False):
        # Where the README shows nothing, the story on stderr may come, but no refusal.
        promised = pattern(shown) if shown else re.compile(r"(?!.*stcc: ).*", re.DOTALL)
        assert promised.fullmatch(text), f"$ {command}\n{text}"

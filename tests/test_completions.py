"""The completion scripts, sourced by the real shells."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.azurite import unavailable

COMPLETIONS = Path(__file__).resolve().parent.parent / "completions"
CASES = [
    pytest.param("stcc leas", ["lease"], id="a noun"),
    pytest.param("stcc queue d", ["delete", "dequeue", "delete-message"], id="a verb"),
    pytest.param("stcc -o json queue pe", ["peek"], id="a verb after an option with a value"),
    pytest.param("stcc blob put --if-m", ["--if-match", "--if-modified-since"], id="a condition"),
    pytest.param(
        "stcc container delete --if-", ["--if-modified-since", "--if-unmodified-since"], id="only what it honours"
    ),
    pytest.param("stcc blob show --quer", ["--query"], id="a shared option"),
    pytest.param("stcc blob list --include s", ["snapshots"], id="a value"),
]


def shell(name: str) -> str:
    """Return the path of a shell; without it the test skips, in CI it fails."""
    return shutil.which(name) or unavailable(f"{name} is not installed")


@pytest.mark.parametrize(("line", "words"), CASES)
def test_bash_completes(line: str, words: list[str]) -> None:
    typed = line.split(" ")
    script = (
        f"source {COMPLETIONS / 'stcc.bash'}; COMP_WORDS=({' '.join(typed)}); COMP_CWORD={len(typed) - 1}; _stcc; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run([shell("bash"), "-c", script], capture_output=True, text=True, check=False)

    assert (done.returncode, sorted(done.stdout.split()), done.stderr) == (0, sorted(words), "")


@pytest.mark.parametrize(("line", "words"), CASES)
def test_fish_completes(line: str, words: list[str], tmp_path: Path) -> None:
    script = f"source {COMPLETIONS / 'stcc.fish'}; complete -C '{line}'"
    surroundings = {**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(
        [shell("fish"), "--no-config", "-c", script], capture_output=True, text=True, check=False, env=surroundings
    )
    offered = [one.partition("\t")[0] for one in done.stdout.splitlines()]

    assert (done.returncode, sorted(offered), done.stderr) == (0, sorted(words), "")


@pytest.mark.parametrize(("line", "words"), CASES)
def test_zsh_completes(line: str, words: list[str]) -> None:
    """The function is called as zsh would call it, with `compadd` saying what it was given."""
    typed = line.split(" ")
    script = (
        'compadd() { shift; print -l -- "$@" }; _files() { : }; _default() { : }; '
        f"words=({' '.join(typed)}); CURRENT={len(typed)}; "
        f"source {COMPLETIONS / '_stcc'}"
    )
    done = subprocess.run([shell("zsh"), "-f", "-c", script], capture_output=True, text=True, check=False)
    offered = sorted({one for one in done.stdout.split() if one.startswith(typed[-1])})

    assert (done.returncode, offered, done.stderr) == (0, sorted(words), "")

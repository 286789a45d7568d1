"""The gate: every check, all of them even after one fails, and a verdict.

    python3 tests/gate.py --install     make .venv, install what the tests need, run everything
    .venv/bin/python tests/gate.py      run everything

Standard library only: it runs before anything is installed.
"""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
# What some tests need besides Python packages; elsewhere than on Debian those tests skip, and the summary names them.
DEBIAN = ("faketime", "git", "redis-server", "zsh", "fish", "jq")
STATIC = {
    "format": ["ruff", "format", "--check", "."],
    "lint": ["ruff", "check", "."],
    "spelling": ["codespell", "stcc", "tests", "docs", "README.md"],
    "mypy": ["mypy"],
    "pyright": ["pyright", "--pythonpath", sys.executable],
    "imports": ["lint-imports"],
}


def main() -> int:
    """Install if asked to, run every check, and return 0 if all passed."""
    if "--install" in sys.argv[1:]:
        install()
        python = str(ENVIRONMENT / "bin" / "python")
        return subprocess.run([python, __file__], cwd=ROOT, check=False).returncode
    return check()


def install() -> None:
    """Make the virtual environment, with the project and all that its tests import; Debian packages when root."""
    if not (ENVIRONMENT / "bin" / "python").exists():
        venv.create(ENVIRONMENT, with_pip=True)
    pip = [str(ENVIRONMENT / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--editable", ".[emulator,redis,dev]"], cwd=ROOT, check=True)
    if shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], env=quiet, check=True)
        subprocess.run(["apt-get", "install", "-qq", "-y", *DEBIAN], env=quiet, check=True, stdout=subprocess.DEVNULL)


def check() -> int:
    """Run the static checks, the tests with coverage, and say what came of each."""
    verdicts = {name: run(name, arguments) for name, arguments in STATIC.items()}
    for leftover in ROOT.glob(".coverage*"):
        leftover.unlink()
    workers = str(max(4, os.cpu_count() or 1))
    tests = ["coverage", "run", "-m", "pytest", "-n", workers, "--dist", "worksteal", "-q"]
    verdicts["tests"], summary = run_tests(tests)
    verdicts["coverage"] = run("combine", ["coverage", "combine", "-q"]) and run("coverage", ["coverage", "report"])
    for name, passed in verdicts.items():
        print(f"{name:<10} {'passed' if passed else 'FAILED'}")
    print(summary)
    return 0 if all(verdicts.values()) else 1


def run(name: str, arguments: list[str]) -> bool:
    """Run one tool of the environment."""
    print(f"== {name}", flush=True)
    return subprocess.run(tool(arguments), cwd=ROOT, check=False).returncode == 0


def tool(arguments: list[str]) -> list[str]:
    """Return the command line of a tool that is installed beside this Python."""
    return [str(Path(sys.executable).parent / arguments[0]), *arguments[1:]]


def run_tests(arguments: list[str]) -> tuple[bool, str]:
    """Run the tests, pass their output on, and return the verdict with the runner's last line."""
    print("== tests", flush=True)
    summary = "no test ran"
    with subprocess.Popen(tool(arguments), cwd=ROOT, stdout=subprocess.PIPE, text=True) as tests:
        for line in tests.stdout or ():
            print(line, end="", flush=True)
            summary = line.rstrip() or summary
    return tests.returncode == 0, summary


if __name__ == "__main__":
    sys.exit(main())

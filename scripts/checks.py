"""All checks that need no test run; ``make check``, pre-commit and the workflow call the same.

A check is a name and a function that gives what is wrong, as text for people, empty if all is well.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from scripts.errors import SourceError
from scripts.paths import ROOT


@dataclass(frozen=True)
class Check:
    """One line of ``make check``."""

    name: str
    run: Callable[[], str]


def tool(name: str, *command: str) -> Check:
    """Make the check that runs a tool of this environment at the root of the repository."""

    def run() -> str:
        # The tools find each other (zizmor git, jactionlint shellcheck) on the path.
        here = Path(sys.executable).parent
        path = f"{here}{os.pathsep}{os.environ.get('PATH', '')}"
        try:
            done = subprocess.run(
                [here / command[0], *command[1:]],
                cwd=ROOT,
                env={**os.environ, "PATH": path},
                capture_output=True,
                text=True,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except OSError as error:
            return f"{command[0]} is not there ({error.strerror}); make check installs it"
        if done.returncode == 0:
            return ""
        return (done.stdout + done.stderr).strip() or f"{command[0]} ended with {done.returncode}"

    return Check(name, run)


def _entries() -> str:
    from scripts.reader import read_documents

    read_documents()
    return ""


def _notebooks() -> str:
    from scripts.notebooks import write_notebooks
    from scripts.reader import read_documents

    stale = write_notebooks(read_documents(), check=True)
    lines = [f"{path.relative_to(ROOT)} is not up to date" for path in stale]
    return "\n".join([*lines, "to write them: python -m scripts notebooks"]) if lines else ""


def _proof() -> str:
    from scripts.known import judge, load_known
    from scripts.proof import load_proofs
    from scripts.reader import read_documents

    statuses = {
        f"{run.release}/{run.hardware}/{proof.document.id}": run.status
        for proof in load_proofs(read_documents())
        for run in proof.runs
    }
    return "\n".join(judge(statuses, load_known(), datetime.now(UTC).date()))


CHECKS: tuple[Check, ...] = (
    tool("format", "ruff", "format", "--check", "--diff", "--quiet", "."),
    tool("lint", "ruff", "check", "--quiet", "."),
    tool("types", "mypy", "--strict", "scripts", "tests"),
    tool("spelling", "codespell"),
    tool("shell", "shellcheck", ".ci/run"),
    tool("workflows", "jactionlint", "--no-color"),
    tool("workflow security", "zizmor", "--offline", "--no-progress", "--quiet", ".github"),
    # What the repository itself must keep to. These grow with the data formats.
    Check("entries", _entries),
    Check("notebooks", _notebooks),
    Check("proof", _proof),
)


def run_checks(checks: Sequence[Check] = CHECKS) -> int:
    """Run all checks, whichever fail, and print a line for each.

    Returns:
        The exit status: 0 if all are well, 1 if not.
    """
    width = max(len(check.name) for check in checks)
    failed = []
    for check in checks:
        started = time.monotonic()
        try:
            wrong = check.run()
        except SourceError as error:
            wrong = str(error)
        seconds = time.monotonic() - started
        word = "failed" if wrong else "ok"
        print(f"{check.name:<{width}}  {word:<6}  {seconds:5.1f} s", flush=True)
        if wrong:
            failed.append(check.name)
            print("\n".join(f"    {line}" for line in wrong.splitlines()), flush=True)
    if failed:
        print(f"{len(failed)} of {len(checks)} failed: {', '.join(failed)}")
    return 1 if failed else 0

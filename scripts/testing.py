"""Run all tests: pytest, then the tests of the JavaScript under node."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from scripts.paths import ROOT


def run_tests(arguments: Sequence[str] = ()) -> int:
    """Run every test there is.

    Args:
        arguments: passed on to pytest; node's tests run only without any.

    Returns:
        The exit status: 0 if all passed.
    """
    done = subprocess.run([sys.executable, "-m", "pytest", *arguments], cwd=ROOT, check=False)
    if arguments:
        return done.returncode
    here = Path(sys.executable).parent
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests/js").glob("*.test.mjs"))
    environment = {
        **os.environ,
        "PYTHON": sys.executable,
        "PATH": f"{here}{os.pathsep}{os.environ.get('PATH', '')}",
    }
    node = subprocess.run(["node", "--test", *files], cwd=ROOT, env=environment, check=False)
    return done.returncode or node.returncode

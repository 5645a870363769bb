"""Build the site, or serve it; the site generator is called here and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys

from scripts.paths import ROOT

# Material prints a banner about its successor into every build; the variable is its own switch.
QUIET = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}


def build() -> int:
    """Build the whole site from clean into ``site/``.

    Returns:
        The generator's exit status.
    """
    return _mkdocs("build", "--clean", "--quiet")


def serve(address: str) -> int:
    """Serve the site at ``address`` ("127.0.0.1:8000") and rebuild it when a source changes."""
    # At the root of the address, not below the path that the published site has.
    # Only changed pages are made again; that links may be wrong until the next start is a warning,
    # which the strict build would stop at.
    options = ("--dirty", "--no-strict", "--dev-addr", address)
    return _mkdocs("serve", *options, KB_SITE_URL=f"http://{address}/")


def _mkdocs(*arguments: str, **variables: str) -> int:
    try:
        command = [sys.executable, "-m", "mkdocs", *arguments]
        return subprocess.run(
            command, cwd=ROOT, env={**os.environ, **QUIET, **variables}, check=False
        ).returncode
    except KeyboardInterrupt:
        return 0

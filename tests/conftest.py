import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from scripts.browsing import chromium, served
from scripts.paths import ROOT
from scripts.sitebuild import QUIET


@pytest.fixture(scope="session")
def built_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site, built as it is published."""
    folder = tmp_path_factory.mktemp("site") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, **QUIET}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="session")
def address(built_site: Path) -> Iterator[str]:
    """Where the built site is served, without a slash at the end."""
    with served(built_site, "/pytorch-knowledge-patch") as root:  # as it is published
        yield root


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A Chromium."""
    with chromium() as started:
        yield started

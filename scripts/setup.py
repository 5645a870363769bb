"""Install what the tests need and requirement files cannot name: PyTorch and a browser.

PyTorch comes from another index on each kind of machine, and a browser is no Python package. Both
steps look first at what is there, so a second call changes nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from scripts.environments import KERNEL_PACKAGES, extras_of, requirements
from scripts.indexes import choose_index, pip_arguments
from scripts.reader import read_documents
from scripts.releases import REFERENCE_RELEASE, load_releases

DOWNLOAD_LIMIT = 600.0
"""Seconds that the download of a browser may take; what hangs longer will not come."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

_Command = tuple[list[str], Mapping[str, str]]  # with its environment variables

ALL_THERE = """
import importlib.metadata, sys
for wanted in sys.argv[1:]:
    name, version = wanted.split("==")
    if importlib.metadata.version(name).split("+")[0] != version:
        sys.exit(1)
"""


class SetupError(Exception):
    """Something could not be installed; the message says what was tried."""


def setup_tests() -> int:
    """Install all that the tests need into the running environment.

    Returns:
        The exit status: 0 if everything is there, 1 if not.
    """
    try:
        install_torch(Path(sys.executable))
        install_browser()
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def install_torch(python: Path) -> None:
    """Install the CPU build of the reference release and what samples need beside it.

    Raises:
        SetupError: pip failed; the message has its own words.
    """
    record = load_releases().by_minor(REFERENCE_RELEASE)
    wanted = [*requirements(record, extras_of(read_documents())), *KERNEL_PACKAGES]
    if _output([str(python), "-c", ALL_THERE, *wanted]) is not None:
        print(f"torch {record.patch} is there, and what samples need beside it")
        return
    choice = choose_index("cpu", record)
    source = choice.address or "the default index"
    print(f"installing torch {record.patch} from {source}: {choice.why}", flush=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = _run([*pip, *pip_arguments(choice), *wanted])
    if done.returncode != 0:
        raise SetupError(f"torch {record.patch} was not installed from {source}: {_reason(done)}")


def install_browser() -> None:
    """Install a Chromium unless there is one: Playwright's own, else the system's package.

    Raises:
        SetupError: no way worked, and the message lists them; or as for ``find_browser``.
    """
    if (browser := find_browser()) is not None:
        print(f"browser: {browser}")
        return
    if _playwright_has_one():
        print("browser: the one of Playwright")
        return
    tried: list[str] = []
    for name, commands in _ways(_as_root()):
        print(f"installing a browser: {name}", flush=True)
        failed = _first_failure(commands)
        find_browser.cache_clear()
        if failed is None and (find_browser() is not None or _playwright_has_one()):
            return
        tried.append(f"{name} ({failed or 'no browser came of it'})")
    raise SetupError(
        f"no browser could be installed; tried: {'; '.join(tried)}. "
        "Install Chromium or Chrome, or point KB_CHROMIUM at one."
    )


@cache
def find_browser() -> Path | None:
    """Give the Chromium for the tests to launch; None is the one that Playwright brings itself.

    The variable ``KB_CHROMIUM`` comes first, then what is on the path.

    Raises:
        SetupError: ``KB_CHROMIUM`` names something that does not start.
    """
    if chosen := os.environ.get("KB_CHROMIUM"):
        if not _starts(chosen):
            raise SetupError(f"KB_CHROMIUM={chosen} does not start")
        return Path(chosen)
    found = (path for name in BROWSERS if (path := shutil.which(name)))
    return next((Path(path) for path in found if _starts(path)), None)


def _starts(browser: str) -> bool:
    # Ubuntu has a chromium-browser that only says that it wants to be installed by other means.
    return _output([browser, "--version"], limit=20.0) is not None


def _ways(root: Sequence[str] | None) -> Iterator[tuple[str, list[_Command]]]:
    """Give each way to a browser: its name, and the commands with their variables.

    ``root`` is what to put before a command so that root runs it, None if that cannot be had.
    """
    playwright = [sys.executable, "-m", "playwright"]
    # Its downloads first and the system's libraries second: the other way round, as --with-deps has
    # it, a closed network costs minutes of libraries for a browser that then does not come.
    commands: list[_Command] = [
        ([*playwright, "install", "chromium"], {"PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "10000"})
    ]
    if sys.platform == "linux" and root is not None:
        commands.append(([*root, *playwright, "install-deps", "chromium"], {}))
    yield "playwright install chromium", commands
    if shutil.which("apt-get") and root is not None:
        apt = [*root, "apt-get", "-qq"]
        quiet = {"DEBIAN_FRONTEND": "noninteractive"}
        install = [*apt, "install", "--yes", "--no-install-recommends", "chromium"]
        yield "apt-get install chromium", [([*apt, "update"], quiet), (install, quiet)]


def _first_failure(commands: Sequence[_Command]) -> str | None:
    """Run the commands up to the first that fails, and give its reason; None if all went well."""
    for command, variables in commands:
        done = _run(command, DOWNLOAD_LIMIT, variables)
        if done.returncode != 0:
            return _reason(done)
    return None


def _as_root() -> list[str] | None:
    if not hasattr(os, "geteuid"):
        return None
    if os.geteuid() == 0:
        return []
    return ["sudo", "-n"] if _output(["sudo", "-n", "true"]) is not None else None


def _playwright_has_one() -> bool:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path).exists()


def _output(command: Sequence[str], limit: float | None = None) -> str | None:
    """Run a command and give what it printed, or None if it failed or took ``limit`` seconds."""
    done = _run(command, limit)
    return done.stdout.strip() if done.returncode == 0 else None


def _run(
    command: Sequence[str], limit: float | None = None, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command; one that cannot start or takes ``limit`` seconds is one that failed."""
    try:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **(variables or {})},
            stdin=subprocess.DEVNULL,
            timeout=limit,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 1, "", f"error: {error}")


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    """Give the line of a failed command's output that says why."""
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    telling = [line for line in lines if re.match(r"e(rror)?:", line, re.IGNORECASE)]
    return next(iter(telling), lines[-1] if lines else f"status {done.returncode}")

"""Where the build of a release for some hardware is installed from.

PyTorch publishes each hardware's builds on an index of their own (``data/releases.yml`` names it).
Networks that mirror the installer's default index alone do not reach it, so it is asked first; on
Linux the default index has a build as well, which runs on CUDA and on the CPU, only larger.
"""

from __future__ import annotations

import threading
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from scripts.releases import Release

TIMEOUT = 3.0
"""Seconds that an index has to answer."""


class NoIndexError(Exception):
    """No index that can be reached has the build; the message is one line for people."""


@dataclass(frozen=True)
class IndexChoice:
    """An index, and in one clause why it was chosen."""

    address: str | None
    """None is the installer's default index."""
    why: str


@cache
def answers(address: str) -> bool:
    """Say whether an index has a page for torch; asked once per process and address.

    The whole attempt is limited to ``TIMEOUT`` seconds. A socket's own limit does not cover the
    look-up of the name, which is what hangs on a closed network, hence the thread.
    """
    found: list[bool] = []

    def ask() -> None:
        request = urllib.request.Request(  # noqa: S310 - releases.yml has https:// addresses alone
            f"{address.rstrip('/')}/torch/", method="HEAD"
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT):  # noqa: S310
                found.append(True)
        except OSError:  # URLError and HTTPError are among them
            pass

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(TIMEOUT)
    return bool(found)


def choose_index(
    hardware: str, record: Release, reachable: Callable[[str], bool] = answers
) -> IndexChoice:
    """Choose the index for the build of a release ("cpu", "cuda", "rocm", "xpu" or "mps").

    Raises:
        NoIndexError: the build is only on an index that does not answer or is not known.
    """
    address: str | None = getattr(record.index, hardware)
    if address == "default":
        return IndexChoice(None, "the default index has this build")
    if address is not None and reachable(address):
        return IndexChoice(address, "the index for this hardware answers")
    lacking = "is not known" if address is None else f"({address}) does not answer"
    if hardware in ("rocm", "xpu"):
        raise NoIndexError(
            f"the index with the {hardware} build of {record.release} {lacking}; no other has it"
        )
    return IndexChoice(None, f"the index for this hardware {lacking}")


def pip_arguments(choice: IndexChoice, *, uv: bool = False) -> list[str]:
    """Give the arguments of ``pip install`` (of ``uv pip install`` if ``uv``) for an index.

    The default index stays in use for all that torch needs. ``torch==2.6.0`` then still takes the
    build of the chosen index: its version ends in ``+cpu`` or the like, which counts as newer.
    """
    if choice.address is None:
        return []
    # By default uv looks for a package in the first index that knows its name. PyTorch's has old
    # copies of a few others, which must not hide the newer ones.
    strategy = ["--index-strategy", "unsafe-best-match"] if uv else []
    return ["--extra-index-url", choice.address, *strategy]

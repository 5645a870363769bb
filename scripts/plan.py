"""Which notebooks to run, in which order, what that costs, and how it is shared among machines."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from scripts.entries import Document
from scripts.notebooks import current_notebooks
from scripts.paths import ENVIRONMENTS
from scripts.proof import count
from scripts.releases import load_releases

GUESS = 5.0
"""Seconds that a notebook without a record is thought to take."""

SIZES: Mapping[str, tuple[float, float]] = {"cpu": (0.3, 1.3), "other": (3.0, 5.5)}
"""GB to download and on disk of an environment: with a CPU build, with any other."""


@dataclass(frozen=True)
class Job:
    """One notebook to run."""

    document: Document
    release: str
    hardware: str
    path: Path
    notebook: NotebookNode
    seconds: float
    """How long it is thought to take: its last run, else that of its neighbors."""

    @property
    def name(self) -> str:
        """What people read in the progress: ``2.6 cpu <topic>/<entry>``."""
        return f"{self.release} {self.hardware} {self.document.id}"


def plan(
    documents: Sequence[Document],
    *,
    releases: Sequence[str] | None = None,
    hardware: str | None = None,
    everything: bool = False,
    shard: tuple[int, int] = (1, 1),
) -> list[Job]:
    """The notebooks to run: by release and hardware, and the longest first within those.

    Args:
        documents: entries and guides.
        releases: only these minor releases; None for all.
        hardware: only this hardware; None for all.
        everything: also those whose record still fits their code and says passed.
        shard: the i-th of n shares (i from 1): together they are the whole, each job once.
    """
    notebooks = list(current_notebooks(documents))
    recorded: dict[str, list[float]] = {}
    for document, _, _, _, notebook in notebooks:
        if (seconds := notebook.metadata["verification"].get("seconds")) is not None:
            recorded.setdefault(document.id, []).append(seconds)
    jobs = [
        Job(document, release, device, path, notebook, _expected(document, notebook, recorded))
        for document, release, device, path, notebook in notebooks
        if (releases is None or release in releases)
        and (hardware is None or device == hardware)
        and (everything or notebook.metadata["verification"]["status"] != "passed")
    ]
    order = load_releases().minors
    jobs.sort(key=lambda j: (order.index(j.release), j.hardware, -j.seconds, j.document.id))
    return share(jobs, *shard)


def _expected(
    document: Document, notebook: NotebookNode, recorded: Mapping[str, Sequence[float]]
) -> float:
    own: float | None = notebook.metadata["verification"].get("seconds")
    if own is not None:
        return own
    others = recorded.get(document.id)
    return max(others) if others else GUESS


def share(jobs: Sequence[Job], number: int, of: int) -> list[Job]:
    """The ``number``-th (from 1) of ``of`` shares: complete, disjoint, about equally long.

    The longest jobs are dealt first, each to the share that has least; the order stays.

    Raises:
        ValueError: there is no such share.
    """
    if not 1 <= number <= of:
        raise ValueError(f"no share {number}/{of}; allowed: 1/{of} to {of}/{of}")
    totals = [0.0] * of
    mine = set()
    for job in sorted(jobs, key=lambda job: (-job.seconds, job.name)):
        least = totals.index(min(totals))
        totals[least] += job.seconds
        if least == number - 1:
            mine.add(job.name)
    return [job for job in jobs if job.name in mine]


def describe(jobs: Sequence[Job], parallel: int | None, python: Path | None) -> str:
    """The plan in a few lines: what, where, how much to download and keep, how long."""
    places = sorted({(job.release, job.hardware) for job in jobs})
    releases = list(dict.fromkeys(job.release for job in jobs))
    missing = [place for place in places if not (ENVIRONMENTS / f"{place[0]}-{place[1]}").exists()]
    seconds = sum(job.seconds for job in jobs) / (parallel or os.cpu_count() or 1)
    lines = [
        f"{count(len(jobs), 'notebook')} on {count(len(releases), 'release')}:"
        f" {', '.join(releases)}"
    ]
    if python is None and missing:
        small = [SIZES["cpu" if hardware == "cpu" else "other"] for _, hardware in missing]
        lines.append(
            f"{count(len(missing), 'environment')} to make: about"
            f" {sum(size[0] for size in small):.0f} GB to download and"
            f" {sum(size[1] for size in small):.0f} GB on disk; up to"
            f" {SIZES['other'][0] * len(missing):.0f} and {SIZES['other'][1] * len(missing):.0f} GB"
            " where PyTorch's own index does not answer"
        )
        seconds += 60 * len(missing)
    lines.append(f"about {max(1, round(seconds / 60))} min")
    return "\n".join(lines)

"""Run the notebooks that are stale and write what happened into them.

A notebook is stale while its record is ``not-run``: never run, or its code has changed since. Each
is written as soon as it has run, so a killed run goes on where it stopped.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode
from rich.console import Console
from rich.markup import escape
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from scripts.entries import Document
from scripts.environments import Environment, EnvironmentFailure, ensure_environment
from scripts.execute import Outcome, run_notebook
from scripts.guard import Limits
from scripts.notebooks import current_notebooks, serialize, write_if_changed
from scripts.proof import count
from scripts.provisioner import stop_parents
from scripts.releases import load_releases


@dataclass(frozen=True)
class Job:
    """One notebook to run."""

    document: Document
    release: str
    hardware: str
    path: Path
    notebook: NotebookNode

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
) -> list[Job]:
    """The notebooks to run, grouped by release and hardware.

    Args:
        documents: entries and guides.
        releases: only these minor releases; None for all.
        hardware: only this hardware; None for all.
        everything: also those whose record still fits their code and says passed.
    """
    jobs = [
        Job(document, release, device, path, notebook)
        for document, release, device, path, notebook in current_notebooks(documents)
        if (releases is None or release in releases)
        and (hardware is None or device == hardware)
        and (everything or notebook.metadata["verification"]["status"] != "passed")
    ]
    order = load_releases().minors
    return sorted(jobs, key=lambda job: (order.index(job.release), job.hardware, job.document.id))


def verify(jobs: Sequence[Job], console: Console, *, parallel: int | None = None) -> int:
    """Run ``jobs``, one environment after the other.

    Args:
        jobs: from :func:`plan`.
        console: where progress and the summary go.
        parallel: notebooks at a time; None for one a core.

    Returns:
        The exit status: 0 if all passed, else 1.
    """
    results: list[tuple[Job, Outcome]] = []
    broken: list[str] = []
    groups: dict[tuple[str, str], list[Job]] = {}
    for job in jobs:
        groups.setdefault((job.release, job.hardware), []).append(job)
    for (release, hardware), group in groups.items():
        extras = sorted({name for job in group for name in job.document.front.requires})
        console.print(f"PyTorch {release}, {hardware}: {count(len(group), 'notebook')}")
        try:
            environment = ensure_environment(load_releases().by_minor(release), hardware, extras)
        except EnvironmentFailure as failure:
            broken.append(f"{release} {hardware}: {failure}")
            console.print(f"[red]✗[/] no environment: {escape(str(failure))}")
            continue
        try:
            results += asyncio.run(_run_group(group, environment, console, parallel))
        finally:
            stop_parents()
    _summary(results, broken, console)
    failed = any(outcome.status != "passed" for _, outcome in results)
    return 1 if failed or broken else 0


async def _run_group(
    group: Sequence[Job], environment: Environment, console: Console, parallel: int | None
) -> list[tuple[Job, Outcome]]:
    slots = asyncio.Semaphore(parallel or os.cpu_count() or 1)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, disable=not console.is_terminal, transient=True
    ) as bar:
        task = bar.add_task("running", total=len(group))

        async def one(job: Job) -> tuple[Job, Outcome]:
            async with slots:
                bar.update(task, description=job.name)
                outcome = await run_notebook(job.notebook, environment, job.hardware, Limits())
                write_if_changed(job.path, serialize(job.notebook))
            mark = "[green]✓[/]" if outcome.status == "passed" else "[red]✗[/]"
            reason = f"  {outcome.reason}" if outcome.reason else ""
            console.print(f"{mark} {job.name}  {outcome.seconds} s{escape(reason)}", soft_wrap=True)
            bar.advance(task)
            return job, outcome

        return list(await asyncio.gather(*(one(job) for job in group)))


def _summary(
    results: Sequence[tuple[Job, Outcome]], broken: Sequence[str], console: Console
) -> None:
    counts = Counter(outcome.status for _, outcome in results)
    seconds = sum(outcome.seconds for _, outcome in results)
    console.print(
        f"{counts['passed']} passed, {counts['failed']} failed, in {seconds:.0f} s of cells"
        + (f"; {len(broken)} environments could not be made" if broken else "")
    )
    for job, outcome in results:
        if outcome.status != "passed":
            console.print(f"failed: {job.name}: {escape(outcome.reason or '')}", soft_wrap=True)
    for line in broken:
        console.print(f"no environment: {escape(line)}", soft_wrap=True)

"""Run the notebooks that are stale and write what happened into them.

A notebook is stale while its record is not ``passed``: never run, failed, or its code has changed
since. Each is written as soon as it has run, so a killed run goes on where it stopped.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from scripts.environments import Environment, EnvironmentFailure, ensure_environment, extras_of
from scripts.execute import FAILED, Outcome, for_each, run_notebook
from scripts.guard import Limits
from scripts.notebooks import serialize, write_if_changed
from scripts.paths import ENVIRONMENTS
from scripts.plan import SIZES, Job, describe
from scripts.proof import count
from scripts.provisioner import stop_parents
from scripts.releases import load_releases
from scripts.report import Report


@dataclass(frozen=True)
class Options:
    """How to run."""

    parallel: int | None = None
    """Notebooks at a time; None for one a core."""
    disk: float | None = None
    """GB that the environments may take together; the older ones are removed to stay below."""
    python: Path | None = None
    """An interpreter that has torch and ipykernel already, in place of environments of our own."""
    limits: Limits = field(default_factory=Limits)


def verify(jobs: Sequence[Job], console: Console, options: Options) -> Report:
    """Run ``jobs``, one environment after the other.

    An environment that cannot be made is reported, and the others go on.
    """
    console.print(describe(jobs, options.parallel, options.python), highlight=False)
    report = Report()
    for (release, hardware), group in groups(jobs):
        title = f"PyTorch {release}, {hardware}: {count(len(group), 'notebook')}"
        console.print(title, highlight=False)
        try:
            environment = environment_for(release, hardware, group, options, console)
        except (EnvironmentFailure, OSError) as failure:
            report.no_environment[f"{release} {hardware}"] = str(failure)
            console.print(f"[red]✗[/] no environment: {escape(str(failure))}", soft_wrap=True)
            continue
        try:
            asyncio.run(_run_group(group, environment, console, options, report))
        finally:
            stop_parents()
    report.print(console)
    return report


def groups(jobs: Sequence[Job]) -> Iterator[tuple[tuple[str, str], list[Job]]]:
    """The jobs of each release and hardware, in the order in which those come first."""
    found: dict[tuple[str, str], list[Job]] = {}
    for job in jobs:
        found.setdefault((job.release, job.hardware), []).append(job)
    yield from found.items()


def environment_for(
    release: str, hardware: str, group: Sequence[Job], options: Options, console: Console
) -> Environment:
    """The environment of a group, made where it is not there yet, within the limit of the disk.

    Raises:
        EnvironmentFailure: it could not be made.
    """
    record = load_releases().by_minor(release)
    if options.python is not None:
        return Environment.given(options.python, record)
    if options.disk is not None:
        _make_room(options.disk, keep=f"{release}-{hardware}", console=console)
    return ensure_environment(record, hardware, extras_of(job.document for job in group))


def _make_room(limit: float, keep: str, console: Console) -> None:
    """Remove environments, those used longest ago first, until one more fits below ``limit`` GB."""
    if not ENVIRONMENTS.exists():
        return
    folders = sorted(
        (path for path in ENVIRONMENTS.iterdir() if path.is_dir() and path.name != keep),
        key=lambda path: path.stat().st_mtime,
    )
    sizes = {path: _gigabytes(path) for path in folders}
    total = sum(sizes.values()) + SIZES["other"][1]
    for path in folders:
        if total <= limit:
            return
        console.print(f"removing {path.name} ({sizes[path]:.1f} GB)", highlight=False)
        shutil.rmtree(path)
        total -= sizes[path]


def _gigabytes(folder: Path) -> float:
    files = (path.lstat() for path in folder.rglob("*"))
    return sum(file.st_size for file in files) / 1e9


async def _run_group(
    group: Sequence[Job],
    environment: Environment,
    console: Console,
    options: Options,
    report: Report,
) -> None:
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    quiet = not console.is_terminal
    with Progress(*columns, console=console, disable=quiet, transient=True) as bar:
        task = bar.add_task("running", total=len(group))

        async def one(job: Job) -> None:
            bar.update(task, description=job.name)
            outcome = await _run_and_write(job, environment, options)
            report.add(job, outcome)
            mark = "[green]✓[/]" if outcome.status == "passed" else "[red]✗[/]"
            reason = f"  {outcome.reason}" if outcome.reason else ""
            line = f"{mark} {job.name}  {outcome.seconds} s{escape(reason)}"
            console.print(line, soft_wrap=True, highlight=False)
            bar.advance(task)

        await for_each(group, one, options.parallel)


async def _run_and_write(job: Job, environment: Environment, options: Options) -> Outcome:
    """Run one notebook and write its file; a machine that cannot do that leaves the file alone."""
    try:
        outcome = await run_notebook(job.notebook, environment, job.hardware, options.limits)
    except (OSError, RuntimeError) as error:
        return Outcome("failed", 0.0, f"could not be run: {error}", FAILED)
    try:
        write_if_changed(job.path, serialize(job.notebook))
    except OSError as error:
        return Outcome("failed", outcome.seconds, f"could not be written: {error}", FAILED)
    return outcome

"""Run again what has passed, change no file, and say where a second run disagrees with the record.

A record is only a text in a notebook. That the hash of its code fits does not prove that anybody
ran it; another run does. In fresh interpreters the same answers another question: whether a sample
passes in a forked kernel that would fail in a process of its own.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Sequence
from dataclasses import dataclass

from nbformat import NotebookNode
from rich.console import Console
from rich.markup import escape

from scripts.environments import Environment
from scripts.execute import for_each, run_notebook
from scripts.plan import Job
from scripts.proof import count
from scripts.provisioner import stop_parents
from scripts.records import sample_cells
from scripts.verify import Options, environment_for, groups


@dataclass(frozen=True)
class Disagreement:
    """What a second run says that the record does not."""

    job: Job
    words: str
    serious: bool
    """It failed; else it only prints something else."""


def recheck(
    jobs: Sequence[Job], console: Console, options: Options, *, fresh: bool = False
) -> list[Disagreement]:
    """Run those of ``jobs`` whose record says passed; nothing is written.

    Args:
        jobs: as planned, those that have passed included.
        console: where progress is told.
        options: how to run.
        fresh: start an interpreter for each, in place of forked kernels.

    Raises:
        EnvironmentFailure: an environment could not be made.
    """
    passed = [job for job in jobs if job.notebook.metadata["verification"]["status"] == "passed"]
    console.print(f"{count(len(passed), 'notebook')} to run again", highlight=False)
    found: list[Disagreement] = []
    for (release, hardware), group in groups(passed):
        environment = environment_for(release, hardware, group, options, console)
        try:
            found += asyncio.run(_again(group, environment, options, console, fresh=fresh))
        finally:
            stop_parents()
    serious = sum(one.serious for one in found)
    console.print(
        f"{count(len(passed), 'notebook')} run again: {serious} failed,"
        f" {len(found) - serious} printed something else",
        highlight=False,
    )
    return found


async def _again(
    group: Sequence[Job], environment: Environment, options: Options, console: Console, fresh: bool
) -> list[Disagreement]:
    found = []

    async def one(job: Job) -> None:
        notebook = copy.deepcopy(job.notebook)
        outcome = await run_notebook(
            notebook, environment, job.hardware, options.limits, warm=not fresh
        )
        words = outcome.reason or _other_output(job.notebook, notebook)
        if words:
            found.append(Disagreement(job, words, outcome.status != "passed"))
            mark = "[red]✗[/]" if outcome.status != "passed" else "[yellow]≠[/]"
            line = f"{mark} {job.name}  {escape(words)}"
            console.print(line, soft_wrap=True, highlight=False)

    await for_each(group, one, options.parallel)
    return found


def _other_output(recorded: NotebookNode, again: NotebookNode) -> str | None:
    """Where two runs of the same code print different things, in words; None if nowhere."""
    for number, (old, new) in enumerate(
        zip(sample_cells(recorded), sample_cells(again), strict=True)
    ):
        if _said(old) != _said(new):
            return f"code cell {number}: {_said(old)[-80:]!r} became {_said(new)[-80:]!r}"
    return None


def _said(cell: NotebookNode) -> str:
    """What a cell printed, returned and raised, without the frames of tracebacks."""
    parts = []
    for output in cell.outputs:
        if output.output_type == "stream":
            parts.append(output.text)
        elif output.output_type == "error":
            parts.append(f"{output.ename}: {output.evalue}")
        else:
            parts.append(output.get("data", {}).get("text/plain", ""))
    return "\n".join(parts)

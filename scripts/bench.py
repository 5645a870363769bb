"""Time the same notebooks three ways in one run: fresh kernels, plain scripts, forked kernels."""

from __future__ import annotations

import asyncio
import copy
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nbformat import NotebookNode
from rich.console import Console
from rich.table import Table

from scripts.entries import Document
from scripts.environments import Environment, ensure_environment, extras_of
from scripts.execute import kernel_environment, run_notebook, scratch_folder
from scripts.guard import Limits
from scripts.notebooks import current_notebooks, sample_cells
from scripts.provisioner import stop_parents
from scripts.releases import load_releases

LIGHT = 2.0
"""Seconds of cells up to which a notebook counts as light."""


@dataclass(frozen=True)
class Timing:
    """How long one way took for all notebooks, and for each beyond its cells."""

    name: str
    seconds: float
    beyond: tuple[float, ...]


def bench_verify(documents: Sequence[Document], release: str, most: int, console: Console) -> int:
    """Print how the ways to run the light notebooks of a release compare.

    Each way runs one notebook at a time, in the same environment, in turn with the others.

    Returns:
        The exit status: 1 if there is nothing to time.
    """
    notebooks = _light(documents, release)[:most]
    if not notebooks:
        console.print(f"no notebook of {release} has passed within {LIGHT:.0f} s; verify it first")
        return 1
    record = load_releases().by_minor(release)
    environment = ensure_environment(record, "cpu", extras_of(documents))
    ways: dict[str, Callable[[NotebookNode], float]] = {
        "fresh kernel": lambda notebook: _kernel(notebook, environment, warm=False),
        "python script.py": lambda notebook: _script(notebook, environment),
        "forked kernel": lambda notebook: _kernel(notebook, environment, warm=True),
    }
    ways["forked kernel"](copy.deepcopy(notebooks[0]))  # the parents start once for a whole run
    ways["fresh kernel"](copy.deepcopy(notebooks[0]))  # and the files are read from the disk once
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for notebook in notebooks:
        for name, way in ways.items():
            started = time.monotonic()
            cells = way(copy.deepcopy(notebook))
            taken[name].append((time.monotonic() - started, cells))
    stop_parents()
    timings = [
        Timing(name, sum(whole for whole, _ in all_), tuple(w - cells for w, cells in all_))
        for name, all_ in taken.items()
    ]
    _print(timings, len(notebooks), release, console)
    return 0


def _light(documents: Sequence[Document], release: str) -> list[NotebookNode]:
    found = []
    for _, minor, hardware, _, notebook in current_notebooks(documents):
        record = notebook.metadata["verification"]
        passed = record["status"] == "passed" and (minor, hardware) == (release, "cpu")
        if passed and record["seconds"] <= LIGHT:
            found.append(notebook)
    return found


def _kernel(notebook: NotebookNode, environment: Environment, *, warm: bool) -> float:
    return asyncio.run(run_notebook(notebook, environment, "cpu", Limits(), warm=warm)).seconds


def _script(notebook: NotebookNode, environment: Environment) -> float:
    """Run the cells as one script; those that must raise are wrapped."""
    parts = []
    for cell in sample_cells(notebook):
        source = cell.source
        if "raises" in cell.metadata:
            body = "\n".join(f"    {line}" for line in source.splitlines())
            source = f"try:\n{body}\nexcept Exception as error:\n    print(type(error))"
        parts.append(source)
    with scratch_folder() as scratch:
        (scratch / "script.py").write_text("\n\n".join(parts), encoding="utf-8")
        subprocess.run(
            [environment.python, "script.py"],
            cwd=scratch,
            env={**os.environ, **kernel_environment("cpu", scratch)},
            capture_output=True,
            check=False,
        )
    return 0.0


def _print(timings: Sequence[Timing], notebooks: int, release: str, console: Console) -> None:
    table = Table(title=f"{notebooks} light notebooks of {release}, one at a time")
    for heading in ("way", "seconds", "a minute", "beyond the cells, median", "against fresh"):
        table.add_column(heading, justify="left" if heading == "way" else "right")
    for timing in timings:
        beyond = "–" if timing.name.endswith(".py") else f"{statistics.median(timing.beyond):.2f} s"
        table.add_row(
            timing.name,
            f"{timing.seconds:.1f}",
            f"{60 * notebooks / timing.seconds:.0f}",
            beyond,
            f"{timings[0].seconds / timing.seconds:.1f} times as many",
        )
    console.print(table)

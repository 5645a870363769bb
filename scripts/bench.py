"""Time the same notebooks three ways in one run: fresh kernels, plain scripts, forked kernels."""

from __future__ import annotations

import asyncio
import copy
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import compress

from nbformat import NotebookNode
from rich.console import Console
from rich.table import Table

from scripts.entries import Document
from scripts.environments import Environment, ensure_environment, extras_of
from scripts.execute import (
    for_each,
    kernel_environment,
    run_notebook,
    scratch_folder,
    warm_modules,
)
from scripts.guard import Limits
from scripts.notebooks import current_notebooks
from scripts.provisioner import stop_parents
from scripts.records import sample_cells
from scripts.releases import load_releases

FRESH, FORKED = "fresh kernel", "forked kernel"

LIGHT = 0.5
"""Seconds of cells, in a forked kernel, up to which a notebook counts as light."""

SHORT = 3.0
"""Seconds of cells, by its record, up to which a notebook is timed at all."""


def bench_verify(documents: Sequence[Document], release: str, most: int, console: Console) -> int:
    """Print how the ways to run the short notebooks of a release compare.

    One at a time first, in turn with the other ways and in the same environment; then as many at
    a time as there are cores, which is what ``verify`` does. The light ones, whose cells take
    next to nothing, have tables of their own: they show what a way costs, the others what that
    means for all.

    Returns:
        The exit status: 1 if there is nothing to time.
    """
    notebooks = _short(documents, release)[:most]
    if not notebooks:
        console.print(f"no notebook of {release} has passed within {SHORT:.0f} s; verify it first")
        return 1
    record = load_releases().by_minor(release)
    environment = ensure_environment(record, "cpu", extras_of(documents))
    ways: dict[str, Callable[[NotebookNode], float]] = {
        FRESH: lambda notebook: _kernel(notebook, environment, warm=False),
        "python script.py": lambda notebook: _script(notebook, environment),
        FORKED: lambda notebook: _kernel(notebook, environment, warm=True),
    }
    # The parents start once for a whole run, and the files are read from the disk once.
    for first in {tuple(warm_modules(notebook)): notebook for notebook in notebooks}.values():
        ways[FORKED](copy.deepcopy(first))
        ways[FRESH](copy.deepcopy(first))
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for notebook in notebooks:
        for name, way in ways.items():
            started = time.monotonic()
            cells = way(copy.deepcopy(notebook))
            taken[name].append((time.monotonic() - started, cells))
    light = [cells <= LIGHT for _, cells in taken[FORKED]]
    groups = {
        f"{sum(light)} light notebooks of {release} (cells of {LIGHT} s at most)": light,
        f"{len(notebooks)} short notebooks of {release}": [True] * len(notebooks),
    }
    for title, chosen in groups.items():
        some = list(compress(notebooks, chosen))
        together = {
            name: asyncio.run(_together(some, environment, warm=name == FORKED))
            for name in (FRESH, FORKED)
            if some
        }
        _print(taken, together, chosen, title, console)
    stop_parents()
    return 0


async def _together(
    notebooks: Sequence[NotebookNode], environment: Environment, *, warm: bool
) -> float:
    """Seconds that all take, as many at a time as there are cores."""

    async def one(notebook: NotebookNode) -> None:
        await run_notebook(copy.deepcopy(notebook), environment, "cpu", Limits(), warm=warm)

    started = time.monotonic()
    await for_each(notebooks, one)
    return time.monotonic() - started


def _short(documents: Sequence[Document], release: str) -> list[NotebookNode]:
    found = []
    for _, minor, hardware, _, notebook in current_notebooks(documents):
        record = notebook.metadata["verification"]
        passed = record["status"] == "passed" and (minor, hardware) == (release, "cpu")
        if passed and record["seconds"] <= SHORT:
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


def _print(
    taken: Mapping[str, Sequence[tuple[float, float]]],
    together: Mapping[str, float],
    chosen: Sequence[bool],
    title: str,
    console: Console,
) -> None:
    """Print a table of the notebooks that are ``chosen``, if there are any.

    Args:
        taken: seconds of the whole run and of the cells alone, by way and notebook.
        together: seconds of all the chosen ones by way, some at a time.
        chosen: which notebooks count.
        title: of the table.
        console: where to.
    """
    if not any(chosen):
        return
    table = Table(title=title)
    for heading in ("way", "seconds", "a minute", "beyond the cells, median", "against fresh"):
        table.add_column(heading, justify="left" if heading == "way" else "right")
    wholes = {
        name: sum(whole for whole, _ in compress(runs, chosen)) for name, runs in taken.items()
    }
    rows = wholes | {
        f"{name}, {os.cpu_count()} at a time": seconds for name, seconds in together.items()
    }
    for label, seconds in rows.items():
        runs = compress(taken[label], chosen) if label in (FRESH, FORKED) else ()
        beyond = [whole - cells for whole, cells in runs]
        table.add_row(
            label,
            f"{seconds:.1f}",
            f"{60 * sum(chosen) / seconds:.0f}",
            f"{statistics.median(beyond):.2f} s" if beyond else "–",
            f"{wholes[FRESH] / seconds:.1f} x",
        )
    console.print(table)

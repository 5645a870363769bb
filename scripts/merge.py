"""Bring the results of many machines together: a union of files, whatever the order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from nbformat import NotebookNode

from scripts.entries import Document
from scripts.errors import SourceError
from scripts.notebooks import (
    current_notebooks,
    keep_run,
    read_notebook,
    serialize,
    write_if_changed,
)
from scripts.paths import NOTEBOOKS, ROOT
from scripts.records import contradiction, fits
from scripts.releases import load_releases


def merge(folders: Sequence[Path], documents: Iterable[Document], root: Path = ROOT) -> list[str]:
    """Take over every run that fits the entries as they are here.

    Args:
        folders: each with a tree like that of the repository, ``notebooks/<release>/...``.
        documents: entries and guides.
        root: where the merged notebooks are written.

    Returns:
        What was not taken, one line each: broken files, code that has changed, unknown notebooks.
    """
    wanted = {
        path.relative_to(root): notebook
        for _, _, _, path, notebook in current_notebooks(documents, root)
    }
    said: list[str] = []
    best: dict[Path, NotebookNode] = {}
    files = sorted(
        (file.relative_to(folder), file)
        for folder in folders
        for file in (folder / NOTEBOOKS.name).rglob("*.ipynb")
    )
    for place, file in files:
        if place not in wanted:
            said.append(f"{place}: no entry has this notebook")
            continue
        try:
            found = read_notebook(file)
        except SourceError as error:
            said.append(f"{place}: {error.message}")
            continue
        if not fits(found, wanted[place]):
            said.append(f"{place}: was run with other code than the entry has now")
        elif wrong := contradiction(found, *_target(place)):
            said.append(f"{place}: {wrong}")
        elif place not in best or _rank(found) > _rank(best[place]):
            best[place] = found
    for place, found in sorted(best.items()):
        if keep_run(wanted[place], found, *_target(place)):
            write_if_changed(root / place, serialize(wanted[place]))
    return sorted(set(said))


def _target(place: Path) -> tuple[str, str]:
    """The hardware and the patch release of a notebook, by its place in the tree."""
    _, release, hardware = place.parts[:3]
    return hardware, load_releases().by_minor(release).patch


def _rank(notebook: NotebookNode) -> tuple[bool, str, str]:
    """Runs before non-runs, later before earlier; the text decides between twins."""
    record = notebook.metadata["verification"]
    return record["status"] != "not-run", str(record.get("finished", "")), serialize(notebook)

"""What the notebooks prove of an entry, ready for a page: status by release and device, outputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nbformat import NotebookNode

from scripts.entries import Cell, Document
from scripts.notebooks import HARDWARE_NAMES, current_notebooks
from scripts.records import sample_cells
from scripts.settings import notebook_path

Target = tuple[str, str]
"""A minor release and a hardware: ("2.6", "cpu")."""


@dataclass(frozen=True)
class Run:
    """One notebook: its record, and the outputs of its cells by the line of their fence."""

    release: str
    hardware: str
    path: str
    record: Mapping[str, Any]
    outputs: Mapping[int, Sequence[NotebookNode]]

    @property
    def status(self) -> str:
        """``passed``, ``failed`` or ``not-run``."""
        return str(self.record["status"])

    @property
    def torch(self) -> str:
        """The exact version that ran, without the build ("2.6.0")."""
        return str(self.record.get("torch", self.release)).split("+")[0]


@dataclass(frozen=True)
class Proof:
    """A document and all its runs."""

    document: Document
    runs: tuple[Run, ...]

    @cached_property
    def by_target(self) -> dict[Target, Run]:
        """The runs by release and hardware."""
        return {(run.release, run.hardware): run for run in self.runs}

    @cached_property
    def statuses(self) -> dict[str, dict[str, str]]:
        """The status by release, then hardware."""
        found: dict[str, dict[str, str]] = {}
        for run in self.runs:
            found.setdefault(run.release, {})[run.hardware] = run.status
        return found

    def releases(self, status: str, hardware: str) -> list[str]:
        """The releases on which ``hardware`` has this status."""
        return [r.release for r in self.runs if r.hardware == hardware and r.status == status]

    def sentence(self, minors: Sequence[str]) -> str:
        """One line: where it was proven, where it failed, where it was not run."""
        parts = []
        for status, words in (("passed", "proven on"), ("failed", "failed on")):
            for hardware in self.document.front.hardware:
                if found := self.releases(status, hardware):
                    parts.append(f"{words} {spans(found, minors)} ({HARDWARE_NAMES[hardware]})")
        for hardware in self.document.front.hardware:
            if found := self.releases("not-run", hardware):
                device = HARDWARE_NAMES[hardware]
                some = len(found) < len([r for r in self.runs if r.hardware == hardware])
                parts.append(
                    f"not run on {spans(found, minors)} ({device})"
                    if some
                    else f"not run on {device}"
                )
        return "; ".join(parts)


def load_proofs(documents: Iterable[Document]) -> list[Proof]:
    """Read the notebooks of ``documents``; what does not fit their code counts as not run.

    Raises:
        SourceError: a file is no valid notebook.
    """
    runs: dict[str, list[Run]] = {}
    documents = list(documents)
    for document, release, hardware, _, notebook in current_notebooks(documents):
        cells, made = document.cells_on(release, hardware), sample_cells(notebook)
        outputs = {cell.line: code.outputs for cell, code in zip(cells, made, strict=True)}
        path = notebook_path(document.id, release, hardware)
        record = notebook.metadata["verification"]
        runs.setdefault(document.id, []).append(Run(release, hardware, path, record, outputs))
    return [Proof(document, tuple(runs.get(document.id, ()))) for document in documents]


@dataclass(frozen=True)
class Printed:
    """The outputs of one cell that several runs share."""

    runs: tuple[Run, ...]
    outputs: tuple[NotebookNode, ...]


def printed(proof: Proof, cell: Cell) -> list[Printed]:
    """The outputs of ``cell``, runs with the same outputs together, oldest release first."""
    groups: list[tuple[str, list[Run], Sequence[NotebookNode]]] = []
    for run in proof.runs:
        if run.status == "not-run" or not cell.applies(run.release, run.hardware):
            continue
        outputs = run.outputs.get(cell.line, ())
        key = repr([_comparable(output) for output in outputs])
        for known, runs, _ in groups:
            if known == key:
                runs.append(run)
                break
        else:
            groups.append((key, [run], outputs))
    return [Printed(tuple(runs), tuple(outputs)) for _, runs, outputs in groups]


def spans(releases: Iterable[str], minors: Sequence[str]) -> str:
    """Releases in words, neighbors drawn together: "2.4 to 2.6, 2.9"."""
    return ", ".join(
        first if first == last else f"{first} to {last}"
        for first, last in _neighbors(releases, minors)
    )


def count(number: int, noun: str) -> str:
    """A number and its noun: "1 entry", "2 entries", "3 notebooks"."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"


def _neighbors(releases: Iterable[str], minors: Sequence[str]) -> Iterator[tuple[str, str]]:
    places = sorted({minors.index(release) for release in releases})
    while places:
        length = 1
        while length < len(places) and places[length] == places[0] + length:
            length += 1
        yield minors[places[0]], minors[places[length - 1]]
        places = places[length:]


def _comparable(output: NotebookNode) -> dict[str, Any]:
    return {
        key: value
        for key, value in output.items()
        if key not in ("execution_count", "metadata", "traceback")
    }


def proven_everywhere(proof: Proof, hardware: str) -> bool:
    """Whether every notebook of a document for a device has passed, and there is one."""
    statuses = [run.status for run in proof.runs if run.hardware == hardware]
    return bool(statuses) and set(statuses) == {"passed"}

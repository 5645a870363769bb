"""What the notebooks prove of an entry, ready for a page: status by release and device, outputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import nbformat
from nbformat import NotebookNode

from scripts.entries import Cell, Document
from scripts.errors import SourceError
from scripts.notebooks import HARDWARE_NAMES, why_not_run
from scripts.paths import ROOT
from scripts.records import code_hash, contradiction, sample_cells, source_hash
from scripts.releases import load_releases
from scripts.settings import notebook_path
from scripts.yamlread import shown

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
    return [
        Proof(document, tuple(_run(document, *target) for target in document.targets()))
        for document in documents
    ]


_kept: dict[str, tuple[object, Run]] = {}


def _run(document: Document, release: str, hardware: str) -> Run:
    """The committed run of one notebook, if it is of the code that stands in the document now."""
    place = notebook_path(document.id, release, hardware)
    path = ROOT / place
    cells = document.cells_on(release, hardware)
    stat = path.stat() if path.exists() else None
    stamp = (stat and (stat.st_mtime_ns, stat.st_size), cells, id(load_releases()))
    if place in _kept and _kept[place][0] == stamp:
        return _kept[place][1]
    run = _read_run(document, release, hardware, cells)
    _kept[place] = (stamp, run)
    return run


def _read_run(document: Document, release: str, hardware: str, cells: Sequence[Cell]) -> Run:
    place = notebook_path(document.id, release, hardware)
    path = ROOT / place
    if path.exists():
        # The checks hold each notebook against the format; a page needs its record and outputs.
        try:
            found = nbformat.v4.reads(path.read_text(encoding="utf-8"))
            samples = sample_cells(found)
        except (ValueError, AttributeError) as error:
            line = getattr(error, "lineno", 1)
            raise SourceError(shown(path), line, f"no valid notebook: {error}") from None
        record = found.metadata.get("verification") or {}
        wanted = code_hash((cell.source, cell.raises) for cell in cells)
        patch = load_releases().by_minor(release).patch
        if record.get("source_sha256") == wanted == source_hash(found) and not contradiction(
            found, hardware, patch
        ):
            outputs = {c.line: made.outputs for c, made in zip(cells, samples, strict=True)}
            return Run(release, hardware, place, record, outputs)
    reason = why_not_run(document, release, hardware)
    return Run(release, hardware, place, {"status": "not-run", "reason": reason}, {})


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

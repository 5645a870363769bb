"""Whether the record of a run can be true: what a notebook claims must agree with what it shows.

A record is text that anybody can type. The hash says which code it belongs to; this says whether
that code can have run so. What is forged with more care only another run finds: ``recheck``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable

from nbformat import NotebookNode

FACTS = ("torch", "python", "platform", "device", "finished", "seconds")


def sample_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The cells that prove something: the code cells without the set-up cell."""
    return [
        cell
        for cell in notebook.cells
        if cell.cell_type == "code" and "setup" not in cell.metadata.get("tags", [])
    ]


def source_hash(notebook: NotebookNode) -> str:
    """SHA-256 over the code that runs and what is expected of it, as hexadecimal digits.

    Prose, the set-up cell and the outputs are left out: they prove nothing, and a corrected comma
    must not throw away a run.
    """
    return code_hash((cell.source, cell.metadata.get("raises")) for cell in sample_cells(notebook))


def code_hash(cells: Iterable[tuple[str, str | None]]) -> str:
    """The same over pairs of source and the exception that the cell must raise, if any."""
    code = [list(cell) for cell in cells]
    return hashlib.sha256(json.dumps(code, ensure_ascii=False).encode()).hexdigest()


def fits(found: NotebookNode, wanted: NotebookNode) -> bool:
    """Whether the record of ``found`` is of its own code, and ``wanted`` has the same."""
    record = found.metadata.get("verification") or {}
    return record.get("source_sha256") == source_hash(found) == source_hash(wanted)


def contradiction(notebook: NotebookNode, hardware: str, patch: str) -> str | None:
    """What is wrong with the claim that ``notebook`` has passed, in words; None if nothing.

    Args:
        notebook: with its record; one that does not claim a pass is never wrong.
        hardware: of the notebook ("cpu").
        patch: the release that it must have run on ("2.6.0").
    """
    record = notebook.metadata.get("verification") or {}
    if record.get("status") != "passed":
        return None
    missing = [name for name in FACTS if record.get(name) in (None, "")]
    if missing:
        return f"the record has no {missing[0]}"
    if str(record["torch"]).split("+")[0] != patch:
        return f"ran on torch {record['torch']}, not on {patch}"
    if not str(record["device"]).startswith(f"{hardware}: "):
        return f"ran on {record['device']}, not on {hardware}"
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", str(record["finished"])):
        return f"finished at {record['finished']!r}, which is no time"
    for number, cell in enumerate(sample_cells(notebook), start=1):
        if cell.execution_count != number:
            return f"code cell {number} was not the {number}. to run"
        raised = [output.ename for output in cell.outputs if output.output_type == "error"]
        wanted = [cell.metadata["raises"]] if "raises" in cell.metadata else []
        if raised != wanted:
            return f"code cell {number} shows {raised or 'no error'}, and must show {wanted}"
    return None

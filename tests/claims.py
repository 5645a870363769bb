"""A record that a run would have left, for tests that need one without running anything."""

import nbformat

from scripts.records import sample_cells, source_hash
from scripts.releases import load_releases


def claim(
    notebook: nbformat.NotebookNode,
    release: str,
    status: str = "passed",
    finished: str = "2026-01-01T00:00:00Z",
) -> None:
    """Make ``notebook`` look as if it had run on the CPU of ``release``."""
    for number, cell in enumerate(sample_cells(notebook), start=1):
        cell.execution_count = number
        cell.outputs = [nbformat.v4.new_output("stream", text=f"{finished}\n")]
        if "raises" in cell.metadata:
            error = nbformat.v4.new_output("error", ename=cell.metadata.raises, evalue="no")
            cell.outputs.append(error)
    notebook.metadata.verification = nbformat.from_dict(
        {
            "status": status,
            "torch": load_releases().by_minor(release).patch,
            "python": "3.11.7",
            "platform": "Linux x86_64",
            "device": "cpu: test",
            "finished": finished,
            "seconds": 0.1,
            "reason": "" if status == "passed" else "why",
            "source_sha256": source_hash(notebook),
        }
    )

"""Runs real kernels: what a run says of cells that keep, break or outlast their promise."""

import asyncio
import sys
from pathlib import Path

import nbformat
import pytest

from scripts.environments import Environment
from scripts.execute import Outcome, run_notebook
from scripts.notebooks import mark_not_run

pytestmark = pytest.mark.torch


class Here(Environment):
    """The environment of the tests themselves."""

    @property
    def python(self) -> Path:
        return Path(sys.executable)


def run(
    *cells: str, raises: str | None = None, limit: float = 60
) -> tuple[Outcome, nbformat.NotebookNode]:
    made = [nbformat.v4.new_code_cell(source) for source in cells]
    if raises:
        made[-1].metadata = nbformat.from_dict({"raises": raises, "tags": ["raises-exception"]})
    notebook = nbformat.v4.new_notebook(cells=made)
    notebook.metadata.language_info = {"name": "python"}
    mark_not_run(notebook, "new")
    outcome = asyncio.run(run_notebook(notebook, Here(Path()), "cpu", limit))
    assert notebook.metadata.verification.status == outcome.status
    return outcome, notebook


def test_a_run_that_keeps_its_promise_passes() -> None:
    outcome, notebook = run("x = 1\nprint(x)", "raise KeyError(x)", raises="KeyError")
    assert outcome.status == "passed"
    assert outcome.reason is None
    assert notebook.cells[0].outputs[0].text == "1\n"
    record = notebook.metadata.verification
    assert record.torch.startswith("2.")
    assert record.device.startswith("cpu: ")
    assert record.finished.endswith("Z")


CASES = [
    (("x = 1",), "KeyError", "cell 0 did not raise KeyError"),
    (("raise ValueError(1)",), "KeyError", "cell 0 raised ValueError instead of KeyError"),
    (("1", "raise ValueError('no')", "print(2)"), None, "cell 1 raised ValueError: no"),
    (("import os", "os._exit(3)"), None, "the process died in cell 1"),
]


@pytest.mark.parametrize(("cells", "raises", "reason"), CASES)
def test_a_run_that_breaks_its_promise_fails_and_says_how(
    cells: tuple[str, ...], raises: str | None, reason: str
) -> None:
    outcome, notebook = run(*cells, raises=raises)
    assert outcome.status == "failed"
    assert outcome.reason == reason
    assert notebook.metadata.verification.reason == reason


def test_a_run_that_takes_too_long_fails_and_keeps_what_it_printed() -> None:
    outcome, notebook = run("print('here')", "while True: pass", limit=8)
    assert outcome.reason == "took longer than 8 s in cell 1"
    assert notebook.cells[0].outputs[0].text == "here\n"

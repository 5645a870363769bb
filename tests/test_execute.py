"""Runs real kernels: what a run says of cells that keep, break or outlast their promise."""

import asyncio
import sys
from pathlib import Path

import nbformat
import psutil
import pytest

from scripts.environments import Environment
from scripts.execute import Outcome, run_notebook
from scripts.guard import Limits
from scripts.notebooks import mark_not_run

pytestmark = pytest.mark.torch


DEFAULT = Limits(60)


class Here(Environment):
    """The environment of the tests themselves."""

    @property
    def python(self) -> Path:
        return Path(sys.executable)


def run(
    *cells: str, raises: str | None = None, limits: Limits = DEFAULT, warm: bool = True
) -> tuple[Outcome, nbformat.NotebookNode]:
    made = [nbformat.v4.new_code_cell(source) for source in cells]
    if raises:
        made[-1].metadata = nbformat.from_dict({"raises": raises, "tags": ["raises-exception"]})
    notebook = nbformat.v4.new_notebook(cells=made)
    notebook.metadata.language_info = {"name": "python"}
    mark_not_run(notebook, "new")
    outcome = asyncio.run(run_notebook(notebook, Here(Path()), "cpu", limits, warm=warm))
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


EXIT = "import os\nos._exit(3)"
ABORT = "import os\nos.abort()"
FLOOD = "for _ in range(100): print('x' * 2**20)"
GROW = "held = []\nwhile True: held.append(bytearray(b'x' * 2**24))"
ORPHAN = """
import os, subprocess, sys
subprocess.Popen(["sleep", "600"], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        subprocess.run(["sleep", "601"])
    os._exit(0)
os.wait()
"""
CASES = [
    (("x = 1",), "KeyError", "cell 0 did not raise KeyError"),
    (("raise ValueError(1)",), "KeyError", "cell 0 raised ValueError instead of KeyError"),
    (("1", "raise ValueError('no')", "print(2)"), None, "cell 1 raised ValueError: no"),
    (("1", EXIT), None, "the process ended with 3 in cell 1"),
    (("1", ABORT), None, "the process was ended by SIGABRT in cell 1"),
    ((FLOOD, "1"), None, "printed more than 5 MB in cell 0"),
    ((GROW,), None, "used more than 2.0 GB of memory in cell 0"),
]


@pytest.mark.parametrize(("cells", "raises", "reason"), CASES)
def test_a_run_that_breaks_its_promise_fails_and_says_how(
    cells: tuple[str, ...], raises: str | None, reason: str
) -> None:
    outcome, notebook = run(*cells, raises=raises, limits=Limits(60, memory=2 * 2**30))
    assert outcome.status == "failed"
    assert outcome.reason == reason
    assert notebook.metadata.verification.reason == reason


def test_a_run_that_takes_too_long_fails_and_keeps_what_it_printed() -> None:
    outcome, notebook = run("print('here')", "while True: pass", limits=Limits(8))
    assert outcome.reason == "took longer than 8 s in cell 1"
    assert notebook.cells[0].outputs[0].text == "here\n"


def test_processes_that_outlive_a_run_are_ended_and_told() -> None:
    outcome, _ = run(ORPHAN)
    assert outcome.reason is not None
    assert outcome.reason.startswith("left processes behind: ")
    assert "sleep" in outcome.reason
    commands = [" ".join(p.info["cmdline"] or ()) for p in psutil.process_iter(["cmdline"])]
    assert not {"sleep 600", "sleep 601"} & set(commands)


STATE = """
import os, sys, tempfile, torch
print(sorted(name for name in sys.modules if name.startswith("torch")))
print(os.listdir("."), sys.path[0], sys.argv[0], sys.stdin.read() == "")
print(torch.get_num_threads(), torch.is_grad_enabled())
print(os.path.basename(tempfile.gettempdir())[:10], os.getsid(0) == os.getpid())
print(sorted(set(os.environ) - {"JPY_PARENT_PID"}))
"""


def test_a_forked_kernel_starts_as_a_fresh_process_does() -> None:
    plain, forked = run(STATE, warm=False)[1], run(STATE)[1]
    assert plain.cells[0].outputs[0].text == forked.cells[0].outputs[0].text


def test_forked_kernels_do_not_share_random_numbers() -> None:
    code = "import torch\nprint(torch.rand(3, dtype=torch.float64))"
    assert run(code)[1].cells[0].outputs[0].text != run(code)[1].cells[0].outputs[0].text


def test_a_run_that_is_stopped_says_nothing_about_the_notebook() -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("while True: pass")])
    mark_not_run(notebook, "new")

    async def stop() -> None:
        task = asyncio.create_task(run_notebook(notebook, Here(Path()), "cpu", DEFAULT))
        await asyncio.sleep(4)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(stop())
    assert notebook.metadata.verification.status == "not-run"

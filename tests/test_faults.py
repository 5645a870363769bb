"""What happens to a long run when the machine, the network or somebody stops it half-way."""

import errno
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

from scripts.entries import Document
from scripts.environments import EnvironmentFailure, ensure_environment
from scripts.guard import Limits
from scripts.indexes import IndexChoice
from scripts.notebooks import current_notebooks
from scripts.paths import ROOT
from scripts.plan import Job
from scripts.reader import read_entry
from scripts.releases import REFERENCE_RELEASE, load_releases
from scripts.report import Report
from scripts.verify import Options, verify
from tests.test_reader import GOOD, PATH

DEFAULT_INDEX = IndexChoice(None, "for the test")
HERE = Options(parallel=1, python=Path(sys.executable), limits=Limits(60))


def documents(number: int, text: str) -> list[Document]:
    return [read_entry(PATH.with_name(f"sample-{one}.md"), text=text) for one in range(number)]


def jobs(documents: Sequence[Document], root: Path, releases: Sequence[str]) -> list[Job]:
    return [
        Job(document, release, hardware, path, notebook, 1.0)
        for document, release, hardware, path, notebook in current_notebooks(documents, root)
        if release in releases and hardware == "cpu"
        if notebook.metadata["verification"]["status"] != "passed"
    ]


def run(todo: Sequence[Job]) -> tuple[Report, str]:
    said = io.StringIO()
    return verify(todo, Console(file=said, width=200), HERE), said.getvalue()


@pytest.mark.torch
def test_a_release_that_cannot_be_had_does_not_stop_the_others(tmp_path: Path) -> None:
    todo = jobs(documents(1, GOOD), tmp_path, ["2.12", REFERENCE_RELEASE])
    report, said = run(todo)
    assert report.status == 1
    assert list(report.no_environment) == ["2.12 cpu"]
    assert "not 2.12" in said
    assert [outcome.status for _, outcome in report.outcomes] == ["passed"]
    assert said.count("no environment") == 2  # when it happened, and at the end


@pytest.mark.torch
def test_a_full_disk_costs_one_line_a_notebook_and_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    todo = jobs(documents(2, GOOD), tmp_path, [REFERENCE_RELEASE])
    todo[0].path.parent.mkdir(parents=True)
    todo[0].path.write_text("as it was")

    def full(path: Path, text: str) -> bool:
        if path == todo[0].path:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        path.write_text(text)
        return True

    monkeypatch.setattr("scripts.verify.write_if_changed", full)
    report, said = run(todo)
    assert report.status == 1
    assert [outcome.status for _, outcome in report.outcomes] == ["failed", "passed"]
    assert "could not be written: [Errno 28] No space left on device" in said
    assert todo[0].path.read_text() == "as it was"


KILLED = """
import sys
from pathlib import Path
from tests.test_faults import SLOW, documents, jobs, run
run(jobs(documents(4, SLOW), Path(sys.argv[1]), ["2.13"]))
"""
SLOW = GOOD.replace("x = 2", "import time; time.sleep(0.5); x = 2")


@pytest.mark.torch
def test_a_run_that_is_killed_leaves_whole_files_and_goes_on_from_there(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", KILLED, tmp_path], cwd=ROOT)
    end = time.monotonic() + 60
    while len(list(tmp_path.rglob("*.ipynb"))) < 2:
        assert time.monotonic() < end
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    left = jobs(documents(4, SLOW), tmp_path, ["2.13"])
    assert len(left) == 4 - len(list(tmp_path.rglob("*.ipynb")))
    assert 0 < len(left) < 3
    report, _ = run(left)
    assert report.status == 0
    assert jobs(documents(4, SLOW), tmp_path, ["2.13"]) == []


OLD = "torch-2.13.0-cp39-cp39-manylinux_2_28_x86_64.whl"


@pytest.mark.parametrize(
    ("index", "said"),
    [
        ("http://127.0.0.1:9/simple", ": Connection refused"),
        ("file://{folder}/simple", "no wheels with a matching Python ABI tag"),
        ("file://{folder}/none", "torch was not found"),
    ],
)
def test_what_cannot_be_installed_is_one_line_and_tried_again_later(
    index: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "simple/torch/index.html"
    page.parent.mkdir(parents=True)
    page.write_text(f'<a href="{OLD}">{OLD}</a>')
    for name in [name for name in os.environ if name.startswith("UV_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("UV_NO_CONFIG", "1")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    monkeypatch.setenv("UV_DEFAULT_INDEX", index.format(folder=tmp_path))
    monkeypatch.setattr("scripts.environments.choose_index", lambda *_: DEFAULT_INDEX)
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    record = load_releases().by_minor("2.13").model_copy(update={"samples_python": own})
    for _ in range(2):
        with pytest.raises(EnvironmentFailure) as failure:
            ensure_environment(record, "cpu", [], tmp_path / "environments")
        message = str(failure.value)
        assert said in message
        assert "\n" not in message


def test_a_python_that_is_not_there_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_PYTHON_DOWNLOADS", "never")
    record = load_releases().by_minor("2.13").model_copy(update={"samples_python": "3.99"})
    with pytest.raises(EnvironmentFailure, match=r"uv venv failed: .*3\.99"):
        ensure_environment(record, "cpu", [], tmp_path)

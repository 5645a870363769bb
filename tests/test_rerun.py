"""pytest-notebook runs the committed notebooks of the reference release again and compares."""

import os
import sys
from pathlib import Path

import pytest
from pytest_notebook.nb_regression import NBRegressionFixture

from scripts.execute import kernel_environment, warm_modules, write_kernelspec
from scripts.notebooks import read_notebook
from scripts.paths import NOTEBOOKS
from scripts.releases import REFERENCE_RELEASE

pytestmark = pytest.mark.torch

FOLDER = NOTEBOOKS / REFERENCE_RELEASE / "cpu"


def committed() -> list[Path]:
    paths = sorted(FOLDER.rglob("*.ipynb"))
    return [path for path in paths if read_notebook(path).metadata.verification.status == "passed"]


def test_there_is_something_to_run_again() -> None:
    assert len(committed()) >= 16


@pytest.mark.parametrize(
    "path", committed(), ids=lambda path: str(path.relative_to(FOLDER).with_suffix(""))
)
def test_the_reference_release_prints_what_is_committed(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = warm_modules(read_notebook(path))
    write_kernelspec(tmp_path / "jupyter/kernels/python3", Path(sys.executable), modules)
    (tmp_path / "work").mkdir()
    wanted = kernel_environment("cpu", tmp_path)
    for name in os.environ.keys() - wanted.keys():
        monkeypatch.delenv(name)
    for name, value in wanted.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    notebook = NBRegressionFixture(
        exec_cwd=str(tmp_path / "work"),
        exec_timeout=300,
        post_processors=("tidy",),
        diff_ignore=(
            "/metadata",
            "/cells/*/execution_count",
            "/cells/*/metadata",
            "/cells/*/outputs/*/execution_count",
            "/cells/*/outputs/*/traceback",
            "/nbformat_minor",
        ),
        diff_use_color=False,
    )
    notebook.check(str(path))

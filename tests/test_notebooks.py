import copy
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.entries import Document
from scripts.errors import SourceError
from scripts.notebooks import (
    keep_run,
    make_notebook,
    read_notebook,
    serialize,
    write_if_changed,
)
from scripts.paths import NOTEBOOKS, ROOT
from scripts.reader import read_entries, read_entry, read_guides
from scripts.records import contradiction, source_hash
from scripts.releases import load_releases
from scripts.settings import Settings
from tests.claims import claim
from tests.test_reader import GOOD, PATH

SETTINGS = Settings("https://site.example/kb/", "https://github.com/owner/name", "main")


def made(release: str = "2.10", hardware: str = "cpu", text: str = GOOD) -> nbformat.NotebookNode:
    entry = read_entry(PATH, text=text)
    return make_notebook(entry, release, hardware, load_releases(), SETTINGS)


def test_a_notebook_has_the_cells_of_its_release() -> None:
    notebook = made("2.9")
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert code[1:] == ["x = 1", "raise ValueError(x)"]
    assert notebook.cells[1].metadata.tags == ["setup", "skip-execution"]
    assert "torch==" not in code[0]
    assert '"torch": "2.9.1"' in code[0]
    assert notebook.cells[-1].metadata == {"raises": "ValueError", "tags": ["raises-exception"]}
    assert "https://site.example/kb/compiler-and-attention/sample/?torch=2.9" in (
        notebook.cells[0].source
    )
    assert notebook.metadata.verification.status == "not-run"


def test_colab_gets_a_gpu_for_cuda_alone_and_a_runtime_that_has_the_release() -> None:
    text = GOOD.replace("hardware: [cpu]", "hardware: [cpu, cuda]")
    cpu, cuda = made("2.10", "cpu", text).metadata, made("2.10", "cuda", text).metadata
    assert "accelerator" not in cpu
    assert "gpuType" not in cpu.colab
    assert cuda.accelerator == "GPU"
    assert cuda.colab.gpuType
    assert cpu.colab.runtime_attributes.runtime_version == "2026.04"
    assert "runtime_attributes" not in made("2.12").metadata.colab


def test_a_cell_that_must_not_run_is_shown_as_text() -> None:
    notebook = made(text=GOOD + '\n```python no-run="needs two hosts"\nlaunch()\n```\n')
    assert notebook.cells[-1].cell_type == "markdown"
    assert "Not run here: needs two hosts." in notebook.cells[-1].source
    assert "launch()" in notebook.cells[-1].source


def test_a_run_is_kept_only_for_the_code_that_ran() -> None:
    ran = made()
    claim(ran, "2.10")
    again = made(text=GOOD.replace("More prose.", "Better prose."))
    assert keep_run(again, ran, "cpu", "2.10.0")
    assert again.cells[-1].outputs[0] == ran.cells[-1].outputs[0]
    assert again.metadata.verification.status == "passed"
    for changed in (GOOD.replace("x = 2", "x = 3"), GOOD.replace('"ValueError"', '"KeyError"')):
        other = made(text=changed)
        assert not keep_run(other, ran, "cpu", "2.10.0")
        assert other.metadata.verification.status == "not-run"


FORGED = [
    (lambda n: n.cells[-1].update(source="pass  # raises nothing"), None),
    (lambda n: n.metadata.verification.update(source_sha256="0" * 64), None),
    (lambda n: n.cells[-1].update(execution_count=None), "was not the"),
    (lambda n: n.cells[-1].outputs.pop(), "shows no error, and must show ['ValueError']"),
    (lambda n: n.metadata.verification.update(torch="2.9.1"), "ran on torch 2.9.1, not on 2.10.0"),
    (lambda n: n.metadata.verification.update(device="cuda: H200"), "not on cpu"),
    (lambda n: n.metadata.verification.update(finished="today"), "which is no time"),
    (lambda n: n.metadata.verification.pop("seconds"), "the record has no seconds"),
]


@pytest.mark.parametrize(("forge", "said"), FORGED)
def test_a_pass_claimed_by_hand_is_not_kept(
    forge: Callable[[nbformat.NotebookNode], object], said: str | None
) -> None:
    claimed = made()
    claim(claimed, "2.10")
    assert contradiction(claimed, "cpu", "2.10.0") is None
    forge(claimed)
    assert not keep_run(made(), claimed, "cpu", "2.10.0")
    assert said is None or said in str(contradiction(claimed, "cpu", "2.10.0"))


@given(st.text(), st.text())
def test_a_file_is_written_whole_and_only_if_it_changed(old: str, new: str) -> None:
    path = ROOT / "build" / "tests" / "file.txt"
    path.unlink(missing_ok=True)
    assert write_if_changed(path, old)
    assert write_if_changed(path, new) == (old.encode() != new.encode())
    assert path.read_bytes() == new.encode()
    assert [one.name for one in path.parent.iterdir()] == ["file.txt"]


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "notebook.ipynb"
    write_if_changed(path, "old")

    def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_if_changed(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"cells": 1}', '{"nbformat": 3}'])
def test_a_broken_notebook_is_a_clear_error(text: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.ipynb"
    path.write_text(text)
    with pytest.raises(SourceError, match=r"broken\.ipynb:\d+: no valid notebook: "):
        read_notebook(path)


def documents() -> list[Document]:
    return [*read_entries(), *read_guides()]


def test_every_document_makes_the_same_notebook_twice() -> None:
    releases = load_releases()
    for document in documents():
        for release, hardware in document.targets():
            one = make_notebook(document, release, hardware, releases, SETTINGS)
            two = make_notebook(copy.deepcopy(document), release, hardware, releases, SETTINGS)
            assert serialize(one) == serialize(two)


def test_a_committed_record_can_be_true() -> None:
    paths = sorted(NOTEBOOKS.rglob("*.ipynb"))
    assert paths
    for path in paths:
        notebook = read_notebook(path)
        release, hardware = path.relative_to(NOTEBOOKS).parts[:2]
        assert notebook.metadata.verification.source_sha256 == source_hash(notebook), path
        patch = load_releases().by_minor(release).patch
        assert contradiction(notebook, hardware, patch) is None, path
        record = notebook.metadata.verification
        assert record.status == "passed" or record.reason, path

import itertools
from pathlib import Path

import pytest

from scripts.merge import merge
from scripts.notebooks import make_notebook, read_notebook, serialize, write_if_changed
from scripts.reader import read_entry
from scripts.releases import load_releases
from scripts.settings import load_settings
from tests.claims import claim
from tests.test_reader import GOOD, PATH

ENTRY = read_entry(PATH, text=GOOD)


def shard(
    folder: Path, release: str, status: str, finished: str, text: str = GOOD
) -> tuple[Path, Path]:
    """A folder with one notebook that was run, and the notebook's place in it."""
    entry = read_entry(PATH, text=text)
    notebook = make_notebook(entry, release, "cpu", load_releases(), load_settings())
    claim(notebook, release, status, finished)
    place = Path("notebooks") / release / "cpu" / f"{ENTRY.id}.ipynb"
    write_if_changed(folder / place, serialize(notebook))
    return folder, place


def test_shards_in_any_order_twice_or_not_at_all_give_the_same(tmp_path: Path) -> None:
    old, place = shard(tmp_path / "a", "2.10", "failed", "2026-01-01T00:00:00Z")
    new, _ = shard(tmp_path / "b", "2.10", "passed", "2026-01-02T00:00:00Z")
    other, elsewhere = shard(tmp_path / "c", "2.11", "passed", "2026-01-01T00:00:00Z")
    seen = set()
    for number, order in enumerate(itertools.permutations([old, new, other, new])):
        root = tmp_path / f"root{number}"
        assert merge(order, [ENTRY], root) == []
        files = sorted(path.relative_to(root) for path in root.rglob("*.ipynb"))
        assert files == [place, elsewhere]
        seen.add("".join((root / file).read_text() for file in files))
    assert len(seen) == 1
    assert "2026-01-02" in seen.pop()
    assert merge([other], [ENTRY], tmp_path / "one") == []
    assert [path.name for path in (tmp_path / "one").rglob("*.ipynb")] == ["sample.ipynb"]


CHANGED = GOOD.replace("x = 2", "x = 3")


@pytest.mark.parametrize(
    ("text", "damage", "said"),
    [
        (CHANGED, None, "was run with other code than the entry has now"),
        (GOOD, ("ValueError(x)", "print(x)"), "was run with other code than the entry has now"),
        (GOOD, ('"cells"', '"cell"'), "no valid notebook"),
    ],
)
def test_what_does_not_fit_is_told_and_left(
    tmp_path: Path, text: str, damage: tuple[str, str] | None, said: str
) -> None:
    folder, place = shard(tmp_path / "a", "2.10", "passed", "2026-01-01T00:00:00Z", text)
    if damage:
        content = (folder / place).read_text()
        assert damage[0] in content
        (folder / place).write_text(content.replace(*damage))
    assert [said in line for line in merge([folder], [ENTRY], tmp_path / "root")] == [True]
    assert not list((tmp_path / "root").rglob("*.ipynb"))


def test_a_notebook_of_no_entry_is_not_taken(tmp_path: Path) -> None:
    folder, _ = shard(tmp_path / "a", "2.10", "passed", "2026-01-01T00:00:00Z")
    assert "no entry has this notebook" in merge([folder], [], tmp_path / "root")[0]
    assert read_notebook(next(folder.rglob("*.ipynb")))

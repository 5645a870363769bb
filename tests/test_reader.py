import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scripts.entries import Cell, variants
from scripts.errors import SourceError
from scripts.paths import REFERENCE
from scripts.reader import entry_paths, read_entry

PATH = REFERENCE / "compiler-and-attention" / "sample.md"
GOOD = """\
---
title: A title
section: A section
summary: One sentence.
kind: added
since: "2.6"
instead: Use eager.
stability: stable
hardware: [cpu]
symbols: [torch.compile]
sources: [https://github.com/pytorch/pytorch]
---
Prose.

```python title="One" versions="<2.10"
x = 1
```

```python title="One" versions=">=2.10"
x = 2
```

More prose.

```python raises="ValueError"
raise ValueError(x)
```
"""


def read(text: str, path: Path = PATH) -> object:
    return read_entry(path, text=text)


def test_a_good_entry_reads_as_it_stands() -> None:
    entry = read_entry(PATH, text=GOOD)
    assert entry.id == "compiler-and-attention/sample"
    assert entry.releases[0] == "2.6"
    assert [cell.line for cell in entry.cells] == [15, 19, 25]
    assert entry.cells[0] == Cell(15, "x = 1", title="One", versions="<2.10")
    assert entry.prose == "Prose.\n\nMore prose."
    assert [len(group) for group in variants(entry.cells[:2], entry)] == [2]
    assert entry.holds_on("2.10")
    assert not entry.holds_on("2.5")


# What is replaced in the good entry, by what, and the message it must give.
BROKEN = [
    ('since: "2.6"', "since: 2.10", r':6: since: .*"2.10", in quotes'),
    ('since: "2.6"', 'since: "2.60"', r":6: since: unknown release '2.60'; allowed: 2.4, "),
    ("kind: added", "kind: add", r':5: kind: "add" is not known; allowed: added, changed'),
    ("kind: added", "kind: added\nkind: fixed", r':6: the key "kind" stands twice'),
    ("section: A section\n", "", r':2: the key "section" is missing'),
    ("stability: stable", "stability: stable\nfoo: 1", r':9: unknown key "foo"; allowed: title'),
    ("instead: Use eager.\n", "", r":6: since: does not hold on 2.4"),
    ("kind: added", "kind: removed", r":6: since: removed in 2.6, but no sample runs before"),
    ("kind: added", "kind: fixed", r":5: kind: fixed, so the key effect must say"),
    ("kind: added", "kind: deprecated", r":5: kind: the key do must say"),
    (
        "stability: stable",
        "look_for: ['torch.load']\nstability: stable",
        r":8: look_for: 'torch.load' f",
    ),
    (
        "stability: stable",
        "look_for: ['(']\nstability: stable",
        r":8: look_for: '\(': missing \)",
    ),
    (
        "stability: stable",
        'moved_in: ["2.5"]\nstability: stable',
        r":8: moved_in: 2.5 is not after",
    ),
    ("[torch.compile]", "[torch.compile()]", r":10: symbols\[0\]: "),
    ("[torch.compile]", "[a, a]", r":10: symbols: 'a' stands there twice"),
    ("hardware: [cpu]", "hardware: [cpu]\ncovers: [no-such-row]", r":10: covers: unknown row"),
    ("hardware: [cpu]", "hardware: [gpu]", r':9: hardware\[0\]: "gpu" is not known; allowed: cpu'),
    ("hardware: [cpu]", "hardware: cpu", r":9: hardware: .* is not a list"),
    ("hardware: [cpu]", 'hardware: [cpu]\nruns_on: "new"', r":10: runs_on: "),
    ("hardware: [cpu]", "hardware: [cpu]\nrequires: [left-pad]", r":10: requires: 'left-pad' has"),
    ("https://github.com/pytorch/pytorch", "http://a", r":11: sources\[0\]: "),
    ('versions="<2.10"', 'versions="<2.6"', r":15: versions='<2.6' matches no release that runs"),
    ('versions="<2.10"', 'versions="2.6"', r":15: versions='2.6' is no specifier"),
    ('versions="<2.10"', "versions=<2.10", r":15: cannot read 'versions=<2.10'; allowed: name="),
    ('title="One" versions="<2.10"', 'name="One"', r":15: unknown attribute 'name'; allowed: t"),
    ('raises="ValueError"', 'hardware="cuda"', r":25: hardware='cuda' is not in the entry's"),
    ('raises="ValueError"', 'raises="a b"', r":25: raises='a b'; allowed: the name"),
    ('raises="ValueError"', 'run="page"', r":25: run='page'; allowed: browser"),
    ('raises="ValueError"', 'no-run=""', r":25: attribute 'no-run' is empty"),
    ("x = 2", "x =", r":20: not Python: "),
    ("More prose.", "```bash\nls\n```", r":23: fence of language 'bash'; allowed: python with"),
    ("More prose.", "- item\n\n  ```python\n  y\n  ```", r":25: a code fence inside a list"),
    ("More prose.", "!!! note\n\n    ```python\n    y\n    ```", r":25: an indented code fence"),
    ("More prose.", "# Title", r":23: a heading of level 1"),
    ("More prose.", "~~~python\ny\n~~~", r":23: a fence opens with ```"),
    ("More prose.", "<div>\n```python\ny\n```\n</div>", r":23: a code fence or a region marker"),
    ("raise ValueError(x)\n```", "raise ValueError(x)", r":25: this code fence is never closed"),
    ("---\nProse.", "Prose.", r":1: front matter is not closed"),
    ("---\ntitle", "title", r":1: no front matter"),
]


@pytest.mark.parametrize(("old", "new", "message"), BROKEN)
def test_a_mistake_gives_file_line_and_remedy(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(SourceError) as caught:
        read(GOOD.replace(old, new, 1))
    assert re.search(
        rf"^docs/reference/compiler-and-attention/sample\.md{message}", str(caught.value)
    )


LINES = st.sampled_from(
    [
        *GOOD.splitlines(),
        *("```", "~~~", "````python", "    ```python", "> ```python", "- ```python", "!!! note"),
        *("<!-- #region -->", "\tx", '```python versions="', "%%bash", "? a", "&a *a", "- [", "{"),
    ]
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(st.text(), st.lists(LINES | st.text(max_size=20)).map("\n".join)))
def test_any_text_is_an_entry_or_a_clear_error(text: str) -> None:
    try:
        read(text)
    except SourceError as error:
        assert error.line >= 1
        assert error.message


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_damaged_entry_is_an_entry_or_a_clear_error(data: st.DataObject) -> None:
    lines = GOOD.splitlines()
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(lines) - 1))
        lines[place] = data.draw(LINES | st.text(max_size=30) | st.just(lines[place][::-1]))
    try:
        entry = read_entry(PATH, text="\n".join(lines))
    except SourceError as error:
        assert 1 <= error.line <= len("\n".join(lines).splitlines()) + 1
    else:  # nothing that looks like a cell may be skipped in silence
        body = "\n".join(lines).split("---", 2)[2]
        assert len(entry.cells) == len(re.findall(r"^```python(?= |$)", body, re.MULTILINE))


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_every_kind_of_line_end_reads_alike(newline: str) -> None:
    one, other = read_entry(PATH, text=GOOD), read_entry(PATH, text=GOOD.replace("\n", newline))
    assert one == other


def test_a_file_that_is_not_utf8_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "compiler-and-attention" / "sample.md"
    path.parent.mkdir()
    path.write_bytes(b"---\ntitle: \xff\n")
    with pytest.raises(SourceError, match=r"sample\.md:2: not UTF-8"):
        read_entry(path)


def test_a_file_outside_the_topics_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "entry.md").write_text(GOOD)
    with pytest.raises(SourceError, match="not in a topic's folder"):
        entry_paths(tmp_path)

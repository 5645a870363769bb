"""Start an entry: a file that reads well and asks for what only its author knows."""

from __future__ import annotations

from pathlib import Path

from scripts.entries import TOPICS
from scripts.errors import SourceError
from scripts.paths import REFERENCE, ROOT
from scripts.reader import read_entry
from scripts.releases import load_releases

TEMPLATE = """\
---
title: What it is about, in a few words
section: {section}
summary: What changed and since when, in one sentence that stands alone in a search result.
kind: changed            # added | changed | deprecated | removed | fixed | security | packaging
since: "{newest}"            # first release in which it holds
instead: What a reader on another release does, in one sentence.
effect: breaks           # what unchanged code meets: breaks | warns | silent | harmless
do: What to do about it, as one imperative sentence.
look_for: ['torch\\.ones\\(']   # what to grep for in a project (grep -E)
uses: []                 # compile, export, onnx, distributed, checkpoints, custom-ops, quantization
stability: stable        # stable | beta | prototype | unstable
hardware: [cpu]          # where the samples run: cpu, cuda, rocm, xpu, mps
runs_on: ">={before}"        # releases that get a notebook
symbols: [torch.Tensor.sum]
errors: []               # the first line of the error or warning, as a reader would paste it
covers: []               # rows of data/coverage.yml
sources:
  - https://github.com/pytorch/pytorch/releases/tag/v{patch}
---
What changed and since when. Who is affected, and how they notice. What to do.

```python title="One case" versions="<{newest}"
import torch

assert torch.ones(2).sum().item() == 2.0  # the old behavior
```

```python title="One case" versions=">={newest}"
import torch

assert torch.ones(2).sum().item() == 2.0  # the new behavior
```
"""


def new_entry(name: str) -> Path:
    """Write a template to ``docs/reference/<topic>/<entry>.md``; ``name`` is ``<topic>/<entry>``.

    Raises:
        SourceError: no such topic, a name that is no entry's, or the file is there already.
    """
    topic, _, slug = name.partition("/")
    path = REFERENCE / topic / f"{slug}.md"
    shown = path.relative_to(ROOT)
    if topic not in TOPICS or not slug:
        raise SourceError(shown, 1, f"allowed: <topic>/<entry>, topics: {', '.join(TOPICS)}")
    if path.exists():
        raise SourceError(shown, 1, "is there already; edit it, or choose another name")
    releases = load_releases()
    text = TEMPLATE.format(
        section=_first_section(topic),
        newest=releases.newest.release,
        before=releases.minors[-2],
        patch=releases.newest.patch,
    )
    read_entry(path, text=text)
    path.write_text(text, encoding="utf-8")
    return path


def _first_section(topic: str) -> str:
    from scripts.topics import read_topics

    topics = {one.id: one for one in read_topics([])}
    return topics[topic].sections[0]

"""The verify workflow's matrix: which runner runs what is stale on which release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from scripts.paths import DATA
from scripts.plan import Job
from scripts.yamlread import read_yaml, shown, validate

DEFAULT = DATA / "runners.yml"

Runner = str | list[str] | None


class Runners(BaseModel):
    """``data/runners.yml``: the labels of each hardware's runner; None where there is none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cpu: Runner
    cuda: Runner
    rocm: Runner
    xpu: Runner
    mps: Runner


def load_runners(path: Path = DEFAULT) -> Runners:
    """Read the runners.

    Raises:
        SourceError: the file is wrong; it names the line.
    """
    return validate(Runners, read_yaml(path), shown(path))


def matrix(jobs: Sequence[Job], runners: Runners | None = None) -> list[dict[str, Any]]:
    """One item a release and hardware that has something to run and a runner to run it on.

    Returns:
        ``release``, ``hardware``, ``runner`` (as ``runs-on`` takes it), ``notebooks`` (a number).
    """
    labels = (runners or load_runners()).model_dump()
    counts = Counter((job.release, job.hardware) for job in jobs)
    return [
        {"release": release, "hardware": hardware, "runner": labels[hardware], "notebooks": count}
        for (release, hardware), count in counts.items()
        if labels[hardware] is not None
    ]

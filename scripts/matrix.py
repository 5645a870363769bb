"""The verify workflow's matrix: which runner runs what is stale on which release."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from scripts.paths import DATA
from scripts.plan import Job
from scripts.yamlread import read_yaml, shown, validate

SHARE = 1800.0
"""Seconds of cells from which on a job is split."""

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
    """One item a share of what a release has to run on a hardware that has a runner.

    Returns:
        ``release``, ``hardware``, ``runner`` (as ``runs-on`` takes it), ``notebooks`` (a number of
        all shares together) and ``shard`` ("1/2").
    """
    labels = (runners or load_runners()).model_dump()
    groups: dict[tuple[str, str], list[Job]] = {}
    for job in jobs:
        groups.setdefault((job.release, job.hardware), []).append(job)
    items = []
    for (release, hardware), group in groups.items():
        if labels[hardware] is None:
            continue
        shares = max(1, math.ceil(sum(job.seconds for job in group) / SHARE))
        items += [
            {
                "release": release,
                "hardware": hardware,
                "runner": labels[hardware],
                "notebooks": len(group),
                "shard": f"{number}/{shares}",
                "name": f"{release}-{hardware}-{number}",
            }
            for number in range(1, shares + 1)
        ]
    return items

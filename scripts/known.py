"""What is known not to pass, until when, and what must not be overlooked: ``data/known.yml``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

from scripts.paths import DATA
from scripts.yamlread import read_yaml, shown, validate

DEFAULT = DATA / "known.yml"

Line = Annotated[str, StringConstraints(strict=True, pattern=r"^\S[^\n]*$")]


class Excuse(BaseModel):
    """One line of the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    notebooks: Line
    """Pattern over ``<release>/<hardware>/<topic>/<entry>``."""
    status: Literal["failed", "not-run"]
    reason: Line
    until: date

    def covers(self, notebook: str, status: str) -> bool:
        """Whether it speaks of a notebook in this status."""
        return self.status == status and fnmatchcase(notebook, self.notebooks)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    known: tuple[Excuse, ...]


@lru_cache
def load_known(path: Path = DEFAULT) -> tuple[Excuse, ...]:
    """Read the excuses.

    Raises:
        SourceError: the file is wrong; it names the line.
    """
    return validate(_File, read_yaml(path), shown(path)).known


def reason_not_run(notebook: str) -> str | None:
    """Why a notebook that was not run was not, if that is known."""
    return next((one.reason for one in load_known() if one.covers(notebook, "not-run")), None)


def judge(statuses: Mapping[str, str], excuses: Iterable[Excuse], today: date) -> list[str]:
    """Say what is wrong, one line each: nothing if all is as it is known to be.

    Args:
        statuses: ``passed``, ``failed`` or ``not-run`` by notebook (``<release>/<hardware>/<id>``).
        excuses: from :func:`load_known`.
        today: the day that dates are compared with.
    """
    excuses = tuple(excuses)
    wrong = []
    for notebook, status in sorted(statuses.items()):
        if status == "passed":
            if any(one.covers(notebook, "failed") and "*" not in one.notebooks for one in excuses):
                wrong.append(f"{notebook} passed though it is known to fail; take the excuse out")
            continue
        found = [one for one in excuses if one.covers(notebook, status)]
        if not found and status == "not-run":
            continue  # stale: the next verification runs it
        if not found:
            wrong.append(f"{notebook} is {status}, and data/known.yml has no excuse for it")
        elif all(one.until < today for one in found):
            wrong.append(f"{notebook} is {status}; its excuse ended on {found[0].until}")
    for one in excuses:
        if not any(fnmatchcase(notebook, one.notebooks) for notebook in statuses):
            wrong.append(f"the excuse for {one.notebooks} fits no notebook; take it out")
    return wrong

"""The subjects that the entries must cover between them: ``data/coverage.yml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

from scripts.errors import SourceError
from scripts.paths import DATA
from scripts.yamlread import read_yaml, shown, validate

DEFAULT = DATA / "coverage.yml"


class _Subject(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    since: Annotated[str, StringConstraints(pattern=r"^\d+\.\d+$")] | None = None
    line: Annotated[str, StringConstraints(pattern=r"^\S[^\n]*$")]


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    groups: Mapping[str, tuple[_Subject, ...]]


@dataclass(frozen=True)
class Row:
    """One subject: what a reader must be able to learn here."""

    id: str
    topic: str
    """A topic's id, or ``unreleased-and-briefings`` for what no release has yet."""
    since: str | None
    """First release in which it is said to hold; None where nobody says."""
    line: str


@dataclass(frozen=True)
class Coverage:
    """All subjects, in the order of the file."""

    rows: tuple[Row, ...]

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids that an entry's ``covers`` may name."""
        return frozenset(row.id for row in self.rows)


@lru_cache
def load_coverage(path: Path = DEFAULT) -> Coverage:
    """Read the subjects.

    Raises:
        SourceError: the file cannot be read, a row is wrong, or an id stands in two rows.
    """
    lined = read_yaml(path)
    rows: dict[str, Row] = {}
    for topic, subjects in validate(_File, lined, shown(path)).groups.items():
        for number, one in enumerate(subjects):
            if one.id in rows:
                line = lined.line(("groups", topic, number))
                raise SourceError(shown(path), line, f'the id "{one.id}" stands in two rows')
            rows[one.id] = Row(one.id, topic, one.since, one.line)
    return Coverage(tuple(rows.values()))

"""What people type into the search, and which entries answer it: ``data/queries.yml``."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from scripts.entries import Line, Release, Text
from scripts.errors import SourceError
from scripts.paths import DATA
from scripts.yamlread import read_yaml, shown, validate

DEFAULT = DATA / "queries.yml"

Kind = Literal["error", "name", "question", "typo", "traceback"]


class Query(BaseModel):
    """One query and its answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    query: Text
    kind: Kind
    torch: Release | None = None
    """The release that the person has set, if any."""
    answers: Annotated[tuple[Line, ...], Field(min_length=1)]
    """Entries (or other records of the search) each of which answers it."""
    never_first: tuple[Line, ...] = ()
    """Entries that would send the person the wrong way."""


class Queries(BaseModel):
    """All of them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    queries: Annotated[tuple[Query, ...], Field(min_length=1)]


@lru_cache
def load_queries(known: frozenset[str], path: Path = DEFAULT) -> tuple[Query, ...]:
    """Read the queries.

    Args:
        known: ids of the search's records.
        path: of the file.

    Raises:
        SourceError: the file cannot be read, a query is wrong, or an answer is none of ``known``.
    """
    lined = read_yaml(path)
    found = validate(Queries, lined, shown(path)).queries
    for place, query in enumerate(found):
        for key in ("answers", "never_first"):
            for answer in getattr(query, key):
                if answer not in known:
                    line = lined.line(("queries", place, key))
                    message = f"{key}: no entry {answer!r}; allowed: <topic>/<entry>"
                    raise SourceError(shown(path), line, message)
    return found

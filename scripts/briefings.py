"""Briefings: dated posts on what moved on PyTorch's main branch, before any release has it.

A briefing is written in ``docs/briefings/<slug>.md``; Material's blog lays the posts out, and the
feeds are made from the same front matter. What it says of the main branch is labeled unreleased,
and an entry with a sample takes over as soon as a wheel has it.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from scripts.entries import Line
from scripts.errors import SourceError
from scripts.pages import matter
from scripts.paths import DOCS
from scripts.reader import split_front_matter
from scripts.yamlread import shown, validate

FOLDER = DOCS / "briefings"

Theme = Literal["Compiler", "Export", "Distributed", "Platforms", "Numerics", "Releases"]
Pull = Annotated[
    str,
    StringConstraints(pattern=r"^https://github\.com/pytorch/[\w.-]+/(pull/\d+|commit/[0-9a-f]+)$"),
]


class BriefingMatter(BaseModel):
    """The keys between the two ``---`` lines of a briefing."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: Line
    date: datetime.date
    summary: Line
    themes: Annotated[tuple[Theme, ...], Field(min_length=1)]
    pulls: Annotated[tuple[Pull, ...], Field(min_length=1)]
    """Pull requests and commits that it speaks of."""
    covers: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Briefing:
    """One post."""

    slug: str
    front: BriefingMatter
    body: str
    path: Path

    @property
    def address(self) -> str:
        """Where its page is, from the root of the site."""
        return f"briefings/{self.slug}/"


def read_briefings(root: Path = FOLDER) -> list[Briefing]:
    """All briefings, the newest first.

    Raises:
        SourceError: the first thing that is wrong in any of them.
    """
    found = [_read(path) for path in sorted(root.glob("*.md")) if path.name != "index.md"]
    return sorted(found, key=lambda one: (one.front.date, one.slug), reverse=True)


def _read(path: Path) -> Briefing:
    where = shown(path)
    text = path.read_text(encoding="utf-8")
    lined, body, _ = split_front_matter(text, where)
    front = validate(BriefingMatter, lined, where)
    for pull in front.pulls:
        number = pull.rsplit("/", 1)[-1]
        if number not in body:
            line = lined.line(("pulls", front.pulls.index(pull)))
            raise SourceError(where, line, f"pulls: the text does not speak of {number}")
    return Briefing(path.stem, front, body.strip("\n"), path)


def briefing_page(briefing: Briefing, briefings: Sequence[Briefing]) -> str:
    """The staged Markdown of a post."""
    front = briefing.front
    head = matter(
        front.title,
        front.summary,
        date=front.date,
        slug=briefing.slug,
        categories=list(front.themes),
    )
    # In the repository the entries are in ../reference, on the site two folders up.
    body = re.sub(r"\]\(\.\./reference/", "](../../", briefing.body)
    body = re.sub(r"\]\(\.\./guides/([\w-]+)\.md", r"](../../guides/\1.ipynb", body)
    pulls = "\n".join(f"- <{pull}>" for pull in front.pulls)
    return (
        "\n\n".join(
            [
                head,
                f"# {front.title}",
                f'<p class="kb-summary">{front.summary}</p>',
                "<!-- more -->",
                body,
                f"## Pull requests {{#pull-requests}}\n\n{pulls}",
                _neighbors(briefing, briefings),
            ]
        ).rstrip("\n")
        + "\n"
    )


def _neighbors(briefing: Briefing, briefings: Sequence[Briefing], most: int = 4) -> str:
    """The briefings with the same themes, those nearest in time first."""

    def distance(other: Briefing) -> tuple[int, int]:
        shared = len(set(other.front.themes) & set(briefing.front.themes))
        return -shared, abs((other.front.date - briefing.front.date).days)

    others = sorted((one for one in briefings if one.slug != briefing.slug), key=distance)
    if not others:
        return ""
    lines = [
        f"- [{one.front.title}]({one.path.name}), {one.front.date:%Y-%m-%d}"
        f"<br><small>{one.front.summary}</small>"
        for one in others[:most]
    ]
    return "## Neighboring briefings {#neighbors}\n\n" + "\n".join(lines)


def briefings_page(text: str) -> str:
    """The page above the posts: its introduction; the blog adds the posts."""
    head = matter("Briefings", "What moved on PyTorch's main branch, dated, with a feed.")
    return f"{head}\n\n{text}"

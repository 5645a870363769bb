"""The five topics: the introduction, and the order in which a reader needs their sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from scripts.entries import TOPICS, Entry, Line
from scripts.errors import SourceError
from scripts.paths import REFERENCE
from scripts.reader import split_front_matter
from scripts.yamlread import shown, validate


class _TopicMatter(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    title: Line
    summary: Line
    sections: Annotated[tuple[Line, ...], Field(min_length=1)]
    start_here: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Topic:
    """A topic page's hand-written part and its entries."""

    id: str
    title: str
    summary: str
    sections: tuple[str, ...]
    start_here: tuple[Entry, ...]
    introduction: str
    entries: tuple[Entry, ...]

    def in_section(self, section: str) -> list[Entry]:
        """The entries of a section, in the order of what they hold from, then title."""
        return [entry for entry in self.entries if entry.front.section == section]


def read_topics(entries: Sequence[Entry]) -> list[Topic]:
    """Read the ``index.md`` of each topic and sort its entries as its sections say.

    Raises:
        SourceError: an introduction is missing or wrong, or an entry's section is unknown.
    """
    return [_read_topic(topic, [e for e in entries if e.topic == topic]) for topic in TOPICS]


def _read_topic(topic: str, entries: Sequence[Entry]) -> Topic:
    path = REFERENCE / topic / "index.md"
    where = shown(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SourceError(where, 1, f"cannot be read: {error.strerror}") from None
    lined, body, _ = split_front_matter(text, where)
    matter = validate(_TopicMatter, lined, where)
    by_slug = {entry.slug: entry for entry in entries}
    for number, slug in enumerate(matter.start_here):
        if slug not in by_slug:
            line = lined.line(("start_here", number))
            raise SourceError(where, line, f"start_here: there is no entry {slug!r} in this topic")
    for entry in entries:
        if entry.front.section not in matter.sections:
            allowed = ", ".join(matter.sections)
            raise SourceError(
                shown(entry.path),
                _section_line(entry.path),
                f"section: {entry.front.section!r} is none of this topic's; allowed: {allowed}",
            )
    order = sorted(
        entries,
        key=lambda entry: (matter.sections.index(entry.front.section), entry.front.title.lower()),
    )
    start = tuple(by_slug[slug] for slug in matter.start_here)
    return Topic(
        topic, matter.title, matter.summary, matter.sections, start, body.strip("\n"), tuple(order)
    )


def _section_line(path: Path) -> int:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("section:"):
            return number
    return 1

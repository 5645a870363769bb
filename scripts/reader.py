"""Read entries and guides from their files.

Whatever is wrong with a file is raised as a :class:`~scripts.errors.SourceError` that names file
and line; nothing is skipped in silence.
"""

from __future__ import annotations

import re
from pathlib import Path

from scripts.checkentry import check_cells, check_front_matter, check_matter
from scripts.coverage import load_coverage
from scripts.entries import TOPICS, Document, Entry, FrontMatter, Guide, GuideMatter
from scripts.errors import SourceError
from scripts.fences import read_blocks
from scripts.paths import GUIDES, REFERENCE
from scripts.releases import Releases, load_releases
from scripts.yamlread import LinedValue, load_yaml, shown, validate


def entry_paths(root: Path = REFERENCE) -> list[Path]:
    """The entry files below ``root``, sorted; a topic's ``index.md`` is none.

    Raises:
        SourceError: a Markdown file stands where no entry can be read from.
    """
    paths = []
    for path in sorted(root.rglob("*.md")):
        place = path.relative_to(root).parts
        if place[-1] == "index.md" and len(place) == 2 and place[0] in TOPICS:
            continue
        if len(place) != 2 or place[0] not in TOPICS:
            raise SourceError(
                path, 1, f"not in a topic's folder; allowed: {', '.join(TOPICS)}/<entry>.md"
            )
        paths.append(path)
    return paths


def read_entries(root: Path = REFERENCE) -> list[Entry]:
    """All entries below ``root``, in the order of their ids.

    Raises:
        SourceError: the first thing that is wrong in any of them.
    """
    releases = load_releases()
    return [_unchanged(path, releases) for path in entry_paths(root)]


_kept: dict[Path, tuple[object, Entry]] = {}


def _unchanged(path: Path, releases: Releases) -> Entry:
    """The entry as read before, if its file and the data are the same: a server reads often."""
    stat = path.stat()
    stamp = (stat.st_mtime_ns, stat.st_size, id(releases), id(load_coverage()))
    known = _kept.get(path)
    if known is None or known[0] != stamp:
        known = _kept[path] = (stamp, read_entry(path, releases=releases))
    return known[1]


def read_entry(path: Path, *, text: str | None = None, releases: Releases | None = None) -> Entry:
    """Read one entry from its file, or from ``text`` as if it stood there.

    Raises:
        SourceError: anything that is wrong with the file, with its line.
    """
    where = shown(path)
    topic, slug = path.parent.name, path.stem
    if topic not in TOPICS:
        raise SourceError(where, 1, f"unknown topic {topic!r}; allowed: {', '.join(TOPICS)}")
    releases = releases or load_releases()
    lined, body, body_line = split_front_matter(_text(path, text), where)
    front = validate(FrontMatter, lined, where)
    running = check_matter(front, lined, where, releases)
    check_front_matter(front, lined, where, releases, running, body)
    blocks = tuple(read_blocks(body, body_line, where))
    entry = Entry(topic, slug, path, front, blocks, running)
    check_cells(entry, where, releases)
    return entry


def read_guides(root: Path = GUIDES) -> list[Guide]:
    """All guides in ``root``, in the order of their file names.

    Raises:
        SourceError: the first thing that is wrong in any of them.
    """
    releases = load_releases()
    return [read_guide(path, releases) for path in sorted(root.glob("*.md"))]


def read_documents() -> list[Document]:
    """All entries, then all guides.

    Raises:
        SourceError: the first thing that is wrong in any of them.
    """
    return [*read_entries(), *read_guides()]


def read_guide(path: Path, releases: Releases) -> Guide:
    """Read one guide.

    Raises:
        SourceError: anything that is wrong with the file, with its line.
    """
    where = shown(path)
    lined, body, body_line = split_front_matter(_text(path, None), where)
    front = validate(GuideMatter, lined, where)
    running = check_matter(front, lined, where, releases)
    guide = Guide(
        "guides", path.stem, path, front, tuple(read_blocks(body, body_line, where)), running
    )
    check_cells(guide, where, releases)
    return guide


def _text(path: Path, text: str | None) -> str:
    """The file's text (or ``text`` in its place), once its name is known to be in order."""
    where = shown(path)
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", path.stem):
        raise SourceError(
            where, 1, f"file name {path.stem!r}; allowed: lower case words with hyphens"
        )
    if text is not None:
        return text
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise SourceError(where, line, "not UTF-8; save the file as UTF-8") from None
    except OSError as error:
        raise SourceError(where, 1, f"cannot be read: {error.strerror}") from None


def split_front_matter(text: str, where: str) -> tuple[LinedValue, str, int]:
    """Split a file's text into its front matter, its body, and the body's first line number.

    Raises:
        SourceError: there is no front matter, or it is not YAML.
    """
    lines = re.sub(r"\r\n?", "\n", text).split("\n")  # as Markdown takes them
    if lines[0].rstrip() != "---":
        raise SourceError(where, 1, "no front matter; the first line must be ---")
    for number, line in enumerate(lines[1:], start=2):
        if line.rstrip() == "---":
            lined = load_yaml("\n".join(lines[1 : number - 1]), where, first_line=2)
            return lined, "\n".join(lines[number:]), number + 1
    raise SourceError(where, 1, "front matter is not closed; a line --- ends it")

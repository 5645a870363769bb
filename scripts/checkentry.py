"""Check what an entry says against the data and against itself."""

from __future__ import annotations

import ast
import re
from typing import get_args

from packaging.specifiers import InvalidSpecifier
from packaging.version import Version

from scripts.coverage import load_coverage
from scripts.entries import EFFECTS, Cell, Document, Effect, FrontMatter, Matter
from scripts.errors import SourceError
from scripts.releases import Releases
from scripts.yamlread import LinedValue

_EFFECTS = ", ".join(get_args(Effect))


def _fail(key: str, message: str, lined: LinedValue, shown: str) -> SourceError:
    return SourceError(shown, lined.line((key,)), f"{key}: {message}")


def check_matter(
    front: Matter, lined: LinedValue, shown: str, releases: Releases
) -> tuple[str, ...]:
    """Check the keys against the data and say which minor releases get a notebook."""
    for key in ("since", "until", "possible_from", "required_by", "moved_in"):
        value = getattr(front, key, None)
        named = value if isinstance(value, tuple) else (value,) if value else ()
        for value in named:
            if value in releases.minors:
                continue
            allowed = ", ".join(releases.minors)
            raise _fail(key, f"unknown release {value!r}; allowed: {allowed}", lined, shown)
    unique = ("hardware", "symbols", "errors", "covers", "requires", "sources", "moved_in", "uses")
    for key in (*unique, "concerns", "look_for"):
        values: tuple[str, ...] = getattr(front, key, ())
        if twice := sorted({value for value in values if values.count(value) > 1}):
            raise _fail(key, f"{twice[0]!r} stands there twice", lined, shown)
    for extra in front.requires:
        if not any(extra in record.extras for record in releases.records):
            names = sorted({name for record in releases.records for name in record.extras})
            message = f"{extra!r} has no pin in data/releases.yml; allowed: {', '.join(names)}"
            raise _fail("requires", message, lined, shown)
    until = getattr(front, "until", None)
    specifier = front.runs_on or f">={front.since}" + (f",<={until}" if until else "")
    try:
        running = tuple(releases.matching(specifier))
    except InvalidSpecifier as error:
        raise _fail("runs_on", f"{front.runs_on!r}: {error}", lined, shown) from None
    if not running:
        raise _fail("runs_on", f"{front.runs_on!r} matches no release", lined, shown)
    return running


def check_front_matter(
    front: FrontMatter,
    lined: LinedValue,
    shown: str,
    releases: Releases,
    running: tuple[str, ...],
    text: str,
) -> None:
    """Check what an entry's keys say against each other and against its ``text`` below them."""
    minors, since = releases.minors, Version(front.since)
    if front.until is not None and Version(front.until) < since:
        raise _fail("until", f"{front.until} lies before since {front.since}", lined, shown)
    for release in front.moved_in:
        if Version(release) <= since:
            raise _fail("moved_in", f"{release} is not after since {front.since}", lined, shown)
    for pattern in front.look_for:
        try:
            found = re.search(pattern, text)
        except re.error as error:
            raise _fail("look_for", f"{pattern!r}: {error}", lined, shown) from None
        if found is None:
            message = f"{pattern!r} finds nothing in the entry's own text and code"
            raise _fail("look_for", message, lined, shown)
    rows = load_coverage().ids
    for row in front.covers:
        if row not in rows:
            message = f"unknown row {row!r}; allowed: the ids in data/coverage.yml"
            raise _fail("covers", message, lined, shown)
    outside = [m for m in minors if Version(m) < since]
    outside += [m for m in minors if front.until and Version(m) > Version(front.until)]
    if outside and front.instead is None:
        message = (
            f"does not hold on {outside[0]}, so the key instead must say in one sentence what a"
            " reader does there"
        )
        raise _fail("since", message, lined, shown)
    before = [m for m in running if Version(m) < since]
    if front.kind in ("changed", "removed") and since > Version(minors[0]) and not before:
        message = f"{front.kind} in {front.since}, but no sample runs before; both sides are shown"
        raise _fail("runs_on" if front.runs_on else "since", message, lined, shown)
    if front.effect is None and front.kind not in EFFECTS:
        message = f"{front.kind}, so the key effect must say what a project meets: {_EFFECTS}"
        raise _fail("kind", message, lined, shown)
    if front.do is None and (front.effect or EFFECTS.get(front.kind)) != "harmless":
        message = "the key do must say in one imperative sentence what a reader does"
        raise _fail("kind", message, lined, shown)


def check_cells(entry: Document, shown: str, releases: Releases) -> None:
    """Check each cell's attributes, that it is Python, and that it runs somewhere."""
    for cell in entry.cells:
        if cell.versions is not None:
            try:
                matched = releases.matching(cell.versions)
            except InvalidSpecifier:
                raise SourceError(
                    shown, cell.line, f"versions={cell.versions!r} is no specifier like <2.6"
                ) from None
            if not set(matched) & set(entry.releases):
                raise SourceError(
                    shown,
                    cell.line,
                    f"versions={cell.versions!r} matches no release that runs here; allowed:"
                    f" {', '.join(entry.releases)}",
                )
        if cell.hardware is not None and cell.hardware not in entry.front.hardware:
            raise SourceError(
                shown,
                cell.line,
                f"hardware={cell.hardware!r} is not in the entry's hardware; allowed:"
                f" {', '.join(entry.front.hardware)}",
            )
        if cell.raises is not None and not re.fullmatch(r"[A-Za-z_]\w*", cell.raises):
            raise SourceError(
                shown, cell.line, f"raises={cell.raises!r}; allowed: the name of one exception"
            )
        if cell.run is not None and cell.run != "browser":
            raise SourceError(shown, cell.line, f"run={cell.run!r}; allowed: browser")
        if cell.no_run is not None and (cell.raises or cell.run):
            raise SourceError(shown, cell.line, "a no-run cell can neither raise nor run")
        if cell.no_run is None:
            _check_python(cell, shown)
    for release, hardware in entry.targets():
        if not entry.cells_on(release, hardware):
            raise SourceError(
                shown,
                1,
                f"no cell runs on {release} with {hardware}; narrow runs_on or hardware, or add"
                " a cell",
            )


def _check_python(cell: Cell, shown: str) -> None:
    if cell.raises == "SyntaxError":
        return
    try:
        ast.parse(cell.source)
    except SyntaxError as error:
        line = cell.line + (error.lineno or 1)
        raise SourceError(shown, line, f"not Python: {error.msg}") from None
    except ValueError as error:  # a null byte
        raise SourceError(shown, cell.line, f"not Python: {error}") from None

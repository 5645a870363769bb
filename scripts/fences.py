"""Find the code fences of a Markdown body: the cells, and the prose between them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt

from scripts.entries import CELL_ATTRIBUTES, DISPLAY_LANGUAGES, Block, Cell, Prose
from scripts.errors import SourceError

_ATTRIBUTE = re.compile(r'\s+([A-Za-z][\w-]*)="([^"]*)"')


def read_blocks(body: str, first_line: int, shown: str) -> Iterator[Block]:
    """Prose and cells of a body in order; ``first_line`` is the file's line of its first line."""
    lines = body.split("\n")
    start = 0
    for token in MarkdownIt("commonmark").parse(body):
        if token.map is None:
            continue
        number = first_line + token.map[0]
        if token.type == "heading_open" and token.tag == "h1":
            raise SourceError(shown, number, "a heading of level 1; the title key is the heading")
        if token.type == "code_block" and "```" in token.content:
            raise SourceError(
                shown, number, "an indented code fence never becomes a cell; do not indent it"
            )
        if token.type == "html_block" and re.search(r"```|<!--\s*#", token.content):
            raise SourceError(shown, number, "a code fence or a region marker inside HTML")
        if token.type != "fence":
            continue
        language = token.info.split(maxsplit=1)[0] if token.info.strip() else ""
        if token.level > 0:
            raise SourceError(
                shown, number, "a code fence inside a list or a quotation; put it at the margin"
            )
        _check_closed(lines, token.map, token.markup, number, shown)
        if token.markup != "```" or token.info.startswith(" ") or lines[token.map[0]][0] == " ":
            raise SourceError(shown, number, "a fence opens with ``` and its language, unindented")
        if language in DISPLAY_LANGUAGES and token.info.strip() == language:
            continue
        if language != "python":
            raise SourceError(
                shown,
                number,
                f"fence of language {token.info.strip()!r}; allowed: python with attributes, and"
                f" to show only: {', '.join(DISPLAY_LANGUAGES)}",
            )
        if prose := "\n".join(lines[start : token.map[0]]).strip("\n"):
            yield Prose(first_line + start, prose)
        yield _read_cell(token.info, token.content, number, shown)
        start = token.map[1]
    if prose := "\n".join(lines[start:]).strip("\n"):
        yield Prose(first_line + start, prose)


def _check_closed(lines: list[str], span: list[int], markup: str, number: int, shown: str) -> None:
    last = lines[span[1] - 1].strip() if span[1] - 1 > span[0] else ""
    if not (last.startswith(markup) and not last.strip(markup[0])):
        raise SourceError(shown, number, "this code fence is never closed")


def _read_cell(info: str, content: str, number: int, shown: str) -> Cell:
    rest = info[len("python") :]
    attributes: dict[str, str] = {}
    position = 0
    for match in _ATTRIBUTE.finditer(rest):
        if match.start() != position:
            break
        position = match.end()
        key, value = match.groups()
        if key not in CELL_ATTRIBUTES:
            raise SourceError(
                shown, number, f"unknown attribute {key!r}; allowed: {', '.join(CELL_ATTRIBUTES)}"
            )
        if key in attributes:
            raise SourceError(shown, number, f"attribute {key!r} stands there twice")
        if not value.strip():
            raise SourceError(shown, number, f"attribute {key!r} is empty")
        attributes[key] = value
    if rest[position:].strip():
        raise SourceError(
            shown, number, f'cannot read {rest[position:].strip()!r}; allowed: name="value"'
        )
    if not content.strip():
        raise SourceError(shown, number, "an empty cell")
    return Cell(
        line=number,
        source=content.rstrip("\n"),
        **{key.replace("-", "_"): value for key, value in attributes.items()},
    )

"""Read YAML so that every later complaint can name the line it is about.

``load_yaml`` turns text into plain values plus the line of each of them; ``validate`` checks such
values against a pydantic model and raises one ``SourceError`` for the first mistake in the file.
The data files and the front matter of entries are both read this way.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from scripts.errors import SourceError
from scripts.paths import ROOT

# Where a value stands: the keys and list positions that lead to it from the top.
Place = tuple[str | int, ...]
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class LinedValue:
    """A parsed YAML document and the line of each of its parts."""

    value: Any
    lines: Mapping[Place, int]
    # Scalars as they were typed: 2.10 is the number 2.1 once parsed, and the hint must say "2.10".
    texts: Mapping[Place, str]

    def place(self, loc: Place) -> Place:
        """Give the deepest part of ``loc`` that the document has, passing over foreign steps.

        Pydantic puts names of union members and validators between the keys; those are skipped.
        """
        place: Place = ()
        for part in loc:
            if (*place, part) in self.lines:
                place = (*place, part)
        return place

    def line(self, loc: Place) -> int:
        """Give the line of the value at ``loc``, or of the nearest thing around it."""
        return self.lines[self.place(loc)]


def shown(path: Path) -> str:
    """Give ``path`` as people know it: from the root of the repository if it lies inside."""
    resolved = path.resolve()
    return (resolved.relative_to(ROOT) if resolved.is_relative_to(ROOT) else path).as_posix()


def read_yaml(path: Path) -> LinedValue:
    """Read a whole YAML file.

    Raises:
        SourceError: it cannot be read, or ``load_yaml`` refuses it.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(shown(path), 1, f"cannot be read: {error}") from error
    return load_yaml(text, shown(path))


def load_yaml(text: str, source: str | Path, first_line: int = 1) -> LinedValue:
    """Parse one YAML document.

    Args:
        text: the YAML.
        source: the file's name for messages.
        first_line: the line of the file on which ``text`` starts; 2 for front matter.

    Raises:
        SourceError: a syntax error, a key given twice or not a string, an alias, or a tag.
    """
    # Never SafeLoader's whole-document constructor: it drops duplicate keys and every line number.
    try:
        loader = yaml.SafeLoader(text)
    except yaml.reader.ReaderError as error:
        line = first_line + text[: error.position].count("\n")
        raise SourceError(source, line, f"not readable as YAML: {error.reason}") from error
    try:
        return _Reader(loader, source, first_line).read()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = first_line + (mark.line if mark else 0)
        said = ", ".join(part for part in (error.context, error.problem) if part)
        raise SourceError(source, line, f"not valid YAML: {said}") from error
    finally:
        loader.dispose()


class _Reader:
    """Walks the node tree of one document and notes values, lines and texts on the way."""

    def __init__(self, loader: yaml.SafeLoader, source: str | Path, first_line: int) -> None:
        self.loader = loader
        self.source = source
        self.first_line = first_line
        self.lines: dict[Place, int] = {(): first_line}
        self.texts: dict[Place, str] = {}
        self.seen: set[int] = set()

    def read(self) -> LinedValue:
        node = self.loader.get_single_node()
        value = None if node is None else self.build(node, ())
        return LinedValue(value, self.lines, self.texts)

    def line_of(self, node: yaml.Node) -> int:
        return self.first_line + int(node.start_mark.line)

    def build(self, node: yaml.Node, place: Place) -> Any:
        # The same node twice is an alias; it would share one value between two places, or loop.
        if id(node) in self.seen:
            line = self.lines[place] if place in self.lines else self.line_of(node)
            raise SourceError(
                self.source, line, "an alias (*name) is not read; write the value out"
            )
        self.seen.add(id(node))
        # A value in a mapping keeps the line of its key, set before: that is what one looks for.
        self.lines.setdefault(place, self.line_of(node))
        if isinstance(node, yaml.MappingNode) and node.tag == "tag:yaml.org,2002:map":
            return {key: self.build(item, (*place, key)) for key, item in self.items(node, place)}
        if isinstance(node, yaml.SequenceNode) and node.tag == "tag:yaml.org,2002:seq":
            return [self.build(item, (*place, i)) for i, item in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode):
            self.texts[place] = node.value
            try:
                return self.loader.construct_object(node, deep=True)
            except ValueError as error:
                text = f'"{node.value}" is not a value: {error}'
                raise SourceError(self.source, self.line_of(node), text) from error
        raise SourceError(self.source, self.line_of(node), f"the tag {node.tag} is not read")

    def items(self, node: yaml.MappingNode, place: Place) -> Iterator[tuple[str, yaml.Node]]:
        for key, item in node.value:
            line = self.line_of(key)
            if key.tag != "tag:yaml.org,2002:str":
                typed = f'"{key.value}"' if isinstance(key, yaml.ScalarNode) else "as one word"
                raise SourceError(self.source, line, f"a key must be text; write {typed}")
            if (*place, key.value) in self.lines:
                before = self.lines[(*place, key.value)]
                raise SourceError(
                    self.source, line, f'the key "{key.value}" stands twice; first on line {before}'
                )
            self.lines[(*place, key.value)] = line
            yield key.value, item


def validate(model: type[Model], lined: LinedValue, source: str | Path) -> Model:
    """Make a ``model`` of a parsed document; ``source`` is the file's name for messages.

    Raises:
        SourceError: for the mistake that stands first in the file.
    """
    try:
        return model.model_validate(lined.value)
    except ValidationError as error:
        mistakes = error.errors(include_url=False)
        line, message = min(
            (_explain(model, lined, one) for one in mistakes if not _follows(one, mistakes)),
            key=lambda mistake: mistake[0],
        )
        raise SourceError(source, line, message) from error


def _follows(mistake: ErrorDetails, mistakes: list[ErrorDetails]) -> bool:
    """Say whether a mistake is there only because of another, which is the one to speak of.

    A list with a wrong item counts as too short as well, and of a misspelled key pydantic says
    both that the right one is missing and that the wrong one is unknown.
    """
    loc = mistake["loc"]
    if mistake["type"] == "missing":
        unknown = (one["loc"] for one in mistakes if one["type"] == "extra_forbidden")
        return any(other[:-1] == loc[:-1] for other in unknown)
    return any(len(one["loc"]) > len(loc) and one["loc"][: len(loc)] == loc for one in mistakes)


def _explain(model: type[BaseModel], lined: LinedValue, details: ErrorDetails) -> tuple[int, str]:
    """Say one pydantic error in plain words, with its line."""
    loc, kind, given = details["loc"], details["type"], details["input"]
    context = details.get("ctx", {})
    place = lined.place(loc)
    typed = lined.texts.get(place, given)
    if kind == "missing":
        message = f'the key "{loc[-1]}" is missing'
    elif kind == "extra_forbidden":
        place = place[:-1]
        message = f'unknown key "{loc[-1]}"; allowed: {", ".join(_keys(model, place))}'
    elif kind in ("literal_error", "enum"):
        expected = context["expected"].replace("'", "").replace(" or ", ", ")
        message = f'"{typed}" is not known; allowed: {expected}'
    elif kind == "string_type" and isinstance(given, (bool, int, float, date)):
        message = f'YAML does not read {typed} as text; allowed: "{typed}", in quotes'
    elif kind == "string_type":
        message = f"{_NAMES.get(type(given), 'this')} stands here; allowed: one text"
    elif kind in ("tuple_type", "list_type"):
        message = f'"{typed}" is not a list; allowed: a list like [{typed}]'
    elif kind in ("model_type", "dict_type"):
        keys = ", ".join(_keys(model, place)) or "any"
        message = f"{_NAMES.get(type(given), 'one value')} stands here; allowed: keys ({keys})"
    elif kind == "value_error":
        message = str(context["error"])
    else:
        message = f'"{typed}" does not fit: {details["msg"]}'
    where = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in place).lstrip(".")
    return lined.line(loc), f"{where}: {message}" if where else message


_NAMES: dict[type, str] = {type(None): "nothing", list: "a list", dict: "a group of keys"}


def _keys(model: type[BaseModel], place: Place) -> list[str]:
    """Give the keys that the model at ``place`` below ``model`` knows; none if it is no model."""
    found: type[BaseModel] | None = model
    for part in place:
        if isinstance(part, str) and found is not None:
            field = _fields(found).get(part)
            found = next(_models(field.annotation), None) if field else None
    return [] if found is None else list(_fields(found))


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Give the fields of a model by the keys they have in YAML."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Find the models inside ``X``, ``X | None``, ``tuple[X, ...]`` and the like."""
    # tuple[X, ...] passes for a type, but issubclass refuses it.
    plain = isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias)
    if plain and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)

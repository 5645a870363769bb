"""The entry: one fact about PyTorch, written by hand in Markdown, and the model everything reads.

An entry file is front matter, prose and code fences (``docs/reference/<topic>/<entry>.md``); a
guide (``docs/guides/<guide>.md``) is the same, but longer. ``scripts.reader`` makes the models
below of the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from packaging.specifiers import SpecifierSet
from packaging.version import Version
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

TOPICS: dict[str, str] = {
    "migrations-and-security": "Migrations and security",
    "compiler-and-attention": "Compiler and attention",
    "export-aot-and-custom-ops": "Export, AOT and custom ops",
    "distributed-and-checkpointing": "Distributed and checkpointing",
    "platforms-extensions-and-runtime": "Platforms, extensions and runtime",
}
HARDWARE = ("cpu", "cuda", "rocm", "xpu", "mps")
DISPLAY_LANGUAGES = ("console", "text", "diff", "yaml", "toml", "json", "ini", "cmake", "cpp")
CELL_ATTRIBUTES = ("title", "versions", "hardware", "raises", "run", "no-run")

EFFECTS: dict[str, Effect] = {"removed": "breaks", "deprecated": "warns", "added": "harmless"}
"""What an unchanged project meets, by the kind of entry that need not say it."""

Topic = Literal[
    "migrations-and-security",
    "compiler-and-attention",
    "export-aot-and-custom-ops",
    "distributed-and-checkpointing",
    "platforms-extensions-and-runtime",
]
Kind = Literal["added", "changed", "deprecated", "removed", "fixed", "security", "packaging"]
Effect = Literal["breaks", "warns", "silent", "harmless"]
Use = Literal[
    "compile", "export", "onnx", "distributed", "checkpoints", "custom-ops", "quantization"
]
Stability = Literal["stable", "beta", "prototype", "unstable"]
Hardware = Literal["cpu", "cuda", "rocm", "xpu", "mps"]
Text = Annotated[str, StringConstraints(strict=True, strip_whitespace=True, min_length=1)]
Line = Annotated[Text, StringConstraints(pattern=r"^[^\n]*$")]
Release = Annotated[str, StringConstraints(strict=True, pattern=r"^\d+\.\d+$")]
Symbol = Annotated[str, StringConstraints(strict=True, pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$")]
Source = Annotated[str, StringConstraints(strict=True, pattern=r"^https://\S+$")]
Short = Annotated[Line, StringConstraints(max_length=200)]


class Matter(BaseModel):
    """What the front matter of an entry and of a guide have in common."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: Line
    summary: Annotated[Line, StringConstraints(max_length=300)]
    since: Release
    hardware: Annotated[tuple[Hardware, ...], Field(min_length=1)]
    runs_on: Text | None = None
    requires: tuple[Text, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]


class GuideMatter(Matter):
    """The keys between the two ``---`` lines of a guide."""

    topic: Topic


class FrontMatter(Matter):
    """The keys between the two ``---`` lines of an entry."""

    section: Line
    kind: Kind
    until: Release | None = None
    possible_from: Release | None = None
    required_by: Release | None = None
    instead: Line | None = None
    """What a reader uses on a release in which the statement does not hold."""
    effect: Effect | None = None
    """What an unchanged project meets: it stops, warns, gives something else without a word, or
    nothing; of a removal it stops, of a deprecation it warns, of an addition it meets nothing."""
    moved_in: tuple[Release, ...] = ()
    """Releases after ``since`` in which what the entry tells of moved again."""
    uses: tuple[Use, ...] = ()
    """The parts of PyTorch whose users are concerned; none for everybody."""
    concerns: tuple[Hardware, ...] = ()
    """The devices whose owners are concerned; none for everybody."""
    do: Short | None = None
    """What a reader who upgrades does, in one imperative sentence."""
    look_for: tuple[Line, ...] = ()
    """Extended regular expressions (``grep -E``) that find the places in a project."""
    stability: Stability
    errors: tuple[Line, ...] = ()
    covers: tuple[Text, ...] = ()


@dataclass(frozen=True)
class Prose:
    """Markdown between two cells."""

    line: int
    text: str


@dataclass(frozen=True)
class Cell:
    """A ``python`` fence and its attributes; ``line`` is the line of the opening fence."""

    line: int
    source: str
    title: str | None = None
    versions: str | None = None
    hardware: str | None = None
    raises: str | None = None
    run: str | None = None
    no_run: str | None = None

    @property
    def narrow(self) -> bool:
        """Whether the cell belongs to some releases or some hardware alone."""
        return self.versions is not None or self.hardware is not None

    def applies(self, release: str, hardware: str) -> bool:
        """Whether the cell belongs to a minor ``release`` ("2.6") on ``hardware`` ("cpu")."""
        if self.hardware is not None and self.hardware != hardware:
            return False
        return self.versions is None or SpecifierSet(self.versions).contains(Version(release))


Block = Prose | Cell


@dataclass(frozen=True)
class Document:
    """A file that becomes notebooks: where it stands, its front matter, its blocks in order."""

    folder: str
    """The topic of an entry; ``guides`` for a guide."""
    slug: str
    path: Path
    front: Matter
    blocks: tuple[Block, ...]
    releases: tuple[str, ...]
    """Minor releases that get a notebook, oldest first."""

    @property
    def id(self) -> str:
        """``<folder>/<file>``: the name, and the address on the site."""
        return f"{self.folder}/{self.slug}"

    @property
    def source(self) -> str:
        """Path of the file in the repository."""
        return (
            f"docs/guides/{self.slug}.md"
            if self.folder == "guides"
            else (f"docs/reference/{self.id}.md")
        )

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The code cells in order, those that never run included."""
        return tuple(block for block in self.blocks if isinstance(block, Cell))

    @cached_property
    def prose(self) -> str:
        """The prose alone, without code."""
        return "\n\n".join(block.text for block in self.blocks if isinstance(block, Prose))

    def cells_on(self, release: str, hardware: str) -> list[Cell]:
        """The cells that run on a minor release and hardware, in order."""
        return [c for c in self.cells if c.no_run is None and c.applies(release, hardware)]

    def targets(self) -> Iterator[tuple[str, str]]:
        """Every (release, hardware) that gets a notebook, in order."""
        for release in self.releases:
            for hardware in self.front.hardware:
                yield release, hardware


@dataclass(frozen=True)
class Guide(Document):
    """A long walk-through."""

    front: GuideMatter


@dataclass(frozen=True)
class Entry(Document):
    """One fact."""

    front: FrontMatter

    @property
    def topic(self) -> str:
        """The topic's id."""
        return self.folder

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that the entry is about."""
        return frozenset(self.front.symbols)

    @cached_property
    def modules(self) -> frozenset[str]:
        """The modules and classes that hold them; ``torch`` holds too much to say anything."""
        return frozenset(name.rsplit(".", 1)[0] for name in self.names) - {"torch"}

    @property
    def effect(self) -> Effect:
        """What a project that does not change meets; the kind says it where the entry does not."""
        return self.front.effect or EFFECTS.get(self.front.kind, "harmless")

    def holds_on(self, release: str) -> bool:
        """Whether the statement holds on a minor release ("2.6")."""
        version = Version(release)
        if version < Version(self.front.since):
            return False
        return self.front.until is None or version <= Version(self.front.until)


def variants(cells: Iterable[Cell], entry: Document) -> list[list[Cell]]:
    """Neighboring cells grouped so that at most one of a group runs on a release and device.

    A group of several is what a page shows as tabs.
    """
    groups: list[list[Cell]] = []
    taken: set[tuple[str, str]] = set()
    for cell in cells:
        places = {target for target in entry.targets() if cell.applies(*target)}
        if groups and cell.narrow and not taken & places and groups[-1][-1].narrow:
            groups[-1].append(cell)
            taken |= places
        else:
            groups.append([cell])
            taken = places
    return groups
